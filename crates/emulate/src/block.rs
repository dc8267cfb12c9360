//! Block devices of this machine: by the kernel's NBD client where it has one,
//! else loop devices over files.

mod kernel_nbd;
mod loops;

use std::fs;
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::thread;
use std::time::Duration;

use blockyard_machine::{BlockDevice, Error};
use blockyard_text::said;

use self::kernel_nbd::KernelNbd;
use self::loops::Loops;
use crate::disk::Disk;
use crate::{sync, users};

/// How long to wait for programs that open a device for a moment only, as the system
/// does after every write: `ATTEMPTS` times `PAUSE`.
const ATTEMPTS: u32 = 50;
const PAUSE: Duration = Duration::from_millis(20);

/// A block device for each disk; they go when this is dropped.
#[derive(Debug)]
pub(crate) enum Attached {
    /// By the kernel's NBD client.
    Nbd(KernelNbd),
    /// As loop devices over FUSE files.
    Loop(Loops),
}

impl Attached {
    /// Attaches `disks`.
    ///
    /// # Errors
    /// Without root, or if the kernel has neither way.
    pub(crate) fn start(disks: Vec<Arc<Disk>>) -> Result<Self, Error> {
        if !rustix::process::geteuid().is_root() {
            let message = "block devices are made by root; --as fuse=DIR and nbd=PATH need no root";
            return Err(Error::Lacks(message.into()));
        }
        let attached = match KernelNbd::is_there() {
            true => Self::Nbd(KernelNbd::start(disks)?),
            false => Self::Loop(Loops::start(disks)?),
        };
        for device in attached.devices() {
            pass_flushes(device)?;
        }
        Ok(attached)
    }

    fn devices(&self) -> &[PathBuf] {
        match self {
            Self::Nbd(nbd) => nbd.devices(),
            Self::Loop(loops) => loops.devices(),
        }
    }

    /// How it is done, in a few words.
    pub(crate) fn how(&self) -> &'static str {
        match self {
            Self::Nbd(_) => "kernel's NBD client",
            Self::Loop(_) => "loop device over FUSE",
        }
    }

    /// The device of a disk.
    pub(crate) fn path(&self, disk: &Disk) -> PathBuf {
        let names = match self {
            Self::Nbd(nbd) => nbd.names(),
            Self::Loop(loops) => loops.names(),
        };
        let index = names.iter().position(|name| name == disk.name());
        self.devices()[index.unwrap_or(0)].clone()
    }

    /// Detaches all. A device in use is reported and synced first; it is no
    /// hindrance, but fails from then on.
    pub(crate) fn stop(self, tell: &mut dyn FnMut(&str)) {
        let used = in_use(self.devices());
        let synced = (!used.is_empty()).then(|| sync_used(&used, tell));
        let stopped = match self {
            Self::Nbd(nbd) => nbd.stop(),
            Self::Loop(loops) => loops.stop(),
        };
        match (synced, stopped) {
            (Some(after), _) => used.iter().for_each(|used| tell(&used.was(&after))),
            (None, Err(error)) => tell(&error.to_string()),
            (None, Ok(())) => {}
        }
    }
}

/// Has the kernel pass on flushes. It keeps the `write through` that somebody set on the device for
/// whoever attaches it next, and a power cut would lose what a database has flushed.
fn pass_flushes(device: &Path) -> Result<(), Error> {
    let failed = |error| Error::Failed(format!("{}: {}", device.display(), said(&error)));
    let found = BlockDevice::at(device).map_err(failed)?;
    let setting = format!("/sys/class/block/{}/queue/write_cache", found.name());
    let written = fs::write(setting, "write back");
    match found.queue("write_cache").as_deref() {
        Some("write back") | None => Ok(()),
        Some(other) => Err(Error::Lacks(format!(
            "{}: the kernel passes no flushes on: its cache is `{other}`, expected `write back`{}",
            device.display(),
            written.map_or_else(|error| format!(" ({})", said(&error)), |()| String::new()),
        ))),
    }
}

/// A device and who uses it.
#[derive(Debug)]
struct Used {
    device: PathBuf,
    by: Vec<String>,
}

impl Used {
    fn was(&self, after: &str) -> String {
        let (device, by) = (self.device.display(), self.by.join(", "));
        format!("{device}: was in use: {by}; {after}")
    }
}

/// Devices that are still in use. Waits a little for programs that are about to close them,
/// but not for mounts.
fn in_use(devices: &[PathBuf]) -> Vec<Used> {
    let look = || {
        let all = devices.iter().map(|device| Used {
            device: device.clone(),
            by: users::of_device(device),
        });
        all.filter(|used| !used.by.is_empty()).collect::<Vec<_>>()
    };
    let mut used = look();
    for _ in 0..ATTEMPTS {
        let mounted = |used: &Used| !users::mounts(&used.device).is_empty();
        if used.is_empty() || used.iter().any(mounted) {
            break;
        }
        thread::sleep(PAUSE);
        used = look();
    }
    used
}

/// Has the kernel write back the devices' dirty pages, and says how that went.
fn sync_used(used: &[Used], tell: &mut dyn FnMut(&str)) -> String {
    for Used { device, by } in used {
        let (device, by) = (device.display(), by.join(", "));
        let patience = sync::PATIENCE.as_secs();
        tell(&format!(
            "{device}: in use: {by}; it is synced, for {patience} s at most, and then detached"
        ));
    }
    let devices: Vec<_> = used.iter().map(|used| used.device.clone()).collect();
    match sync::sync(&devices) {
        Ok(()) => "synced, then detached; what was written later is lost".into(),
        Err(error) => {
            let why = said(&error);
            format!("not synced ({why}) and detached all the same, what is unwritten is lost")
        }
    }
}

#[cfg(test)]
mod tests;
