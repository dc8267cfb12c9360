//! The figures of a run: all that was measured, once it has ended.

use std::io;

use blockyard_model::storage::Op;
use blockyard_model::workload::Backlog;

use crate::measure::by_second::{BySecond, SecondStats};
use crate::measure::counters::OpenLoop;
use crate::measure::series::{Series, SeriesStats};
use crate::measure::series_steps::SeriesSteps;
use crate::measure::shape::{RunShape, op_name};
use crate::measure::shortfall::Shortfall;
use crate::measure::storage::served::Unserved;
use crate::measure::storage::throttling::ThrottleStats;
use crate::result::{self, Event, LatencyUs};

/// The figures of a run, in the form of the result.
#[derive(Debug)]
pub struct Summary {
    /// Why a log ends before the run, if one does: the figures are whole all the same.
    pub unwritten: Option<io::Error>,
    /// What was done load step by load step.
    pub by_step: Vec<SeriesSteps>,
    /// What the scenario's events did, and who left and joined clusters.
    pub events: Vec<Event>,
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
    /// See [`result::RunResult::amounts`].
    pub amounts: Vec<result::AmountTotal>,
    /// See [`result::RunResult::transactions`].
    pub transactions: Vec<result::TransactionTotal>,
    /// See [`result::RunResult::volumes`].
    pub volumes: Vec<result::VolumeTotal>,
    /// See [`result::RunResult::hosts`].
    pub hosts: Vec<result::VolumeTotal>,
    /// See [`result::RunResult::limits`].
    pub limits: Vec<result::LimitTotal>,
    /// The longest times in which mirrors of devices did not serve.
    pub(crate) unserved: Unserved,
    pub(crate) open_loops: Vec<OpenLoop>,
    pub(crate) shortfalls: Vec<Option<Shortfall>>,
    /// Job by job.
    pub(crate) own_lags_s: Vec<f64>,
    /// What held whose IOs.
    pub(crate) throttle_stats: ThrottleStats,
    pub(crate) series: Vec<Series>,
    pub(crate) by_second: Vec<BySecond>,
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

    /// Whether a job has IO on a device.
    pub(crate) fn is_on(&self, job: usize, device: usize) -> bool {
        let series = self.shape.series.iter();
        series
            .into_iter()
            .any(|key| (key.job, key.device) == (job, device))
    }

    /// Whether a job had such IO on a device, without the warm-up.
    pub(crate) fn has_io(&self, job: &str, device: &str, op: Op) -> bool {
        self.totals.iter().any(|total| {
            (&*total.job, &*total.device, &*total.op) == (job, device, op_name(op)) && total.ios > 0
        })
    }

    /// What a job did over all its devices: of its reads, its writes or
    /// both, and of load step number `step` (from 1) or the whole run. The
    /// histograms are merged, so that percentiles hold for all IOs together.
    pub fn stats(&self, job: &str, op: Option<Op>, step: Option<usize>) -> SeriesStats {
        let mut sum = SeriesStats::default();
        for series in self.shape.series_of(job, op) {
            let series = &self.series[series];
            let stats = match step {
                Some(step) => series.steps.get(step.wrapping_sub(1)),
                None => Some(&series.total),
            };
            if let Some(stats) = stats {
                sum.add(stats);
            }
        }
        sum
    }

    /// The seconds of what [`stats`](Self::stats) gives; none if there is no such series.
    pub(crate) fn by_second(
        &self,
        job: &str,
        op: Option<Op>,
        step: Option<usize>,
    ) -> Option<&SecondStats> {
        let members = self.shape.series_of(job, op);
        let of = |by_second: &&BySecond| by_second.members == members;
        let by_second = self.by_second.iter().find(of)?;
        match step {
            Some(step) => by_second.by_step.get(step.wrapping_sub(1)),
            None => Some(&by_second.total),
        }
    }

    /// When a job had done its amount, in seconds; none if it had not.
    pub(crate) fn done_s(&self, job: &str) -> Option<f64> {
        self.amounts.iter().find(|it| it.job == job)?.done_s
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
            let in_flight = open_loop.issued - open_loop.ended();
            Some(result::OpenLoop {
                job: job.name.clone(),
                offered: open_loop.issued + backlog.waiting + backlog.skipped,
                served: open_loop.served,
                failed: open_loop.failed,
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
