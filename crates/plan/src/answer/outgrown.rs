//! When a layout is outgrown: by the data, and by a load that grows as the data does.

use crate::answer::layout::{Outgrown, Use};
use crate::answer::purchase::Purchase;
use crate::requirement::needs::Needs;

/// How many times its load is looked at, in 1/1000.
const MOST_TIMES: u64 = 1_000_000;

impl Purchase<'_, '_> {
    /// None where nothing is said of growth.
    pub(crate) fn outgrown(&self, needs: &Needs) -> Option<Outgrown> {
        let growing = needs.growing?;
        let full = Needs {
            size: growing.today,
            free_space: 0,
            headroom: 0,
            ..needs.clone()
        };
        let times = self.times_that_it_bears(&full);
        let years = |times: f64| (growing.growth.years_to(times) * 100.0).round() / 100.0;
        Some(Outgrown {
            data_years: years(self.times_that_fit(&full)),
            load_years: times.map(|it| years(it as f64 / 1000.0)),
            limit: times.and_then(|it| self.exceeded(&full.scaled(it + 1))),
        })
    }

    /// How many times the data of today, beside the journal.
    fn times_that_fit(&self, today: &Needs) -> f64 {
        let journal = today.journal.as_ref().filter(|_| self.journal.is_none());
        let beside = journal.map_or(0, |it| it.size);
        let room = self.data.file_system().saturating_sub(beside);
        room as f64 / today.size as f64
    }

    /// How many times the load, in 1/1000; none if there is no end to it.
    fn times_that_it_bears(&self, needs: &Needs) -> Option<u64> {
        let bears = |times: u64| self.bears(&needs.scaled(times)) >= 1.0;
        if bears(MOST_TIMES) {
            return None;
        }
        let (mut low, mut high) = (0, MOST_TIMES);
        while high - low > 1 {
            let middle = u64::midpoint(low, high);
            match bears(middle) {
                true => low = middle,
                false => high = middle,
            }
        }
        Some(low)
    }

    /// The limit with the least left.
    fn exceeded(&self, needs: &Needs) -> Option<(String, String)> {
        let mut uses = self.uses(needs);
        uses.sort_by(|a: &Use, b: &Use| a.left.total_cmp(&b.left));
        let first = uses.into_iter().next()?;
        Some((first.owner, first.limit))
    }
}
