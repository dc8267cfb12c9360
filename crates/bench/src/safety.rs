//! Refuses targets that must not be written to.
//!
//! A target is refused for how it is used, for where it lies or for what it
//! holds. In use is what is mounted, swapped to, part of another device (LVM,
//! RAID, a loop device), open in another process, or beneath the root file
//! system: no flag makes it right to write there. Nor is a file among devices
//! a target: it is a device's name misspelt. Data is a file system, a partition
//! table or any other signature; a byte of a device that is not zero, of those
//! that are sampled; and a file that is not empty, unless an earlier run left
//! it as it is. That may be written over if the user names the very target.
//!
//! A device is sampled in some hundreds of places, and read where it will be
//! written to. Only root can see which files other users' processes have open.

mod contents;
mod in_use;
mod place;
mod processes;
mod refusal;
mod signatures;

use std::fs::{File, OpenOptions};
use std::io;
use std::ops::Range;
use std::os::unix::fs::{FileTypeExt, OpenOptionsExt};
use std::path::{Path, PathBuf};

use blockyard_machine::{BlockDevice, Identity, names_of};
use blockyard_model::units::Bytes;
use rustix::fs::OFlags;

use self::refusal::Reason;

pub use self::refusal::Refusal;

/// A target that is safe to write to. A block device stays so while this
/// lives: nobody else can mount it or open it exclusively.
#[derive(Debug)]
pub struct Claim {
    _exclusive: Option<File>,
}

impl Claim {
    /// Takes the file or block device at `path`; a file need not exist yet.
    /// Nothing is written. `overwrite` are the targets whose data may be lost,
    /// by any of their names. `written` is what of it will be written to.
    ///
    /// # Errors
    /// If it is in use, or holds data and is not named by `overwrite`.
    pub fn take(
        path: &Path,
        written: Range<Bytes>,
        overwrite: &[PathBuf],
    ) -> Result<Self, Refusal> {
        let data_may_go = overwrite.iter().any(|named| same(named, path));
        let taken = match path.metadata() {
            Ok(found) if found.is_file() => take_file(path, data_may_go),
            Ok(found) if found.file_type().is_block_device() => {
                take_device(path, written, data_may_go)
            }
            Ok(_) => Err(Reason::Unsuitable),
            Err(error) if error.kind() == io::ErrorKind::NotFound => {
                place::check_not_among_devices(path).map(|()| None)
            }
            Err(error) => Err(error.into()),
        };
        match taken {
            Ok(exclusive) => Ok(Self {
                _exclusive: exclusive,
            }),
            Err(reason) => Err(Refusal::new(path, reason)),
        }
    }
}

/// Whether two paths name the same target: a device has many names.
pub(crate) fn same(one: &Path, other: &Path) -> bool {
    one == other || Identity::at(one).is_some_and(|it| Some(it) == Identity::at(other))
}

fn take_file(path: &Path, data_may_go: bool) -> Result<Option<File>, Reason> {
    let file = File::open(path)?;
    place::check_not_among_devices(path)?;
    let names = names_of(path)?.into_iter();
    let by_all_names = names.map(File::open).collect::<io::Result<Vec<_>>>()?;
    for named in &by_all_names {
        let identity = Identity::of(&named.metadata()?);
        in_use::check_not_swap(identity)?;
        in_use::check_not_looped(identity)?;
    }
    processes::check_not_written(&by_all_names)?;
    if !data_may_go {
        contents::check_file(path, &file)?;
    }
    Ok(None)
}

fn take_device(
    path: &Path,
    written: Range<Bytes>,
    data_may_go: bool,
) -> Result<Option<File>, Reason> {
    // First, so that nothing changes during the other checks; but their reasons say more than
    // that the device is busy.
    let exclusive = OpenOptions::new()
        .read(true)
        .custom_flags(OFlags::EXCL.bits() as i32)
        .open(path);
    let device = BlockDevice::at(path)?;
    if device.attribute("ro").is_some_and(|set| set == "1") {
        return Err(Reason::ReadOnly);
    }
    in_use::check_not_system(&device)?;
    check_not_used(&device)?;
    for partition in device.partitions()? {
        check_not_used(&partition).map_err(|reason| reason.of_partition(partition.name()))?;
    }
    let exclusive = exclusive.map_err(|error| match error.kind() {
        io::ErrorKind::ResourceBusy => Reason::Busy,
        _ => error.into(),
    })?;
    if !data_may_go {
        contents::check_device(path, &exclusive, written)?;
    }
    Ok(Some(exclusive))
}

fn check_not_used(device: &BlockDevice) -> Result<(), Reason> {
    let identity = Identity::Device(device.number());
    in_use::check_not_mounted(device)?;
    in_use::check_not_swap(identity)?;
    in_use::check_no_holders(device)?;
    in_use::check_not_looped(identity)?;
    processes::check_not_open(identity)
}
