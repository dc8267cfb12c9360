//! A bucket of the oracle.

use super::*;

pub(super) const NS: i128 = 1_000_000_000;

/// A bucket, in tokens x 10^-9, of which a nanosecond brings `rate`.
pub(super) struct Bucket {
    pub(super) id: LimitId,
    pub(super) spec: LimitSpec,
    /// What was left by the last charge or change, the most that it could hold then, and
    /// when that was.
    left: i128,
    room: i128,
    since: Nanos,
    /// Whether it does not hold.
    pub(super) lifted: bool,
}

impl Bucket {
    pub(super) fn new(id: LimitId, spec: &LimitSpec) -> Self {
        let full = i128::from(spec.depth) * NS;
        let mut bucket = Self {
            id,
            spec: spec.clone(),
            left: full,
            room: full,
            since: 0,
            lifted: false,
        };
        bucket.charge(0, full - i128::from(spec.level) * NS);
        bucket
    }

    /// The most that it can hold at `at`.
    pub(super) fn room(&self, at: Nanos) -> i128 {
        match self.spec.top_up {
            Some(TopUp { every, .. }) if at / every > self.since / every => {
                i128::from(self.spec.depth) * NS
            }
            _ => self.room,
        }
    }

    /// What is in it at `at`; before the last charge, what would have been if that had been
    /// made already. A top-up brings back what it could not hold any more.
    pub(super) fn level(&self, at: Nanos) -> i128 {
        let flow = (i128::from(at) - i128::from(self.since)) * i128::from(self.spec.rate);
        let room = self.room(at);
        (self.left + room - self.room + flow).min(room)
    }

    pub(super) fn cost(&self, part: &OraclePart, whole_unit: Option<Bytes>) -> i128 {
        i128::from(match self.spec.unit {
            _ if self.lifted || !self.spec.applies.to(part.write) => 0,
            Unit::Io => part.ios,
            Unit::Byte => whole_unit.map_or(part.len, |unit| part.ios * unit),
        }) * NS
    }

    pub(super) fn conforms(&self, at: Nanos, cost: i128) -> bool {
        cost == 0 || self.level(at) >= cost.min(self.room(at))
    }

    pub(super) fn charge(&mut self, at: Nanos, cost: i128) {
        (self.left, self.room, self.since) = (self.level(at) - cost, self.room(at), at);
        if let Some(TopUp { kept, .. }) = self.spec.top_up {
            // Only so much comes back with the flow.
            let kept = i128::from(kept) * NS;
            self.room = self.room.min(kept.max(self.left + kept));
        }
    }

    /// Changes rate and depth: a debt stays a debt; tokens stay, up to the new depth.
    pub(super) fn set(&mut self, at: Nanos, rate: u64, depth: u64) {
        let (level, room, full) = (self.level(at), self.room(at), i128::from(depth) * NS);
        self.room = match &mut self.spec.top_up {
            Some(top_up) => {
                top_up.kept = top_up.kept.min(depth);
                room.min(full)
            }
            None => full,
        };
        (self.left, self.since) = (level.min(self.room), at);
        (self.spec.rate, self.spec.depth) = (rate, depth);
        if core::mem::take(&mut self.lifted) {
            (self.left, self.room) = (full, full);
        }
    }
}
