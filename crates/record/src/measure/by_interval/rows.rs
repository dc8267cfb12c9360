//! The rows of an interval.

use blockyard_model::by_interval::Period;
use blockyard_model::storage::{Op, Owner};

use super::{ByIntervalRecorder, Sum};
use crate::measure::observer::{IntervalRow, VolumeRow};
use crate::measure::shape::SeriesKey;
use crate::result::seconds;

impl ByIntervalRecorder {
    pub(super) fn row(
        &mut self,
        series: usize,
        period: &Period,
        length_s: f64,
        counted: bool,
    ) -> IntervalRow {
        let SeriesKey { job, op, .. } = self.shape.series[series];
        let op = usize::from(op != Op::Read);
        let did = &period.jobs[job];
        let all: f64 = did.ios.iter().sum();
        let share = if all > 0.0 { did.ios[op] / all } else { 0.0 };
        let own = &mut self.series[series];
        let sum = Sum {
            ios: own.ios.next(did.ios[op]),
            bytes: own.bytes.next(did.bytes[op]),
            latency_s: did.latency_s[op],
        };
        if counted {
            own.total.add(sum);
            own.peak_iops = own.peak_iops.max(did.ios[op] / length_s);
        }
        // By Little's law: who is served, and who waits.
        let served_s = did.latency_s[op] - did.waited_s * share;
        IntervalRow {
            t_s: seconds(self.start),
            series,
            ios: sum.ios,
            bytes: sum.bytes,
            latency_us: None,
            mean_us: (did.ios[op] > 0.0).then(|| 1e6 * did.latency_s[op] / did.ios[op]),
            queue_depth: (served_s.max(0.0) + did.queue_s * share) / length_s,
        }
    }

    pub(super) fn volume(
        &mut self,
        volume: usize,
        period: &Period,
        length_s: f64,
        counted: bool,
    ) -> VolumeRow {
        let did = &period.volumes[volume];
        let own = &mut self.served[volume];
        let amounts = (own.ios.next(did.ios), own.bytes.next(did.bytes));
        own.add(amounts, length_s, counted);
        let limits = &self.shape.limits;
        let waited_us = |limit: usize| {
            let waited: f64 = period.waiting[limit].iter().map(|it| it.in_flight_s).sum();
            let of = limits.iter().nth(limit).map(|(_, info)| info.owner);
            match of {
                // A host's waits are those of all its volumes, by their IOs.
                Some(Owner::Host(host)) => {
                    let over =
                        (0..self.shape.volumes.len()).filter(|&it| limits.host_of(it) == host);
                    let all: f64 = over.map(|it| period.volumes[it].ios).sum();
                    1e6 * waited * if all > 0.0 { did.ios / all } else { 0.0 }
                }
                _ => 1e6 * waited,
            }
        };
        let lowest = |owner| {
            let own = limits.of(owner).filter(|&limit| limits[limit].credits);
            let own = own.map(|limit| period.balances_pct[limit.index()]);
            own.min_by(f64::total_cmp)
        };
        let mut over = limits.over(volume);
        let host = limits.host_of(volume);
        let behind_host = over.any(|limit| limits[limit].owner == Owner::Host(host));
        VolumeRow {
            t_s: seconds(self.start),
            volume,
            ios: amounts.0,
            bytes: amounts.1,
            throttled_us: limits
                .over(volume)
                .map(|limit| waited_us(limit.index()))
                .collect(),
            balance_pct: lowest(Owner::Volume(volume)),
            host_balance_pct: lowest(Owner::Host(host)).filter(|_| behind_host),
        }
    }
}
