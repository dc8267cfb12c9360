//! Which limit throttled whose IOs, and what those waited before they were issued.

use std::collections::BTreeMap;

use blockyard_model::storage::{LimitId, LimitInfo};
use blockyard_model::units::Nanos;

use crate::counters::Slots;
use crate::result::{JobShare, LimitTotal, seconds};
use crate::shape::{JobShape, RunShape};

/// Which limit throttled whose IOs, and who took its tokens meanwhile.
#[derive(Clone, Debug)]
pub(crate) struct ThrottleStats {
    limits: Vec<OfLimit>,
    /// Job by job: what its IOs waited before they were issued that no limit explains.
    own_lags: Vec<u128>,
}

#[derive(Clone, Debug)]
struct OfLimit {
    ios: u64,
    throttled: Nanos,
    by_job: Vec<Nanos>,
    /// The same of the running interval.
    in_interval: Vec<Nanos>,
    /// Job by job: what its IOs waited before they were issued.
    lags: Vec<u128>,
    took: Vec<u64>,
}

impl ThrottleStats {
    pub(crate) fn new(limits: usize, jobs: usize) -> Self {
        let stats = OfLimit {
            ios: 0,
            throttled: 0,
            by_job: vec![0; jobs],
            in_interval: vec![0; jobs],
            lags: vec![0; jobs],
            took: vec![0; jobs],
        };
        Self {
            own_lags: vec![0; jobs],
            limits: vec![stats; limits],
        }
    }

    /// `limit` throttled `ios` IOs of `job`, for `throttled` in all.
    pub(crate) fn throttled(&mut self, limit: LimitId, job: usize, ios: u64, throttled: Nanos) {
        let stats = &mut self.limits[limit.index()];
        stats.ios += ios;
        stats.throttled += throttled;
        stats.by_job[job] += throttled;
        stats.in_interval[job] += throttled;
    }

    /// An interval of `job` ended in which IOs that had done this completed.
    ///
    /// IOs wait before they are issued as all that may be in flight are, and do not leave in
    /// time. If they spend most of theirs waiting for limits, these are why, each in proportion;
    /// else the storage's own latency is. Which volume an IO itself goes to says nothing: on a
    /// stripe those in flight wait for one and keep out those for another.
    pub(crate) fn end_interval(&mut self, job: usize, slots: Slots) {
        let throttled = self
            .limits
            .iter()
            .map(|stats| u128::from(stats.in_interval[job]));
        let all: u128 = throttled.sum();
        if 2 * all > slots.in_flight {
            for stats in &mut self.limits {
                stats.lags[job] += share_of(slots.lag, u128::from(stats.in_interval[job]), all);
            }
        } else {
            self.own_lags[job] += slots.lag;
        }
        self.limits
            .iter_mut()
            .for_each(|stats| stats.in_interval[job] = 0);
    }

    /// Job by job: seconds that IOs waited before they were issued that no limit explains.
    pub(crate) fn own_lags_s(&self) -> Vec<f64> {
        self.own_lags.iter().map(|&lag| lag as f64 / 1e9).collect()
    }

    /// Jobs took tokens of limits that made requests wait.
    pub(crate) fn took(&mut self, contended: &BTreeMap<(LimitId, u16), u64>) {
        for (&(limit, job), tokens) in contended {
            self.limits[limit.index()].took[usize::from(job)] += tokens;
        }
    }

    /// The limits that throttled anything, the one that throttled most first.
    pub(crate) fn limits(&self, shape: &RunShape) -> Vec<LimitTotal> {
        let all: Nanos = self.limits.iter().map(|stats| stats.throttled).sum();
        let mut order: Vec<_> = self
            .limits
            .iter()
            .zip(shape.limits.iter())
            .filter(|(stats, _)| stats.throttled > 0)
            .collect();
        order.sort_by_key(|(stats, _)| std::cmp::Reverse(stats.throttled));
        let limit = |(stats, (_, info)): (&OfLimit, (LimitId, &LimitInfo))| {
            let taken: u64 = stats.took.iter().sum();
            let job = |(index, job): (usize, &JobShape)| JobShare {
                job: job.name.clone(),
                throttled_s: seconds(stats.by_job[index]),
                lag_s: stats.lags[index] as f64 / 1e9,
                took: if taken == 0 {
                    0.0
                } else {
                    stats.took[index] as f64 / taken as f64
                },
            };
            LimitTotal {
                owner: shape.owners().owner(info).to_owned(),
                limit: info.name.clone(),
                throttled_ios: stats.ios,
                throttled_s: seconds(stats.throttled),
                lag_s: stats.lags.iter().sum::<u128>() as f64 / 1e9,
                share: stats.throttled as f64 / all as f64,
                jobs: shape.jobs.iter().enumerate().map(job).collect(),
            }
        };
        order.into_iter().map(limit).collect()
    }
}

/// The share of `amount` that `part` is of `whole`, to a thousand-millionth: so no product of
/// two sums of an interval overflows.
fn share_of(amount: u128, part: u128, whole: u128) -> u128 {
    const PARTS: u128 = 1_000_000_000;
    amount / PARTS * (part * PARTS / whole) + amount % PARTS * (part * PARTS / whole) / PARTS
}

#[cfg(test)]
mod tests {
    use blockyard_model::storage::Storage;
    use blockyard_model::units::SECOND;

    use super::*;

    /// Of one job under the limits of a gp3 volume: seconds by limit, and no limit's.
    fn lags(throttled: &[Nanos], in_flight: Nanos) -> (Vec<f64>, f64) {
        let text = "{name: s, duration: 1s, storage: {data: {type: gp3, size: 10GiB}}}";
        let loaded = blockyard_scenario::load(text, "scenario", &[]).unwrap();
        let storage = Storage::new(&loaded.resolve().unwrap().storage, 1);
        let ids: Vec<_> = storage.limits().iter().map(|(id, _)| id).collect();
        let mut stats = ThrottleStats::new(ids.len(), 1);
        for (&limit, &time) in ids.iter().zip(throttled) {
            stats.throttled(limit, 0, 1, time);
        }
        let slots = Slots {
            lag: u128::from(12 * SECOND),
            in_flight: u128::from(in_flight),
        };
        stats.end_interval(0, slots);
        // Nothing is left of the interval.
        stats.end_interval(0, Slots::default());
        let of_limits = stats.limits.iter().map(|one| one.lags[0] as f64 / 1e9);
        (of_limits.collect(), stats.own_lags_s()[0])
    }

    #[test]
    fn waiting_before_issue_belongs_to_what_those_in_flight_wait_for() {
        let (of_limits, own_s) = lags(&[6 * SECOND, 2 * SECOND], 10 * SECOND);
        assert_eq!(of_limits[..2], [9.0, 3.0]);
        assert_eq!(own_s, 0.0);
    }

    #[test]
    fn waiting_before_issue_is_the_storages_own_where_its_latency_is() {
        let (of_limits, own_s) = lags(&[3 * SECOND, 2 * SECOND], 10 * SECOND);
        assert_eq!(of_limits[..2], [0.0, 0.0]);
        assert_eq!(own_s, 12.0);
    }
}
