//! The kernel's file system of tracepoints.

use std::fs::File;
use std::io::{self, Read};
use std::os::fd::{AsFd, AsRawFd, OwnedFd};
use std::path::{Path, PathBuf};

use rustix::mount::{FsMountFlags, FsOpenFlags, MountAttrFlags, fsconfig_create, fsmount, fsopen};

use super::mounts;

/// Such files are shorter.
const LONGEST: usize = 1 << 13;

/// A tracefs: the one that is mounted, or else one that only this process sees.
#[derive(Debug)]
pub struct Tracefs {
    place: PathBuf,
    /// Keeps the latter. It is mounted nowhere.
    _own: Option<OwnedFd>,
}

impl Tracefs {
    /// Opens it.
    ///
    /// # Errors
    /// If none is mounted, and this process may not mount.
    pub fn open() -> io::Result<Self> {
        if let Some(place) = mounted() {
            return Ok(Self { place, _own: None });
        }
        let made = fsopen("tracefs", FsOpenFlags::FSOPEN_CLOEXEC)?;
        fsconfig_create(made.as_fd())?;
        let own = fsmount(
            made.as_fd(),
            FsMountFlags::FSMOUNT_CLOEXEC,
            MountAttrFlags::empty(),
        )?;
        Ok(Self {
            place: format!("/proc/self/fd/{}", own.as_raw_fd()).into(),
            _own: Some(own),
        })
    }

    /// Where its files are, for as long as this value lives.
    #[must_use]
    pub fn path(&self) -> &Path {
        &self.place
    }
}

/// The text of a short file of tracefs or `/proc`, read by one call: some files give nothing to a
/// second one, others have changed by then, and each costs.
///
/// # Errors
/// If it cannot be read.
pub fn read_at_once(file: &Path) -> io::Result<String> {
    let mut text = vec![0; LONGEST];
    let length = File::open(file)?.read(&mut text)?;
    Ok(String::from_utf8_lossy(&text[..length]).into_owned())
}

fn mounted() -> Option<PathBuf> {
    let mut all = mounts().unwrap_or_default().into_iter();
    let found = all.find(|mount| mount.kind == "tracefs" && mount.on.join("events").exists());
    found.map(|mount| mount.on)
}
