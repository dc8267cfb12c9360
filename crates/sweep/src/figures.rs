//! Figures as columns of a table.

use blockyard_scenario::goals::{Figure, Subject};
use blockyard_scenario::schema::{Job, Scenario};
use serde::{Deserialize, Serialize};

/// A figure as a column.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Column {
    /// Its name: the figure as goals name it, with the unit of a time: `readers.latency.p99_us`.
    pub name: String,
    /// What a figure in the unit of goals is multiplied by.
    pub factor: f64,
}

impl Column {
    /// A figure in the unit of goals in that of the column: of a time, without the digits that only
    /// come from the change of units.
    pub(crate) fn of_goals(&self, value: f64) -> f64 {
        match self.factor == 1.0 {
            true => value,
            false => (value * self.factor * 1e6).round() / 1e6,
        }
    }

    /// The column of a figure, which is called `text` in full.
    #[must_use]
    pub fn of(text: &str, subject: &Subject) -> Self {
        let (unit, factor) = match subject.figure {
            Figure::Latency(_) | Figure::WorstSecond(_) | Figure::Transaction(_) => ("_us", 1e6),
            Figure::Done | Figure::Outage | Figure::Unserved => ("_s", 1.0),
            _ => ("", 1.0),
        };
        Self {
            name: format!("{text}{unit}"),
            factor,
        }
    }
}

/// What is asked of each job where a sweep does not say.
pub(crate) fn usual(scenario: &Scenario) -> Vec<String> {
    const OF_IO: [&str; 5] = [
        "latency.p99",
        "iops",
        "mib_per_s",
        "latency.p50",
        "latency.p99_9",
    ];
    const OF_DEMAND: [&str; 3] = ["latency.mean", "iops", "mib_per_s"];
    const OF_TRANSACTIONS: [&str; 2] = ["transactions.latency.p99", "transactions.tps"];
    let jobs = scenario.workload.iter();
    let each = jobs.flat_map(|(name, job)| {
        let done = matches!(job, Job::AccessSpec(job) if job.amount.is_some());
        let transactions = match job {
            Job::Oltp(_) => &OF_TRANSACTIONS[..],
            _ => &[],
        };
        // By interval no percentile is known.
        let of_io = match job {
            Job::Demand(_) => &OF_DEMAND[..],
            _ => &OF_IO,
        };
        let all = transactions
            .iter()
            .chain(of_io)
            .chain(done.then_some(&"done"));
        all.map(move |figure| format!("{name}.{figure}"))
    });
    each.collect()
}
