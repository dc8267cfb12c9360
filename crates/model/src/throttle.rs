//! The limits of one stage (a host's, a volume's), charged together.

use alloc::vec::Vec;

use crate::limits::LimitId;
use crate::spec::{Applies, LimitSpec, Unit};
use crate::token_bucket::TokenBucket;
use crate::units::{Bytes, Nanos};

/// What a request takes from the limits of a stage.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Cost {
    pub(crate) ios: u64,
    pub(crate) bytes: Bytes,
    pub(crate) write: bool,
}

/// When a stage lets a request through, and the limit that delayed it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Grant {
    pub(crate) at: Nanos,
    pub(crate) limit: Option<LimitId>,
}

/// Token buckets that a request needs the tokens of together, each if it applies to the
/// request's direction.
#[derive(Clone, Debug)]
pub(crate) struct Throttle {
    buckets: Vec<Bucket>,
    /// Those of limits that do not hold now.
    lifted: Vec<Bucket>,
    /// The last request that waited, or the last change: nothing is granted before it.
    last: Grant,
}

#[derive(Clone, Debug)]
struct Bucket {
    limit: LimitId,
    tokens: TokenBucket,
    unit: Unit,
    applies: Applies,
    credits: bool,
}

impl Throttle {
    /// A throttle of limits that are all full to their level.
    pub(crate) fn new<'a>(limits: impl Iterator<Item = (LimitId, &'a LimitSpec)>) -> Self {
        let bucket = |(limit, spec): (LimitId, &LimitSpec)| Bucket {
            limit,
            tokens: TokenBucket::new(spec),
            unit: spec.unit,
            applies: spec.applies,
            credits: spec.credits,
        };
        Self {
            buckets: limits.map(bucket).collect(),
            lifted: Vec::new(),
            last: Grant { at: 0, limit: None },
        }
    }

    /// Takes the tokens of a request if all of them are there at `now`.
    // Forced: it is the path of every IO, at each of its stages.
    #[inline(always)]
    pub(crate) fn try_take(&mut self, now: Nanos, cost: &Cost) -> bool {
        for index in 0..self.buckets.len() {
            let bucket = &mut self.buckets[index];
            if !bucket.tokens.try_charge(now, bucket.cost(cost)) {
                let charged = self.buckets[..index].iter_mut();
                charged.for_each(|bucket| bucket.tokens.undo(bucket.cost(cost)));
                return false;
            }
        }
        true
    }

    /// Takes tokens of one limit at `now`, whether or not they are there: what comes next waits
    /// for them.
    pub(crate) fn charge(&mut self, limit: LimitId, now: Nanos, tokens: u64) {
        let mut buckets = self.buckets.iter_mut();
        if let Some(bucket) = buckets.find(|bucket| bucket.limit == limit) {
            bucket.tokens.charge(now, tokens);
        }
    }

    /// When a request that arrived at `arrival` conforms, if it is the next: the earliest
    /// time at which every limit does, and not before its predecessor's. Of limits that
    /// conform last together, the first counts.
    pub(crate) fn probe(&self, arrival: Nanos, cost: &Cost) -> Grant {
        let mut grant = Grant {
            at: arrival,
            limit: None,
        };
        if self.last.at > arrival {
            grant = self.last;
        }
        for bucket in &self.buckets {
            let at = bucket.tokens.earliest(arrival, bucket.cost(cost));
            if at > grant.at {
                grant = Grant {
                    at,
                    limit: Some(bucket.limit),
                };
            }
        }
        grant
    }

    /// Takes the tokens of a request that arrived at `arrival`, waited, and has its `grant`.
    /// Tells `contended` of each limit that by itself would have made it wait, with the
    /// tokens that the request took of it.
    pub(crate) fn take(
        &mut self,
        arrival: Nanos,
        grant: Grant,
        cost: &Cost,
        contended: &mut impl FnMut(LimitId, u64),
    ) {
        if grant.limit.is_some() {
            for bucket in &self.buckets {
                let tokens = bucket.cost(cost);
                if !bucket.tokens.conforms(arrival, tokens) {
                    contended(bucket.limit, tokens);
                }
            }
        }
        self.last = grant;
        for bucket in &mut self.buckets {
            bucket.tokens.charge(grant.at, bucket.cost(cost));
        }
    }

    /// The burst balances at `now`, in percent.
    pub(crate) fn balances(&self, now: Nanos) -> impl Iterator<Item = (LimitId, f64)> {
        let credits = self.buckets.iter().filter(|bucket| bucket.credits);
        credits.map(move |bucket| (bucket.limit, bucket.tokens.balance_pct(now)))
    }

    /// Changes `limit`, if it is one of these, at `now`: whoever waits is let through from
    /// then on by the new rate. One that did not hold begins full. Says whether it is one of
    /// these.
    pub(crate) fn set(&mut self, limit: LimitId, now: Nanos, rate: u64, depth: u64) -> bool {
        if let Some(place) = self.lifted.iter().position(|it| it.limit == limit) {
            let mut bucket = self.lifted.swap_remove(place);
            bucket.tokens.refill(now, rate, depth);
            let place = self.buckets.partition_point(|it| it.limit < limit);
            self.buckets.insert(place, bucket);
        } else {
            let mut buckets = self.buckets.iter_mut();
            let Some(bucket) = buckets.find(|bucket| bucket.limit == limit) else {
                return false;
            };
            bucket.tokens.set(now, rate, depth);
        }
        self.changed(now, limit);
        true
    }

    /// `limit`, if it is one of these, does not hold from `now` on. Says whether it is one.
    pub(crate) fn lift(&mut self, limit: LimitId, now: Nanos) -> bool {
        let Some(place) = self.buckets.iter().position(|it| it.limit == limit) else {
            return false;
        };
        self.lifted.push(self.buckets.remove(place));
        self.changed(now, limit);
        true
    }

    /// Who waits is let through from `now` on, held up by `limit` until then.
    fn changed(&mut self, now: Nanos, limit: LimitId) {
        self.hold_until(now);
        self.last.limit = Some(limit);
    }

    /// Grants nothing before `now`.
    pub(crate) fn hold_until(&mut self, now: Nanos) {
        self.last.at = self.last.at.max(now);
    }
}

impl Bucket {
    /// Tokens that a request takes: none of a limit that does not apply to it.
    #[inline]
    fn cost(&self, cost: &Cost) -> u64 {
        match self.unit {
            _ if !self.applies.to(cost.write) => 0,
            Unit::Io => cost.ios,
            Unit::Byte => cost.bytes,
        }
    }
}
