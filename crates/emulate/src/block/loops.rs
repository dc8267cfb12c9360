//! Loop devices with direct IO over FUSE files, by `losetup`.

use std::path::{Path, PathBuf};
use std::process::Command;
use std::sync::Arc;

use blockyard_machine::{BlockDevice, Error};
use blockyard_text::said;
use tempfile::TempDir;

use crate::disk::Disk;
use crate::fuse::Mount;

/// Disks as loop devices.
#[derive(Debug)]
pub(crate) struct Loops {
    names: Vec<String>,
    devices: Vec<PathBuf>,
    mount: Option<Mount>,
    /// Where the files are; goes last.
    _dir: TempDir,
}

impl Loops {
    pub(super) fn start(disks: Vec<Arc<Disk>>) -> Result<Self, Error> {
        let dir = tempfile::Builder::new().prefix("blockyard-").tempdir();
        let failed = |error| Error::Failed(format!("a folder for files: {}", said(&error)));
        let dir = dir.map_err(failed)?;
        let mount = Mount::start(disks.clone(), dir.path())?;
        let mut loops = Self {
            names: disks.iter().map(|disk| disk.name().into()).collect(),
            devices: Vec::new(),
            mount: None,
            _dir: dir,
        };
        let mount = loops.mount.insert(mount);
        for disk in &disks {
            loops.devices.push(attach(&mount.file(disk))?);
        }
        Ok(loops)
    }

    pub(super) fn names(&self) -> &[String] {
        &self.names
    }

    pub(super) fn devices(&self) -> &[PathBuf] {
        &self.devices
    }

    pub(super) fn stop(mut self) -> Result<(), Error> {
        self.detach();
        self.mount.take().map_or(Ok(()), Mount::unmount)
    }

    fn detach(&mut self) {
        for device in self.devices.drain(..) {
            // One in use goes as soon as it is not.
            let _ = losetup(&[Path::new("--detach"), &device]);
        }
    }
}

impl Drop for Loops {
    fn drop(&mut self) {
        self.detach();
    }
}

/// A loop device over a file.
fn attach(file: &Path) -> Result<PathBuf, Error> {
    let options = ["--find", "--show", "--direct-io=on", "--sector-size=512"];
    let mut arguments: Vec<_> = options.iter().map(Path::new).collect();
    arguments.push(file);
    let device = PathBuf::from(losetup(&arguments)?.trim_end());
    let direct = BlockDevice::at(&device).map(|device| device.attribute("loop/dio"));
    // Through the page cache it would be this machine's speed, not the model's.
    if direct.is_ok_and(|direct| direct.is_some_and(|direct| direct != "1")) {
        let _ = losetup(&[Path::new("--detach"), &device]);
        let message = "loop devices have no direct IO here; --as nbd=PATH needs none";
        return Err(Error::Lacks(message.into()));
    }
    Ok(device)
}

fn losetup(arguments: &[&Path]) -> Result<String, Error> {
    let instead = "--as fuse=DIR and nbd=PATH need no loop device";
    let run = Command::new("losetup").args(arguments).output();
    let run = run.map_err(|e| Error::Lacks(format!("losetup: {}; {instead}", said(&e))))?;
    if !run.status.success() {
        let said = String::from_utf8_lossy(&run.stderr);
        let said = said.trim().replace('\n', "; ");
        return Err(Error::Lacks(format!("{said}; {instead}")));
    }
    Ok(String::from_utf8_lossy(&run.stdout).into_owned())
}
