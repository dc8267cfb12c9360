//! What happened in an interval.

use alloc::vec;
use alloc::vec::Vec;

use super::queue::Passed;
use super::turns::Turn;
use crate::units::{Nanos, SECOND};

/// What happened in an interval.
#[derive(Clone, Debug)]
pub struct Period {
    /// Job by job.
    pub jobs: Vec<OfJob>,
    /// By limit, then job by job: what waited for it.
    pub waiting: Vec<Vec<Waiting>>,
    /// By limit: for how long it held anything.
    pub held: Vec<Nanos>,
    /// Volume by volume.
    pub volumes: Vec<OfVolume>,
    /// By limit: what is left at the end, in percent.
    pub balances_pct: Vec<f64>,
}

/// What a job did.
#[derive(Clone, Debug, Default)]
pub struct OfJob {
    /// Reads and writes that were served.
    pub ios: [f64; 2],
    /// Their bytes.
    pub bytes: [f64; 2],
    /// Their latencies, added up, in seconds.
    pub latency_s: [f64; 2],
    /// The part of them that is waiting for limits.
    pub waited_s: f64,
    /// IOs that came due.
    pub came: f64,
    /// IOs that wait at the end.
    pub queued: f64,
    /// IOs that waited, times how long, in seconds.
    pub queue_s: f64,
}

/// What waited for a limit.
#[derive(Clone, Copy, Debug, Default)]
pub struct Waiting {
    /// IOs that were served having waited.
    pub ios: f64,
    /// For how long IOs waited in flight, added up, in seconds.
    pub in_flight_s: f64,
    /// The same before they could be issued.
    pub behind_s: f64,
}

/// What a volume granted.
#[derive(Clone, Copy, Debug, Default)]
pub struct OfVolume {
    /// IOs as limits count them.
    pub ios: f64,
    /// Bytes.
    pub bytes: f64,
}

impl Period {
    /// Nothing yet, of so many jobs, limits and volumes.
    pub(super) fn new((jobs, limits, volumes): (usize, usize, usize)) -> Self {
        Self {
            jobs: vec![OfJob::default(); jobs],
            waiting: vec![vec![Waiting::default(); jobs]; limits],
            held: vec![0; limits],
            volumes: vec![OfVolume::default(); volumes],
            balances_pct: Vec::new(),
        }
    }

    /// A job was served. Its IOs waited for `limits`, an equal part for each; besides what they
    /// waited in the job's queue also so many seconds more, reads and writes.
    pub(super) fn add(
        &mut self,
        job: usize,
        passed: &Passed<'_>,
        more_s: [f64; 2],
        limits: &[usize],
    ) {
        let lasts_s = passed.lasts as f64 / SECOND as f64;
        let behind_s = more_s[0] * passed.reads + more_s[1] * (1.0 - passed.reads);
        let own = &mut self.jobs[job];
        for (op, share) in [passed.reads, 1.0 - passed.reads].into_iter().enumerate() {
            let ios = passed.ios * share;
            let wait_s = passed.wait_s + more_s[op];
            own.ios[op] += ios;
            own.bytes[op] += ios * passed.size as f64;
            own.latency_s[op] += ios * (wait_s + passed.costs.latency[op] / SECOND as f64);
        }
        own.waited_s += passed.ios * (passed.wait_s + behind_s);
        own.came += passed.came;
        own.queue_s += (passed.in_flight + passed.behind) * lasts_s;
        for &limit in limits {
            let waiting = &mut self.waiting[limit][job];
            let part = 1.0 / limits.len() as f64;
            waiting.ios += part * passed.ios;
            waiting.in_flight_s += part * (passed.in_flight * lasts_s + passed.ios * behind_s);
            waiting.behind_s += part * passed.behind * lasts_s;
        }
        for cost in &passed.costs.volumes {
            let volume = &mut self.volumes[cost.volume];
            volume.ios += passed.ios * cost.ios;
            volume.bytes += passed.ios * cost.bytes;
        }
    }

    /// Limits held jobs for `lasts`.
    pub(super) fn add_held(&mut self, lasts: Nanos, turns: &[Turn]) {
        for (limit, held) in self.held.iter_mut().enumerate() {
            if turns.iter().any(|it| it.granted.limits.contains(&limit)) {
                *held += lasts;
            }
        }
    }
}
