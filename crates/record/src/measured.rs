//! What a run came to, in the form of the result.

use blockyard_model::storage::Op;
use blockyard_model::workload::Backlog;

use crate::figures::latency_us;
use crate::plan::Plan;
use crate::result;
use crate::series::{Account, Series};
use crate::tally::OpenLoop;

/// The accounts of a run, in the form of the result.
#[derive(Debug)]
pub struct Measured {
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
    pub limits: Vec<result::LimitAccount>,
    pub(crate) open_loops: Vec<OpenLoop>,
    pub(crate) series: Vec<Series>,
    pub(crate) plan: Plan,
}

impl Measured {
    /// IOs of all jobs that completed, without the warm-up.
    pub fn ios(&self) -> u64 {
        self.totals.iter().map(|total| total.ios).sum()
    }

    /// Whether a job is measured under this name.
    pub(crate) fn has_job(&self, name: &str) -> bool {
        self.plan.jobs.iter().any(|job| job.name == name)
    }

    /// The account of a job over all its devices: of its reads, its writes or
    /// both, and of load step number `step` (from 1) or the whole run. The
    /// histograms are merged, so that percentiles hold for all IOs together.
    pub fn account(&self, job: &str, op: Option<Op>, step: Option<usize>) -> Account {
        let mut sum = Account::default();
        for (key, series) in self.plan.series.iter().zip(&self.series) {
            let wanted = match op {
                Some(op) => key.op == op,
                None => matches!(key.op, Op::Read | Op::Write),
            };
            let account = match step {
                Some(step) => series.steps.get(step.wrapping_sub(1)),
                None => Some(&series.total),
            };
            if let (true, true, Some(account)) =
                (wanted, self.plan.jobs[key.job].name == job, account)
            {
                sum.add(account);
            }
        }
        sum
    }

    /// The open-loop jobs' results, given each job's backlog at the end.
    pub fn open_loop(&self, backlogs: &[Option<Backlog>]) -> Vec<result::OpenLoop> {
        let jobs = self.plan.jobs.iter().zip(&self.open_loops).zip(backlogs);
        jobs.filter_map(|((job, open_loop), backlog)| {
            let backlog = (*backlog)?;
            let in_flight = open_loop.issued - open_loop.served;
            Some(result::OpenLoop {
                job: job.name.clone(),
                offered: open_loop.issued + backlog.waiting + backlog.skipped,
                served: open_loop.served,
                backlog: backlog.waiting + in_flight,
                late: open_loop.late,
                skipped: backlog.skipped,
                lag_us: latency_us(&open_loop.lags),
            })
        })
        .collect()
    }
}
