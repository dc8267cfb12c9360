//! How a mirror and its legs are.

use alloc::vec::Vec;

use super::buffers::Buffers;
use super::flow::LinkEnd;
use super::log::Log;
use super::regions::Regions;
use super::resync::Resync;
use crate::spec::{MirrorSpec, ReadPolicy};
use crate::units::{Bytes, Nanos};

/// One of a mirror's two copies.
#[derive(Clone, Debug)]
pub(super) struct Leg {
    /// Index of its layout among the engine's devices.
    pub(super) device: usize,
    /// By index, and the end at which the mirror's user is.
    pub(super) link: Option<LinkEnd>,
    pub(super) volumes: Vec<usize>,
    /// How many of these have failed.
    pub(super) failed_volumes: usize,
    /// The failure of its volumes is not known: its link went down before.
    pub(super) unheard: bool,
    /// Its link has been down for so long that the leg was given up.
    pub(super) unreachable: bool,
    /// What is not up to date.
    pub(super) dirty: Regions,
    /// Of that, what a write was acknowledged to: it would be lost with the other leg.
    pub(super) lacks: Regions,
    /// Where it is behind a link: what its host receives into.
    pub(super) buffers: Buffers,
}

impl Leg {
    /// Whether it can be used.
    #[inline]
    pub(super) fn is_up(&self) -> bool {
        (self.failed_volumes == 0 || self.unheard) && !self.unreachable
    }
}

/// How a mirror is.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum MirrorState {
    /// Both legs hold all data.
    InSync,
    /// A leg cannot be used.
    Degraded,
    /// Both can; one is being brought up to date.
    Resyncing,
}

/// What a mirror has done and how it is.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct MirrorStatus {
    /// Index of the device.
    pub device: usize,
    /// How it is.
    pub state: MirrorState,
    /// Bytes acknowledged that the second leg does not hold: what is lost if the first is now.
    pub at_risk: Bytes,
    /// What it did so far.
    pub counts: MirrorCounts,
}

/// What a mirror has done so far.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct MirrorCounts {
    /// Reads by leg.
    pub reads: [u64; 2],
    /// Writes to the dirty-region log.
    pub log_writes: u64,
    /// Times that a leg was given up.
    pub failures: u64,
    /// Most bytes, over these times, that were acknowledged and that the other leg did not
    /// hold. Those of a region that is not up to date count whole.
    pub lost: Bytes,
    /// Times that a leg was brought up to date.
    pub resyncs: u64,
    /// Bytes copied for that.
    pub copied: Bytes,
    /// Time that copying took, without a resync that still runs.
    pub resyncing: Nanos,
}

/// A mirror.
#[derive(Clone, Debug)]
pub(super) struct Mirror {
    pub(super) spec: MirrorSpec,
    pub(super) device: usize,
    pub(super) legs: [Leg; 2],
    /// Which leg the next read goes to, where they take turns.
    turn: usize,
    pub(super) log: Option<Log>,
    pub(super) resync: Option<Resync>,
    /// Rounds of copying begun.
    pub(super) rounds: u32,
    pub(super) counts: MirrorCounts,
}

impl Mirror {
    /// The mirror `spec` of device number `device`, with legs from `first_leg` on among the
    /// engine's devices.
    pub(super) fn new(spec: &MirrorSpec, device: usize, first_leg: usize) -> Self {
        let leg = |index: usize| {
            let mut volumes = Vec::new();
            let of = &spec.legs[index];
            of.layout.volumes(&mut |volume| volumes.push(volume));
            Leg {
                device: first_leg + index,
                link: of.link.map(|(link, end)| LinkEnd { link, end }),
                volumes,
                failed_volumes: 0,
                unheard: false,
                unreachable: false,
                dirty: Regions::none(spec.size, spec.region),
                lacks: Regions::none(spec.size, spec.region),
                buffers: Buffers::new(spec.max_buffers),
            }
        };
        Self {
            device,
            legs: [leg(0), leg(1)],
            turn: 0,
            log: spec.log.map(Log::new),
            resync: None,
            rounds: 0,
            counts: MirrorCounts::default(),
            spec: spec.clone(),
        }
    }

    pub(super) fn state(&self) -> MirrorState {
        let [a, b] = &self.legs;
        match (
            a.is_up() && b.is_up(),
            a.dirty.is_empty() && b.dirty.is_empty(),
        ) {
            (false, _) => MirrorState::Degraded,
            (true, false) => MirrorState::Resyncing,
            (true, true) => MirrorState::InSync,
        }
    }

    /// Whether a leg can be used and the mirror with it: what is not up to date cannot be
    /// without the other leg.
    #[inline]
    pub(super) fn is_usable(&self, leg: usize) -> bool {
        let [this, other] = [&self.legs[leg], &self.legs[1 - leg]];
        this.is_up() && (this.dirty.is_empty() || other.is_up())
    }

    /// The leg that serves a read, if any can.
    #[inline]
    pub(super) fn reader(&mut self, offset: Bytes, len: Bytes) -> Option<usize> {
        let first = self.turn;
        if self.spec.read == ReadPolicy::RoundRobin {
            self.turn = 1 - first;
        }
        let can = |leg: &usize| self.is_usable(*leg) && !self.legs[*leg].dirty.touches(offset, len);
        [first, 1 - first].into_iter().find(can)
    }
}
