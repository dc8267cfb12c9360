//! When open-loop IOs come due: an exact schedule in integer time.

use alloc::vec::Vec;

use super::spec::Arrivals;
use crate::product::product;
use crate::random::{EXPONENTIAL_SHIFT, Stream};
use crate::units::{Nanos, SECOND};

/// The due times of a job, in order.
///
/// A gap is `x / rate` seconds with `x` 1 or exponential of mean 1, in fixed
/// point. Rounding each gap to a nanosecond (a generator that rounds to
/// microseconds is a third too fast at 300,000 a second) would add up, so the
/// schedule carries the remainder.
#[derive(Clone, Debug)]
pub(super) struct Schedule {
    steps: Vec<(Nanos, u64)>,
    /// The time that rates count in: a second, or more for rates below one a second.
    per: Nanos,
    step: usize,
    arrivals: Arrivals,
    random: Stream,
    due: Nanos,
    /// Part of `due` below a nanosecond, in 1 / (rate << EXPONENTIAL_SHIFT).
    remainder: u128,
    next: Option<Nanos>,
}

impl Schedule {
    /// `steps` are (from, arrivals a second), rising in time.
    pub(super) fn new(steps: &[(Nanos, u64)], arrivals: Arrivals, random: Stream) -> Self {
        Self::per(SECOND, steps.to_vec(), arrivals, random)
    }

    /// The same with arrivals `per` some other time.
    pub(super) fn per(
        per: Nanos,
        steps: Vec<(Nanos, u64)>,
        arrivals: Arrivals,
        random: Stream,
    ) -> Self {
        let due = steps.first().map_or(0, |step| step.0);
        let mut schedule = Self {
            steps,
            per,
            step: 0,
            arrivals,
            random,
            due,
            remainder: 0,
            next: None,
        };
        schedule.advance();
        schedule
    }

    /// The next due time; none when no more come.
    #[inline]
    pub(super) fn next(&self) -> Option<Nanos> {
        self.next
    }

    /// Goes on to the due time after the next.
    pub(super) fn advance(&mut self) {
        self.next = loop {
            let Some(&(_, rate)) = self.steps.get(self.step) else {
                break None;
            };
            let until = self
                .steps
                .get(self.step + 1)
                .map_or(Nanos::MAX, |step| step.0);
            if rate > 0 {
                self.add_gap(rate);
                if self.due <= until {
                    break Some(self.due);
                }
            }
            // The step ended first: start afresh with the next one's rate,
            // which for a Poisson process changes nothing but the rate.
            (self.due, self.remainder) = (until, 0);
            self.step += 1;
        };
    }

    #[inline]
    fn add_gap(&mut self, rate: u64) {
        let x = match self.arrivals {
            Arrivals::Poisson => self.random.exponential(),
            Arrivals::Even => 1 << EXPONENTIAL_SHIFT,
        };
        let total = product(x, self.per) + self.remainder;
        let nanosecond = u128::from(rate) << EXPONENTIAL_SHIFT;
        self.due += (total / nanosecond) as Nanos;
        self.remainder = total % nanosecond;
    }
}

#[cfg(test)]
mod tests {
    use alloc::vec;

    use super::*;

    fn schedule(steps: &[(Nanos, u64)], arrivals: Arrivals) -> Schedule {
        Schedule::new(steps, arrivals, Stream::new(1, "test"))
    }

    #[test]
    fn poisson_keeps_its_rate_at_every_rate() {
        for rate in [1, 1_000, 100_000, 300_000, 1_000_000] {
            let mut arrivals = schedule(&[(0, rate)], Arrivals::Poisson);
            let count = 10_000_000_u64;
            for _ in 1..count {
                arrivals.advance();
            }
            let seconds = arrivals.next().unwrap() as f64 / SECOND as f64;
            let error = count as f64 / seconds / rate as f64 - 1.0;
            // Three standard errors of ten million draws are 0.095 %.
            assert!(error.abs() < 0.001, "{rate}/s: off by {error}");
        }
    }

    #[test]
    fn even_arrivals_carry_the_remainder() {
        let mut arrivals = schedule(&[(0, 3)], Arrivals::Even);
        for _ in 1..3_000_000 {
            arrivals.advance();
        }
        assert_eq!(arrivals.next(), Some(1_000_000 * SECOND));
    }

    #[test]
    fn steps_change_the_rate_and_zero_rests() {
        let second = |n| n * SECOND;
        let steps = [(0, 2), (second(1), 0), (second(10), 4), (second(11), 0)];
        let mut arrivals = schedule(&steps, Arrivals::Even);
        let mut seen = vec![];
        while let Some(due) = arrivals.next() {
            seen.push(due / 1_000_000);
            arrivals.advance();
        }
        assert_eq!(seen, [500, 1000, 10_250, 10_500, 10_750, 11_000]);
    }
}
