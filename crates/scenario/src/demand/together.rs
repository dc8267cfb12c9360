//! The demand of several jobs as that of one.

use std::collections::BTreeSet;
use std::fmt::Write;

use blockyard_model::units::{Bytes, Nanos, SECOND};
use blockyard_model::workload::spec::{DemandStep, JobSpec, RATES_PER};

use super::COLUMNS;
use super::cells::SECTOR;
use crate::units::Duration;

/// What comes due of all `jobs` until `end`, and nothing after that, as the text of a file; none
/// unless each has demand by interval. IOs have their mean size.
#[must_use]
pub fn together(jobs: &[JobSpec], end: Nanos) -> Option<String> {
    let jobs: Vec<_> = jobs.iter().map(JobSpec::demand).collect::<Option<_>>()?;
    let steps = jobs.iter().flat_map(|job| &job.steps);
    let begins: BTreeSet<Nanos> = steps.map(|step| step.from).collect();
    let mut text = COLUMNS.join(",");
    for at in begins.into_iter().filter(|at| *at < end) {
        let now = jobs.iter().filter_map(|job| {
            let begun = job.steps.partition_point(|step| step.from <= at);
            job.steps[..begun].last()
        });
        let step = sum(at, now);
        let per_s = |rate: u64| rate as f64 / (RATES_PER / SECOND) as f64;
        let (reads, writes) = (per_s(step.reads), per_s(step.writes));
        // Writing to a string cannot fail.
        let _ = write!(
            text,
            "\n{},{reads},{writes},{}",
            Duration::new(at),
            step.size
        );
    }
    let _ = writeln!(text, "\n{},0,0,0", Duration::new(end));
    Some(text)
}

fn sum<'a>(from: Nanos, steps: impl Iterator<Item = &'a DemandStep>) -> DemandStep {
    let (mut reads, mut writes, mut bytes) = (0, 0, 0.0);
    for step in steps {
        reads += step.reads;
        writes += step.writes;
        bytes += (step.reads + step.writes) as f64 * step.size as f64;
    }
    let mean = bytes / (reads + writes).max(1) as f64;
    let sectors = (mean / SECTOR as f64).round() as Bytes;
    DemandStep {
        from,
        reads,
        writes,
        size: sectors.max(1) * SECTOR,
    }
}
