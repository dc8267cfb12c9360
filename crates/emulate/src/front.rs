//! How disks are served: the one choice of front end.

use std::io;
use std::path::PathBuf;
use std::str::FromStr;
use std::sync::Arc;
use std::time::Duration;

use crate::disk::Disk;
use crate::error::Error;
use crate::nbd::{Address, Server, Tls};

/// How disks are served.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Front {
    /// NBD exports on a unix socket or at a host and port.
    Nbd(Address),
    /// Files in a folder.
    Fuse(PathBuf),
    /// Block devices.
    Block,
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

/// Disks that are served.
#[derive(Debug)]
pub(crate) enum Serving {
    Nbd(Server),
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
            _ => Err(Error::Lacks("only NBD".into())),
        }
    }

    /// How it is done, in a few words.
    pub(crate) fn how(&self) -> &'static str {
        match self {
            Self::Nbd(_) => "NBD",
        }
    }

    /// What its clients see.
    pub(crate) fn kind(&self) -> &'static str {
        match self {
            Self::Nbd(_) => "nbd export",
        }
    }

    /// Where clients find a disk.
    pub(crate) fn place(&self, disk: &Disk) -> String {
        match self {
            Self::Nbd(server) => server.uri(disk.name()),
        }
    }

    /// Times requests to a disk, one at a time, over the whole way.
    pub(crate) fn probe(&self, disk: &Disk, rounds: usize) -> io::Result<Vec<Duration>> {
        match self {
            Self::Nbd(server) => server.probe(disk.name(), rounds),
        }
    }

    /// As the power goes: clients are cut off where that is possible.
    pub(crate) fn cut_off(&self) {
        match self {
            Self::Nbd(server) => server.disconnect_all(),
        }
    }

    /// Ends it. What is in the way is an error, but it has ended all the same.
    pub(crate) fn stop(self) -> Result<(), Error> {
        match self {
            Self::Nbd(mut server) => {
                server.stop();
                Ok(())
            }
        }
    }
}
