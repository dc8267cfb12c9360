//! Measures a run: told of every IO and of every period's end.

use std::io;
use std::time::Duration;

use blockyard_model::random;
use blockyard_model::storage::{Cause, Op, Storage};
use blockyard_model::units::{Nanos, SECOND};
use blockyard_model::workload;

use crate::accounts::Accounts;
use crate::intervals::Interval;
use crate::latency_log::LatencyLog;
use crate::measured::{Measured, OpenLoop};
use crate::plan::{Plan, SeriesKey};
use crate::result;
use crate::series::{Series, seconds};
use crate::served::Served;

/// Everything that is measured in a run, in memory that does not grow with
/// the run's length.
#[derive(Debug)]
pub struct Recorder {
    plan: Plan,
    series: Vec<Series>,
    /// Series by `(job, device, op)`, for the IOs.
    index: Vec<Option<usize>>,
    volumes: Vec<Served>,
    host: Served,
    accounts: Accounts,
    open_loops: Vec<OpenLoop>,
    cycles: Vec<result::Cycle>,
    log: Option<LatencyLog>,
    /// Start of the running interval.
    start: Nanos,
}

/// A completed IO.
#[derive(Clone, Copy, Debug)]
pub struct Completed {
    /// Its series ([`Recorder::series_of`]).
    pub series: usize,
    /// When it was due: its latency counts from there.
    pub due: Nanos,
    /// Its bytes.
    pub bytes: u64,
    /// How long limits held it.
    pub held: Nanos,
    /// The limit that held it.
    pub cause: Option<Cause>,
    /// Whether it failed.
    pub failed: bool,
}

const OPS: [Op; 4] = [Op::Read, Op::Write, Op::Flush, Op::Trim];

impl Recorder {
    /// A recorder of the run that `plan` describes, which also writes each
    /// interval's latencies to `log`.
    pub fn new(plan: Plan, storage: &Storage, log: Option<LatencyLog>) -> Self {
        let steps = |key: &SeriesKey| plan.jobs[key.job].steps.len();
        let mut index = vec![None; plan.jobs.len() * plan.devices.len() * OPS.len()];
        for (number, &key) in plan.series.iter().enumerate() {
            index[slot(&plan, key.job, key.device, key.op)] = Some(number);
        }
        let limit_name = |&cause: &Cause| {
            let info = &plan.causes[usize::from(cause)];
            if info.volume.is_none() {
                format!("host.{}", info.limit)
            } else {
                info.limit.clone()
            }
        };
        let volume = |(index, name): (usize, &String)| {
            Served::new(
                name.clone(),
                storage.causes_of(index).iter().map(limit_name).collect(),
            )
        };
        let host_limits = plan.causes.iter().filter(|info| info.volume.is_none());
        Self {
            series: plan
                .series
                .iter()
                .map(|key| Series::new(steps(key)))
                .collect(),
            index,
            volumes: plan.volumes.iter().enumerate().map(volume).collect(),
            host: Served::new(
                "host".into(),
                host_limits.map(|info| info.limit.clone()).collect(),
            ),
            accounts: Accounts::new(plan.causes.len(), plan.jobs.len()),
            open_loops: vec![OpenLoop::default(); plan.jobs.len()],
            cycles: Vec::new(),
            log,
            start: 0,
            plan,
        }
    }

    /// What is recorded apart, in the order of the interval rows.
    pub fn series(&self) -> &[SeriesKey] {
        &self.plan.series
    }

    /// The plan of the run.
    pub fn plan(&self) -> &Plan {
        &self.plan
    }

    /// The series of a job's IO on a device.
    ///
    /// # Panics
    /// If the plan has no such series: its job does no such IO.
    #[inline]
    pub fn series_of(&self, job: usize, device: usize, op: Op) -> usize {
        self.index[slot(&self.plan, job, device, op)].expect("the plan lists what its jobs do")
    }

    /// An IO was issued at `now`.
    #[inline]
    pub fn issued(&mut self, series: usize, now: Nanos) {
        self.series[series].issued(now - self.start);
    }

    /// An open-loop job issued an IO at `now` that was due at `due`.
    pub fn lagged(&mut self, job: usize, due: Nanos, now: Nanos) {
        let open_loop = &mut self.open_loops[job];
        open_loop.issued += 1;
        open_loop.lags.record(now - due);
    }

    /// An IO completed at `now`.
    #[inline]
    pub fn completed(&mut self, now: Nanos, io: Completed) {
        let series = &mut self.series[io.series];
        series.completed(now - self.start, now - io.due, io.bytes);
        if io.held > 0 || io.failed {
            self.held_or_failed(io);
        }
    }

    /// An open-loop job's IO completed at `now`.
    pub fn served(&mut self, job: usize, due: Nanos, now: Nanos) {
        let open_loop = &mut self.open_loops[job];
        open_loop.served += 1;
        let limit = self.plan.jobs[job].open_loop.flatten();
        open_loop.late += u64::from(limit.is_some_and(|limit| now - due > limit));
    }

