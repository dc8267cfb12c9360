//! How far a simulated latency can be trusted: where public measurements of such IO lie.

use blockyard_catalog::{Catalog, LatencyFigure};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use super::{LatencyUs, RunResult, Total};

/// From this share of its time on that limits took, IO counts as at a limit, as it does for the
/// measurements (`scripts/validation/measured/residuals.py`).
const AT_LIMIT: f64 = 0.10;

/// Where 9 of 10 public measurements lie of IO that is simulated like this.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct Expected {
    /// Whether limits took over a tenth of the time of the job's IOs.
    pub at_limit: bool,
    /// Of the mean.
    pub mean: Option<ExpectedRange>,
    /// Of the median.
    pub p50: Option<ExpectedRange>,
    /// Of the 99th percentile.
    pub p99: Option<ExpectedRange>,
    /// Of the 99.9th percentile.
    pub p99_9: Option<ExpectedRange>,
}

/// Where 9 of 10 public measurements of a figure lie, in microseconds.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct ExpectedRange {
    /// Its begin.
    pub min: f64,
    /// Its end.
    pub max: f64,
    /// How many measurements.
    pub rows: u32,
    /// From how many sources.
    pub sources: u32,
    /// What they are of: `gp3 reads`, or where fewer than 4 sources have measured those `reads of
    /// network volumes`, `network volumes`, or `network volumes under any load`.
    pub of: String,
}

impl RunResult {
    /// States with each total where measurements lie.
    ///
    /// Nobody has measured events, mirrors, or volumes with the user's own latencies.
    pub(crate) fn expect(&mut self) {
        if !self.events.is_empty() {
            return;
        }
        let found: Vec<_> = self
            .totals
            .iter()
            .map(|total| self.expected(total))
            .collect();
        for (total, expected) in self.totals.iter_mut().zip(found) {
            total.expected_us = expected;
        }
    }

    fn expected(&self, total: &Total) -> Option<Expected> {
        let us = total.latency_us?;
        let profile = self.profile(total)?;
        let at_limit = self.throttled(&total.job) > AT_LIMIT;
        let catalog = Catalog::get().ok()?;
        let range = |figure, us: f64| {
            let error = catalog.latency_error(profile, &total.op, at_limit, figure)?;
            Some(ExpectedRange {
                min: us * error.low,
                max: us * error.high,
                rows: error.rows,
                sources: error.sources,
                of: error.of.clone(),
            })
        };
        let LatencyUs {
            mean,
            p50,
            p99,
            p99_9,
            ..
        } = us;
        let found = Expected {
            at_limit,
            mean: range(LatencyFigure::Mean, mean),
            p50: range(LatencyFigure::P50, p50),
            p99: range(LatencyFigure::P99, p99),
            p99_9: range(LatencyFigure::P99_9, p99_9),
        };
        let figures = [&found.mean, &found.p50, &found.p99, &found.p99_9];
        let known = figures.into_iter().any(Option::is_some);
        known.then_some(found)
    }

    /// The one profile of a device's volumes; none of a mirror, or of the user's own.
    fn profile(&self, total: &Total) -> Option<&str> {
        if self
            .mirrors
            .iter()
            .any(|mirror| mirror.device == total.device)
        {
            return None;
        }
        let mut own = self
            .rests_on
            .iter()
            .filter(|one| one.device == total.device);
        let first = own.next()?.profile.as_deref()?;
        let alike = own.all(|one| one.profile.as_deref() == Some(first));
        alike.then_some(first)
    }

    /// The share of the time of a job's IOs that limits took.
    fn throttled(&self, job: &str) -> f64 {
        let shares = self.limits.iter().flat_map(|limit| &limit.jobs);
        let own = shares.filter(|share| share.job == job);
        let throttled_s: f64 = own.map(|share| share.throttled_s).sum();
        let totals = self.totals.iter().filter(|total| total.job == job);
        let whole_s: f64 = totals
            .map(|total| total.ios as f64 * total.latency_us.map_or(0.0, |us| us.mean) / 1e6)
            .sum();
        if whole_s == 0.0 {
            0.0
        } else {
            throttled_s / whole_s
        }
    }
}
