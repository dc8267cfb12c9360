//! What is mounted where: `/proc/self/mountinfo`.

use std::fs;
use std::io;
use std::path::{Path, PathBuf};

use rustix::fs::makedev;

use super::identity::Identity;
use super::table::{lines, unescaped};

/// A mount that this process can see.
#[derive(Debug)]
pub struct Mount {
    /// Where.
    pub on: PathBuf,
    /// The kind of file system.
    pub kind: String,
    /// The options of the mount, and those of the file system.
    pub options: String,
    /// What of the file system is mounted there: `/` but for a part of it.
    pub(crate) root: PathBuf,
    /// Of an overlay the folder that holds what is written to it, as its mounter named it.
    pub(crate) upper: Option<PathBuf>,
    number: u64,
    source: PathBuf,
}

impl Mount {
    /// The devices that it may be on. Some file systems (btrfs) have a number
    /// of their own, and only their source says which device it is.
    pub fn devices(&self) -> impl Iterator<Item = u64> {
        let source = match Identity::at(&self.source) {
            Some(Identity::Device(number)) => Some(number),
            _ => None,
        };
        [Some(self.number), source].into_iter().flatten()
    }
}

/// All mounts, later ones over earlier ones.
///
/// # Errors
/// If the kernel's table cannot be read.
pub fn mounts() -> io::Result<Vec<Mount>> {
    let table = fs::read("/proc/self/mountinfo")?;
    Ok(lines(&table).filter_map(|fields| mount(&fields)).collect())
}

/// Where the block device with this number is mounted, as far as this process can see.
///
/// # Errors
/// If the kernel's table cannot be read.
pub fn mounts_of(device: u64) -> io::Result<Vec<PathBuf>> {
    let of_device = |mount: &Mount| mount.devices().any(|number| number == device);
    let found = mounts()?.into_iter().filter(of_device);
    Ok(found.map(|mount| mount.on).collect())
}

/// The mount that a file lies on: the deepest, or the newest of several at that depth.
pub fn mount_of(path: &Path) -> Option<Mount> {
    let path = path.canonicalize().ok()?;
    let around = mounts().ok()?.into_iter();
    around
        .filter(|mount| path.starts_with(&mount.on))
        .max_by_key(|mount| mount.on.components().count())
}

/// Fields: id, parent, major:minor, root, mount point, options, any number of
/// tags, `-`, type, source, options.
fn mount(fields: &[&[u8]]) -> Option<Mount> {
    let separator = fields.iter().position(|field| *field == b"-")?;
    let text = |field: &[u8]| String::from_utf8_lossy(field).into_owned();
    let number = text(fields.get(2)?);
    let (major, minor) = number.split_once(':')?;
    let (options, of_all) = (fields.get(5)?, fields.get(separator + 3)?);
    Some(Mount {
        on: unescaped(fields.get(4)?),
        kind: text(fields.get(separator + 1)?),
        options: format!("{};{}", text(options), text(of_all)),
        root: unescaped(fields.get(3)?),
        upper: upper(of_all),
        number: makedev(major.parse().ok()?, minor.parse().ok()?),
        source: unescaped(fields.get(separator + 2)?),
    })
}

/// The upper folder among the options of a file system, in which the kernel escapes commas.
fn upper(options: &[u8]) -> Option<PathBuf> {
    let mut each = options.split(|byte| *byte == b',');
    let given = each.find_map(|option| option.strip_prefix(b"upperdir="))?;
    Some(unescaped(given))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_mount_is_read_whatever_its_tags() {
        for tags in ["", "shared:1 ", "shared:1 master:2 "] {
            let line = format!(r"27 1 254:3 / /my\040data\134 rw {tags}- ext4 /dev/none rw,lazy");
            let mount = mount(&lines(line.as_bytes()).next().unwrap()).unwrap();
            assert_eq!(mount.on, PathBuf::from(r"/my data\"));
            assert_eq!(mount.kind, "ext4");
            assert_eq!(mount.options, "rw;rw,lazy");
            assert_eq!(mount.devices().collect::<Vec<_>>(), [makedev(254, 3)]);
            assert_eq!((mount.root, mount.upper), (PathBuf::from("/"), None));
        }
    }

    #[test]
    fn an_overlays_upper_folder_is_read() {
        let line =
            r"45 42 0:40 /a\040b /on rw - overlay o rw,lowerdir=l,upperdir=/u\054p,workdir=w";
        let mount = mount(&lines(line.as_bytes()).next().unwrap()).unwrap();
        assert_eq!(mount.root, PathBuf::from("/a b"));
        assert_eq!(mount.upper, Some(PathBuf::from("/u,p")));
    }

    #[test]
    fn the_deepest_mount_is_the_one() {
        assert_eq!(mount_of(Path::new("/proc/self")).unwrap().kind, "proc");
    }
}
