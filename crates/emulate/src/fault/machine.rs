//! The faults of a service, as a state machine: time comes in, effects and
//! actions go out.

use blockyard_model::random::Stream;
use blockyard_model::spec::StorageSpec;
use blockyard_model::storage::Request;
use blockyard_model::units::{Nanos, SECOND};

use super::active::{Active, Does, FaultStatus};
use super::targets::Targets;
use super::{Fault, OUTAGE, above_zero};

/// What faults do to a request.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(crate) struct Effect {
    /// It takes this much longer.
    pub(crate) extra: Nanos,
    /// It fails with `EIO`.
    pub(crate) fails: bool,
}

/// Something to do to a volume of the model.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum VolumeChange {
    /// The volume answers nothing until it is resumed.
    Pause { volume: usize },
    /// The volume answers again.
    Resume { volume: usize },
    /// The volume has another share of each of its rates.
    Share { volume: usize },
}

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

/// The faults of a service.
#[derive(Debug)]
pub(crate) struct Faults {
    targets: Targets,
    pub(super) seed: u64,
    /// Faults that were ever started.
    started: u64,
    active: Vec<Active>,
    /// By volume, what [`Faults::advance`] made of it.
    applied: Vec<VolumeState>,
    /// Power cuts and returns that the stores have yet to be told of.
    power: Vec<PowerChange>,
}

/// What faults make of a volume.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct VolumeState {
    /// Whether it answers nothing.
    pub(crate) paused: bool,
    /// What is left of each of its rates, in 1/1000.
    pub(crate) permille: u32,
}

const WHOLE: VolumeState = VolumeState {
    paused: false,
    permille: 1000,
};

impl Faults {
    /// None yet, of storage like `spec`.
    pub(crate) fn new(spec: &StorageSpec, seed: u64) -> Self {
        let targets = Targets::new(spec);
        Self {
            seed,
            started: 0,
            active: Vec::new(),
            applied: vec![WHOLE; targets.volumes()],
            power: Vec::new(),
            targets,
        }
    }

    /// Starts a fault; [`Faults::advance`] then says what to do. An error
    /// names the field, its value and what was expected.
    pub(crate) fn start(&mut self, now: Nanos, fault: &Fault) -> Result<(), String> {
        let mut stream = Stream::new(self.seed, &format!("fault/{}", self.started));
        let mut devices = Vec::new();
        let (does, duration) = match fault {
            Fault::Latency(latency) => {
                let phases = latency.phases()?;
                let whole = phases.iter().map(|phase| phase.duration).sum();
                (Does::Delay(phases), Some(whole))
            }
            Fault::Error(errors) => (Does::Fail(errors.clone()), Some(errors.duration()?)),
            Fault::Stall(stall) => (Does::Pause, stall.duration.map(above_zero).transpose()?),
            Fault::Degrade(degrade) => {
                let stated = degrade.duration.map(above_zero).transpose()?;
                let share = degrade.share()?;
                let share = share.unwrap_or_else(|| 10 + stream.below(881) as u32);
                let drawn = || (60 + stream.below(541)) * SECOND;
                (Does::Slow(share), Some(stated.unwrap_or_else(drawn)))
            }
            Fault::PowerCut(cut) => {
                devices = self.targets.devices_of(fault.on())?;
                let duration = cut.duration.map(above_zero).transpose()?;
                (
                    Does::Darken(devices.clone()),
                    Some(duration.unwrap_or(OUTAGE)),
                )
            }
        };
        let volumes = self.targets.volumes_of(fault.on())?;
        if let Fault::PowerCut(cut) = fault {
            let seed = cut.seed.unwrap_or_else(|| stream.bits());
            let torn = cut.torn;
            let cuts = devices
                .iter()
                .map(|&device| PowerChange::Cut { device, seed, torn });
            self.power.extend(cuts);
        }
        self.started += 1;
        self.active.push(Active {
            kind: fault.kind(),
            on: fault.on().map(Into::into),
            volumes,
            from: now,
            until: duration.map(|duration| now + duration),
            does,
            stream,
        });
        Ok(())
    }

