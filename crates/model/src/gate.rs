//! The limits of one level (a host's, a volume's), charged together.

use alloc::vec::Vec;

use crate::limit::Limit;
use crate::spec::{Applies, LimitSpec, Unit};
use crate::units::{Bytes, Nanos};

/// Which limit delayed an IO: an index into [`crate::storage::Storage::causes`].
pub type Cause = u16;

/// What a request takes from the limits of a level.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Cost {
    pub(crate) ios: u64,
    pub(crate) bytes: Bytes,
    pub(crate) write: bool,
    pub(crate) job: u16,
}

/// When a level lets a request through, and the limit that delayed it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Grant {
    pub(crate) at: Nanos,
    pub(crate) cause: Option<Cause>,
}

/// A level's limits. Requests pass in the order in which they arrive, and take
/// tokens of the limits that apply to them.
#[derive(Clone, Debug)]
pub(crate) struct Gate {
    limits: Vec<Member>,
    last: Grant,
    /// What the last delayed request took of limits that made it wait.
    contention: Vec<(Cause, u64)>,
}

#[derive(Clone, Debug)]
struct Member {
    cause: Cause,
    limit: Limit,
    unit: Unit,
    applies: Applies,
    credits: bool,
}

impl Gate {
    /// The gate of limits, each with its number as a cause.
    pub(crate) fn new<'a>(limits: impl Iterator<Item = (Cause, &'a LimitSpec)>) -> Self {
        let member = |(cause, spec): (Cause, &LimitSpec)| Member {
            cause,
            limit: Limit::new(spec),
            unit: spec.unit,
            applies: spec.applies,
            credits: spec.credits,
        };
        Self {
            limits: limits.map(member).collect(),
            last: Grant { at: 0, cause: None },
            contention: Vec::new(),
        }
    }

    /// Lets the next request through, which arrives at `now`: probes and takes.
    #[inline]
    pub(crate) fn pass(&mut self, now: Nanos, cost: &Cost) -> Grant {
        // The usual case, in one go: nothing is ahead and every limit conforms.
        let mut conforms = self.last.at <= now;
        for member in &mut self.limits {
            conforms &= member.limit.try_now(now, member.tokens(cost));
        }
        if !conforms {
            return self.pass_later(now, cost);
        }
        self.limits
            .iter_mut()
            .for_each(|member| member.limit.commit());
        self.last.at = now;
        Grant {
            at: now,
            cause: None,
        }
    }

    #[inline(never)]
    fn pass_later(&mut self, now: Nanos, cost: &Cost) -> Grant {
        let grant = self.probe(now, cost);
        self.take(now, grant, cost);
        grant
    }

    /// The grant that a request arriving at `now` would get as the next one:
    /// the earliest time at which every limit conforms, and not before its
    /// predecessor's. Of limits that conform last together, the first counts.
    #[inline]
    pub(crate) fn probe(&self, now: Nanos, cost: &Cost) -> Grant {
        let mut grant = Grant {
            at: now,
            cause: None,
        };
        if self.last.at > now {
            grant = self.last;
        }
        for member in &self.limits {
            let at = member.limit.earliest(now, member.tokens(cost));
            if at > grant.at {
                grant = Grant {
                    at,
                    cause: Some(member.cause),
                };
            }
        }
        grant
    }

    /// Charges the request that arrived at `arrival` and gets `grant`.
    #[inline]
    pub(crate) fn take(&mut self, arrival: Nanos, grant: Grant, cost: &Cost) {
        if grant.cause.is_some() {
            self.note_contention(arrival, cost);
        }
        self.last = grant;
        for member in &mut self.limits {
            member.limit.charge(grant.at, member.tokens(cost));
        }
    }

    #[inline(never)]
    fn note_contention(&mut self, arrival: Nanos, cost: &Cost) {
        self.contention.clear();
        for member in &self.limits {
            let tokens = member.tokens(cost);
            if member.limit.earliest(arrival, tokens) > arrival {
                self.contention.push((member.cause, tokens));
            }
        }
    }

    /// Tokens that the last delayed request took of each limit that by itself
    /// would have made it wait.
    pub(crate) fn contention(&self) -> &[(Cause, u64)] {
        &self.contention
    }

    /// The limits whose balance users watch.
    pub(crate) fn credits(&self) -> impl Iterator<Item = (Cause, &Limit)> {
        self.limits
            .iter()
            .filter(|member| member.credits)
            .map(|member| (member.cause, &member.limit))
    }

    /// Changes limit `cause`, if it is one of these, at `now`; who waits is let
    /// through from then on by the new rate.
    pub(crate) fn set(&mut self, cause: Cause, now: Nanos, rate: u64, depth: u64) {
        let Some(member) = self.limits.iter_mut().find(|member| member.cause == cause) else {
            return;
        };
        member.limit.set(now, rate, depth);
        self.hold_until(now);
        self.last.cause = Some(cause);
    }

    /// Lets nothing through before `now`.
    pub(crate) fn hold_until(&mut self, now: Nanos) {
        self.last.at = self.last.at.max(now);
    }
}

impl Member {
    /// Tokens that a request takes: none of a limit that does not apply to it.
    #[inline]
    fn tokens(&self, cost: &Cost) -> u64 {
        match self.unit {
            _ if !self.applies.to(cost.write) => 0,
            Unit::Io => cost.ios,
            Unit::Byte => cost.bytes,
        }
    }
}
