//! A run that ended: what was measured, and the result that every mode writes.

use blockyard_model::storage::Op;
use blockyard_model::workload::Backlog;
use blockyard_scenario::Resolved;
use blockyard_scenario::goals::{self, Figure, Goal, Latency};
use blockyard_scenario::schema::Scenario;

use crate::counters::OpenLoop;
use crate::histogram::Histogram;
use crate::network::Network;
use crate::result::{self, Event, GoalOutcome, LatencyUs, Machine, Mode, RunResult, Status, Tool};
use crate::series::{Series, SeriesStats};
use crate::shape::RunShape;
use crate::shortfall::Shortfall;

/// A run that ended, complete or not.
#[derive(Debug)]
pub struct RunOutcome {
    /// Which of the four ways it was run.
    pub mode: Mode,
    /// How it ended.
    pub status: Status,
    /// Why it failed, or what was not as it should be.
    pub reason: Option<String>,
    /// What was measured.
    pub summary: Summary,
    /// Per job: how far an open loop was behind at the end.
    pub backlogs: Vec<Option<Backlog>>,
    /// Real modes: where it ran.
    pub machine: Option<Machine>,
    /// Simulation: links and mirrors.
    pub network: Network,
    /// Emulation: what only it measures.
    pub emulated: Option<Emulated>,
}

/// What only an emulation measures.
#[derive(Debug)]
pub struct Emulated {
    /// How much later than the model's time answers went out.
    pub lateness: Histogram,
    /// What was changed or injected.
    pub events: Vec<Event>,
}

impl RunOutcome {
    /// The result of `scenario`, which was run as `resolved`.
    pub fn result(self, scenario: &Scenario, resolved: &Resolved) -> RunResult {
        let summary = self.summary;
        let (lateness_us, events) = match self.emulated {
            Some(emulated) => (LatencyUs::of(&emulated.lateness), emulated.events),
            None => (None, Vec::new()),
        };
        RunResult {
            schema: result::SCHEMA.into(),
            mode: self.mode,
            tool: Tool {
                name: "blockyard".into(),
                version: env!("CARGO_PKG_VERSION").into(),
            },
            scenario: scenario.name.clone(),
            seed: scenario.seed,
            random: summary.random.clone(),
            duration_s: summary.duration_s,
            status: self.status,
            reason: self.reason,
            machine: self.machine,
            resolved: resolved.limits.clone(),
            notices: resolved.notices.clone(),
            open_loop: summary.open_loop(&self.backlogs),
            goals: resolved
                .goals
                .iter()
                // Clients from outside are not the scenario's jobs.
                .filter(|goal| summary.has_job(&goal.job))
                .map(|goal| outcome(goal, &summary))
                .collect(),
            totals: summary.totals,
            steps: summary.steps,
            cycles: summary.cycles,
            volumes: summary.volumes,
            hosts: summary.hosts,
            links: self.network.links(resolved),
            packet_cpu: self.network.packet_cpu(resolved),
            mirrors: self.network.mirrors(resolved),
            limits: summary.limits,
            lateness_us,
            events,
            by_seed: None,
        }
    }
}

fn outcome(goal: &Goal, summary: &Summary) -> GoalOutcome {
    let op = goal.op.map(|op| match op {
        goals::Op::Read => Op::Read,
        goals::Op::Write => Op::Write,
    });
    let verdict = goal.verdict(figure(
        goal.figure,
        &summary.stats(&goal.job, op, goal.step),
    ));
    GoalOutcome {
        goal: goal.text.clone(),
        met: verdict.met,
        measured: verdict.text,
    }
}

