//! Replays whose recording does not decide what an IO waits for: both ends of what it may mean.

use blockyard_experiment::advice::{Open, OpenDone};
use blockyard_record::result::Total;

use super::phrases::listed;
use super::trials;
use crate::Run;
use crate::text::format::{latency, rate};

/// The figures of a total if its replay's IOs came at their recorded times; none where the
/// recording decides, or that was not tried.
pub(super) fn open<'a>(run: &'a Run, total: &Total) -> Option<(&'a Open, &'a OpenDone)> {
    let mut tried = trials::trials(run)?.open.iter();
    let (_, open) = tried.find(|(job, _)| *job == total.job)?;
    let mut done = open.done.iter();
    let own = done.find(|own| (&own.device, &own.op) == (&total.device, &total.op));
    Some((open, own?))
}

/// What the two ends bracket, without a full stop.
pub(super) fn other_end(run: &Run) -> Vec<String> {
    let tried = trials::trials(run).into_iter();
    let told = tried.flat_map(|tried| &tried.open).map(|(job, open)| {
        let behind = if open.behind {
            ": more than the storage does, so that their latency would grow without end"
        } else {
            ""
        };
        format!(
            "{job}: what its IOs wait for is inferred. At their recorded times they would be {}{behind}. \
             On storage slower than the recorded the truth lies between the two; on faster storage \
             it may not",
            joined_figures(open)
        )
    });
    told.collect()
}

/// `1,200 reads a second (p99 3 ms) and 90 writes a second (p99 4 ms)`.
fn joined_figures(open: &Open) -> String {
    let each = open.done.iter().filter(|done| done.iops > 0.0).map(|done| {
        let p99 = done.latency_us.filter(|_| !open.behind);
        let p99 = p99.map_or_else(String::new, |us| format!(" (p99 {})", latency(us.p99)));
        format!("{} {} IOPS{p99}", rate(done.iops), done.op)
    });
    listed(&each.collect::<Vec<_>>())
}
