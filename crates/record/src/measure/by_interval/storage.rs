//! What the result of a run by interval says of volumes, hosts and their limits.

use std::collections::BTreeMap;

use blockyard_model::storage::{LimitInfo, Owner};
use blockyard_model::units::{MIB, Nanos, SECOND};

use super::ByIntervalRecorder;
use crate::result::{JobShare, LimitTotal, VolumeTotal, seconds};

/// What is less of credits is none.
const USED_UP_PCT: f64 = 0.01;

impl ByIntervalRecorder {
    /// The volumes or the hosts; those of `names` are served from `first` on.
    pub(super) fn owners(
        &self,
        names: &[String],
        first: usize,
        owner: fn(usize) -> Owner,
    ) -> Vec<VolumeTotal> {
        let limits = &self.shape.limits;
        let total = |(number, name): (usize, &String)| {
            let served = &self.served[first + number];
            let over: Vec<_> = match owner(number) {
                Owner::Volume(volume) => limits.over(volume).collect(),
                host @ Owner::Host(_) => limits.of(host).collect(),
            };
            let names = |info: &LimitInfo| match owner(number) {
                Owner::Volume(_) => self.shape.owners().beside_volume(info),
                Owner::Host(_) => info.name.clone(),
            };
            let held = over.iter().map(|&limit| {
                (
                    names(&limits[limit]),
                    whole_s(self.limits[limit.index()].held),
                )
            });
            let own = || {
                limits
                    .of(owner(number))
                    .filter(|&limit| limits[limit].credits)
            };
            let named = |limit| limits[limit].name.clone();
            let lasts = own().filter_map(|it| Some((named(it), self.lasts_s(it.index())?)));
            VolumeTotal {
                name: name.clone(),
                ios: served.total.ios,
                bytes: served.total.bytes,
                peak_iops_1s: None,
                peak_mib_per_s_1s: None,
                peak_iops: Some(served.peak.0),
                peak_mib_per_s: Some(served.peak.1 / MIB as f64),
                seconds_throttled: held.filter(|it| it.1 > 0).collect::<BTreeMap<_, _>>(),
                burst_balance_pct: own()
                    .filter_map(|it| Some((named(it), *self.balances_pct.get(it.index())?)))
                    .collect(),
                burst_balance_lasts_s: lasts.collect(),
            }
        };
        names.iter().enumerate().map(total).collect()
    }

    /// For how many seconds more credits last if all of the run comes again and again; none if
    /// they are no fewer after it than before.
    fn lasts_s(&self, limit: usize) -> Option<f64> {
        let (before, left) = (self.started_pct[limit], self.balances_pct[limit]);
        if left < USED_UP_PCT {
            return Some(0.0);
        }
        let fell = before - left;
        (fell >= USED_UP_PCT).then(|| left / fell * seconds(self.start))
    }

    /// The limits for which anything waited, the one for which most did first.
    pub(super) fn limit_totals(&self) -> Vec<LimitTotal> {
        let all: f64 = self.limits.iter().map(|it| it.sum().in_flight_s).sum();
        let infos = self.shape.limits.iter().map(|it| it.1);
        let mut found: Vec<_> = infos
            .zip(&self.limits)
            .filter(|(_, own)| own.sum().in_flight_s > 0.0)
            .map(|(info, own)| {
                let sum = own.sum();
                let jobs = self.shape.jobs.iter().zip(&own.jobs);
                LimitTotal {
                    owner: self.shape.owners().owner(info).to_owned(),
                    limit: info.name.clone(),
                    throttled_ios: sum.ios.round() as u64,
                    throttled_s: sum.in_flight_s,
                    lag_s: sum.behind_s,
                    share: sum.in_flight_s / all,
                    jobs: jobs
                        .map(|(job, waited)| JobShare {
                            job: job.name.clone(),
                            throttled_s: waited.in_flight_s,
                            lag_s: waited.behind_s,
                            took: waited.ios / sum.ios.max(1.0),
                        })
                        .collect(),
                    resync_took: None,
                }
            })
            .collect();
        found.sort_by(|a, b| b.throttled_s.total_cmp(&a.throttled_s));
        found
    }
}

/// Whole seconds.
fn whole_s(time: Nanos) -> u64 {
    (time + SECOND / 2) / SECOND
}
