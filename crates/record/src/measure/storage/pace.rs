//! At which pace a balance runs down.

use blockyard_model::units::Nanos;

use crate::result::seconds;

/// Points that are kept at most; a pace needs its middle to within a hundredth of the run.
const MOST: usize = 512;

/// Below this many percent a balance is used up: what is left is what flows in meanwhile.
const NOTHING_PCT: f64 = 0.01;

/// A balance over time, in memory that does not grow with the run: of so many points every
/// second one goes.
#[derive(Clone, Debug)]
pub(crate) struct Pace {
    /// Ends of intervals with the balances then, in percent, equally far apart.
    points: Vec<(Nanos, f64)>,
    /// How many intervals lie from point to point.
    every: u64,
    /// Intervals since the last point.
    since: u64,
    last: (Nanos, f64),
}

impl Default for Pace {
    fn default() -> Self {
        Self {
            points: Vec::new(),
            every: 1,
            since: 0,
            last: (0, 0.0),
        }
    }
}

impl Pace {
    /// The balance at the end of an interval.
    pub(crate) fn add(&mut self, end: Nanos, balance_pct: f64) {
        self.last = (end, balance_pct);
        self.since += 1;
        if self.since < self.every {
            return;
        }
        self.since = 0;
        self.points.push(self.last);
        if self.points.len() == MOST {
            // The second of each pair stays, so that those to come fit in.
            let mut number = 0;
            self.points.retain(|_| {
                number += 1;
                number % 2 == 0
            });
            self.every *= 2;
        }
    }

    /// For how many seconds more it lasts at the pace of the second half; none if it did not
    /// run down.
    pub(crate) fn lasts_s(&self) -> Option<f64> {
        let (end, left_pct) = self.last;
        if left_pct < NOTHING_PCT {
            return Some(0.0);
        }
        let half = |point: &&(Nanos, f64)| point.0 >= end / 2;
        let &(middle, before_pct) = self.points.iter().find(half)?;
        let fell_pct = before_pct - left_pct;
        (fell_pct > 0.0).then(|| left_pct / fell_pct * seconds(end - middle))
    }
}

#[cfg(test)]
mod tests {
    use blockyard_model::units::SECOND;

    use super::*;

    fn pace(balances: impl IntoIterator<Item = f64>) -> Pace {
        let mut pace = Pace::default();
        for (second, balance) in (1..).zip(balances) {
            pace.add(second * SECOND, balance);
        }
        pace
    }

    #[test]
    fn it_is_that_of_the_second_half() {
        let found = pace([100.0, 100.0, 90.0, 80.0]).lasts_s();
        assert_eq!(found, Some(8.0));
        assert_eq!(pace([50.0, 50.0, 60.0, 70.0]).lasts_s(), None);
        assert_eq!(pace([9.0, 2.0, 0.001]).lasts_s(), Some(0.0));
        assert_eq!(pace([9.0]).lasts_s(), None);
    }

    #[test]
    fn long_runs_keep_few_points() {
        let found = pace((1..=7001).map(|second| 100.0 - f64::from(second) / 100.0));
        assert!(found.points.len() <= MOST);
        let lasts_s = found.lasts_s().unwrap();
        assert!((lasts_s / 2999.0 - 1.0).abs() < 1e-6, "{lasts_s}");
    }
}
