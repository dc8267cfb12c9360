//! Block devices of this machine: by the kernel's NBD client where it has one,
//! else loop devices over files.

mod kernel_nbd;
mod loops;
mod users;

use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::thread;
use std::time::Duration;

use self::kernel_nbd::KernelNbd;
use self::loops::Loops;
use crate::disk::Disk;
use crate::error::Error;

/// How long to wait for who only looks at a device for a moment, as the system
/// does after every write: `ATTEMPTS` times `PAUSE`.
const ATTEMPTS: u32 = 50;
const PAUSE: Duration = Duration::from_millis(20);

/// A block device for each disk; they go when this is dropped.
#[derive(Debug)]
pub(crate) enum Attached {
    /// By the kernel's NBD client.
    Nbd(KernelNbd),
    /// As loop devices over FUSE files.
    Loop(Loops),
}

impl Attached {
    /// Attaches `disks`.
    ///
    /// # Errors
    /// Without root, or if the kernel has neither way.
    pub(crate) fn start(disks: Vec<Arc<Disk>>) -> Result<Self, Error> {
        if !rustix::process::geteuid().is_root() {
            let message = "block devices are made by root; --as fuse=DIR and nbd=PATH need no root";
            return Err(Error::Lacks(message.into()));
        }
        match KernelNbd::is_there() {
            true => KernelNbd::start(disks).map(Self::Nbd),
            false => Loops::start(disks).map(Self::Loop),
        }
    }

    /// How it is done, in a few words.
    pub(crate) fn how(&self) -> &'static str {
        match self {
            Self::Nbd(_) => "kernel's NBD client",
            Self::Loop(_) => "loop device over FUSE",
        }
    }

    /// The device of a disk.
    pub(crate) fn path(&self, disk: &Disk) -> PathBuf {
        let (names, devices) = match self {
            Self::Nbd(nbd) => (nbd.names(), nbd.devices()),
            Self::Loop(loops) => (loops.names(), loops.devices()),
        };
        let index = names.iter().position(|name| name == disk.name());
        devices[index.unwrap_or(0)].clone()
    }

    /// Detaches all. A device in use is an error, but no hindrance: it fails
    /// from now on.
    pub(crate) fn stop(self) -> Result<(), Error> {
        let devices = match &self {
            Self::Nbd(nbd) => nbd.devices(),
            Self::Loop(loops) => loops.devices(),
        };
        let in_use = devices.iter().find_map(|device| in_use(device));
        let stopped = match self {
            Self::Nbd(nbd) => nbd.stop(),
            Self::Loop(loops) => loops.stop(),
        };
        in_use.map_or(stopped, Err)
    }
}

/// Who is in the way, after waiting a little for those who are about to go.
fn in_use(device: &Path) -> Option<Error> {
    let mut users = users::of(device);
    for _ in 0..ATTEMPTS {
        if users.is_empty() {
            return None;
        }
        thread::sleep(PAUSE);
        users = users::of(device);
    }
    Some(Error::Failed(format!(
        "{}: was in use: {}; detached all the same, what is unwritten is lost",
        device.display(),
        users.join(", ")
    )))
}

#[cfg(test)]
mod tests;
