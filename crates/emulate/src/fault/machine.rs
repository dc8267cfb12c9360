//! What faults do to the requests and volumes of a group, as a state machine: time comes in,
//! effects and changes go out.

use blockyard_model::random::Stream;
use blockyard_model::spec::{Layout, StorageSpec};
use blockyard_model::storage::Request;
use blockyard_model::units::Nanos;

use super::active::{Active, Does};

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

/// The faults of a group; volumes have the group's numbers.
#[derive(Debug)]
pub(crate) struct Faults {
    layouts: Vec<Layout>,
    seed: u64,
    /// Tells its random streams from those of other groups.
    name: String,
    active: Vec<(Active, Stream)>,
    /// By volume, what [`Faults::advance`] made of it.
    applied: Vec<VolumeState>,
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
        let devices = spec.devices.iter();
        Self {
            layouts: devices.map(|device| device.layout.clone()).collect(),
            seed,
            name: spec.volumes.first().map_or("", |first| &first.name).into(),
            active: Vec::new(),
            applied: vec![WHOLE; spec.volumes.len()],
        }
    }

    /// Starts a fault; [`Faults::advance`] then says what to do.
    pub(crate) fn start(&mut self, fault: Active) {
        let label = format!("fault/{}/{}", fault.number, self.name);
        self.active.push((fault, Stream::new(self.seed, &label)));
    }

    /// What they do to a request that arrives `now`.
    pub(crate) fn on_request(&mut self, now: Nanos, request: &Request) -> Effect {
        let mut effect = Effect::default();
        for (fault, stream) in &mut self.active {
            let Some((share, extra)) = fault.share_of(now, request.op) else {
                continue;
            };
            let mut hit = false;
            let volumes = &fault.volumes;
            let layout = &self.layouts[request.device];
            touched(layout, request, &mut |volume| {
                hit |= volumes.contains(&volume) && stream.chance(share);
            });
            if hit {
                effect.extra += extra;
                effect.fails |= matches!(fault.does, Does::Fail(_));
            }
        }
        effect
    }

    /// The latest time at which [`Faults::advance`] must be called.
    pub(crate) fn next_event(&self) -> Option<Nanos> {
        let ends = self.active.iter().filter_map(|(fault, _)| fault.until);
        ends.min()
    }

    /// Ends the faults that are over at `now`. Returns the changes to volumes that result from
    /// all faults that started or ended since the last call.
    pub(crate) fn advance(&mut self, now: Nanos) -> Vec<VolumeChange> {
        self.active.retain(|(fault, _)| !fault.is_over(now));
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

    /// What the changes so far have made of a volume.
    pub(crate) fn applied(&self, volume: usize) -> VolumeState {
        self.applied[volume]
    }

    /// Ends all.
    pub(crate) fn clear(&mut self) {
        self.active.clear();
    }

    /// Ends the stalls of these volumes. A stall of more volumes goes on for the others.
    pub(crate) fn resume(&mut self, resumed: &[usize]) {
        for (fault, _) in &mut self.active {
            fault.resume(resumed);
        }
        self.active.retain(|(fault, _)| !fault.is_resumed());
    }

    fn state(&self, volume: usize) -> VolumeState {
        let faults = self
            .active
            .iter()
            .filter(|(fault, _)| fault.volumes.contains(&volume));
        faults.fold(WHOLE, |state, (fault, _)| match fault.does {
            Does::Pause => VolumeState {
                paused: true,
                ..state
            },
            Does::Slow(permille) => VolumeState {
                permille: permille.min(state.permille),
                ..state
            },
            Does::Delay(_) | Does::Fail(_) | Does::CutPower(_) => state,
        })
    }
}

/// Calls `found` with each volume that a request touches; a flush touches all of its device.
fn touched(layout: &Layout, request: &Request, found: &mut impl FnMut(usize)) {
    match request.len {
        0 => layout.volumes(found),
        len => layout.extents(request.offset, len, &mut |extent| found(extent.volume)),
    }
}
