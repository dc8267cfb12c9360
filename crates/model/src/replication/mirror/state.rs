//! How a mirror and its legs are.

use alloc::collections::VecDeque;
use alloc::vec::Vec;

use super::buffers::Buffers;
use super::flow::{FlowId, LinkEnd};
use super::log::Log;
use super::regions::Regions;
use super::resync::Resync;
use super::resync_stages::{ResyncStage, ResyncStages};
use super::writes::Unnoted;
use crate::spec::{LinkSpec, MirrorSpec, ReadPolicy};
use crate::units::{Bytes, Nanos};

/// Whether the host that serves reaches a leg.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Reach {
    /// It does, as far as it knows.
    Here,
    /// It believes so: the leg's volumes have failed after its link had gone down.
    Unheard,
    /// It does not: the leg was given up with its link, or stays apart after a split brain.
    Away,
}

/// What the host of a leg knows of its data when it hears of the other no more: DRBD's states of a
/// disk.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Data {
    /// It had all when they were last connected.
    UpToDate,
    /// The same, and the other may have gone on alone.
    Consistent,
    /// The other has gone on alone.
    Outdated,
    /// It was being brought up to date: old and new are mixed.
    Inconsistent,
}

/// Whether a host serves a mirror.
#[derive(Clone, Debug)]
pub(super) enum Service {
    /// That of the primary leg does.
    Serves,
    /// It waits until the other leg is fenced.
    Fencing {
        /// Since when.
        since: Nanos,
    },
    /// That of the primary leg stands still, and the other was given up meanwhile: it learns of
    /// that once it goes on.
    Paused {
        /// Since when.
        since: Nanos,
    },
    /// It is lost.
    Down {
        /// Since when.
        since: Nanos,
        /// Bytes that it had acknowledged and the other host has not received.
        lost: Bytes,
        /// The writes among these whose messages may still arrive.
        on_the_way: Vec<FlowId>,
        /// Where the legs may differ by what was under way.
        unsure: Regions,
    },
}

/// Whether the data of one leg came out of that of the other.
#[derive(Clone, Debug)]
pub(super) enum History {
    /// It did, but for regions that are not up to date.
    One,
    /// The leg that does not serve has writes in these regions that the other lacks, and they have
    /// not met since.
    Diverged(Regions),
    /// They have met, and stay apart.
    SplitBrain(Regions),
}

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
    pub(super) reach: Reach,
    pub(super) data: Data,
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
        match self.reach {
            Reach::Here => self.failed_volumes == 0,
            Reach::Unheard => true,
            Reach::Away => false,
        }
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
    /// No IO is served until the other leg is fenced, a host takes over, or one goes on.
    Frozen,
    /// Each leg has writes that the other lacks: one serves alone until it is told what to do.
    SplitBrain,
}

/// What has become of a mirror that lost a leg, or whose hosts lost each other.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Transition {
    /// A leg was given up: the other serves without it.
    GivenUp {
        /// Which.
        leg: usize,
    },
    /// What a leg lacks begins to be copied to it.
    Resyncs {
        /// Which.
        leg: usize,
        /// Bytes of the regions that are not up to date.
        bytes: Bytes,
    },
    /// All of that has been copied.
    InSync {
        /// To which leg.
        leg: usize,
        /// What bound the copying.
        bound: ResyncStage,
    },
    /// The copying broke off.
    Interrupted,
    /// No IO is served: the host that serves has the other leg fenced.
    Fences,
    /// No IO is served: the host that served is lost.
    Lost,
    /// IO goes on as before.
    GoesOn,
    /// The host of a leg has taken over.
    TakenOver {
        /// Which.
        leg: usize,
        /// Bytes that had been acknowledged, and that it does not hold.
        lacks: Bytes,
    },
    /// The legs have met, and each has writes that the other lacks.
    SplitBrain {
        /// The leg that does not serve.
        leg: usize,
        /// Bytes of the regions that it wrote to alone.
        alone: Bytes,
    },
    /// The writes of this leg since they parted are discarded: it is made what the other is.
    Discarded {
        /// The leg.
        leg: usize,
    },
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
    /// Most bytes lost at once: acknowledged, and held by neither disk nor memory of the host that
    /// took over. Where none is to, what the other leg would lack if its host did, had it been up
    /// to date. So is what a leg had in memory alone when its disk failed. Those of a region that
    /// is not up to date count whole.
    pub lost: Bytes,
    /// Times that a leg was brought up to date.
    pub resyncs: u64,
    /// Bytes copied for that.
    pub copied: Bytes,
    /// Time that copying took, without a resync that still runs.
    pub resyncing: Nanos,
    /// How copies spent their time in these resyncs.
    pub resync_stages: ResyncStages,
    /// Times that the host of the other leg took over.
    pub takeovers: u64,
    /// Times that legs met of which each had writes that the other lacked.
    pub split_brains: u64,
    /// Bytes of regions in which the writes of a leg were discarded after that.
    pub discarded: Bytes,
    /// Time in which no IO was served, until a leg was fenced or a host took over.
    pub frozen: Nanos,
}

