//! Burst credits under a load of which only the amount in each interval is known.
//!
//! [`Balance`] does the same arithmetic as the token bucket that the engine charges IO by IO, in
//! one step an interval: it takes an interval's tokens evenly. So a week of minutes takes a
//! millisecond, and its answer is that of the model. A property test charges both.

use crate::spec::{LimitSpec, TopUp};
use crate::units::{Nanos, SECOND};

/// A number of tokens x 10^-9: what a rate of one token a second brings in a nanosecond.
type Nanotokens = u128;

/// The bucket of one limit.
#[derive(Clone, Debug)]
pub struct Balance {
    rate: u64,
    /// The level when all of it is there.
    whole: Nanotokens,
    /// The most that the flow fills it to: less than all where a top-up brings the rest.
    depth: Nanotokens,
    level: Nanotokens,
    top_up: Option<TopUp>,
    now: Nanos,
}

/// What an interval did to a bucket.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Interval {
    /// When, since time 0, the first IO had to wait; none if all tokens were there.
    pub dry_at: Option<Nanos>,
    /// Tokens that were wanted and not there. They are not wanted again in the next interval.
    pub unmet: u64,
}

impl Balance {
    /// The bucket that `spec` describes, at time 0.
    #[must_use]
    pub fn new(spec: &LimitSpec) -> Self {
        let mut balance = Self {
            rate: spec.rate,
            whole: nano(spec.depth),
            depth: nano(spec.depth),
            level: nano(spec.level.min(spec.depth)),
            top_up: spec.top_up,
            now: 0,
        };
        balance.shrink();
        balance
    }

    /// Takes `tokens` evenly over the next `lasts`, as far as they are there.
    pub fn take(&mut self, tokens: u64, lasts: Nanos) -> Interval {
        let wanted = nano(tokens);
        let (mut elapsed, mut asked) = (0, 0);
        let (mut dry_at, mut unmet) = (None, 0);
        while elapsed < lasts {
            let part = self.up_to_top_up(lasts - elapsed);
            elapsed += part;
            let until = share(wanted, elapsed, lasts);
            let start = self.now;
            if let Some((after, tokens)) = self.pass(until - asked, part) {
                dry_at.get_or_insert(start + after);
                unmet += tokens;
            }
            asked = until;
        }
        let unmet = u64::try_from(unmet / nano(1)).unwrap_or(u64::MAX);
        Interval { dry_at, unmet }
    }

    /// The share of the bucket that is filled, in 1/1000.
    #[must_use]
    pub fn permille(&self) -> u32 {
        let permille = self.level * 1000 / self.whole.max(1);
        u32::try_from(permille).unwrap_or(1000)
    }

    /// Takes `rate` tokens a second for `lasts`, which ends no later than the next
    /// [top-up](Self::up_to_top_up).
    pub(crate) fn draw(&mut self, rate: f64, lasts: Nanos) {
        // A token a second is a nanotoken a nanosecond.
        self.pass((rate * lasts as f64) as Nanotokens, lasts);
    }

    /// Tokens a second that flow in.
    pub(crate) fn rate(&self) -> f64 {
        self.rate as f64
    }

    /// Whether no more can be taken than flows in: what is left is less than a token, or than
    /// flows in within a millisecond.
    pub(crate) fn is_dry(&self) -> bool {
        self.level < nano(1).max(nano(self.rate) / 1000)
    }

    /// For how long `rate` tokens a second can be taken; none if more flow in.
    pub(crate) fn lasts(&self, rate: f64) -> Option<Nanos> {
        let falls = rate - self.rate();
        (falls > 0.0).then(|| (self.level as f64 / falls) as Nanos)
    }

    /// The share of the bucket that is filled, in percent.
    pub(crate) fn percent(&self) -> f64 {
        100.0 * self.level as f64 / self.whole.max(1) as f64
    }

    /// [`take_part`](Self::take_part), and the top-up at its end.
    fn pass(&mut self, wanted: Nanotokens, part: Nanos) -> Option<(Nanos, Nanotokens)> {
        let lacking = self.take_part(wanted, part);
        self.now += part;
        if let Some(top_up) = self.top_up
            && self.now.is_multiple_of(top_up.every.max(1))
        {
            self.level += self.whole - self.depth;
            self.depth = self.whole;
        }
        lacking
    }

    /// Takes `wanted` over `part`, which ends no later than the next top-up. Returns after which
    /// time nothing was left, and what was lacking.
    fn take_part(&mut self, wanted: Nanotokens, part: Nanos) -> Option<(Nanos, Nanotokens)> {
        let flow = Nanotokens::from(self.rate) * Nanotokens::from(part);
        if wanted <= flow {
            self.level = self.depth.min(self.level + (flow - wanted));
            return None;
        }
        let spent = wanted - flow;
        if spent <= self.level {
            self.level -= spent;
            self.shrink();
            return None;
        }
        let after = proportion(part, self.level, spent);
        let lacking = spent - self.level;
        self.level = 0;
        self.shrink();
        Some((after, lacking))
    }

    /// What a top-up alone brings back comes off the depth.
    fn shrink(&mut self) {
        if let Some(top_up) = self.top_up {
            self.depth = self.depth.min(self.level + nano(top_up.kept));
        }
    }

    /// How much of `lasts` passes until the next top-up.
    pub(crate) fn up_to_top_up(&self, lasts: Nanos) -> Nanos {
        match self.top_up {
            Some(top_up) => {
                let every = top_up.every.max(1);
                lasts.min(every - self.now % every)
            }
            None => lasts,
        }
    }
}

/// What of `all` falls into the first `part` of `lasts`.
fn share(all: Nanotokens, part: Nanos, lasts: Nanos) -> Nanotokens {
    let (part, lasts) = (u128::from(part), u128::from(lasts));
    all / lasts * part + all % lasts * part / lasts
}

/// `part` x `few` / `many`, where `few` is the smaller; to 64 digits of `many`.
fn proportion(part: Nanos, few: Nanotokens, many: Nanotokens) -> Nanos {
    let beyond = (u128::BITS - many.leading_zeros()).saturating_sub(u64::BITS);
    let scaled = u128::from(part) * (few >> beyond) / (many >> beyond);
    u64::try_from(scaled).map_or(part, |after| after.min(part))
}

fn nano(tokens: u64) -> Nanotokens {
    Nanotokens::from(tokens) * Nanotokens::from(SECOND)
}

#[cfg(test)]
mod tests;
