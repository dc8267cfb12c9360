//! Files in a folder: each disk a file of its size, past the page cache.

mod attributes;
mod files;
mod replies;
mod unmount;

use std::io;
use std::path::{Path, PathBuf};
use std::sync::Arc;

use blockyard_machine::{Error, loops_under};
use blockyard_text::said;
use fuser::{BackgroundSession, Config, MountOption, Session, SessionACL};
use rustix::io::Errno;

use self::files::Files;
use crate::disk::Disk;
use crate::sync;

/// Where the kernel's FUSE driver is reached.
const DRIVER: &str = "/dev/fuse";

/// Threads that take requests: while one moves bytes, another takes the next.
const THREADS: usize = 2;

/// A mounted folder; unmounted when it is dropped.
#[derive(Debug)]
pub(crate) struct Mount {
    /// Absolute, as the kernel names it.
    dir: PathBuf,
    session: Option<BackgroundSession>,
}

impl Mount {
    /// Mounts `disks` on the empty folder `dir`.
    ///
    /// # Errors
    /// If the folder is missing, not empty or mounted on already, or there is
    /// no FUSE.
    pub(crate) fn start(disks: Vec<Arc<Disk>>, dir: &Path) -> Result<Self, Error> {
        check_folder(dir)?;
        if let Err(error) = std::fs::File::options().read(true).write(true).open(DRIVER) {
            return Err(Error::Lacks(format!(
                "no FUSE here ({DRIVER}: {}); --as nbd=PATH needs no kernel feature",
                said(&error)
            )));
        }
        let mut config = Config::default();
        config.mount_options = vec![
            MountOption::FSName("blockyard".into()),
            MountOption::Subtype("blockyard".into()),
            MountOption::NoSuid,
            MountOption::NoDev,
            MountOption::NoExec,
            MountOption::NoAtime,
            // Else the kernel lets every user in, whatever the files' mode.
            MountOption::DefaultPermissions,
        ];
        // The kernel's own threads serve loop devices, and they are root's.
        config.acl = match rustix::process::geteuid().is_root() {
            true => SessionACL::All,
            false => SessionACL::Owner,
        };
        config.n_threads = Some(THREADS);
        config.clone_fd = true;
        let dir = dir.canonicalize().map_err(|error| refused(dir, &error))?;
        let session = Session::new(Files::new(disks), &dir, &config).and_then(Session::spawn);
        let session = session.map_err(|error| refused(&dir, &error))?;
        Ok(Self {
            dir,
            session: Some(session),
        })
    }

    /// The file of a disk.
    pub(crate) fn file(&self, disk: &Disk) -> PathBuf {
        self.dir.join(disk.name())
    }

    /// Unmounts. Loop devices over the files are synced first. Tells of
    /// anyone who still uses the files; they are unmounted regardless.
    pub(crate) fn stop(self, tell: &mut dyn FnMut(&str)) {
        let loops = loops_under(&self.dir).unwrap_or_default();
        if let Err(error) = sync::sync(&loops) {
            let names: Vec<_> = loops
                .iter()
                .map(|device| device.display().to_string())
                .collect();
            let names = names.join(", ");
            tell(&format!(
                "{names}: not synced ({}), what is unwritten is lost",
                said(&error)
            ));
        }
        if let Err(error) = self.unmount() {
            tell(&error.to_string());
        }
    }

    /// Unmounts. That someone still uses the files is an error; they are taken from them
    /// all the same.
    pub(crate) fn unmount(mut self) -> Result<(), Error> {
        let Some(session) = self.session.take() else {
            return Ok(());
        };
        unmount::unmount(&self.dir, session)
    }
}

impl Drop for Mount {
    fn drop(&mut self) {
        if let Some(session) = self.session.take() {
            // Whoever is in the way has been told of by now, or nobody asked.
            let _ = unmount::unmount(&self.dir, session);
        }
    }
}

fn check_folder(dir: &Path) -> Result<(), Error> {
    let place = dir.display();
    let entries = match dir.read_dir() {
        Ok(entries) => entries,
        Err(error) if error.raw_os_error() == Some(Errno::NOTCONN.raw_os_error()) => {
            return Err(Error::Input(format!(
                "{place}: left mounted by a server that is gone; clear it with \
                 fusermount3 -u {place}"
            )));
        }
        Err(error) => return Err(Error::Input(format!("{place}: {}", said(&error)))),
    };
    if entries.count() > 0 {
        return Err(Error::Input(format!(
            "{place}: not empty; expected an empty folder"
        )));
    }
    Ok(())
}

fn refused(dir: &Path, error: &io::Error) -> Error {
    let message = format!("{}: cannot mount: {}", dir.display(), said(error));
    match error.kind() {
        io::ErrorKind::NotFound | io::ErrorKind::PermissionDenied => Error::Lacks(format!(
            "{message}; without root it takes fusermount3; --as nbd=PATH needs neither"
        )),
        _ => Error::Failed(message),
    }
}

#[cfg(test)]
mod tests;
