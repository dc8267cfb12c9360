//! A stage on the way of IO: limits, and a line of those that wait for them.

use alloc::vec::Vec;

use super::in_flight::PartName;
use super::line::Line;
use crate::limits::LimitId;
use crate::meter::Counted;
use crate::request::Requester;
use crate::spec::{Discipline, LimitSpec};
use crate::throttle::{Cost, Grant, Throttle};
use crate::units::{Bytes, Nanos};
use crate::volume::Queueing;

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
    /// What the first in line gets, unless something changes.
    next: Option<Grant>,
    counts: Counts,
}

/// A request in line.
#[derive(Clone, Copy, Debug)]
pub(super) struct Waiting {
    pub(super) name: PartName,
    pub(super) volume: usize,
    /// Who asks, and who of theirs submits it.
    pub(super) whose: (Requester, u32),
    /// What it takes, before a stage rounds it to whole units.
    pub(super) cost: Cost,
    /// Whether it continues a stream.
    pub(super) sequential: bool,
    /// When its volume took it.
    pub(super) entered: Nanos,
    /// How it had waited in the guest until then.
    pub(super) queued: Queueing,
    /// How many stages of its path it has passed.
    pub(super) passed: u8,
    /// When it arrived at the stage where it waits.
    pub(super) arrival: Nanos,
    /// How long it waited where it waited longest, and the limit that it waited for there.
    pub(super) longest: (Nanos, Option<LimitId>),
}

/// What passed in the running period. The lists are short, and looked through from the front.
#[derive(Clone, Debug, Default)]
struct Counts {
    ios: u64,
    bytes: Bytes,
    waited: Vec<(LimitId, Nanos)>,
    contended: Vec<((LimitId, Requester), u64)>,
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
            next: None,
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
        let is_first = self.line.push(request);
        if is_first {
            self.look();
        }
        is_first
    }

    /// When the next request in line is granted; none while there is none, or it is paused.
    #[inline]
    pub(super) fn next_grant(&self) -> Option<Nanos> {
        self.next.map(|grant| grant.at)
    }

    /// Looks again who is first in line and what they get: the line or a limit changed.
    fn look(&mut self) {
        let first = self.line.first();
        self.free = !self.paused && first.is_none();
        let first = first.filter(|_| !self.paused);
        self.next = first.map(|first| {
            let cost = rounded(self.whole_units, &first.cost);
            self.throttle.probe(first.arrival, &cost)
        });
    }

    /// Grants the next request in line.
    // Forced: each call would copy the request once more.
    #[inline(always)]
    pub(super) fn grant(&mut self) -> Option<Waiting> {
        let grant = self.next?;
        let mut request = self.line.pop()?;
        let cost = rounded(self.whole_units, &request.cost);
        let counts = &mut self.counts;
        let (requester, _) = request.whose;
        let contended = &mut |limit, tokens| add(&mut counts.contended, (limit, requester), tokens);
        self.throttle.take(request.arrival, grant, &cost, contended);
        counts.ios += cost.ios;
        counts.bytes += request.cost.bytes;
        let waited = grant.at - request.arrival;
        if let Some(limit) = grant.limit {
            add(&mut counts.waited, limit, waited);
        }
        if waited >= request.longest.0 {
            request.longest = (waited, grant.limit);
        }
        request.passed += 1;
        self.look();
        Some(request)
    }

    /// Takes the requests to `volume` out of the line at `now`.
    pub(super) fn remove(&mut self, now: Nanos, volume: usize) {
        self.line.remove(volume);
        // Whoever is first now may have conformed for long, but not been the first.
        self.throttle.hold_until(now);
        self.look();
    }

    /// Lets nothing through until it is resumed.
    pub(super) fn pause(&mut self) {
        self.paused = true;
        self.look();
    }

    /// Lets requests through again, from `now` on.
    pub(super) fn resume(&mut self, now: Nanos) {
        self.paused = false;
        self.throttle.hold_until(now);
        self.look();
    }

    /// Changes a limit at `now`, if it is one of the stage's.
    pub(super) fn set(&mut self, limit: LimitId, now: Nanos, rate: u64, depth: u64) -> bool {
        let is_one = self.throttle.set(limit, now, rate, depth);
        self.look();
        is_one
    }

    /// Something that passes no stage takes tokens of a limit at `now`.
    pub(super) fn charge(&mut self, limit: LimitId, now: Nanos, tokens: u64) {
        self.throttle.charge(limit, now, tokens);
        self.look();
    }

    /// A limit does not hold from `now` on, if it is one of the stage's.
    pub(super) fn lift(&mut self, limit: LimitId, now: Nanos) -> bool {
        let is_one = self.throttle.lift(limit, now);
        self.look();
        is_one
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
        let waited_for = |limit| waited.iter().find(|it| it.0 == limit);
        let throttled = limits.map(|limit| waited_for(limit).map_or(0, |it| it.1));
        Counted {
            ios,
            bytes,
            throttled: throttled.collect(),
            contended: contended.into_iter().collect(),
            balances: self.throttle.balances(end).collect(),
        }
    }
}

fn add<K: PartialEq>(sums: &mut Vec<(K, u64)>, key: K, more: u64) {
    match sums.iter_mut().find(|sum| sum.0 == key) {
        Some(sum) => sum.1 += more,
        None => sums.push((key, more)),
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
