//! One token bucket, charged as a reservation, in exact integer time.
//!
//! The bucket keeps a single number: how far the flow of tokens must have come
//! for it to be full. The flow since time 0 is `now * rate`, so that level, cost
//! and depth are distances on one axis, and a request of cost `c` conforms once
//! the flow has come within `depth` of where it would fill the bucket again:
//!
//! ```text
//!   flow now     conforms              full    full + c
//!    |-------------|---------------------|---------|     tokens
//!                  |<---------- depth ------------>|
//! ```
//!
//! This is the virtual-scheduling form of the generic cell rate algorithm
//! (ITU-T I.371), turned from time to tokens: a token rarely takes a whole
//! number of nanoseconds, but a nanosecond always brings `rate` x 10^-9 of one.
//! In that unit (10^-9 tokens) every distance is a whole number and nothing
//! is rounded but a waiting time, up to the next nanosecond.
//!
//! A bucket that is **topped up** ([`TopUp`]) is the same with a depth that shrinks: what is
//! taken beyond the tokens of the flow that it keeps comes off the depth, and the next top-up
//! puts it back.

use alloc::boxed::Box;

use crate::product::product;
use crate::spec::{LimitSpec, TopUp};
use crate::units::{Nanos, SECOND};

/// A number of tokens x 10^-9: the amount that a rate of one token a second
/// brings in a nanosecond.
type Nanotokens = u128;

/// A token bucket.
///
/// Its invariant: whatever is charged at times at which it conforms, in amounts of at most
/// the depth, any window of time holds no more than depth + rate x window. If it is topped
/// up, that goes for amounts of at most what it keeps, and each top-up in the window brings
/// depth - kept more.
#[derive(Clone, Debug)]
pub(crate) struct TokenBucket {
    /// Tokens a second: nanotokens a nanosecond.
    rate: u64,
    /// The most that the flow fills it to.
    depth: Nanotokens,
    /// Where the flow fills the bucket if nothing more is charged.
    full: Nanotokens,
    /// Boxed, so that the usual bucket stays small.
    reserve: Option<Box<Reserve>>,
}

/// What is beyond the flow in a bucket that is topped up.
#[derive(Clone, Debug)]
struct Reserve {
    every: Nanos,
    kept: Nanotokens,
    /// The bucket's depth with all of the reserve.
    whole: Nanotokens,
    /// The first top-up that was not made.
    next: Nanos,
    /// The bucket's depth before the last charge that was tried.
    before: Nanotokens,
}

impl TokenBucket {
    /// The bucket that `spec` describes, at time 0.
    pub(crate) fn new(spec: &LimitSpec) -> Self {
        let missing = spec.depth.saturating_sub(spec.level);
        let reserve = |top_up: TopUp| Reserve {
            every: top_up.every,
            kept: nano(top_up.kept),
            whole: nano(spec.depth),
            next: top_up.every,
            before: 0,
        };
        let mut bucket = Self {
            rate: spec.rate,
            depth: nano(spec.depth),
            full: nano(missing),
            reserve: spec.top_up.map(reserve).map(Box::new),
        };
        bucket.spend(0);
        bucket
    }

    /// Charges `tokens` if they conform at `now`; [`TokenBucket::undo`] takes that back.
    #[inline]
    pub(crate) fn try_charge(&mut self, now: Nanos, tokens: u64) -> bool {
        let missing = self.missing(now) + nano(tokens);
        // What conforms nearly always does without a look at what is rare.
        if missing > self.depth && !self.conforms(now, tokens) {
            return false;
        }
        if self.reserve.is_some() {
            self.charge(now, tokens);
            return true;
        }
        self.full = self.flow(now) + missing;
        true
    }

    /// Takes back the last charge, of so many tokens. What had flowed into the bucket until then
    /// stays in it.
    #[cold]
    pub(crate) fn undo(&mut self, tokens: u64) {
        if let Some(reserve) = &self.reserve {
            self.full += reserve.before - self.depth;
            self.depth = reserve.before;
        }
        self.full -= nano(tokens);
    }

    /// Whether `tokens` conform at `now`.
    #[inline(never)]
    pub(crate) fn conforms(&self, now: Nanos, tokens: u64) -> bool {
        let depth = self.depth_at(now);
        tokens == 0 || self.full + nano(tokens).min(depth) <= self.flow(now) + depth
    }

