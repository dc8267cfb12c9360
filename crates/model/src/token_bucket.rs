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

use crate::spec::LimitSpec;
use crate::units::{Nanos, SECOND};

/// A number of tokens x 10^-9: the amount that a rate of one token a second
/// brings in a nanosecond.
type Nanotokens = u128;

/// A token bucket.
///
/// Its invariant: whatever is charged at times at which it conforms, in amounts of at most
/// the depth, any window of time holds no more than depth + rate x window.
#[derive(Clone, Debug)]
pub(crate) struct TokenBucket {
    /// Tokens a second: nanotokens a nanosecond.
    rate: u64,
    depth: Nanotokens,
    /// Where the flow fills the bucket if nothing more is charged.
    full: Nanotokens,
    /// The same before the last charge that was tried.
    before: Nanotokens,
}

impl TokenBucket {
    /// The bucket that `spec` describes, at time 0.
    pub(crate) fn new(spec: &LimitSpec) -> Self {
        let missing = spec.depth.saturating_sub(spec.level);
        Self {
            rate: spec.rate,
            depth: nano(spec.depth),
            full: nano(missing),
            before: 0,
        }
    }

    /// Charges `tokens` if they conform at `now`; [`TokenBucket::undo`] takes that back.
    #[inline]
    pub(crate) fn try_charge(&mut self, now: Nanos, tokens: u64) -> bool {
        let (flow, cost) = (self.flow(now), nano(tokens));
        // Nearly always the first, which is why it is worked out here once more.
        if self.full + cost > flow + self.depth && !self.conforms(now, tokens) {
            return false;
        }
        self.before = self.full;
        self.full = self.full.max(flow) + cost;
        true
    }

    /// Takes back the last charge that was tried.
    pub(crate) fn undo(&mut self) {
        self.full = self.before;
    }

    /// Whether `tokens` conform at `now`.
    #[inline(never)]
    pub(crate) fn conforms(&self, now: Nanos, tokens: u64) -> bool {
        tokens == 0 || self.full + nano(tokens).min(self.depth) <= self.flow(now) + self.depth
    }

    /// The earliest time, not before `now`, at which `tokens` conform.
    ///
    /// A cost above the depth conforms when the bucket is full, and leaves a
    /// debt. No tokens conform at once.
    #[inline]
    pub(crate) fn earliest(&self, now: Nanos, tokens: u64) -> Nanos {
        let conforms = self.full + nano(tokens).min(self.depth);
        let reached = self.flow(now) + self.depth;
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
    #[inline]
    pub(crate) fn charge(&mut self, at: Nanos, tokens: u64) {
        self.full = self.full.max(self.flow(at)) + nano(tokens);
    }

    /// Whole tokens in the bucket at `now`.
    pub(crate) fn level(&self, now: Nanos) -> u64 {
        (self.depth.saturating_sub(self.missing(now)) / nano(1)) as u64
    }

    /// Share of the bucket that is filled at `now`, in percent.
    pub(crate) fn balance_pct(&self, now: Nanos) -> f64 {
        100.0 * self.level(now) as f64 / (self.depth / nano(1)) as f64
    }

    /// Changes rate and depth at `now`. Tokens in the bucket stay, up to the
    /// new depth; a debt stays a debt.
    pub(crate) fn set(&mut self, now: Nanos, rate: u64, depth: u64) {
        let missing = (nano(depth) + self.missing(now)).saturating_sub(self.depth);
        *self = Self {
            rate,
            depth: nano(depth),
            full: 0,
            before: 0,
        };
        self.full = self.flow(now) + missing;
    }

    /// What is short of full at `now`.
    fn missing(&self, now: Nanos) -> Nanotokens {
        self.full.saturating_sub(self.flow(now))
    }

    /// What has flowed from time 0 to `now`.
    #[inline]
    fn flow(&self, now: Nanos) -> Nanotokens {
        Nanotokens::from(now) * Nanotokens::from(self.rate)
    }
}

#[inline]
fn nano(tokens: u64) -> Nanotokens {
    Nanotokens::from(tokens) * Nanotokens::from(SECOND)
}

#[cfg(test)]
mod tests;
