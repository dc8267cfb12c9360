//! Load steps: which a run has, and what each offered, in words.

use blockyard_record::result::{RunResult, Step};
use indexmap::IndexMap;

use crate::text::format::count;

/// What a step offered: processes in a closed loop, IOs a second in an open one.
pub(crate) fn load_of(step: &Step) -> String {
    if let Some(rate) = step.rate {
        return format!("{}/s", count(rate));
    }
    let processes = step.processes.unwrap_or(0);
    let plural = if processes == 1 { "" } else { "es" };
    format!("{processes} process{plural}")
}

/// Whether a step asked for IO; one that did not may still end what began before.
pub(crate) fn loaded(step: &Step) -> bool {
    step.processes != Some(0) && step.rate != Some(0)
}

/// The load steps of each job that has several, each step once.
pub(crate) fn steps_of(result: &RunResult) -> IndexMap<&str, Vec<&Step>> {
    let mut found: IndexMap<&str, IndexMap<usize, &Step>> = IndexMap::new();
    for step in &result.steps {
        let own = found.entry(&step.total.job).or_default();
        own.entry(step.step).or_insert(step);
    }
    let steps = found.into_iter();
    steps
        .map(|(job, steps)| (job, steps.into_values().collect::<Vec<_>>()))
        .filter(|(_, steps)| steps.len() > 1)
        .collect()
}
