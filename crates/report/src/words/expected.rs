//! How far a simulated latency can be trusted, beside it.

use blockyard_record::result::{ExpectedRange, Range, RunResult, Total};
use indexmap::IndexSet;

use super::phrases::{between, listed};
use crate::text::format::latency;

/// A line for each total with a range, `readers read: mean 0.62 ms (0.50 to 0.78 ms), p99 1.31 ms
/// (0.90 to 2.10 ms)`, and one that says what the ranges are.
pub(crate) fn expected(result: &RunResult) -> Vec<String> {
    let lines = result.totals.iter().filter_map(line);
    let ranges = result.totals.iter().filter_map(|total| {
        let found = total.expected_us.as_ref()?;
        Some([&found.mean, &found.p99])
    });
    let ranges = ranges.flatten().flatten();
    lines.chain(legend(ranges)).collect()
}

fn line(total: &Total) -> Option<String> {
    let (us, found) = (total.latency_us?, total.expected_us.as_ref()?);
    let figures = [("mean", us.mean, &found.mean), ("p99", us.p99, &found.p99)];
    let said = figures.into_iter().filter_map(|(name, us, range)| {
        let ends = ends(range.as_ref()?);
        Some(format!("{name} {} ({ends})", latency(us)))
    });
    let said: Vec<_> = said.collect();
    let (job, op) = (&total.job, &total.op);
    (!said.is_empty()).then(|| format!("{job} {op}: {}", said.join(", ")))
}

/// What ranges in brackets are; none if there are none.
pub(crate) fn legend<'a>(ranges: impl Iterator<Item = &'a ExpectedRange>) -> Option<String> {
    let of: IndexSet<_> = ranges.map(|range| range.of.as_str()).collect();
    if of.is_empty() {
        return None;
    }
    let of = listed(&of.into_iter().collect::<Vec<_>>());
    Some(format!(
        "in brackets: where 9 of 10 public measurements lie, of {of}"
    ))
}

/// `0.50 to 0.78 ms`.
pub(crate) fn ends(range: &ExpectedRange) -> String {
    let (min, max) = (range.min, range.max);
    between(&Range { min, max }, latency)
}
