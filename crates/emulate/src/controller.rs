//! Control of a running service: its state, changes to it, and its end.

use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use blockyard_model::units::SECOND;
use blockyard_record::ServedDevice;
use blockyard_scenario::units::Size;
use blockyard_text::said;
use serde_json::Value;

use crate::control::Commands;
use crate::disk::Disk;
use crate::emulator::Emulator;
use crate::fault::{Fault, PowerChange};
use crate::front::Serving;
use crate::status::{DeviceStatus, LinkStatus, Status};
use crate::store::Store;

/// What is served, and what can be done to it.
#[derive(Debug)]
pub(crate) struct Controller {
    pub(crate) emulator: Emulator,
    disks: Vec<Arc<Disk>>,
    /// None once it has ended.
    serving: Mutex<Option<Serving>>,
    how: &'static str,
    kind: &'static str,
    served: Vec<ServedDevice>,
    /// Whether somebody asked for the end.
    stop: AtomicBool,
}

impl Controller {
    /// Of `disks`, as `serving` serves them, with their bytes in `backing`.
    pub(crate) fn new(
        emulator: Emulator,
        disks: Vec<Arc<Disk>>,
        serving: Serving,
        backing: &str,
    ) -> Self {
        let served = disks.iter().map(|disk| ServedDevice {
            name: disk.name().into(),
            place: serving.place(disk),
            size: Size::new(disk.size()),
            backing: backing.into(),
        });
        Self {
            emulator,
            served: served.collect(),
            disks,
            how: serving.how(),
            kind: serving.kind(),
            serving: Mutex::new(Some(serving)),
            stop: AtomicBool::new(false),
        }
    }

    /// The disks, and where clients find them.
    pub(crate) fn served(&self) -> &[ServedDevice] {
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

    /// Ends the serving. Tells of anything that still uses it; it is ended regardless.
    pub(crate) fn end_serving(&self, tell: &mut dyn FnMut(&str)) {
        let serving = self.lock().take();
        if let Some(serving) = serving {
            serving.stop(tell);
        }
    }

    /// What the user should know at once about the clients.
    pub(crate) fn warnings(&self) -> Vec<String> {
        self.lock().as_ref().map_or(Vec::new(), Serving::warnings)
    }

    /// Passes power cuts and returns on to the stores.
    pub(crate) fn pass_on_power(&self) {
        let changes = self.emulator.take_power();
        for change in &changes {
            match *change {
                PowerChange::Cut { device, seed, torn } => {
                    let disk = &self.disks[device];
                    let what = match disk.store().cut_power(seed, torn) {
                        Ok(lost) => format!("power of {} cut: {lost}", disk.name()),
                        Err(error) => {
                            format!("power of {} cut: {}", disk.name(), said(&error.into()))
                        }
                    };
                    self.emulator.note(what);
                }
                PowerChange::Restore { device } => self.disks[device].store().restore_power(),
            }
        }
        let cut = |change: &PowerChange| matches!(change, PowerChange::Cut { .. });
        if let (true, Some(serving)) = (changes.iter().any(cut), &*self.lock()) {
            serving.cut_off();
        }
    }

    /// What went wrong with the backing or the program and was not given before, in words.
    pub(crate) fn new_failures(&self) -> Vec<String> {
        let mut all = self.of_backing(Store::new_failures);
        all.extend(self.emulator.new_failures());
        all
    }

    /// All that went wrong with the backing, with how often, and with the program, in words.
    pub(crate) fn failures(&self) -> Vec<String> {
        let mut all = self.of_backing(Store::failures);
        all.extend(self.emulator.failures());
        all
    }

    /// Why the run failed, if it did: the program broke, or data is lost.
    pub(crate) fn reasons(&self) -> Vec<String> {
        let mut all = self.emulator.failures();
        all.extend(self.of_backing(Store::loss));
        all
    }

    fn of_backing(&self, failures: impl Fn(&Store) -> Vec<String>) -> Vec<String> {
        let of_disk = |(disk, served): (&Arc<Disk>, &ServedDevice)| {
            let whose = format!("{}: backing {}", served.name, served.backing);
            let all = failures(disk.store()).into_iter();
            all.map(|failure| format!("{whose}: {failure}"))
                .collect::<Vec<_>>()
        };
        self.disks
            .iter()
            .zip(&self.served)
            .flat_map(of_disk)
            .collect()
    }

    /// The state of what is served, with where its devices are.
    pub(crate) fn state(&self) -> Value {
        let Some(snapshot) = self.emulator.snapshot() else {
            return Value::Null;
        };
        let accounts = snapshot.accounts.into_iter().zip(snapshot.mirrors);
        let devices = accounts.zip(&self.served);
        let links = snapshot.links.into_iter();
        let status = Status {
            uptime_s: snapshot.uptime as f64 / SECOND as f64,
            devices: devices
                .map(|((account, mirror), served)| DeviceStatus {
                    account,
                    mirror,
                    name: served.name.clone(),
                    size_bytes: served.size.bytes(),
                    at: served.place.clone(),
                })
                .collect(),
            volumes: snapshot.volumes,
            links: links.map(|(name, up)| LinkStatus { name, up }).collect(),
            lateness_us: snapshot.lateness_us,
            faults: snapshot.faults,
            events: snapshot.events,
            serving: self.how,
            warnings: self.failures(),
        };
        // Names and numbers are always JSON.
        serde_json::to_value(status).unwrap_or_default()
    }

    fn lock(&self) -> MutexGuard<'_, Option<Serving>> {
        self.serving.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl Commands for Controller {
    fn status(&self) -> Value {
        self.state()
    }

    fn set(&self, rates: &[(String, String)]) -> Result<(), String> {
        self.emulator.set(rates)
    }

    fn fault(&self, fault: &Fault) -> Result<(), String> {
        self.emulator.fault(fault)?;
        self.pass_on_power();
        Ok(())
    }

    fn resume(&self, name: Option<&str>) -> Result<(), String> {
        self.emulator.resume(name)
    }

    fn restore(&self, name: Option<&str>) -> Result<(), String> {
        self.emulator.restore(name)
    }

    fn clear(&self) -> Result<(), String> {
        self.emulator.clear();
        self.pass_on_power();
        Ok(())
    }

    fn stop(&self) -> Result<(), String> {
        self.stop.store(true, Ordering::Relaxed);
        Ok(())
    }
}
