//! A stage on the way of IO: limits, and a line of those that wait for them.

use alloc::collections::BTreeMap;

use super::in_flight::PartName;
use super::line::Line;
use crate::limits::LimitId;
use crate::meter::Counted;
use crate::spec::{Discipline, LimitSpec};
use crate::throttle::{Cost, Throttle};
use crate::units::{Bytes, Nanos};
use crate::volume::Part;

/// Index of a stage.
pub(super) type StageId = usize;

/// Lets requests through as its limits allow.
///
/// A request that conforms and finds nobody waiting passes at once. One that does not waits
/// in line, and is granted by an event, at the time that [`Stage::next_grant`] says.
#[derive(Clone, Debug)]
pub(super) struct Stage {
    throttle: Throttle,
    line: Line,
    paused: bool,
    /// Nobody waits and it is not paused: a request that conforms passes at once.
    free: bool,
    /// Where an IO takes the bytes of whole units, as on st1: the unit's binary places.
    whole_units: Option<u32>,
    counts: Counts,
}

/// A request in line.
#[derive(Clone, Copy, Debug)]
pub(super) struct Waiting {
    pub(super) name: PartName,
    pub(super) part: Part,
    /// What it takes, before a stage rounds it to whole units.
    pub(super) cost: Cost,
    /// When its latency alone would end it.
    pub(super) ready: Nanos,
    /// Its number among its volume's parts.
    pub(super) number: u64,
    /// How many stages of its path it has passed.
    pub(super) passed: usize,
    /// When it arrived at the stage where it waits.
    pub(super) arrival: Nanos,
    /// How long it waited where it waited longest, and the limit that it waited for there.
    pub(super) longest: (Nanos, Option<LimitId>),
}

/// What passed in the running period.
#[derive(Clone, Debug, Default)]
struct Counts {
    ios: u64,
    bytes: Bytes,
    waited: BTreeMap<LimitId, Nanos>,
    contended: BTreeMap<(LimitId, u16), u64>,
}

impl Stage {
    pub(super) fn new<'a>(
        limits: impl Iterator<Item = (LimitId, &'a LimitSpec)>,
        discipline: Discipline,
        whole_units: Option<u32>,
    ) -> Self {
        Self {
            throttle: Throttle::new(limits),
            line: Line::new(discipline),
            paused: false,
            free: true,
            whole_units,
            counts: Counts::default(),
        }
    }

    /// Lets a request through at `now` if it conforms and nobody waits.
    #[inline]
    pub(super) fn try_pass(&mut self, now: Nanos, cost: &Cost) -> bool {
        if !self.free {
            return false;
        }
        let passes = self
            .throttle
            .try_take(now, &rounded(self.whole_units, cost));
        if passes {
            self.counts.ios += cost.ios;
            self.counts.bytes += cost.bytes;
        }
        passes
    }

    /// Puts a request in line. Says whether the next grant is now another.
    pub(super) fn wait(&mut self, request: Waiting) -> bool {
        self.free = false;
        self.line.push(request)
    }

    /// When the next request in line is granted; none while there is none, or it is paused.
    pub(super) fn next_grant(&self) -> Option<Nanos> {
        let first = self.line.first().filter(|_| !self.paused)?;
        let cost = rounded(self.whole_units, &first.cost);
        Some(self.throttle.probe(first.arrival, &cost).at)
    }

    /// Grants the next request in line.
    pub(super) fn grant(&mut self) -> Option<Waiting> {
        let mut request = self.line.pop()?;
        self.set_free();
        let cost = rounded(self.whole_units, &request.cost);
        let grant = self.throttle.probe(request.arrival, &cost);
        let counts = &mut self.counts;
        let job = request.part.job;
        self.throttle
            .take(request.arrival, grant, &cost, &mut |limit, tokens| {
                *counts.contended.entry((limit, job)).or_default() += tokens;
            });
        counts.ios += cost.ios;
        counts.bytes += request.cost.bytes;
        let waited = grant.at - request.arrival;
        if let Some(limit) = grant.limit {
            *counts.waited.entry(limit).or_default() += waited;
        }
        if waited >= request.longest.0 {
            request.longest = (waited, grant.limit);
        }
        request.passed += 1;
        Some(request)
    }

    /// Takes the requests to `volume` out of the line at `now`.
    pub(super) fn remove(&mut self, now: Nanos, volume: usize) {
        self.line.remove(volume);
        self.set_free();
        // Whoever is first now may have conformed for long, but not been the first.
        self.throttle.hold_until(now);
    }

    /// Lets nothing through until it is resumed.
    pub(super) fn pause(&mut self) {
        self.paused = true;
        self.set_free();
    }

    /// Lets requests through again, from `now` on.
    pub(super) fn resume(&mut self, now: Nanos) {
        self.paused = false;
        self.set_free();
        self.throttle.hold_until(now);
    }

    fn set_free(&mut self) {
        self.free = !self.paused && self.line.is_empty();
    }

    /// Changes a limit at `now`, if it is one of the stage's.
    pub(super) fn set(&mut self, limit: LimitId, now: Nanos, rate: u64, depth: u64) -> bool {
        self.throttle.set(limit, now, rate, depth)
    }

    /// What passed since the last call, and the balances at `end`; the time that requests
    /// waited by limit, in the order of `limits`.
    pub(super) fn take(&mut self, end: Nanos, limits: impl Iterator<Item = LimitId>) -> Counted {
        let Counts {
            ios,
            bytes,
            waited,
            contended,
        } = core::mem::take(&mut self.counts);
        let held = limits.map(|limit| waited.get(&limit).copied().unwrap_or(0));
        Counted {
            ios,
            bytes,
            held: held.collect(),
            contended,
            balances: self.throttle.balances(end).collect(),
        }
    }
}

/// What a request takes where an IO takes the bytes of whole units.
#[inline]
fn rounded(whole_units: Option<u32>, cost: &Cost) -> Cost {
    match whole_units {
        Some(bits) => Cost {
            bytes: cost.ios << bits,
            ..*cost
        },
        None => *cost,
    }
}