    /// What they do to a request that arrives `now`.
    pub(crate) fn on_request(&mut self, now: Nanos, request: &Request) -> Effect {
        let mut effect = Effect::default();
        for fault in &mut self.active {
            let Some((share, extra)) = fault.share_of(now, request.op) else {
                continue;
            };
            let mut hit = false;
            let (volumes, stream) = (&fault.volumes, &mut fault.stream);
            self.targets.touched(request, &mut |volume| {
                hit |= volumes.contains(&volume) && stream.chance(share);
            });
            if hit {
                effect.extra += extra;
                effect.fails |= matches!(fault.does, Does::Fail(_));
            }
        }
        effect
    }

    /// When [`Faults::advance`] is to be called at the latest.
    pub(crate) fn next_event(&self) -> Option<Nanos> {
        self.active.iter().filter_map(|fault| fault.until).min()
    }

    /// Ends what is over at `now`, and says what is to be done to volumes: since
    /// the last call, faults may have started or ended.
    pub(crate) fn advance(&mut self, now: Nanos) -> Vec<VolumeChange> {
        self.end(|fault| fault.until.is_some_and(|until| until <= now));
        let mut changes = Vec::new();
        for volume in 0..self.applied.len() {
            let is = self.state(volume);
            let was = std::mem::replace(&mut self.applied[volume], is);
            if is.paused != was.paused {
                changes.push(match is.paused {
                    true => VolumeChange::Pause { volume },
                    false => VolumeChange::Resume { volume },
                });
            }
            if is.permille != was.permille {
                changes.push(VolumeChange::Share { volume });
            }
        }
        changes
    }

    /// The power cuts and returns since the last call, in their order.
    pub(crate) fn take_power(&mut self) -> Vec<PowerChange> {
        std::mem::take(&mut self.power)
    }

    /// What the changes so far have made of a volume.
    pub(crate) fn applied(&self, volume: usize) -> VolumeState {
        self.applied[volume]
    }

    /// Ends all.
    pub(crate) fn clear(&mut self) {
        self.end(|_| true);
    }

    /// Ends the stalls of a device or volume; without a name all. One of more
    /// volumes goes on for the others.
    pub(crate) fn resume(&mut self, name: Option<&str>) -> Result<(), String> {
        let resumed = self.targets.volumes_of(name)?;
        let stalls = |fault: &&mut Active| matches!(fault.does, Does::Pause);
        for fault in self.active.iter_mut().filter(stalls) {
            fault.volumes.retain(|volume| !resumed.contains(volume));
        }
        self.end(|fault| matches!(fault.does, Does::Pause) && fault.volumes.is_empty());
        Ok(())
    }

    /// What goes on, as the status shows it.
    pub(crate) fn active(&self, now: Nanos) -> Vec<FaultStatus> {
        self.active.iter().map(|fault| fault.status(now)).collect()
    }

    fn end(&mut self, over: impl Fn(&Active) -> bool) {
        let (ended, rest) = std::mem::take(&mut self.active).into_iter().partition(over);
        self.active = rest;
        let ended: Vec<Active> = ended;
        let mut restored = Vec::new();
        for device in ended.iter().flat_map(Active::darkened) {
            let still = |fault: &Active| fault.darkened().contains(device);
            if !self.active.iter().any(still) && !restored.contains(device) {
                restored.push(*device);
            }
        }
        let restored = restored.into_iter();
        self.power
            .extend(restored.map(|device| PowerChange::Restore { device }));
    }

    fn state(&self, volume: usize) -> VolumeState {
        let faults = self
            .active
            .iter()
            .filter(|fault| fault.volumes.contains(&volume));
        faults.fold(WHOLE, |state, fault| match fault.does {
            Does::Pause => VolumeState {
                paused: true,
                ..state
            },
            Does::Slow(permille) => VolumeState {
                permille: permille.min(state.permille),
                ..state
            },
            Does::Delay(_) | Does::Fail(_) | Does::Darken(_) => state,
        })
    }
}