    /// The earliest time, not before `now`, at which `tokens` conform.
    ///
    /// A cost above the depth conforms when the bucket is full, and leaves a
    /// debt. No tokens conform at once.
    #[inline]
    pub(crate) fn earliest(&self, now: Nanos, tokens: u64) -> Nanos {
        match &self.reserve {
            Some(reserve) if now < reserve.next => {
                let by_flow = self.reaches(now, tokens, self.depth);
                let topped_up = self.reaches(reserve.next, tokens, reserve.whole);
                by_flow.min(topped_up)
            }
            _ => self.reaches(now, tokens, self.depth_at(now)),
        }
    }

    /// When the flow alone lets `tokens` conform in a bucket of `depth`, not before `now`.
    #[inline]
    fn reaches(&self, now: Nanos, tokens: u64, depth: Nanotokens) -> Nanos {
        let conforms = self.full + nano(tokens).min(depth);
        let reached = self.flow(now) + depth;
        if conforms <= reached || tokens == 0 {
            return now;
        }
        let missing = conforms - reached;
        now + match u64::try_from(missing) {
            // Nearly always, and several times faster.
            Ok(missing) => missing.div_ceil(self.rate),
            Err(_) => missing.div_ceil(u128::from(self.rate)) as Nanos,
        }
    }

    /// Takes `tokens` out at `at`, a time at which they conform.
    pub(crate) fn charge(&mut self, at: Nanos, tokens: u64) {
        self.top_up(at);
        self.full = self.full.max(self.flow(at)) + nano(tokens);
        self.spend(at);
    }

    /// Makes the top-ups up to `now`, and takes down the depth for [`TokenBucket::undo`].
    #[inline]
    fn top_up(&mut self, now: Nanos) {
        if let Some(reserve) = &mut self.reserve {
            if now >= reserve.next {
                self.depth = reserve.whole;
                reserve.next = (now / reserve.every + 1) * reserve.every;
            }
            reserve.before = self.depth;
        }
    }

    /// Takes what is missing at `now` beyond the kept tokens of the flow off the depth.
    #[inline]
    fn spend(&mut self, now: Nanos) {
        if let Some(reserve) = &self.reserve {
            let spent = self.missing(now).saturating_sub(reserve.kept);
            let spent = spent.min(self.depth - reserve.kept);
            self.depth -= spent;
            self.full -= spent;
        }
    }

    /// The depth at `now`, with a top-up that is due.
    fn depth_at(&self, now: Nanos) -> Nanotokens {
        match &self.reserve {
            Some(reserve) if now >= reserve.next => reserve.whole,
            _ => self.depth,
        }
    }

    /// Whole tokens in the bucket at `now`.
    pub(crate) fn level(&self, now: Nanos) -> u64 {
        let level = self.depth_at(now).saturating_sub(self.missing(now));
        (level / nano(1)) as u64
    }

    /// Share of the bucket that is filled at `now`, in percent.
    pub(crate) fn balance_pct(&self, now: Nanos) -> f64 {
        let whole = self.reserve.as_ref().map_or(self.depth, |it| it.whole);
        100.0 * self.level(now) as f64 / (whole / nano(1)) as f64
    }

    /// Changes rate and depth at `now`. Tokens in the bucket stay, up to the
    /// new depth; a debt stays a debt. What a deeper reserve has more comes with
    /// the next top-up.
    pub(crate) fn set(&mut self, now: Nanos, rate: u64, depth: u64) {
        self.top_up(now);
        let mut new_depth = nano(depth);
        if let Some(reserve) = &mut self.reserve {
            reserve.whole = new_depth;
            reserve.kept = reserve.kept.min(new_depth);
            new_depth = new_depth.min(self.depth);
        }
        let missing = (new_depth + self.missing(now)).saturating_sub(self.depth);
        (self.rate, self.depth) = (rate, new_depth);
        self.full = self.flow(now) + missing;
    }

    /// The bucket is full at `now`, with another rate and depth.
    pub(crate) fn refill(&mut self, now: Nanos, rate: u64, depth: u64) {
        (self.rate, self.depth) = (rate, nano(depth));
        self.full = self.flow(now);
        if let Some(reserve) = &mut self.reserve {
            reserve.whole = self.depth;
            reserve.kept = reserve.kept.min(self.depth);
            reserve.next = (now / reserve.every + 1) * reserve.every;
        }
    }

    /// What is short of full at `now`.
    #[inline]
    fn missing(&self, now: Nanos) -> Nanotokens {
        self.full.saturating_sub(self.flow(now))
    }

    /// What has flowed from time 0 to `now`.
    #[inline]
    fn flow(&self, now: Nanos) -> Nanotokens {
        product(now, self.rate)
    }
}

#[inline]
fn nano(tokens: u64) -> Nanotokens {
    product(tokens, SECOND)
}

#[cfg(test)]
mod tests;
