//! Which limit throttled whose IOs, and who took the tokens meanwhile.

use std::collections::BTreeMap;

use blockyard_model::storage::{LimitId, LimitInfo};
use blockyard_model::units::Nanos;

use crate::figures::seconds;
use crate::limit_names;
use crate::result::{JobShare, LimitTotal};
use crate::shape::RunShape;

/// Statistics for each limit.
#[derive(Clone, Debug)]
pub(crate) struct ThrottleStats {
    limits: Vec<OfLimit>,
}

#[derive(Clone, Debug)]
struct OfLimit {
    ios: u64,
    throttled: Nanos,
    by_job: Vec<Nanos>,
    took: Vec<u64>,
}

impl ThrottleStats {
    pub(crate) fn new(limits: usize, jobs: usize) -> Self {
        let stats = OfLimit {
            ios: 0,
            throttled: 0,
            by_job: vec![0; jobs],
            took: vec![0; jobs],
        };
        Self {
            limits: vec![stats; limits],
        }
    }

    /// `limit` throttled `ios` IOs of `job`, for `throttled` in all.
    pub(crate) fn throttled(&mut self, limit: LimitId, job: usize, ios: u64, throttled: Nanos) {
        let stats = &mut self.limits[limit.index()];
        stats.ios += ios;
        stats.throttled += throttled;
        stats.by_job[job] += throttled;
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
            let job = |(index, job): (usize, &crate::shape::JobShape)| JobShare {
                job: job.name.clone(),
                throttled_s: seconds(stats.by_job[index]),
                took: if taken == 0 {
                    0.0
                } else {
                    stats.took[index] as f64 / taken as f64
                },
            };
            LimitTotal {
                owner: limit_names::owner(info, &shape.volumes).to_owned(),
                limit: info.name.clone(),
                throttled_ios: stats.ios,
                throttled_s: seconds(stats.throttled),
                share: stats.throttled as f64 / all as f64,
                jobs: shape.jobs.iter().enumerate().map(job).collect(),
            }
        };
        order.into_iter().map(limit).collect()
    }
}
