//! Which devices are observed, so that no IO counts twice.

use std::io;
use std::os::unix::fs::{FileTypeExt, MetadataExt};
use std::path::Path;

use blockyard_machine::{BlockDevice, Error};
use blockyard_text::hint;

/// Layers that devices are built in, at most.
const DEEPEST: usize = 32;

/// The devices that are named, or all disks.
///
/// # Errors
/// If a name has no device, or one device lies on another; or without names, if there is no disk.
pub(crate) fn chosen(names: &[String]) -> Result<Vec<BlockDevice>, Error> {
    let mut found: Vec<BlockDevice> = Vec::new();
    if names.is_empty() {
        found = BlockDevice::all().map_err(unlisted)?;
        found.retain(is_disk);
        if found.is_empty() {
            let said = "this machine has no disk; --device names a device to observe";
            return Err(Error::Lacks(said.into()));
        }
    }
    for name in names {
        let device = named(name)?;
        if found.iter().all(|other| other.number() != device.number()) {
            found.push(device);
        }
    }
    found.iter().try_for_each(counts)?;
    apart(&found)?;
    Ok(found)
}

/// Whether it is a disk: not memory, not built on others, not one of several paths to a disk.
fn is_disk(device: &BlockDevice) -> bool {
    let says = |name: &str, value: &str| device.attribute(name).as_deref() == Some(value);
    let name = device.name();
    let is_memory = name.starts_with("ram") || name.starts_with("zram");
    let aside = is_memory || says("size", "0") || says("hidden", "1") || says("queue/iostats", "0");
    !aside && device.beneath().is_ok_and(|below| below.is_empty())
}

/// The device with a name, at a node, or that a folder or file lies on. Of a partition the disk,
/// as the kernel does not tell by which partition an IO came.
fn named(name: &str) -> Result<BlockDevice, Error> {
    let wrong = |why: String| Error::Input(format!("--device: `{name}`: {why}"));
    let device = if name.contains('/') {
        let path = Path::new(name);
        let found = path.metadata().map_err(|error| wrong(reason(&error)))?;
        let number = if found.file_type().is_block_device() {
            found.rdev()
        } else {
            found.dev()
        };
        BlockDevice::numbered(number)
            .map_err(|_| wrong("its file system lies on no block device".into()))?
    } else {
        BlockDevice::named(name).map_err(|_| {
            let all = BlockDevice::all().unwrap_or_default();
            let names: Vec<_> = all.iter().map(BlockDevice::name).collect();
            let near = hint(name, names.iter().map(String::as_str));
            wrong(format!("no such block device{near}"))
        })?
    };
    if !device.is_partition() {
        return Ok(device);
    }
    let disk = device.beneath().map_err(|error| wrong(reason(&error)))?;
    let disk = disk.first().copied().unwrap_or_default();
    BlockDevice::numbered(disk).map_err(|error| wrong(reason(&error)))
}

/// Refuses a device whose IO the kernel does not count.
fn counts(device: &BlockDevice) -> Result<(), Error> {
    if device.attribute("queue/iostats").as_deref() != Some("0") {
        return Ok(());
    }
    let name = device.name();
    Err(Error::Lacks(format!(
        "{name}: the kernel does not count its IO; `echo 1 > /sys/block/{name}/queue/iostats` \
         makes it count"
    )))
}

/// Refuses devices of which one lies on another.
fn apart(devices: &[BlockDevice]) -> Result<(), Error> {
    for device in devices {
        let below = beneath(device.number()).map_err(unlisted)?;
        let lower = devices.iter().find(|it| below.contains(&it.number()));
        if let Some(lower) = lower {
            let (name, lower) = (device.names(), lower.names());
            return Err(Error::Input(format!(
                "--device: {name} lies on {lower}: its IO would count twice; expected one of them"
            )));
        }
    }
    Ok(())
}

/// The numbers of all devices below one.
fn beneath(number: u64) -> io::Result<Vec<u64>> {
    let mut found = Vec::new();
    let mut ahead = vec![number];
    for _ in 0..DEEPEST {
        let mut next = Vec::new();
        for number in ahead {
            // What has no folder, such as a file system in memory, lies on nothing.
            if let Ok(device) = BlockDevice::numbered(number) {
                next.extend(device.beneath()?);
            }
        }
        next.retain(|number| !found.contains(number));
        found.extend(&next);
        ahead = next;
    }
    Ok(found)
}

fn unlisted(error: io::Error) -> Error {
    Error::Lacks(format!(
        "block devices cannot be listed: {}",
        reason(&error)
    ))
}

/// Why a call failed, within a sentence.
pub(crate) fn reason(error: &io::Error) -> String {
    let said = blockyard_text::said(error);
    let mut letters = said.chars();
    let first = letters.next().map(|first| first.to_ascii_lowercase());
    first.into_iter().chain(letters).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn refusal(name: &str) -> String {
        chosen(&[name.to_owned()]).expect_err("refused").to_string()
    }

    #[test]
    fn what_is_no_device_is_refused_with_its_name() {
        assert!(refusal("no-such-disk").starts_with("--device: `no-such-disk`: no such block"));
        let missing = "--device: `/dev/no-such-disk`: no such file or directory";
        assert_eq!(refusal("/dev/no-such-disk"), missing);
        let memory = "--device: `/proc/self`: its file system lies on no block device";
        assert_eq!(refusal("/proc/self"), memory);
    }
}
