//! Which thread runs which share of the jobs.

use blockyard_model::workload::Part;
use blockyard_model::workload::spec::{JobSpec, Load};

/// IOs in flight that one thread drives well.
const IOS_PER_THREAD: u64 = 64;

/// How many threads to use on a machine with `processors`.
pub(crate) fn threads(jobs: &[JobSpec], processors: u32) -> u32 {
    let in_flight: u64 = jobs.iter().map(closed_in_flight).sum();
    let wanted = in_flight.div_ceil(IOS_PER_THREAD);
    wanted.clamp(1, u64::from(processors.max(1))) as u32
}

/// IOs in flight that could be shared out.
fn closed_in_flight(job: &JobSpec) -> u64 {
    match job {
        JobSpec::Access(spec) => match spec.load {
            Load::Closed { outstanding, .. } => {
                u64::from(job.most_parts()) * u64::from(outstanding)
            }
            Load::Open { .. } => 0,
        },
        JobSpec::RanWrite(_) => 0,
    }
}

/// Number, kind and share of each thread's jobs. Threads without a job are
/// left out.
pub(crate) fn deal(jobs: &[JobSpec], threads: u32) -> Vec<Vec<(u16, JobSpec, Part)>> {
    let mut hands = vec![Vec::new(); threads as usize];
    let mut next = 0;
    for (number, job) in (0..).zip(jobs) {
        let of = threads.min(job.most_parts());
        for index in 0..of {
            hands[next % threads as usize].push((number, job.clone(), Part { index, of }));
            next += 1;
        }
    }
    hands.retain(|hand| !hand.is_empty());
    hands
}
