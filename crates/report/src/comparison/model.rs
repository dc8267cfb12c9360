//! Whether the model fits: where one side is modelled and the other is not, or is served in real
//! time.

use blockyard_compare::{Change, Verdict};
use blockyard_record::result::Mode;
use blockyard_record::thresholds::ALIKE;

use super::job_figures::{Job, LoneJob};
use crate::Run;

/// Whether a comparison asks that of two runs.
pub(crate) fn is_asked(first: &Run, other: &Run) -> bool {
    let simulated = first.is(Mode::Simulate) || other.is(Mode::Simulate);
    simulated && first.made() != other.made()
}

/// Whether every figure is within 5 %; none if that is not shown of each.
pub(crate) fn fits(jobs: &[Job<'_>], lone: &[LoneJob<'_>]) -> Option<bool> {
    let changes = jobs.iter().flat_map(|job| &job.figures);
    let changes: Vec<_> = changes.map(|figure| figure.change).collect();
    if !lone.is_empty() || changes.iter().any(is_off) {
        return Some(false);
    }
    (!changes.is_empty() && changes.iter().all(is_within)).then_some(true)
}

fn is_off(change: &Change) -> bool {
    let differs = matches!(change.verdict, Verdict::Better | Verdict::Worse);
    differs && change.relative.abs() > ALIKE
}

fn is_within(change: &Change) -> bool {
    let shown = match change.verdict {
        Verdict::Better | Verdict::Worse | Verdict::Alike => true,
        Verdict::NotShown | Verdict::Unknown => false,
    };
    shown && change.relative.abs() <= ALIKE
}

/// Whether storage does as the model says: real storage, or what serves the model itself.
pub(crate) fn said(fits: Option<bool>, emulated: bool) -> &'static str {
    match (fits, emulated) {
        (Some(true), true) => "the emulation does as simulated",
        (Some(false), true) => {
            "the emulation does not do as simulated, for which its machine may be too slow"
        }
        (None, true) => {
            "too little data to tell whether the emulation does as simulated; longer runs or \
             repeats tell more"
        }
        (Some(true), false) => "the model fits this storage",
        (Some(false), false) => "the model does not fit this storage",
        (None, false) => {
            "too little data to tell whether the model fits; longer runs or repeats tell more"
        }
    }
}

/// What a side is called by how its run was made: ``the simulation (`gp3`)``.
pub(crate) fn called(name: &str, run: &Run) -> String {
    let made = match run.made() {
        "simulate" => "the simulation",
        "emulate" => "the emulated storage",
        "bench" => "the real storage",
        "fio" => "fio's run",
        "iostat" => "what iostat saw",
        "yaspe" => "what yaspe saw",
        "sar" => "what sar saw",
        "diskstats" => "what /proc/diskstats counted",
        "prometheus" => "what Prometheus saw",
        "systemperformance" => "what SystemPerformance saw",
        "pgbench" => "pgbench's run",
        "sysbench" => "sysbench's run",
        other => other,
    };
    format!("{made} (`{name}`)")
}
