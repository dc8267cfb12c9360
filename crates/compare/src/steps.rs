//! Load steps, side by side.

use crate::compared::StepRow;
use crate::run::{Bin, Load, Run};
use crate::series_group::{SeriesGroup, distinct};
use crate::sides::Sides;

/// A load step, by what its job offers: runs with other steps beside it have it too.
#[derive(Clone, Debug, PartialEq)]
pub(crate) struct StepKey {
    job: String,
    load: Load,
    /// Which of the job's steps with this load it is, from 1.
    time: usize,
}

impl StepKey {
    /// The steps of a run, in order; none of jobs that have just one.
    fn of(run: &Run) -> Vec<Self> {
        let mut keys: Vec<Self> = Vec::new();
        for step in &run.steps {
            let like = |key: &&Self| key.job == step.job && key.load == step.load;
            let time = keys.iter().filter(like).count() + 1;
            keys.push(Self {
                job: step.job.clone(),
                load: step.load,
                time,
            });
        }
        keys.retain(|key| run.steps.iter().filter(|step| step.job == key.job).count() > 1);
        keys
    }

    /// Keeps those of `bins` that are in this step of `run`.
    pub(crate) fn keep(&self, run: &Run, bins: &mut Vec<Bin>) {
        let steps = run.steps.iter();
        let mut like = steps.filter(|step| step.job == self.job && step.load == self.load);
        let step = like.nth(self.time - 1);
        bins.retain(|bin| step.is_some_and(|step| step.bins.contains(&bin.step)));
    }
}

/// The figures of each load step that all runs have, for reads, writes and other operations
/// of its job over all devices.
pub(crate) fn rows(sides: &[Vec<Run>]) -> Vec<StepRow> {
    let mut runs = sides.iter().flatten();
    let Some(first) = runs.next() else {
        return vec![];
    };
    let mut keys = StepKey::of(first);
    for run in runs {
        let theirs = StepKey::of(run);
        keys.retain(|key| theirs.contains(key));
    }
    let series = || sides.iter().flatten().flat_map(|run| &run.series);
    let mut found = Vec::new();
    for job in distinct(keys.iter().map(|key| key.job.as_str())) {
        let of_job = series().filter(|series| series.job == job);
        for op in distinct(of_job.map(|series| series.op.as_str())) {
            let group = SeriesGroup {
                job: job.to_owned(),
                device: None,
                op: Some(op.to_owned()),
            };
            for key in keys.iter().filter(|key| key.job == job) {
                let own = Sides::new(sides, &group, Some(key));
                if own.takes_no_time() {
                    continue;
                }
                let rows = own.rows(&group);
                found.extend(rows.into_iter().map(|row| StepRow {
                    load: key.load,
                    time: key.time,
                    row,
                }));
            }
        }
    }
    found
}
