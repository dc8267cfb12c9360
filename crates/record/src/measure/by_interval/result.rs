//! The result of a run that was carried by interval.

use blockyard_model::random;
use blockyard_model::spec::Layout;
use blockyard_model::storage::{Op, Owner};
use blockyard_model::units::MIB;
use blockyard_scenario::Resolved;
use blockyard_scenario::goals::{self, Figure, Latency, Subject};
use blockyard_scenario::schema::Scenario;

use super::{ByIntervalRecorder, Sum};
use crate::measure::goal_figures;
use crate::measure::shape::{SeriesKey, op_name};
use crate::result::{
    self, GoalOutcome, LimitTotal, Mode, OpenLoop, RunResult, Status, Tool, Total, seconds,
};

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
        let limits = self.limit_totals();
        notices.extend(shared(&limits, resolved));
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
            host_networks: Vec::new(),
            packet_cpu: Vec::new(),
            mirrors: Vec::new(),
            journal_mirrors: Vec::new(),
            limits,
            lateness_us: None,
            events: Vec::new(),
            goals: goals.collect(),
            by_seed: None,
            recordings: resolved.recordings.clone(),
            observed: None,
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
}

/// That what jobs got is approximate, where a limit held several of them.
fn shared(limits: &[LimitTotal], resolved: &Resolved) -> Option<String> {
    let held = |limit: &&LimitTotal| {
        let jobs = limit.jobs.iter();
        jobs.filter(|job| job.throttled_s + job.lag_s > 0.0).count() > 1
    };
    limits.iter().find(held)?;
    let storage = &resolved.storage;
    let mut layouts = storage.devices.iter().map(|it| &it.layout);
    let is_one_queue = layouts.all(|layout| matches!(layout, Layout::Volume(_)))
        && storage.volumes.iter().all(|volume| volume.queues.is_none());
    let off = match is_one_queue {
        true => "a few percent",
        false => "two thirds",
    };
    Some(format!(
        "jobs waited for the same limit: each may have got up to {off} more or less of it; \
         `by_interval: false` is exact"
    ))
}
