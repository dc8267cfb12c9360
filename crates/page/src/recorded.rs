//! What a simulation says while it goes on, kept in memory.

use blockyard_record::{Interval, Observer, RowNames, RunShape};
use serde_json::Value;

use crate::tables::Tables;

/// Gathers the rows of a run's tables, and ends it after some virtual time if it is to.
#[derive(Debug, Default)]
pub(crate) struct Recording {
    /// Ends the run at the first interval's end from then on, in seconds.
    pub(crate) until_s: Option<f64>,
    pub(crate) tables: Tables,
    names: Option<RowNames>,
    done_s: f64,
}

impl Observer for Recording {
    fn interval(&mut self, shape: &RunShape, interval: Interval, _: Option<&Value>) {
        let names = self.names.get_or_insert_with(|| RowNames::new(shape));
        for row in &interval.rows {
            self.tables.push_interval(names, row);
        }
        for row in &interval.volumes {
            self.tables.push_volume(names, row, &interval.rates);
        }
        for row in &interval.transactions {
            self.tables.push_transactions(names, row);
        }
        self.done_s = interval.done_s;
    }

    fn stopped(&mut self) -> bool {
        self.until_s.is_some_and(|until_s| self.done_s >= until_s)
    }
}
