//! How disks are served: the one choice of front end.

use std::fs::File;
use std::io;
use std::os::unix::fs::{FileExt, OpenOptionsExt};
use std::path::{Path, PathBuf};
use std::str::FromStr;
use std::sync::Arc;
use std::time::{Duration, Instant};

use blockyard_machine::Error;
use blockyard_sys::Buffer;
use rustix::fs::OFlags;
use serde::Deserialize;

use crate::block::Attached;
use crate::disk::Disk;
use crate::fuse::Mount;
use crate::nbd::{Address, Server, Tls};

/// How disks are served.
#[derive(Clone, Debug, PartialEq, Eq, Deserialize)]
#[serde(try_from = "String")]
pub enum Front {
    /// NBD exports on a unix socket or at a host and port.
    Nbd(Address),
    /// Files in a folder.
    Fuse(PathBuf),
    /// Block devices.
    Block,
}

impl Front {
    /// Prepares this thread before it starts those that serve.
    pub(crate) fn prepare(&self) {
        // Where it cannot be had, the process keeps more memory than it uses.
        let _ = blockyard_sys::unmap_large_blocks();
        if !matches!(self, Self::Nbd(_)) {
            // Where it is refused, it is as with any server of files.
            let _ = blockyard_sys::serve_disks();
        }
    }
}

impl FromStr for Front {
    type Err = String;

    fn from_str(text: &str) -> Result<Self, String> {
        match text.split_once('=') {
            Some(("nbd", address)) => {
                let address: Result<_, Error> = address.parse();
                address.map(Self::Nbd).map_err(|error| error.to_string())
            }
            Some(("fuse", dir)) if !dir.is_empty() => Ok(Self::Fuse(dir.into())),
            None if text == "block" => Ok(Self::Block),
            _ => Err(format!(
                "`{text}`; expected nbd=PATH, nbd=HOST:PORT, fuse=DIR or block"
            )),
        }
    }
}

impl TryFrom<String> for Front {
    type Error = String;

    fn try_from(text: String) -> Result<Self, String> {
        text.parse()
    }
}

/// Disks that are served.
#[derive(Debug)]
pub(crate) enum Serving {
    Nbd(Server),
    Fuse(Mount),
    Block(Attached),
}

impl Serving {
    /// Starts to serve `disks`.
    pub(crate) fn start(
        front: &Front,
        tls: Option<&Tls>,
        disks: Vec<Arc<Disk>>,
    ) -> Result<Self, Error> {
        match front {
            Front::Nbd(address) => Server::start(disks, address, tls).map(Self::Nbd),
            Front::Fuse(_) | Front::Block if tls.is_some() => Err(Error::Input(
                "--tls-certificates: only NBD has TLS; expected --as nbd=HOST:PORT".into(),
            )),
            Front::Fuse(dir) => Mount::start(disks, dir).map(Self::Fuse),
            Front::Block => Attached::start(disks).map(Self::Block),
        }
    }

    /// How it is done, in a few words.
    pub(crate) fn how(&self) -> &'static str {
        match self {
            Self::Nbd(_) => "NBD",
            Self::Fuse(_) => "FUSE",
            Self::Block(attached) => attached.how(),
        }
    }

    /// What its clients see.
    pub(crate) fn kind(&self) -> &'static str {
        match self {
            Self::Nbd(_) => "nbd export",
            Self::Fuse(_) => "file",
            Self::Block(_) => "block device",
        }
    }

    /// Where clients find a disk.
    pub(crate) fn place(&self, disk: &Disk) -> String {
        match self {
            Self::Nbd(server) => server.uri(disk.name()),
            Self::Fuse(mount) => mount.file(disk).display().to_string(),
            Self::Block(attached) => attached.path(disk).display().to_string(),
        }
    }

    /// Times requests to a disk, one at a time, over the whole way.
    pub(crate) fn probe(&self, disk: &Disk, rounds: usize) -> io::Result<Vec<Duration>> {
        match self {
            Self::Nbd(server) => server.probe(disk.name(), rounds),
            Self::Fuse(mount) => time_reads(&mount.file(disk), rounds),
            Self::Block(attached) => time_reads(&attached.path(disk), rounds),
        }
    }

    /// What the user should know at once.
    pub(crate) fn warnings(&self) -> Vec<String> {
        match self {
            Self::Nbd(server) => server.warnings(),
            Self::Fuse(_) | Self::Block(_) => Vec::new(),
        }
    }

    /// As the power goes: clients are cut off where that is possible.
    pub(crate) fn cut_off(&self) {
        if let Self::Nbd(server) = self {
            server.disconnect_all();
        }
    }

    /// Ends it. Tells of anything that still uses it; it is ended regardless.
    pub(crate) fn stop(self, tell: &mut dyn FnMut(&str)) {
        match self {
            Self::Nbd(mut server) => server.stop(),
            Self::Fuse(mount) => mount.stop(tell),
            Self::Block(attached) => attached.stop(tell),
        }
    }
}

/// How long each of `rounds` reads of 4 KiB past the page cache took, one after
/// another.
fn time_reads(path: &Path, rounds: usize) -> io::Result<Vec<Duration>> {
    let direct = OFlags::DIRECT.bits() as i32;
    let file = File::options().read(true).custom_flags(direct).open(path)?;
    let mut buffer = Buffer::new(4096);
    (0..rounds)
        .map(|_| {
            let start = Instant::now();
            file.read_exact_at(&mut buffer, 0)?;
            Ok(start.elapsed())
        })
        .collect()
}
