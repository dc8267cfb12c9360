//! Block devices as sysfs shows them: what they are made of, and what is made
//! of them.

use std::ffi::OsStr;
use std::fs;
use std::io;
use std::os::unix::fs::MetadataExt;
use std::path::{Path, PathBuf};

use rustix::fs::{major, makedev, minor};

use super::identity::Identity;
use super::loops;

/// A block device: a disk, a partition, or one made of others.
#[derive(Debug)]
pub(crate) struct BlockDevice {
    number: u64,
    /// Its folder in sysfs. That of a partition lies in that of its disk.
    folder: PathBuf,
}

impl BlockDevice {
    /// The device whose node `path` is.
    pub(crate) fn at(path: &Path) -> io::Result<Self> {
        Self::numbered(path.metadata()?.rdev())
    }

    /// The device of a number, as `stat` gives it.
    pub(crate) fn numbered(number: u64) -> io::Result<Self> {
        let folder = format!("/sys/dev/block/{}:{}", major(number), minor(number));
        let folder = fs::canonicalize(&folder)
            .map_err(|error| io::Error::new(error.kind(), format!("{folder}: {error}")))?;
        Ok(Self { number, folder })
    }

    pub(crate) fn number(&self) -> u64 {
        self.number
    }

    /// The kernel's name: `sda1`, `dm-0`.
    pub(crate) fn name(&self) -> String {
        name(&self.folder)
    }

    /// The partitions of a disk.
    pub(crate) fn partitions(&self) -> io::Result<Vec<Self>> {
        let folders = entries(&self.folder)?;
        let partitions = folders.filter(|folder| folder.join("partition").exists());
        partitions.map(|folder| Self::described(&folder)).collect()
    }

    /// The device that is made of it, if one is.
    pub(crate) fn holder(&self) -> io::Result<Option<String>> {
        let Some(holder) = entries(&self.folder.join("holders"))?.next() else {
            return Ok(None);
        };
        let kernel_name = name(&holder);
        // What is mapped also has the name that its user gave it.
        Ok(Some(match read(&holder.join("dm/name")) {
            Some(given) => format!("{kernel_name} ({given})"),
            None => kernel_name,
        }))
    }

    /// The numbers of the devices right below it: what it is made of, the disk
    /// of a partition, what the file of a loop device lies on.
    pub(crate) fn beneath(&self) -> io::Result<Vec<u64>> {
        let mut numbers = Vec::new();
        match self.disk() {
            Some(disk) => numbers.push(Self::described(disk)?.number),
            None => {
                for folder in entries(&self.folder.join("slaves"))? {
                    numbers.push(Self::described(&folder)?.number);
                }
            }
        }
        numbers.extend(loops::store(&self.folder).map(|store| match store {
            Identity::Device(number) => number,
            Identity::File { on, .. } => on,
        }));
        Ok(numbers)
    }

    /// The model of the disk, as its maker calls it.
    pub(crate) fn model(&self) -> Option<String> {
        read(&self.whole().join("device/model"))
    }

    /// What the disk's queue is set to.
    pub(crate) fn queue(&self, setting: &str) -> Option<String> {
        read(&self.whole().join("queue").join(setting))
    }

    /// The folder of the disk; the device's own if it is no partition.
    fn whole(&self) -> &Path {
        self.disk().unwrap_or(&self.folder)
    }

    /// The folder of the disk that it is a partition of.
    fn disk(&self) -> Option<&Path> {
        let is_partition = self.folder.join("partition").exists();
        is_partition.then(|| self.folder.parent()).flatten()
    }

    /// The device that a folder of sysfs describes.
    fn described(folder: &Path) -> io::Result<Self> {
        let text = fs::read_to_string(folder.join("dev"))?;
        Self::numbered(number(&text).ok_or(io::ErrorKind::InvalidData)?)
    }
}

/// The number of a device that is written as `8:1`.
pub(super) fn number(text: &str) -> Option<u64> {
    let (major, minor) = text.trim_end().split_once(':')?;
    Some(makedev(major.parse().ok()?, minor.parse().ok()?))
}

/// The name of the device of a folder in sysfs.
pub(super) fn name(folder: &Path) -> String {
    let name = folder.file_name().unwrap_or(OsStr::new("?"));
    name.to_string_lossy().into_owned()
}

fn read(path: &Path) -> Option<String> {
    let text = fs::read_to_string(path).ok()?;
    Some(text.trim().to_owned()).filter(|text| !text.is_empty())
}

/// What lies in a folder, in order; nothing where there is no such folder.
pub(super) fn entries(folder: &Path) -> io::Result<impl Iterator<Item = PathBuf> + use<>> {
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
