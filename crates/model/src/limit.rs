//! One token bucket, charged as a reservation, in exact integer time.
//!
//! The bucket keeps a single instant: when it will next be full. A charge of
//! `c` tokens moves that instant `c / rate` later, and a request of `c` tokens
//! conforms once the bucket holds `c`, that is, once the moved instant lies no
//! more than `depth / rate` ahead:
//!
//! ```text
//!   now         conforms                full    full + c/rate
//!    |-------------|---------------------|-----------|
//!                  |<--------- depth / rate -------->|
//! ```
//!
//! This is the virtual-scheduling form of the generic cell rate algorithm
//! (ITU-T I.371). A token rarely takes a whole number of nanoseconds, so an
//! instant carries the remainder as a fraction of `rate`: nothing drifts.

use crate::spec::LimitSpec;
use crate::units::{Nanos, SECOND};

/// A span or instant of `ns + rem / rate` nanoseconds, `rem < rate`, where
/// `rate` is the owning limit's.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord)]
struct Exact {
    ns: Nanos,
    rem: u64,
}

/// A token bucket.
#[derive(Clone, Debug)]
pub(crate) struct Limit {
    rate: u64,
    depth: u64,
    /// How long an empty bucket takes to fill.
    fill: Exact,
    /// When the bucket is full if nothing more is charged.
    full: Exact,
    /// The last cost and how long its tokens take to flow in: most requests
    /// of a run have the same cost, and the division is the slowest part.
    cached: (u64, Exact),
}

impl Limit {
    /// The bucket that `spec` describes, at time 0.
    pub(crate) fn new(spec: &LimitSpec) -> Self {
        let mut limit = Self {
            rate: spec.rate,
            depth: spec.depth,
            fill: span(spec.rate, spec.depth),
            full: Exact::default(),
            cached: (0, Exact::default()),
        };
        limit.full = span(spec.rate, spec.depth - spec.level.min(spec.depth));
        limit
    }

    /// The earliest time, not before `now`, at which `tokens` conform.
    ///
    /// A cost above the depth conforms when the bucket is full, and leaves a
    /// debt. No tokens conform at once.
    #[inline]
    pub(crate) fn earliest(&mut self, now: Nanos, tokens: u64) -> Nanos {
        if tokens == 0 {
            return now;
        }
        let cost = self.span(tokens.min(self.depth));
        let full = add(self.rate, self.full, cost);
        let horizon = Exact { ns: now + self.fill.ns, rem: self.fill.rem };
        if full <= horizon {
            return now;
        }
        let wait = sub(self.rate, full, self.fill);
        wait.ns + u64::from(wait.rem > 0)
    }

    /// Takes `tokens` out at `at`, a time at which they conform.
    #[inline]
    pub(crate) fn charge(&mut self, at: Nanos, tokens: u64) {
        let cost = self.span(tokens);
        let from = self.full.max(Exact { ns: at, rem: 0 });
        self.full = add(self.rate, from, cost);
    }

    /// Whole tokens in the bucket at `now`.
    pub(crate) fn level(&self, now: Nanos) -> u64 {
        let missing = self.missing(now).div_ceil(u128::from(SECOND));
        self.depth.saturating_sub(missing.min(u128::from(u64::MAX)) as u64)
    }

    /// Share of the bucket that is filled at `now`, in percent.
    pub(crate) fn balance_pct(&self, now: Nanos) -> f64 {
        100.0 * self.level(now) as f64 / self.depth as f64
    }

    /// Changes rate and depth at `now`. Tokens in the bucket stay, up to the
    /// new depth; a debt stays a debt.
    pub(crate) fn set(&mut self, now: Nanos, rate: u64, depth: u64) {
        let held = i128::from(self.depth) * i128::from(SECOND) - self.missing(now) as i128;
        let capacity = i128::from(depth) * i128::from(SECOND);
        let missing = (capacity - held).max(0) as u128;
        self.rate = rate;
        self.depth = depth;
        self.fill = span(rate, depth);
        self.cached = (0, Exact::default());
        let ahead = exact(rate, missing);
        self.full = Exact { ns: now + ahead.ns, rem: ahead.rem };
    }

    /// Tokens short of full at `now`, in tokens x 10^-9 (exact).
    fn missing(&self, now: Nanos) -> u128 {
        if self.full.ns < now {
            return 0;
        }
        u128::from(self.full.ns - now) * u128::from(self.rate) + u128::from(self.full.rem)
    }

    #[inline]
    fn span(&mut self, tokens: u64) -> Exact {
        if tokens != self.cached.0 {
            self.cached = (tokens, span(self.rate, tokens));
        }
        self.cached.1
    }
}

/// How long `tokens` take to flow in.
fn span(rate: u64, tokens: u64) -> Exact {
    exact(rate, u128::from(tokens) * u128::from(SECOND))
}

/// How long `nanotokens` x 10^-9 tokens take to flow in.
fn exact(rate: u64, nanotokens: u128) -> Exact {
    // Nearly every cost fits in 64 bits, whose division is several times faster.
    if let Ok(small) = u64::try_from(nanotokens) {
        return Exact { ns: small / rate, rem: small % rate };
    }
    let rate = u128::from(rate);
    Exact { ns: (nanotokens / rate) as u64, rem: (nanotokens % rate) as u64 }
}

#[inline]
fn add(rate: u64, a: Exact, b: Exact) -> Exact {
    let rem = a.rem + b.rem;
    let carry = rem >= rate;
    Exact { ns: a.ns + b.ns + u64::from(carry), rem: if carry { rem - rate } else { rem } }
}

/// `a - b` for `a >= b`.
#[inline]
fn sub(rate: u64, a: Exact, b: Exact) -> Exact {
    let borrow = a.rem < b.rem;
    Exact {
        ns: a.ns - b.ns - u64::from(borrow),
        rem: if borrow { a.rem + rate - b.rem } else { a.rem - b.rem },
    }
}

#[cfg(test)]
mod tests;
