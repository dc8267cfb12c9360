//! Sums over the intervals of a run.

use std::ops::Range;

use blockyard_model::by_interval::{OfJob, Waiting};
use blockyard_model::units::Nanos;

use crate::result::Behind;

/// Whole numbers of an amount that flows: what is left of one goes into the next, so that their
/// sum is that of the flow.
#[derive(Clone, Copy, Debug, Default)]
pub(super) struct Whole {
    all: f64,
    given: u64,
}

impl Whole {
    pub(super) fn next(&mut self, amount: f64) -> u64 {
        self.all += amount;
        let next = (self.all.round() as u64).saturating_sub(self.given);
        self.given += next;
        next
    }
}

/// What waited for a limit.
#[derive(Clone, Debug)]
pub(super) struct OfLimit {
    /// Job by job.
    pub(super) jobs: Vec<Waiting>,
    pub(super) held: Nanos,
}

impl OfLimit {
    pub(super) fn new(jobs: usize) -> Self {
        Self {
            jobs: vec![Waiting::default(); jobs],
            held: 0,
        }
    }

    pub(super) fn add(&mut self, waiting: &[Waiting], held: Nanos) {
        self.held += held;
        for (sum, one) in self.jobs.iter_mut().zip(waiting) {
            sum.ios += one.ios;
            sum.in_flight_s += one.in_flight_s;
            sum.behind_s += one.behind_s;
        }
    }

    /// IOs that waited, and for how long in flight and before, in seconds.
    pub(super) fn sum(&self) -> Waiting {
        let all = self.jobs.iter();
        all.fold(Waiting::default(), |sum, one| Waiting {
            ios: sum.ios + one.ios,
            in_flight_s: sum.in_flight_s + one.in_flight_s,
            behind_s: sum.behind_s + one.behind_s,
        })
    }
}

/// The times in which a job was behind: IOs waited when an interval ended.
#[derive(Clone, Debug, Default)]
pub(super) struct Episodes {
    pub(super) came: f64,
    pub(super) served: f64,
    pub(super) queued: f64,
    running: Option<Episode>,
    most: Option<Episode>,
}

#[derive(Clone, Copy, Debug)]
struct Episode {
    behind: Behind,
    served: f64,
    /// The longest queue in it.
    queue: f64,
}

impl Episodes {
    pub(super) fn add(&mut self, times: Range<f64>, job: &OfJob) {
        let served: f64 = job.ios.iter().sum();
        self.came += job.came;
        self.served += served;
        self.queued = job.queued;
        if self.running.is_none() && job.queued < 1.0 {
            return;
        }
        let episode = self.running.get_or_insert(Episode {
            behind: Behind {
                from_s: times.start,
                to_s: times.end,
                due: 0.0,
                served: 0,
            },
            served: 0.0,
            queue: 0.0,
        });
        episode.behind.to_s = times.end;
        episode.behind.due += job.came;
        episode.served += served;
        episode.behind.served = episode.served.round() as u64;
        episode.queue = episode.queue.max(job.queued);
        let own = *episode;
        if self.most.is_none_or(|most| own.queue >= most.queue) {
            self.most = Some(own);
        }
        if job.queued < 1.0 {
            self.running = None;
        }
    }

    /// The time in which it was furthest behind.
    pub(super) fn most(&self) -> Option<Behind> {
        self.most.map(|episode| episode.behind)
    }
}
