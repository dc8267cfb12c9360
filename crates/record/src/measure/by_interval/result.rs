//! The result of a run that was carried by interval.

use std::collections::BTreeMap;

use blockyard_model::random;
use blockyard_model::storage::{LimitInfo, Op, Owner};
use blockyard_model::units::MIB;
use blockyard_scenario::Resolved;
use blockyard_scenario::goals::{self, Figure, Latency, Subject};
use blockyard_scenario::schema::Scenario;

use super::{ByIntervalRecorder, Sum, whole_s};
use crate::measure::goal_figures;
use crate::measure::shape::{SeriesKey, op_name};
use crate::result::{
    self, GoalOutcome, JobShare, LimitTotal, Mode, OpenLoop, RunResult, Status, Tool, Total,
    VolumeTotal, seconds,
};

/// What is less of credits is none.
const USED_UP_PCT: f64 = 0.01;

impl ByIntervalRecorder {
    /// What was measured of a figure, in the unit of goals; none of what is not known.
    #[must_use]
    pub fn figure(&self, subject: &Subject) -> Option<f64> {
        let wanted = |key: &SeriesKey| match subject.op {
            None => true,
            Some(goals::Op::Read) => key.op == Op::Read,
            Some(goals::Op::Write) => key.op == Op::Write,
        };
        let series = self.shape.series.iter().zip(&self.series);
        let series =
            series.filter(|(key, _)| self.shape.jobs[key.job].name == subject.job && wanted(key));
        let mut sum = Sum::default();
        series.for_each(|(_, own)| sum.add(own.total));
        let per_s = |amount: f64| Some(amount / self.measured_s());
        match subject.figure {
            Figure::Ios => Some(sum.ios as f64),
            Figure::Bytes => Some(sum.bytes as f64),
            Figure::Iops => per_s(sum.ios as f64),
            Figure::MibPerS => per_s(sum.bytes as f64 / MIB as f64),
            Figure::Errors => Some(0.0),
            Figure::Latency(Latency::Mean) => sum.mean_us().map(|us| 1e-6 * us),
            _ => None,
        }
    }

    /// The result of `scenario`, which was run as `resolved`.
    #[must_use]
    pub fn result(&self, scenario: &Scenario, resolved: &Resolved, status: Status) -> RunResult {
        let has_io = |job: &str, device: &str, op: Op| {
            let own = self.shape.series.iter().zip(&self.series);
            own.clone().any(|(key, own)| {
                let names = (
                    &*self.shape.jobs[key.job].name,
                    &*self.shape.devices[key.device],
                );
                (names.0, names.1, key.op) == (job, device, op) && own.total.ios > 0
            })
        };
        let goals = resolved.goals.iter().map(|goal| {
            let verdict = goal.verdict(self.figure(&goal.subject()), None);
            GoalOutcome {
                goal: goal.text.clone(),
                met: verdict.met,
                measured: verdict.text,
                assumed: goal_figures::assumed(goal, has_io, &resolved.rests_on),
            }
        });
        let mut notices = resolved.notices.clone();
        notices.push(self.notice());
        RunResult {
            schema: result::SCHEMA.into(),
            mode: Mode::Simulate,
            by_interval_s: Some(seconds(self.shape.interval)),
            tool: Tool {
                name: "blockyard".into(),
                version: env!("CARGO_PKG_VERSION").into(),
            },
            scenario: scenario.name.clone(),
            seed: scenario.seed,
            random: random::ALGORITHM.into(),
            duration_s: seconds(self.start),
            status,
            reason: None,
            machine: None,
            resolved: resolved.limits.clone(),
            rests_on: resolved.rests_on.clone(),
            notices,
            totals: self.totals(),
            steps: Vec::new(),
            cycles: Vec::new(),
            amounts: Vec::new(),
            transactions: Vec::new(),
            open_loop: self.open_loops(),
            volumes: self.owners(&self.shape.volumes, 0, Owner::Volume),
            hosts: self.owners(&self.shape.hosts, self.shape.volumes.len(), Owner::Host),
            links: Vec::new(),
            packet_cpu: Vec::new(),
            mirrors: Vec::new(),
            journal_mirrors: Vec::new(),
            limits: self.limit_totals(),
            lateness_us: None,
            events: Vec::new(),
            goals: goals.collect(),
            by_seed: None,
        }
    }

    /// What such a run cannot say.
    fn notice(&self) -> String {
        let each = blockyard_scenario::units::Duration::new(self.shape.interval);
        format!(
            "simulated by interval, each of {each} with even demand: latencies are means, \
             percentiles and peaks within an interval are not known"
        )
    }

    fn totals(&self) -> Vec<Total> {
        let all = self.shape.series.iter().zip(&self.series);
        let total = |(key, own): (&SeriesKey, &super::OfSeries)| Total {
            job: self.shape.jobs[key.job].name.clone(),
            device: self.shape.devices[key.device].clone(),
            op: op_name(key.op).into(),
            ios: own.total.ios,
            bytes: own.total.bytes,
            iops: own.total.ios as f64 / self.measured_s(),
            mib_per_s: own.total.bytes as f64 / MIB as f64 / self.measured_s(),
            peak_iops: own.peak_iops,
            errors: 0,
            latency_us: None,
            mean_us: own.total.mean_us(),
            expected_us: None,
            worst_second: None,
            time_above: Vec::new(),
            busy: None,
        };
        all.map(total).collect()
    }

    fn open_loops(&self) -> Vec<OpenLoop> {
        let jobs = self.shape.jobs.iter().zip(&self.offered);
        let open_loop = jobs.map(|(job, own)| OpenLoop {
            job: job.name.clone(),
            offered: own.came.round() as u64,
            served: own.served.round() as u64,
            failed: 0,
            backlog: own.queued.round() as u64,
            late: 0,
            skipped: 0,
            lag_us: None,
            own_lag_s: 0.0,
            behind: own.behind.most(),
        });
        open_loop.collect()
    }

    /// The volumes or the hosts; those of `names` are served from `first` on.
    fn owners(
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
    fn limit_totals(&self) -> Vec<LimitTotal> {
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
