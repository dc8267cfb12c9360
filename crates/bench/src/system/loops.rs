//! Loop devices, and what they store their data in.

use std::fs::{self, File};
use std::io;
use std::os::unix::fs::MetadataExt;
use std::path::{Path, PathBuf};

use blockyard_sys::loops;

use super::device::{entries, name};
use super::identity::Identity;

/// The loop device, by its path, that stores its data in `target`: nothing
/// tells a file, nor a device, that it is the store of one.
pub(crate) fn loop_on(target: Identity) -> io::Result<Option<PathBuf>> {
    let mut folders = entries(Path::new("/sys/block"))?;
    let folder = folders.find(|folder| store(folder) == Some(target));
    Ok(folder.map(|folder| node(&folder)))
}

/// What the loop device of a folder in sysfs stores its data in; none if it is
/// no loop device, or has no store.
pub(super) fn store(folder: &Path) -> Option<Identity> {
    let path = fs::read_to_string(folder.join("loop/backing_file")).ok()?;
    // The path is that of the moment when the device was set up, in the mounts
    // of who did it. The device itself knows the very file, but users without
    // rights to it cannot ask.
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
        _ => Identity::at(Path::new(path.trim_end_matches('\n'))),
    }
}

fn node(folder: &Path) -> PathBuf {
    Path::new("/dev").join(name(folder))
}
