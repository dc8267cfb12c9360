//! Where block devices are mounted.

use std::fs;
use std::os::unix::fs::MetadataExt;
use std::path::{Path, PathBuf};

use blockyard_sys::table::unescaped;
use rustix::fs::makedev;

/// Where a device is mounted, as far as this process can see it.
pub(crate) fn of(device: &Path) -> Vec<PathBuf> {
    let Some(number) = number(device) else {
        return Vec::new();
    };
    let table = fs::read("/proc/self/mountinfo").unwrap_or_default();
    let mounts = table.split(|byte| *byte == b'\n').filter_map(mount);
    mounts
        // Some file systems (btrfs) have a number of their own, and only their
        // source says which device it is.
        .filter(|mount| mount.number == number || self::number(&mount.source) == Some(number))
        .map(|mount| mount.on)
        .collect()
}

/// The number of a block device.
fn number(device: &Path) -> Option<u64> {
    let number = fs::metadata(device).ok()?.rdev();
    (number != 0).then_some(number)
}

/// A line of `/proc/self/mountinfo`.
struct Mount {
    number: u64,
    source: PathBuf,
    on: PathBuf,
}

/// Fields: id, parent, major:minor, root, mount point, options, any number of
/// tags, `-`, type, source, options.
fn mount(line: &[u8]) -> Option<Mount> {
    let fields: Vec<_> = line.split(|byte| *byte == b' ').collect();
    let separator = fields.iter().position(|field| *field == b"-")?;
    let number = std::str::from_utf8(fields.get(2)?).ok()?;
    let (major, minor) = number.split_once(':')?;
    Some(Mount {
        number: makedev(major.parse().ok()?, minor.parse().ok()?),
        source: unescaped(fields.get(separator + 2)?),
        on: unescaped(fields.get(4)?),
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_mount_is_read_whatever_its_tags() {
        for tags in ["", "shared:1 ", "shared:1 master:2 "] {
            let line = format!(r"27 1 254:3 / /my\040data\134 rw {tags}- ext4 /dev/none rw");
            let mount = mount(line.as_bytes()).unwrap();
            assert_eq!(mount.on, PathBuf::from(r"/my data\"));
            assert_eq!(mount.source, PathBuf::from("/dev/none"));
            assert_eq!(mount.number, makedev(254, 3));
        }
    }
}
