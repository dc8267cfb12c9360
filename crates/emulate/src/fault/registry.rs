//! All faults of a service by name: what is started, what goes on, what has lost its power.

use blockyard_model::fault::{Does, Drawn, Fault as Planned};
use blockyard_model::random::Stream;
use blockyard_model::spec::StorageSpec;
use blockyard_model::units::Nanos;
use blockyard_scenario::ResolvedEvent;

use super::active::{Active, FaultStatus};
use super::targets::Targets;
use super::{Fault, OUTAGE, above_zero};

/// Something to do to the store of a device.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum PowerChange {
    /// Its power goes.
    Cut {
        device: usize,
        seed: u64,
        torn: bool,
    },
    /// Its power comes back.
    Restore { device: usize },
}

/// The faults of a service. What they do to requests and volumes is for the
/// [`blockyard_model::fault::Faults`] of each group.
#[derive(Debug)]
pub(crate) struct Registry {
    targets: Targets,
    seed: u64,
    /// Faults that were ever started.
    started: u64,
    active: Vec<Active>,
    /// Power cuts and returns not yet reported to the stores.
    power: Vec<PowerChange>,
}

impl Registry {
    /// None yet, of storage like `spec`.
    pub(crate) fn new(spec: &StorageSpec, seed: u64) -> Self {
        Self {
            targets: Targets::new(spec),
            seed,
            started: 0,
            active: Vec::new(),
            power: Vec::new(),
        }
    }

    /// A fault of the scenario, which the groups know already: it shows in the status.
    pub(crate) fn plan(&mut self, event: &ResolvedEvent, fault: Planned) {
        self.active.push(Active {
            kind: event.kind.name(),
            on: Some(event.on.clone()),
            fault,
            without_power: Vec::new(),
        });
    }

    /// Starts a fault, and gives what the groups of its volumes are to be told. An error names
    /// the field, its value and what was expected.
    pub(crate) fn start(&mut self, now: Nanos, fault: &Fault) -> Result<Active, String> {
        self.expire(now);
        let mut stream = Stream::new(self.seed, &format!("fault/{}", self.started));
        let mut devices = Vec::new();
        let mut links = Vec::new();
        let (does, duration) = match fault {
            Fault::Latency(latency) => {
                let phases = latency.phases()?;
                let whole = phases.iter().map(|phase| phase.duration).sum();
                (Does::Delay(phases), Some(whole))
            }
            Fault::Error(errors) => (Does::Err(errors.shares()), Some(errors.duration()?)),
            Fault::Stall(stall) => (Does::Pause, stall.duration.map(above_zero).transpose()?),
            Fault::Degrade(degrade) => {
                let stated = degrade.duration.map(above_zero).transpose()?;
                let share = degrade.share()?;
                let drawn = Drawn::draw(&mut stream);
                let share = share.unwrap_or(drawn.0);
                (Does::Slow(share), Some(stated.unwrap_or(drawn.1)))
            }
            Fault::PowerCut(cut) => {
                devices = self.targets.devices_of(fault.on())?;
                let duration = cut.duration.map(above_zero).transpose()?;
                // It is for the stores: to volumes it does nothing.
                (Does::Delay(Vec::new()), Some(duration.unwrap_or(OUTAGE)))
            }
            Fault::Cut(cut) => {
                links = self.targets.links_of(fault.on())?;
                (
                    Does::Cut([true; 2]),
                    cut.duration.map(above_zero).transpose()?,
                )
            }
        };
        let mut volumes = match fault {
            Fault::Cut(_) => Vec::new(),
            _ => self.targets.volumes_of(fault.on())?,
        };
        if let Fault::PowerCut(cut) = fault {
            let seed = cut.seed.unwrap_or_else(|| stream.bits());
            let torn = cut.torn;
            let cuts = devices
                .iter()
                .map(|&device| PowerChange::Cut { device, seed, torn });
            self.power.extend(cuts);
            volumes.clear();
        }
        let active = Active {
            kind: fault.kind(),
            on: fault.on().map(Into::into),
            fault: Planned {
                number: self.started,
                volumes,
                links,
                hosts: Vec::new(),
                from: now,
                until: duration.map(|duration| now + duration),
                does,
            },
            without_power: devices,
        };
        self.started += 1;
        self.active.push(active.clone());
        Ok(active)
    }

    /// Ends the stalls of a device or volume, without a name all, and gives its volumes. A
    /// stall of more volumes goes on for the others.
    pub(crate) fn resume(&mut self, now: Nanos, name: Option<&str>) -> Result<Vec<usize>, String> {
        let resumed = self.targets.volumes_of(name)?;
        for fault in &mut self.active {
            fault.fault.resume(now, &resumed);
        }
        self.end(|it| it.fault.is_resumed());
        Ok(resumed)
    }

    /// Ends the cuts of a link, without a name of all, and gives these. A host or a zone that
    /// has failed stays cut off.
    pub(crate) fn restore(&mut self, now: Nanos, name: Option<&str>) -> Result<Vec<usize>, String> {
        let restored = self.targets.links_of(name)?;
        for fault in &mut self.active {
            fault.fault.restore(now, &restored);
        }
        self.end(|it| it.fault.is_resumed());
        Ok(restored)
    }

    /// Ends all that have begun.
    pub(crate) fn clear(&mut self, now: Nanos) {
        self.end(|it| it.fault.from <= now);
    }

    /// The power cuts and returns up to `now` since the last call, in their order.
    pub(crate) fn take_power(&mut self, now: Nanos) -> Vec<PowerChange> {
        self.expire(now);
        std::mem::take(&mut self.power)
    }

    /// What goes on, as the status shows it.
    pub(crate) fn active(&mut self, now: Nanos) -> Vec<FaultStatus> {
        self.expire(now);
        let on = self.active.iter().filter(|it| it.fault.is_on(now));
        on.map(|it| it.status(now)).collect()
    }

    fn expire(&mut self, now: Nanos) {
        self.end(|it| it.fault.is_over(now));
    }

    fn end(&mut self, over: impl Fn(&Active) -> bool) {
        let (ended, rest) = std::mem::take(&mut self.active).into_iter().partition(over);
        self.active = rest;
        let ended: Vec<Active> = ended;
        let mut restored = Vec::new();
        for device in ended.iter().flat_map(|it| &it.without_power) {
            let still = |it: &Active| it.without_power.contains(device);
            if !self.active.iter().any(still) && !restored.contains(device) {
                restored.push(*device);
            }
        }
        let restored = restored.into_iter();
        self.power
            .extend(restored.map(|device| PowerChange::Restore { device }));
    }
}
