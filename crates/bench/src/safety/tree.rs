//! Block devices as sysfs shows them: what they are made of, and what is made
//! of them.

use std::ffi::OsStr;
use std::fs;
use std::io;
use std::os::unix::fs::MetadataExt;
use std::path::{Path, PathBuf};

use rustix::fs::{major, makedev, minor};

use super::identity::Identity;
use super::refusal::Reason;

/// A block device: a disk, a partition, or one made of others.
#[derive(Debug)]
pub(super) struct BlockDevice {
    number: u64,
    /// Its folder in sysfs. That of a partition lies in that of its disk.
    folder: PathBuf,
}

impl BlockDevice {
    /// The device whose node `path` is.
    pub(super) fn at(path: &Path) -> io::Result<Self> {
        Self::numbered(path.metadata()?.rdev())
    }

    /// The device of a number, as `stat` gives it.
    pub(super) fn numbered(number: u64) -> io::Result<Self> {
        let folder = format!("/sys/dev/block/{}:{}", major(number), minor(number));
        let folder = fs::canonicalize(&folder)
            .map_err(|error| io::Error::new(error.kind(), format!("{folder}: {error}")))?;
        Ok(Self { number, folder })
    }

    pub(super) fn number(&self) -> u64 {
        self.number
    }

    /// The kernel's name: `sda1`, `dm-0`.
    pub(super) fn name(&self) -> String {
        name(&self.folder)
    }

    /// The partitions of a disk.
    pub(super) fn partitions(&self) -> io::Result<Vec<Self>> {
        let folders = entries(&self.folder)?;
        let partitions = folders.filter(|folder| folder.join("partition").exists());
        partitions.map(|folder| Self::described(&folder)).collect()
    }

    /// No other device may be made of it.
    pub(super) fn check_no_holders(&self) -> Result<(), Reason> {
        let Some(holder) = entries(&self.folder.join("holders"))?.next() else {
            return Ok(());
        };
        let kernel_name = name(&holder);
        // What is mapped also has the name that its user gave it.
        Err(Reason::Held(
            match fs::read_to_string(holder.join("dm/name")) {
                Ok(given) => format!("{kernel_name} ({})", given.trim_end()),
                Err(_) => kernel_name,
            },
        ))
    }

    /// The numbers of the devices right below it: what it is made of, the disk
    /// of a partition, what the file of a loop device lies on.
    pub(super) fn beneath(&self) -> io::Result<Vec<u64>> {
        let mut numbers = Vec::new();
        if self.folder.join("partition").exists() {
            let disk = self.folder.parent().map(Self::described);
            numbers.extend(disk.transpose()?.map(|disk| disk.number));
        } else {
            for folder in entries(&self.folder.join("slaves"))? {
                numbers.push(Self::described(&folder)?.number);
            }
        }
        numbers.extend(store(&self.folder).map(|store| match store {
            Identity::Device(number) => number,
            Identity::File { on, .. } => on,
        }));
        Ok(numbers)
    }

    /// The device that a folder of sysfs describes.
    fn described(folder: &Path) -> io::Result<Self> {
        let text = fs::read_to_string(folder.join("dev"))?;
        let number = text.trim_end().split_once(':').and_then(|(major, minor)| {
            let (major, minor) = (major.parse().ok()?, minor.parse().ok()?);
            Some(makedev(major, minor))
        });
        Self::numbered(number.ok_or(io::ErrorKind::InvalidData)?)
    }
}

/// Nothing tells a file, nor a device, that it is the store of a loop device.
pub(super) fn check_not_looped(target: Identity) -> Result<(), Reason> {
    let looped = entries(Path::new("/sys/block"))?.find(|folder| store(folder) == Some(target));
    match looped {
        Some(folder) => Err(Reason::Looped(format!("/dev/{}", name(&folder)))),
        None => Ok(()),
    }
}

/// The file or device that a loop device stores its data in.
fn store(folder: &Path) -> Option<Identity> {
    let path = fs::read_to_string(folder.join("loop/backing_file")).ok()?;
    Identity::at(Path::new(path.trim_end_matches('\n')))
}

fn name(folder: &Path) -> String {
    let name = folder.file_name().unwrap_or(OsStr::new("?"));
    name.to_string_lossy().into_owned()
}

/// What lies in a folder, in order; nothing where there is no such folder.
fn entries(folder: &Path) -> io::Result<impl Iterator<Item = PathBuf>> {
    let mut paths = Vec::new();
    match fs::read_dir(folder) {
        Err(error) if error.kind() == io::ErrorKind::NotFound => {}
        entries => {
            for entry in entries? {
                paths.push(entry?.path());
            }
        }
    }
    paths.sort();
    Ok(paths.into_iter())
}