impl MirrorCounts {
    /// What bound the copying; none where no leg was brought up to date.
    #[must_use]
    pub fn resync_bound(&self) -> Option<ResyncStage> {
        (self.resyncing > 0).then(|| self.resync_stages.slowest())
    }
}

/// A mirror.
#[derive(Clone, Debug)]
pub(super) struct Mirror {
    pub(super) spec: MirrorSpec,
    pub(super) device: usize,
    pub(super) legs: [Leg; 2],
    /// The leg whose host serves.
    pub(super) primary: usize,
    /// The hosts of the legs, if these differ.
    pub(super) hosts: Option<[usize; 2]>,
    pub(super) service: Service,
    pub(super) history: History,
    /// Writes whose ends are known, in that order, until it is noted what legs lack of them.
    pub(super) unnoted: VecDeque<Unnoted>,
    /// Requests that wait until a host serves.
    pub(super) waiting: VecDeque<FlowId>,
    /// Since when the hosts hear nothing of each other, until one has taken over.
    pub(super) silent_since: Option<Nanos>,
    pub(super) transitions: Vec<(Nanos, Transition)>,
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
    pub(super) fn new(
        spec: &MirrorSpec,
        links: &[LinkSpec],
        device: usize,
        first_leg: usize,
    ) -> Self {
        let leg = |index: usize| {
            let mut volumes = Vec::new();
            let of = &spec.legs[index];
            of.layout.volumes(&mut |volume| volumes.push(volume));
            Leg {
                device: first_leg + index,
                link: of.link.map(|(link, end)| LinkEnd { link, end }),
                volumes,
                failed_volumes: 0,
                reach: Reach::Here,
                data: Data::UpToDate,
                dirty: Regions::none(spec.size, spec.region),
                lacks: Regions::none(spec.size, spec.region),
                buffers: Buffers::new(spec.max_buffers),
            }
        };
        Self {
            device,
            legs: [leg(0), leg(1)],
            primary: 0,
            hosts: spec.legs[1].link.map(|(link, end)| {
                let ends = links[link].ends;
                [ends[end], ends[1 - end]]
            }),
            service: Service::Serves,
            history: History::One,
            unnoted: VecDeque::new(),
            waiting: VecDeque::new(),
            silent_since: None,
            transitions: Vec::new(),
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
        let is_whole = a.dirty.is_empty() && b.dirty.is_empty();
        match (&self.service, &self.history) {
            (Service::Serves, History::SplitBrain(_)) => MirrorState::SplitBrain,
            (Service::Serves, _) if !(a.is_up() && b.is_up()) => MirrorState::Degraded,
            (Service::Serves, _) if is_whole => MirrorState::InSync,
            (Service::Serves, _) => MirrorState::Resyncing,
            _ => MirrorState::Frozen,
        }
    }

    /// Whether a leg can be used and the mirror with it: what is not up to date cannot be
    /// without the other leg.
    #[inline]
    pub(super) fn is_usable(&self, leg: usize) -> bool {
        let [this, other] = [&self.legs[leg], &self.legs[1 - leg]];
        this.is_up() && (this.dirty.is_empty() || other.is_up())
    }

    /// The leg whose host does not serve.
    #[inline]
    pub(super) fn secondary(&self) -> usize {
        1 - self.primary
    }

    /// What it did by `now`.
    pub(super) fn counts(&self, now: Nanos) -> MirrorCounts {
        MirrorCounts {
            frozen: self.counts.frozen + self.frozen_since().map_or(0, |since| now - since),
            ..self.counts
        }
    }

    /// Since when no host serves it, if none does.
    pub(super) fn frozen_since(&self) -> Option<Nanos> {
        match self.service {
            Service::Serves => None,
            Service::Fencing { since }
            | Service::Paused { since }
            | Service::Down { since, .. } => Some(since),
        }
    }

    /// The leg that serves a read, if any can.
    #[inline]
    pub(super) fn reader(&mut self, offset: Bytes, len: Bytes) -> Option<usize> {
        let first = match self.spec.read {
            ReadPolicy::Local => self.primary,
            ReadPolicy::RoundRobin => {
                self.turn = 1 - self.turn;
                1 - self.turn
            }
        };
        let can = |leg: &usize| self.is_usable(*leg) && !self.legs[*leg].dirty.touches(offset, len);
        [first, 1 - first].into_iter().find(can)
    }
}
