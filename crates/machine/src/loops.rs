//! Loop devices, and the files or devices that back them.

use std::ffi::OsStr;
use std::fs::{self, File};
use std::io;
use std::os::unix::ffi::OsStrExt;
use std::os::unix::fs::MetadataExt;
use std::path::{Path, PathBuf};

use blockyard_sys::loops;

use super::device::name;
use super::identity::Identity;
use super::table::entries_if_there;

/// The paths of the loop devices that are backed by `target`. Neither a file
/// nor a device shows that it backs one, so all loop devices are asked.
///
/// # Errors
/// If the kernel does not list its devices.
pub fn loops_on(target: Identity) -> io::Result<Vec<PathBuf>> {
    loops(|folder| store(folder) == Some(target))
}

/// The paths of the loop devices that were set up over `place`, an absolute
/// path, or over something under it.
///
/// # Errors
/// If the kernel does not list its devices.
pub fn loops_under(place: &Path) -> io::Result<Vec<PathBuf>> {
    loops(|folder| set_up_over(folder).is_some_and(|path| path.starts_with(place)))
}

/// The devices whose folders in sysfs are `wanted`.
fn loops(wanted: impl Fn(&Path) -> bool) -> io::Result<Vec<PathBuf>> {
    let folders = entries_if_there(Path::new("/sys/block"))?.into_iter();
    let wanted = folders.filter(|folder| wanted(folder));
    Ok(wanted.map(|folder| node(&folder)).collect())
}

/// What backs the loop device that a folder in sysfs describes; none if it is
/// no loop device, or nothing backs it.
pub(crate) fn store(folder: &Path) -> Option<Identity> {
    let path = set_up_over(folder)?;
    // The device itself knows exactly which file, but users without permission
    // to open it cannot ask.
    let asked = File::open(node(folder)).and_then(|device| {
        let number = fs::read_to_string(folder.join("dev"))?;
        let same = super::device::number(&number) == Some(device.metadata()?.rdev());
        loops::store(&device).map(|store| same.then_some(store))
    });
    match asked {
        Ok(Some(loops::Store { on, inode, device })) => Some(match device {
            0 => Identity::File { on, inode },
            number => Identity::Device(number),
        }),
        _ => Identity::at(&path),
    }
}

/// The path of the backing file when the loop device was set up, as seen in the
/// mount namespace of the process that did so.
fn set_up_over(folder: &Path) -> Option<PathBuf> {
    let path = fs::read(folder.join("loop/backing_file")).ok()?;
    let path = path.strip_suffix(b"\n").unwrap_or(&path);
    Some(OsStr::from_bytes(path).into())
}

fn node(folder: &Path) -> PathBuf {
    Path::new("/dev").join(name(folder))
}
