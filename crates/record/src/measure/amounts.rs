//! When jobs with an amount have done it.

use blockyard_model::units::{Bytes, Nanos};

use crate::measure::shape::{JobShape, RunShape};
use crate::result::{AmountTotal, Total, seconds};

/// What jobs have to do in all, job by job; none of those that go on to the end.
#[derive(Debug)]
pub(crate) struct Amounts(Vec<Option<Amount>>);

#[derive(Debug)]
struct Amount {
    bytes: Bytes,
    /// Processes that have not done their share.
    left: u32,
    /// When the last of the others had.
    last: Nanos,
}

impl Amounts {
    /// Nothing is done yet of what the jobs of `shape` have to do.
    pub(crate) fn new(shape: &RunShape) -> Self {
        let amount = |job: &JobShape| {
            job.amount.map(|(bytes, processes)| Amount {
                bytes,
                left: processes,
                last: 0,
            })
        };
        Self(shape.jobs.iter().map(amount).collect())
    }

    /// A process of job number `job` did its share by `at`. Threads tell of theirs in any order.
    pub(crate) fn through(&mut self, job: usize, at: Nanos) {
        if let Some(amount) = &mut self.0[job] {
            amount.left -= 1;
            amount.last = amount.last.max(at);
        }
    }

    /// Until when job number `job` had anything to do, at most `end`.
    pub(crate) fn until(&self, job: usize, end: Nanos) -> Nanos {
        match &self.0[job] {
            Some(amount) if amount.left == 0 => amount.last.min(end),
            _ => end,
        }
    }

    /// Whether no job has anything more to do.
    pub(crate) fn all_done(&self) -> bool {
        let done = |it: &Option<Amount>| it.as_ref().is_some_and(|amount| amount.left == 0);
        !self.0.is_empty() && self.0.iter().all(done)
    }

    /// How far the jobs of `shape` came in a run that got to `reached` and has these totals.
    pub(crate) fn totals(
        &self,
        shape: &RunShape,
        totals: &[Total],
        reached: Nanos,
    ) -> Vec<AmountTotal> {
        let jobs = shape.jobs.iter().zip(&self.0);
        let total = |(job, amount): (&JobShape, &Option<Amount>)| {
            let amount = amount.as_ref()?;
            let own = totals.iter().filter(|total| total.job == job.name);
            let bytes: Bytes = own.map(|total| total.bytes).sum();
            let done = (amount.left == 0).then_some(amount.last);
            Some(AmountTotal::new(
                job.name.clone(),
                (amount.bytes, bytes.min(amount.bytes)),
                done.map(seconds),
                seconds(reached),
            ))
        };
        jobs.filter_map(total).collect()
    }
}
