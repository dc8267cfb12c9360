//! The kernel's NBD client, over sockets that our own server serves.

use std::fs::File;
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::thread::{self, JoinHandle};

use blockyard_machine::{BlockDevice, Error};
use blockyard_sys::nbd;
use blockyard_text::said;

use crate::disk::Disk;
use crate::nbd::{ABILITIES, Server};

/// Connections of a device: the kernel serves each from a thread of its own,
/// and so do we.
const CONNECTIONS: usize = 2;

/// What the kernel takes for a block; page caches and file systems use more.
const BLOCK: u64 = 512;

/// Disks as `/dev/nbdN`.
#[derive(Debug)]
pub(crate) struct KernelNbd {
    names: Vec<String>,
    devices: Vec<PathBuf>,
    attached: Vec<(File, JoinHandle<()>)>,
    server: Server,
}

impl KernelNbd {
    /// Whether the kernel has an NBD client.
    pub(super) fn is_there() -> bool {
        Path::new("/dev/nbd0").exists()
    }

    pub(super) fn start(disks: Vec<Arc<Disk>>) -> Result<Self, Error> {
        let mut nbd = Self {
            names: disks.iter().map(|disk| disk.name().into()).collect(),
            devices: Vec::new(),
            attached: Vec::new(),
            server: Server::unlisted(disks.clone())?,
        };
        for disk in &disks {
            let device = free().ok_or_else(|| {
                let message = "no free /dev/nbdN; load the module nbd with more (nbds_max)";
                Error::Lacks(message.into())
            })?;
            let failed = |error| Error::Failed(format!("{}: {}", device.display(), said(&error)));
            nbd.attached
                .push(nbd.attach(&device, disk).map_err(failed)?);
            nbd.devices.push(device);
        }
        Ok(nbd)
    }

    /// Connects a device; the thread is the kernel's until it is disconnected.
    fn attach(&self, device: &Path, disk: &Disk) -> std::io::Result<(File, JoinHandle<()>)> {
        let file = File::options().read(true).write(true).open(device)?;
        nbd::set_size(&file, BLOCK, disk.size())?;
        nbd::set_flags(&file, ABILITIES)?;
        for _ in 0..CONNECTIONS {
            nbd::add_socket(&file, self.server.connect(disk.name())?)?;
        }
        let own = file.try_clone()?;
        let thread = thread::Builder::new()
            .name("nbd-kernel".into())
            .spawn(move || {
                // How it ended shows in the kernel's log.
                let _ = nbd::run(&own);
            })?;
        if !is_taken(device) {
            return Err(std::io::Error::other("the kernel does not take it"));
        }
        Ok((file, thread))
    }

    pub(super) fn names(&self) -> &[String] {
        &self.names
    }

    pub(super) fn devices(&self) -> &[PathBuf] {
        &self.devices
    }

    pub(super) fn stop(mut self) -> Result<(), Error> {
        self.detach();
        self.server.stop();
        Ok(())
    }

    fn detach(&mut self) {
        for (file, thread) in self.attached.drain(..) {
            let _ = nbd::disconnect(&file);
            let _ = thread.join();
            let _ = nbd::clear(&file);
        }
    }
}

impl Drop for KernelNbd {
    fn drop(&mut self) {
        self.detach();
    }
}

/// A device that nobody has.
fn free() -> Option<PathBuf> {
    let numbers = 0..;
    let nodes = numbers.map(|number: u32| PathBuf::from(format!("/dev/nbd{number}")));
    let mut all = nodes.take_while(|node| node.exists());
    all.find(|node| {
        let device = BlockDevice::at(node);
        device.is_ok_and(|device| {
            device.attribute("pid").is_none() && device.attribute("size").as_deref() == Some("0")
        })
    })
}

/// Waits for the kernel's thread; whether it has taken the device.
fn is_taken(device: &Path) -> bool {
    for _ in 0..3000 {
        let device = BlockDevice::at(device);
        if device.is_ok_and(|device| device.attribute("pid").is_some()) {
            return true;
        }
        thread::sleep(std::time::Duration::from_millis(10));
    }
    false
}