/// A figure in the unit of [`Goal::value`]; none where there is no IO to have
/// a latency.
fn figure(figure: Figure, stats: &SeriesStats) -> Option<f64> {
    let latencies = &stats.latencies;
    let quantile = |quantile| {
        let [value] = latencies.quantiles([quantile]);
        value as f64
    };
    match figure {
        Figure::Ios => Some(latencies.count() as f64),
        Figure::Bytes => Some(stats.bytes as f64),
        Figure::Iops => Some(stats.iops()),
        Figure::MibPerS => Some(stats.mib_per_s()),
        Figure::Errors => Some(stats.errors as f64),
        Figure::Latency(_) if latencies.count() == 0 => None,
        Figure::Latency(statistic) => Some(
            1e-9 * match statistic {
                Latency::Mean => latencies.mean(),
                Latency::P50 => quantile(0.5),
                Latency::P95 => quantile(0.95),
                Latency::P99 => quantile(0.99),
                Latency::P99_9 => quantile(0.999),
                Latency::Max => latencies.max() as f64,
            },
        ),
    }
}

/// The figures of a run, in the form of the result.
#[derive(Debug)]
pub struct Summary {
    /// Name of the random generator.
    pub random: String,
    /// How far the run got.
    pub duration_s: f64,
    /// See [`result::RunResult::totals`].
    pub totals: Vec<result::Total>,
    /// See [`result::RunResult::steps`].
    pub steps: Vec<result::Step>,
    /// See [`result::RunResult::cycles`].
    pub cycles: Vec<result::Cycle>,
    /// See [`result::RunResult::volumes`].
    pub volumes: Vec<result::VolumeTotal>,
    /// See [`result::RunResult::hosts`].
    pub hosts: Vec<result::VolumeTotal>,
    /// See [`result::RunResult::limits`].
    pub limits: Vec<result::LimitTotal>,
    pub(crate) open_loops: Vec<OpenLoop>,
    pub(crate) shortfalls: Vec<Option<Shortfall>>,
    /// Job by job.
    pub(crate) own_lags_s: Vec<f64>,
    pub(crate) series: Vec<Series>,
    pub(crate) shape: RunShape,
}

impl Summary {
    /// IOs of all jobs that completed, without the warm-up.
    pub fn ios(&self) -> u64 {
        self.totals.iter().map(|total| total.ios).sum()
    }

    /// Whether a job is measured under this name.
    pub(crate) fn has_job(&self, name: &str) -> bool {
        self.shape.jobs.iter().any(|job| job.name == name)
    }

    /// What a job did over all its devices: of its reads, its writes or
    /// both, and of load step number `step` (from 1) or the whole run. The
    /// histograms are merged, so that percentiles hold for all IOs together.
    pub fn stats(&self, job: &str, op: Option<Op>, step: Option<usize>) -> SeriesStats {
        let mut sum = SeriesStats::default();
        for (key, series) in self.shape.series.iter().zip(&self.series) {
            let wanted = match op {
                Some(op) => key.op == op,
                None => matches!(key.op, Op::Read | Op::Write),
            };
            let stats = match step {
                Some(step) => series.steps.get(step.wrapping_sub(1)),
                None => Some(&series.total),
            };
            if let (true, true, Some(stats)) = (wanted, self.shape.jobs[key.job].name == job, stats)
            {
                sum.add(stats);
            }
        }
        sum
    }

    /// The open-loop jobs' results, given each job's backlog at the end.
    pub fn open_loop(&self, backlogs: &[Option<Backlog>]) -> Vec<result::OpenLoop> {
        let jobs = self.shape.jobs.iter().zip(&self.open_loops);
        let jobs = jobs
            .zip(&self.shortfalls)
            .zip(&self.own_lags_s)
            .zip(backlogs);
        jobs.filter_map(|((((job, open_loop), shortfall), &own_lag_s), backlog)| {
            let backlog = (*backlog)?;
            let in_flight = open_loop.issued - open_loop.served;
            Some(result::OpenLoop {
                job: job.name.clone(),
                offered: open_loop.issued + backlog.waiting + backlog.skipped,
                served: open_loop.served,
                backlog: backlog.waiting + in_flight,
                late: open_loop.late,
                skipped: backlog.skipped,
                lag_us: LatencyUs::of(&open_loop.lags),
                own_lag_s,
                behind: shortfall.as_ref().and_then(Shortfall::most),
            })
        })
        .collect()
    }
}
