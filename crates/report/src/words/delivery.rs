//! What a run delivered.

use indexmap::IndexSet;

use super::amounts::done;
use super::cycles::{duration_s, times_s};
use super::expected::expected;
use super::phrases::{counted, named};
use super::stalls::stalls;
use super::steps::steps_of;
use super::tables::tables;
use crate::Run;
use crate::text::format::{count, duration, latency, number, sentence, sentence_with};
use crate::text::provenance;
use crate::text::table::Said;

/// A job whose best interval had this many times the mean works in bursts.
const BURST: f64 = 2.0;

/// Tables of figures, and sentences on amounts, bursts, open loops and cycles.
pub(crate) fn delivered(run: &Run) -> Vec<Said> {
    let result = &run.result;
    let rests_on = provenance::legend(result).into_iter();
    let rests_on = rests_on.map(|line| sentence(&line));
    let stops = done(result).into_iter().chain(stalls(result));
    let said = stops.map(|one| format!("{one}."));
    let expected = expected(result).into_iter();
    let expected = expected.map(|line| sentence_with(&line, &named(result)));
    let sentences = rests_on
        .chain(expected)
        .chain(said)
        .chain(bursts(run))
        .chain(open_loops(run))
        .chain(cycles(run));
    let tables = tables(run).into_iter().map(Said::from);
    tables.chain(sentences.map(Said::from)).collect()
}

fn bursts(run: &Run) -> Vec<String> {
    // What rests in between is told by its load steps.
    let stepped = steps_of(&run.result);
    let totals = run.result.totals.iter();
    let bursty = totals.filter(|total| {
        !stepped.contains_key(total.job.as_str())
            && total.bytes > 0
            && total.peak_iops > BURST * total.iops
    });
    let said = bursty.map(|total| {
        format!(
            "{}: {}s on {} came in bursts of up to {} a second.",
            total.job,
            total.op,
            total.device,
            number(total.peak_iops)
        )
    });
    said.collect()
}

fn open_loops(run: &Run) -> Vec<String> {
    let loops = run.result.open_loop.iter();
    let said = loops.map(|one| {
        let lag = one.lag_us.map(|lag| lag.p99).filter(|&p99| p99 != 0.0);
        let late = lag.map(|p99| {
            let after = latency(p99);
            format!("; 1% were issued more than {after} after they were due")
        });
        format!(
            "{}: {} of {} IOs that were due are done{}.",
            one.job,
            count(one.served),
            count(one.offered),
            late.unwrap_or_default()
        )
    });
    said.collect()
}

fn cycles(run: &Run) -> Vec<String> {
    let times = times_s(run);
    let cycles = &run.result.cycles;
    let jobs: IndexSet<_> = cycles.iter().map(|cycle| cycle.job.as_str()).collect();
    let said = jobs.into_iter().map(|job| {
        let own = cycles.iter().filter(|cycle| cycle.job == job);
        let durations: Vec<_> = own.map(duration_s).collect();
        let longest = durations.iter().copied().fold(f64::NEG_INFINITY, f64::max);
        let due = times.get(job);
        let due = due.map(|&(every_s, _)| {
            let every = duration(every_s);
            format!(", with {every} from one to the next")
        });
        format!(
            "{job}: {}; the longest took {}{}.",
            counted(durations.len() as u64, "write-daemon cycle"),
            duration(longest),
            due.unwrap_or_default()
        )
    });
    said.collect()
}
