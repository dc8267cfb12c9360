//! With which probability goals hold, as volumes of a kind differ and IOs arrive at random: how
//! many seeds say so, and when fewer are enough.
//!
//! Each seed is an independent draw of volumes, arrivals and places, so that the number of seeds
//! in which goals hold is binomial. The rule is a single sampling plan, stopped as soon as its
//! outcome is certain (curtailed inspection: Wald, Sequential Analysis, 1947), which changes no
//! verdict. The bound on the probability is that of Clopper and Pearson, The use of confidence or
//! fiducial limits illustrated in the case of the binomial, 1934.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use statrs::distribution::{Beta, ContinuousCDF};

/// The probability that goals hold with, unless another is asked for, in 1/1000.
pub const USUAL: u64 = 950;

/// The probabilities that can be asked for, in 1/1000. A higher one takes thousands of seeds.
pub const PROBABILITIES: std::ops::RangeInclusive<u64> = 500..=990;

/// Seeds of a verdict, where the probability does not take more: with 95 % one miss is allowed, and
/// what holds in fewer than 85 % of all seeds passes in fewer than 5 of 100 cases.
const SEEDS: u64 = 30;

/// How sure the bound on a probability is.
const CONFIDENCE: f64 = 0.95;

/// Seeds of the first round; each further one has twice as many.
const FIRST: u64 = 2;

/// In how many seeds goals must hold.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct SeedRule {
    seeds: u64,
    misses: u64,
}

/// In how many seeds all goals hold.
#[derive(Clone, Copy, Debug, Default, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct MetInSeeds {
    /// How many seeds were simulated, the scenario's own first.
    pub seeds: u64,
    /// In how many of them all goals hold.
    pub met: u64,
    /// The lower bound, with 95 % confidence, on the share of all seeds in which they do.
    pub at_least: f64,
}

impl SeedRule {
    /// For a probability in 1/1000, below 1000: 30 seeds, or as many as allow a miss.
    #[must_use]
    pub fn of(permille: u64) -> Self {
        let missed = 1000_u64.saturating_sub(permille).max(1);
        Self::with(permille, SEEDS.max((3 * 1000_u64).div_ceil(2 * missed)))
    }

    /// The same with at most so many seeds.
    #[must_use]
    pub fn with(permille: u64, seeds: u64) -> Self {
        let misses = seeds * 1000_u64.saturating_sub(permille) / 1000;
        Self { seeds, misses }
    }

    /// How many seeds it takes at most.
    #[must_use]
    pub fn seeds(self) -> u64 {
        self.seeds
    }

    /// In how many of these they may be missed.
    #[must_use]
    pub fn misses(self) -> u64 {
        self.misses
    }

    /// Whether the goals hold with the probability; none if more seeds are to say so.
    #[must_use]
    pub fn verdict(self, held: MetInSeeds) -> Option<bool> {
        match held.seeds - held.met > self.misses {
            true => Some(false),
            false => (held.seeds >= self.seeds).then_some(true),
        }
    }

    /// How many seeds are simulated next, where so many were: few at first, as hopeless cases show
    /// at once.
    #[must_use]
    pub fn next(self, seen: u64) -> u64 {
        (seen + FIRST).min(self.seeds.saturating_sub(seen))
    }
}

impl MetInSeeds {
    /// Of `seeds`, `met`.
    #[must_use]
    pub fn of(seeds: u64, met: u64) -> Self {
        Self {
            seeds,
            met,
            at_least: lower_bound(seeds, met),
        }
    }

    /// With further seeds.
    #[must_use]
    pub fn and(self, seeds: u64, met: u64) -> Self {
        Self::of(self.seeds + seeds, self.met + met)
    }
}

/// Clopper and Pearson's lower bound, from one side.
fn lower_bound(seeds: u64, met: u64) -> f64 {
    let beta = Beta::new(met as f64, (seeds - met + 1) as f64);
    match beta {
        Ok(beta) if met > 0 => beta.inverse_cdf(1.0 - CONFIDENCE),
        _ => 0.0,
    }
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used, reason = "a test fails by panicking")]

    use proptest::prelude::*;

    use super::*;

    /// The probability of at least `met` of `seeds`, added up term by term from the likelier end.
    fn at_least(seeds: u64, met: u64, p: f64) -> f64 {
        if p < 0.5 {
            return 1.0 - at_most(seeds, met - 1, 1.0 - p);
        }
        at_most(seeds, seeds - met, p)
    }

    /// The probability of at most so many of another outcome, where `p` is this one's.
    fn at_most(seeds: u64, others: u64, p: f64) -> f64 {
        let mut term = p.powi(seeds as i32);
        let mut sum = 0.0;
        for other in 0..=others {
            sum += term;
            term *= (seeds - other) as f64 / (other + 1) as f64 * (1.0 - p) / p;
        }
        sum
    }

    #[test]
    fn all_of_thirty_seeds_say_at_least_nine_tenths() {
        // 0.05^(1/30).
        assert!((MetInSeeds::of(30, 30).at_least - 0.904_966).abs() < 1e-5);
        assert!(MetInSeeds::of(8, 0).at_least.abs() < 1e-12);
    }

    #[test]
    fn the_documented_errors_are_those_of_the_rule() {
        let rule = SeedRule::of(USUAL);
        assert_eq!((rule.seeds, rule.misses), (30, 1));
        let passes = |p| at_least(30, 29, p);
        assert!(passes(0.85) < 0.05 && passes(0.99) > 0.96);
        assert!(passes(0.6) < 1e-5 && passes(0.72) < 0.001);
    }

    proptest! {
        /// At the bound so many are met just so often as the confidence leaves.
        #[test]
        fn the_bound_is_where_the_binomial_says((seeds, met) in (1_u64..150).prop_flat_map(|n| (Just(n), 1..=n))) {
            let bound = lower_bound(seeds, met);
            prop_assert!((at_least(seeds, met, bound) - 0.05).abs() < 1e-4, "{}", bound);
        }

        /// Stopping early gives the verdict of all seeds.
        #[test]
        fn stopping_early_changes_no_verdict(permille in 500_u64..=990, bits in prop::collection::vec(any::<u8>(), 160), worst in any::<u8>()) {
            let rule = SeedRule::of(permille);
            prop_assert!(rule.misses >= 1 && rule.misses as f64 <= rule.seeds as f64 * (1.0 - permille as f64 / 1e3) + 1e-9);
            let met = |from: u64, to: u64| bits[from as usize..to as usize].iter().filter(|it| **it >= worst).count() as u64;
            let mut held = MetInSeeds::default();
            let verdict = loop {
                if let Some(verdict) = rule.verdict(held) {
                    break verdict;
                }
                let next = rule.next(held.seeds);
                prop_assert!(next > 0);
                held = held.and(next, met(held.seeds, held.seeds + next));
            };
            prop_assert_eq!(verdict, rule.seeds - met(0, rule.seeds) <= rule.misses);
        }
    }
}
