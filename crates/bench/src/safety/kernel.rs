//! The kernel's tables of what is mounted and what is swapped to.

use std::ffi::OsString;
use std::fs;
use std::io;
use std::os::unix::ffi::OsStringExt;
use std::path::PathBuf;

use rustix::fs::makedev;

use super::identity::Identity;
use super::refusal::Reason;

/// A line of `/proc/self/mountinfo`.
struct Mount {
    /// The devices that it may be on. Some file systems (btrfs) have a number
    /// of their own, and only their source says which device it is.
    devices: [Option<Identity>; 2],
    on: PathBuf,
}

pub(super) fn check_not_mounted(device: Identity) -> Result<(), Reason> {
    let mounted = mounts()?
        .into_iter()
        .find(|mount| mount.devices.contains(&Some(device)));
    match mounted {
        Some(mount) => Err(Reason::Mounted(mount.on)),
        None => Ok(()),
    }
}

pub(super) fn check_not_swap(target: Identity) -> Result<(), Reason> {
    let swaps = match fs::read("/proc/swaps") {
        // A kernel without swap has no such table.
        Err(error) if error.kind() == io::ErrorKind::NotFound => return Ok(()),
        swaps => swaps?,
    };
    let used = lines(&swaps).skip(1).any(|fields| {
        let path = fields.first().map(|field| unescaped(field));
        path.and_then(|path| Identity::at(&path)) == Some(target)
    });
    if used { Err(Reason::Swap) } else { Ok(()) }
}

/// The numbers of the devices that the root file system may be on.
pub(super) fn root_devices() -> io::Result<Vec<u64>> {
    let root = mounts()?
        .into_iter()
        .filter(|mount| mount.on.as_os_str() == "/");
    let devices = root.flat_map(|mount| mount.devices).flatten();
    Ok(devices
        .filter_map(|device| match device {
            Identity::Device(number) => Some(number),
            Identity::File { .. } => None,
        })
        .collect())
}

fn mounts() -> io::Result<Vec<Mount>> {
    let table = fs::read("/proc/self/mountinfo")?;
    Ok(lines(&table).filter_map(|fields| mount(&fields)).collect())
}

/// Fields: id, parent, major:minor, root, mount point, options, any number of
/// tags, `-`, type, source, options.
fn mount(fields: &[&[u8]]) -> Option<Mount> {
    let separator = fields.iter().position(|field| *field == b"-")?;
    let number = std::str::from_utf8(fields.get(2)?).ok()?;
    let (major, minor) = number.split_once(':')?;
    let number = makedev(major.parse().ok()?, minor.parse().ok()?);
    let source = unescaped(fields.get(separator + 2)?);
    Some(Mount {
        devices: [Some(Identity::Device(number)), Identity::at(&source)],
        on: unescaped(fields.get(4)?),
    })
}

fn lines(table: &[u8]) -> impl Iterator<Item = Vec<&[u8]>> {
    table.split(|byte| *byte == b'\n').map(|line| {
        let fields = line.split(|byte| byte.is_ascii_whitespace());
        fields.filter(|field| !field.is_empty()).collect()
    })
}

/// A path as the kernel writes it: blanks and backslashes as three octal digits.
fn unescaped(field: &[u8]) -> PathBuf {
    let mut path = Vec::new();
    let mut rest = field;
    while let [first, after @ ..] = rest {
        let code = match (first, after) {
            (b'\\', [a @ b'0'..=b'3', b @ b'0'..=b'7', c @ b'0'..=b'7', ..]) => {
                Some((a - b'0') << 6 | (b - b'0') << 3 | (c - b'0'))
            }
            _ => None,
        };
        path.push(code.unwrap_or(*first));
        rest = &after[if code.is_some() { 3 } else { 0 }..];
    }
    OsString::from_vec(path).into()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn paths_are_unescaped() {
        for (field, path) in [
            ("/mnt", "/mnt"),
            (r"/a\040b\134", r"/a b\"),
            (r"/a\04", r"/a\04"),
            (r"/a\999", r"/a\999"),
        ] {
            assert_eq!(unescaped(field.as_bytes()), PathBuf::from(path));
        }
    }

    #[test]
    fn a_mount_is_read_whatever_its_tags() {
        for tags in ["", "shared:1 ", "shared:1 master:2 "] {
            let line = format!(r"27 1 254:3 / /my\040data rw {tags}- ext4 /dev/none rw");
            let mount = mount(&lines(line.as_bytes()).next().unwrap()).unwrap();
            assert_eq!(mount.on, PathBuf::from("/my data"));
            let number = Identity::Device(makedev(254, 3));
            assert_eq!(mount.devices, [Some(number), None]);
        }
    }
}
