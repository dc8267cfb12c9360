//! A service from outside: looked at, changed and stopped while it serves.

use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use blockyard_scenario::units::Size;
use serde_json::{Value, json};

use crate::disk::Disk;
use crate::error::Error;
use crate::front::Serving;
use crate::pacer::Pacer;
use crate::service::Served;

/// What is served, and what can be done to it.
#[derive(Debug)]
pub(crate) struct Steering {
    pub(crate) pacer: Arc<Pacer>,
    disks: Vec<Arc<Disk>>,
    /// None once it has ended.
    serving: Mutex<Option<Serving>>,
    how: &'static str,
    kind: &'static str,
    served: Vec<Served>,
    /// Whether somebody asked for the end.
    stop: AtomicBool,
}

impl Steering {
    /// Of `disks`, as `serving` serves them, with their bytes in `backing`.
    pub(crate) fn new(
        pacer: Arc<Pacer>,
        disks: Vec<Arc<Disk>>,
        serving: Serving,
        backing: &str,
    ) -> Self {
        let served = disks.iter().map(|disk| Served {
            name: disk.name().into(),
            place: serving.place(disk),
            size: Size::new(disk.size()),
            backing: backing.into(),
        });
        Self {
            pacer,
            served: served.collect(),
            disks,
            how: serving.how(),
            kind: serving.kind(),
            serving: Mutex::new(Some(serving)),
            stop: AtomicBool::new(false),
        }
    }

    /// The disks, and where clients find them.
    pub(crate) fn served(&self) -> &[Served] {
        &self.served
    }

    /// How they are served, in a few words.
    pub(crate) fn how(&self) -> &'static str {
        self.how
    }

    /// What its clients see: `nbd export`, `file` or `block device`.
    pub(crate) fn kind(&self) -> &'static str {
        self.kind
    }

    /// Whether somebody asked for the end.
    pub(crate) fn is_stopped(&self) -> bool {
        self.stop.load(Ordering::Relaxed)
    }

    /// Ends the serving. What is in the way is an error, but it has ended all
    /// the same.
    pub(crate) fn end_serving(&self) -> Result<(), Error> {
        let serving = self.lock().take();
        serving.map_or(Ok(()), Serving::stop)
    }

    /// What `steer status` shows.
    pub(crate) fn status(&self) -> Value {
        self.pacer.with(|desk, now| {
            let mut status = desk.status(now);
            let devices = status["devices"].as_array_mut().into_iter().flatten();
            for (device, served) in devices.zip(&self.served) {
                device["name"] = json!(served.name);
                device["size_bytes"] = json!(served.size.bytes());
                device["at"] = json!(served.place);
            }
            status["serving"] = json!(self.how);
            status
        })
    }

    fn lock(&self) -> MutexGuard<'_, Option<Serving>> {
        self.serving.lock().unwrap_or_else(PoisonError::into_inner)
    }
}