    #[inline(never)]
    fn held_or_failed(&mut self, io: Completed) {
        if io.failed {
            self.series[io.series].failed();
        }
        if let Some(cause) = io.cause
            && self.start >= self.plan.warmup
        {
            self.accounts
                .held(cause, self.plan.series[io.series].job, io.held);
        }
    }

    /// Write-daemon cycles of a job ended.
    pub fn cycles(&mut self, job: usize, cycles: Vec<workload::Cycle>) {
        let name = &self.plan.jobs[job].name;
        self.cycles
            .extend(cycles.into_iter().map(|cycle| result::Cycle {
                job: name.clone(),
                start_s: seconds(cycle.start),
                listed_s: seconds(cycle.listed),
                wij_done_s: seconds(cycle.wij_done),
                journal_done_s: seconds(cycle.journal_done),
                database_done_s: seconds(cycle.database_done),
                end_s: seconds(cycle.end),
                blocks: cycle.blocks,
                wij_bytes: cycle.wij_bytes,
                database_ios: cycle.database_ios,
                database_bytes: cycle.database_bytes,
            }));
    }

    /// Period number `index` of [`Plan::period`] ended. Where an interval
    /// ended with it, gives its rows.
    ///
    /// # Errors
    /// If the latency log cannot be written.
    pub fn end_period(
        &mut self,
        storage: &mut Storage,
        index: u64,
    ) -> io::Result<Option<Interval>> {
        let end = (index + 1) * self.plan.period();
        let counted = end > self.plan.warmup;
        for (number, volume) in self.volumes.iter_mut().enumerate() {
            let period = storage.served_by_volume(number, index);
            volume.add(&period, counted);
            if counted {
                self.accounts.took(&period.contended);
            }
        }
        let period = storage.served_by_host(index);
        self.host.add(&period, counted);
        if counted {
            self.accounts.took(&period.contended);
        }
        if end.is_multiple_of(SECOND) {
            self.volumes
                .iter_mut()
                .for_each(|volume| volume.end_second(counted));
            self.host.end_second(counted);
        }
        if !end.is_multiple_of(self.plan.interval) {
            return Ok(None);
        }
        self.end_interval(end).map(Some)
    }

    fn end_interval(&mut self, end: Nanos) -> io::Result<Interval> {
        let (start, length) = (self.start, end - self.start);
        let counted = start >= self.plan.warmup;
        let mut rows = Vec::with_capacity(self.series.len());
        for (number, series) in self.series.iter_mut().enumerate() {
            let key = self.plan.series[number];
            rows.push(series.row(number, start, length));
            if let Some(log) = &mut self.log {
                let name = self.plan.series_name(key);
                let span = Duration::from_nanos;
                log.write(&name, span(start), span(length), &series.latencies)?;
            }
            let steps = &self.plan.jobs[key.job].steps;
            let step = steps.iter().rposition(|step| step.0 <= start);
            series.roll(length, step, counted);
        }
        let served = self.volumes.iter_mut().enumerate();
        let volumes = served
            .map(|(number, volume)| volume.end_interval(number, start))
            .collect();
        self.host.end_interval(0, start);
        self.start = end;
        Ok(Interval {
            done_s: seconds(end),
            rows,
            volumes,
        })
    }

    /// Ends the run, complete or not, and gives its accounts.
    ///
    /// # Errors
    /// If the latency log cannot be written.
    pub fn finish(mut self) -> io::Result<Measured> {
        if let Some(log) = &mut self.log {
            log.finish()?;
        }
        let credits = |volume| {
            let of = self
                .plan
                .causes
                .iter()
                .filter(move |info| info.volume == volume);
            of.filter(|info| info.credits)
                .map(|info| info.limit.clone())
                .collect::<Vec<_>>()
        };
        let volumes = (0..).zip(&self.volumes);
        Ok(Measured {
            random: random::ALGORITHM.into(),
            duration_s: seconds(self.start),
            totals: crate::totals::totals(&self.plan, &self.series),
            steps: crate::totals::steps(&self.plan, &self.series, self.start),
            cycles: self.cycles,
            volumes: volumes
                .map(|(index, volume)| volume.total(&credits(Some(index))))
                .collect(),
            hosts: vec![self.host.total(&credits(None))],
            limits: self.accounts.limits(&self.plan),
            open_loops: self.open_loops,
            series: self.series,
            plan: self.plan,
        })
    }
}

fn slot(plan: &Plan, job: usize, device: usize, op: Op) -> usize {
    let op = match op {
        Op::Read => 0,
        Op::Write | Op::Zero => 1,
        Op::Flush => 2,
        Op::Trim => 3,
    };
    (job * plan.devices.len() + device) * OPS.len() + op
}
