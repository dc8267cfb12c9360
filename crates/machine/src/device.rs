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
use super::table::entries_if_there;

/// A block device: a disk, a partition, or one made of others.
#[derive(Debug)]
pub struct BlockDevice {
    number: u64,
    /// Its folder in sysfs. That of a partition lies in that of its disk.
    folder: PathBuf,
}

impl BlockDevice {
    /// The device whose node `path` is.
    ///
    /// # Errors
    /// If `path` is no block device, or sysfs has no device with its number.
    pub fn at(path: &Path) -> io::Result<Self> {
        Self::numbered(path.metadata()?.rdev())
    }

    /// The device with this number, as `stat` gives it.
    ///
    /// # Errors
    /// If sysfs has no device with that number: it is no block device, or one without a
    /// folder, such as a network file system or memory.
    pub fn numbered(number: u64) -> io::Result<Self> {
        let folder = format!("/sys/dev/block/{}:{}", major(number), minor(number));
        let folder = fs::canonicalize(&folder)
            .map_err(|error| io::Error::new(error.kind(), format!("{folder}: {error}")))?;
        Ok(Self { number, folder })
    }

    /// The device with this kernel's name, as `sda` or `dm-0`.
    ///
    /// # Errors
    /// If there is none.
    pub fn named(name: &str) -> io::Result<Self> {
        // sysfs writes the slash of a name, as of `cciss/c0d0`, as an exclamation mark.
        Self::described(&Path::new("/sys/class/block").join(name.replace('/', "!")))
    }

    /// All whole devices of this machine, with what is built on them, in the order of names.
    ///
    /// # Errors
    /// If sysfs does not list them.
    pub fn all() -> io::Result<Vec<Self>> {
        let folders = entries_if_there(Path::new("/sys/block"))?;
        // One that goes away meanwhile is none.
        let found = folders.iter().map(|folder| Self::described(folder));
        Ok(found.filter_map(Result::ok).collect())
    }

    pub(crate) fn folder(&self) -> &Path {
        &self.folder
    }

    /// Whether it is a part of a disk.
    pub fn is_partition(&self) -> bool {
        self.disk().is_some()
    }

    /// Its number, as `stat` gives it.
    pub fn number(&self) -> u64 {
        self.number
    }

    /// The kernel's name: `sda1`, `dm-0`.
    pub fn name(&self) -> String {
        name(&self.folder)
    }

    /// The kernel's name and, for a mapped device, the name that its user gave it: `dm-0
    /// (disks-data)`.
    pub fn names(&self) -> String {
        match self.attribute("dm/name") {
            Some(given) => format!("{} ({given})", self.name()),
            None => self.name(),
        }
    }

    /// Its node.
    pub fn node(&self) -> PathBuf {
        Path::new("/dev").join(self.name())
    }

    /// The content of one of its files in sysfs, such as `size`; none where there is no
    /// such file or it is empty.
    pub fn attribute(&self, name: &str) -> Option<String> {
        read(&self.folder.join(name))
    }

    /// Whether it has a file or folder in sysfs, such as `mq`.
    pub fn has(&self, name: &str) -> bool {
        self.folder.join(name).exists()
    }

    /// The partitions of a disk.
    ///
    /// # Errors
    /// If sysfs does not list them.
    pub fn partitions(&self) -> io::Result<Vec<Self>> {
        let folders = entries_if_there(&self.folder)?.into_iter();
        let partitions = folders.filter(|folder| folder.join("partition").exists());
        partitions.map(|folder| Self::described(&folder)).collect()
    }

    /// The devices that are built on it (LVM, RAID).
    ///
    /// # Errors
    /// If sysfs does not list them.
    pub fn holders(&self) -> io::Result<Vec<Self>> {
        let folders = entries_if_there(&self.folder.join("holders"))?;
        folders
            .iter()
            .map(|folder| Self::described(folder))
            .collect()
    }

    /// The numbers of the devices directly below it: those it is built on, a partition's
    /// disk, the device that a loop device's file lies on.
    ///
    /// # Errors
    /// If sysfs does not list them.
    pub fn beneath(&self) -> io::Result<Vec<u64>> {
        let mut numbers = Vec::new();
        match self.disk() {
            Some(disk) => numbers.push(Self::described(disk)?.number),
            None => {
                for folder in entries_if_there(&self.folder.join("slaves"))? {
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
    pub fn model(&self) -> Option<String> {
        read(&self.whole().join("device/model"))
    }

    /// A setting of the disk's queue.
    pub fn queue(&self, setting: &str) -> Option<String> {
        read(&self.whole().join("queue").join(setting))
    }

    /// The disk's folder; the device's own unless it is a partition.
    fn whole(&self) -> &Path {
        self.disk().unwrap_or(&self.folder)
    }

    /// The folder of the disk whose partition it is.
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

/// The device number written as `8:1`.
pub(crate) fn number(text: &str) -> Option<u64> {
    let (major, minor) = text.trim_end().split_once(':')?;
    Some(makedev(major.parse().ok()?, minor.parse().ok()?))
}

/// The name of the device that a folder in sysfs describes.
pub(crate) fn name(folder: &Path) -> String {
    let name = folder.file_name().unwrap_or(OsStr::new("?"));
    name.to_string_lossy().into_owned()
}

fn read(path: &Path) -> Option<String> {
    let text = fs::read_to_string(path).ok()?;
    Some(text.trim().to_owned()).filter(|text| !text.is_empty())
}
