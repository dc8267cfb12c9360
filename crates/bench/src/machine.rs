//! What is known of the machine and of the storage that a run used.

use std::fs;
use std::os::unix::fs::MetadataExt;
use std::path::{Path, PathBuf};

use blockyard_record::result::{self, Machine};

use crate::Engine;
use crate::target::{Kind, Target, Targets};

/// The machine, before anything is measured on it.
pub(crate) fn machine(targets: &Targets, engine: Engine, threads: u32, started: String) -> Machine {
    let used = targets.used().map(describe).collect();
    Machine::here(started, engine.name(), threads, used)
}

fn describe(target: &Target) -> result::Target {
    let (mount, number) = match target.kind {
        Kind::Null => (None, None),
        Kind::BlockDevice => (None, target.path.metadata().ok().map(|meta| meta.rdev())),
        Kind::File { .. } => {
            let mount = mount_of(&target.path);
            let number = target.path.metadata().ok().map(|meta| meta.dev());
            (mount, number)
        }
    };
    let device = number.and_then(BlockDevice::find);
    let queue = |name: &str| device.as_ref().and_then(|device| device.queue(name));
    result::Target {
        device: target.device.clone(),
        path: target.path.display().to_string(),
        kind: match target.kind {
            Kind::File { .. } => "file",
            Kind::BlockDevice => "block device",
            Kind::Null => "null",
        }
        .into(),
        backing: None,
        size_bytes: target.size,
        direct: target.direct,
        file_system: mount.as_ref().map(|mount| mount.kind.clone()),
        mount_options: mount.map(|mount| mount.options),
        block_device: device.as_ref().map(BlockDevice::path),
        model: device.as_ref().and_then(BlockDevice::model),
        scheduler: queue("scheduler").map(|all| chosen(&all)),
        queue_requests: queue("nr_requests").and_then(|text| text.parse().ok()),
        logical_block_bytes: queue("logical_block_size").and_then(|text| text.parse().ok()),
        rotational: queue("rotational").map(|text| text == "1"),
    }
}

/// `[none] mq-deadline` says that `none` is in force.
fn chosen(all: &str) -> String {
    let inner = all
        .split_once('[')
        .and_then(|(_, rest)| rest.split_once(']'));
    inner.map_or_else(|| all.to_owned(), |(chosen, _)| chosen.to_owned())
}

/// A block device as the kernel describes it under `/sys`.
struct BlockDevice {
    place: PathBuf,
}

impl BlockDevice {
    /// The device with a number; none for file systems that lie on none.
    fn find(number: u64) -> Option<Self> {
        let (major, minor) = (rustix::fs::major(number), rustix::fs::minor(number));
        let place = fs::canonicalize(format!("/sys/dev/block/{major}:{minor}")).ok()?;
        Some(Self { place })
    }

    fn path(&self) -> String {
        let name = self.place.file_name().unwrap_or_default();
        Path::new("/dev").join(name).display().to_string()
    }

    fn model(&self) -> Option<String> {
        read(&self.whole().join("device/model"))
    }

    fn queue(&self, name: &str) -> Option<String> {
        read(&self.whole().join("queue").join(name))
    }

    /// The disk of a partition; the device itself if it is none.
    fn whole(&self) -> &Path {
        match self.place.parent() {
            Some(parent) if self.place.join("partition").exists() => parent,
            _ => &self.place,
        }
    }
}

fn read(path: &Path) -> Option<String> {
    let text = fs::read_to_string(path).ok()?;
    Some(text.trim().to_owned()).filter(|text| !text.is_empty())
}

struct Mount {
    kind: String,
    options: String,
}

/// The mount that a file lies on: the deepest, and of several the newest.
fn mount_of(path: &Path) -> Option<Mount> {
    let path = path.canonicalize().ok()?;
    let table = fs::read_to_string("/proc/self/mountinfo").ok()?;
    let (mut found, mut depth) = (None, 0);
    for line in table.lines() {
        // ID PARENT DEVICE ROOT PLACE OPTIONS [TAG…] - KIND SOURCE OPTIONS
        let (head, tail) = line.split_once(" - ")?;
        let head: Vec<_> = head.split(' ').collect();
        let tail: Vec<_> = tail.split(' ').collect();
        let (&[_, _, _, _, place, options, ..], &[kind, _, of_super, ..]) =
            (head.as_slice(), tail.as_slice())
        else {
            continue;
        };
        let place = PathBuf::from(unescaped(place));
        let deep = place.components().count();
        if path.starts_with(&place) && deep >= depth {
            depth = deep;
            found = Some(Mount {
                kind: kind.into(),
                options: format!("{options};{of_super}"),
            });
        }
    }
    found
}

/// The kernel writes blanks in paths as octal numbers.
fn unescaped(place: &str) -> String {
    place
        .replace("\\040", " ")
        .replace("\\011", "\t")
        .replace("\\012", "\n")
        .replace("\\134", "\\")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_scheduler_in_force_is_in_brackets() {
        assert_eq!(chosen("mq-deadline [none]"), "none");
        assert_eq!(chosen("none"), "none");
    }

    #[test]
    fn this_file_lies_on_some_mount() {
        assert!(mount_of(Path::new(file!())).is_some() || mount_of(Path::new("/")).is_some());
    }
}
