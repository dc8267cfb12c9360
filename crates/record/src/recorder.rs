//! Measures a run: told of every IO and of every period's end.

use std::io;
use std::time::Duration;

use blockyard_model::random;
use blockyard_model::storage::{Counted, LimitId, Limits, Owner, Storage};
use blockyard_model::units::{Nanos, SECOND};
use blockyard_model::workload::Fact;

use crate::accounts::Accounts;
use crate::facts::Facts;
use crate::figures::seconds;
use crate::histogram::Histogram;
use crate::intervals::{Interval, IntervalRow};
use crate::latency_log::LatencyLog;
use crate::limit_names;
use crate::outcome::Measured;
use crate::plan::{Plan, SeriesKey};
use crate::series::{self, Series};
use crate::served::Served;
use crate::tally::{Closed, Completed, Counts, Tally};

/// Tag of the lateness in the latency log; no job's, which have dots.
const LATENESS: &str = "lateness";

/// What a recorder works out of each interval; the accounts of the whole are the same.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Detail {
    /// The rows of its tables, with the percentiles of its latencies.
    #[default]
    Intervals,
    /// Nothing: an [`Interval`] has no rows. For runs of which only the totals are asked.
    Totals,
}

/// What counts the IO that it serves: a storage, or the parts of one.
pub trait Metered {
    /// What `owner` let through in the period that ends at `end`; called once for each owner.
    fn take_counted(&mut self, owner: Owner, end: Nanos) -> Counted;

    /// The rate in force of every limit, in the order of their ids.
    fn rates(&self) -> Vec<u64>;
}

impl Metered for Storage {
    fn take_counted(&mut self, owner: Owner, end: Nanos) -> Counted {
        Self::take_counted(self, owner, end)
    }

    fn rates(&self) -> Vec<u64> {
        rates(self.limits())
    }
}

fn rates(limits: &Limits) -> Vec<u64> {
    limits.iter().map(|(_, info)| info.rate).collect()
}

/// Everything that is measured in a run, in memory that does not grow with
/// the run's length.
#[derive(Debug)]
pub struct Recorder {
    plan: Plan,
    detail: Detail,
    tally: Tally,
    series: Vec<Series>,
    volumes: Vec<Served>,
    host: Served,
    accounts: Accounts,
    facts: Facts,
    /// How late answers went out in the running interval.
    lateness: Histogram,
    log: Option<LatencyLog>,
}

impl Recorder {
    /// A recorder of the run that `plan` describes, which also writes each
    /// interval's latencies to `log`.
    pub fn new(plan: Plan, log: Option<LatencyLog>) -> Self {
        let steps = |key: &SeriesKey| plan.jobs[key.job].steps.len();
        let limits = &plan.limits;
        let of_host = limits
            .of(Owner::Host)
            .map(|limit| limits[limit].name.clone());
        let volume = |(index, name): (usize, &String)| {
            let over = limits.over(index).map(|limit| &limits[limit]);
            let names = over.map(limit_names::name_beside_volume);
            Served::new(name.clone(), names.collect())
        };
        Self {
            tally: Tally::new(&plan),
            series: plan
                .series
                .iter()
                .map(|key| Series::new(steps(key)))
                .collect(),
            volumes: plan.volumes.iter().enumerate().map(volume).collect(),
            host: Served::new(limit_names::HOST.into(), of_host.collect()),
            accounts: Accounts::new(limits.len(), plan.jobs.len()),
            facts: Facts::default(),
            lateness: Histogram::default(),
            log,
            detail: Detail::default(),
            plan,
        }
    }

    /// The same recorder, which works out so much of each interval.
    #[must_use]
    pub fn with_detail(self, detail: Detail) -> Self {
        Self { detail, ..self }
    }

    /// What is recorded apart, in the order of the interval rows.
    pub fn series(&self) -> &[SeriesKey] {
        &self.plan.series
    }

    /// The plan of the run.
    pub fn plan(&self) -> &Plan {
        &self.plan
    }

    /// Where IOs are counted as they are issued and served.
    #[inline]
    pub fn tally(&mut self) -> &mut Tally {
        &mut self.tally
    }

    /// An IO completed at `now`; a limit may have held it.
    #[inline]
    pub fn completed(&mut self, now: Nanos, io: &Completed) {
        self.tally.end(now, io);
        if io.held > 0 {
            self.held(io);
        }
    }

    /// Emulation: how much later than the model's time replies went out in the running
    /// interval.
    pub fn add_lateness(&mut self, lateness: &Histogram) {
        self.lateness.merge(lateness);
    }

    /// `limit` throttled `ios` IOs of job number `job` for `time` in all, which were counted
    /// elsewhere.
    pub fn add_throttled(&mut self, limit: LimitId, job: usize, ios: u64, time: Nanos) {
        self.accounts.held(limit, job, ios, time);
    }

    #[inline(never)]
    fn held(&mut self, io: &Completed) {
        if let Some(limit) = io.cause
            && self.tally.start >= self.plan.warmup
        {
            let job = self.plan.series[io.series].job;
            self.accounts.held(limit, job, 1, io.held);
        }
    }

    /// Adds what a thread counted in the running interval.
    pub fn add(&mut self, closed: &Closed) {
        self.tally.add((0..closed.counts.len()).zip(&closed.counts));
        self.tally.add_open_loops(&closed.open_loops);
    }

    /// Adds what was counted in the running interval under a plan of its own: its series are
    /// these of this recorder's plan.
    pub fn add_series(&mut self, closed: &Closed, series: &[usize]) {
        self.tally.add(series.iter().copied().zip(&closed.counts));
    }

    /// Job number `job` told something of itself.
    pub fn fact(&mut self, job: usize, fact: Fact) {
        self.facts.add(job, fact);
    }

    /// Period number `index` of [`Plan::period`] ended. Where an interval
    /// ended with it, gives its rows.
    ///
    /// # Errors
    /// If the latency log cannot be written.
    pub fn end_period(
        &mut self,
        storage: &mut impl Metered,
        index: u64,
    ) -> io::Result<Option<Interval>> {
        let end = (index + 1) * self.plan.period();
        let counted = end > self.plan.warmup;
        self.add_period(storage, end, counted);
        if end.is_multiple_of(SECOND) {
            self.end_second(counted);
        }
        if !end.is_multiple_of(self.plan.interval) {
            return Ok(None);
        }
        self.close_interval(end, || storage.rates()).map(Some)
    }

    /// The run is cut off at `now`: gives the rows of the interval that was running, if it
    /// had begun.
    ///
    /// # Errors
    /// If the latency log cannot be written.
    pub fn cut(&mut self, storage: &mut impl Metered, now: Nanos) -> io::Result<Option<Interval>> {
        if now <= self.tally.start {
            return Ok(None);
        }
        let counted = now > self.plan.warmup;
        self.add_period(storage, now, counted);
        self.end_second(counted);
        self.close_interval(now, || storage.rates()).map(Some)
    }

    /// Adds what was served in the period that ends at `end`.
    fn add_period(&mut self, storage: &mut impl Metered, end: Nanos, counted: bool) {
        let volumes = (0..).map(Owner::Volume).zip(&mut self.volumes);
        for (owner, served) in volumes.chain([(Owner::Host, &mut self.host)]) {
            let period = storage.take_counted(owner, end);
            served.add(&period, counted);
            if counted {
                self.accounts.took(&period.contended);
            }
        }
    }

    fn end_second(&mut self, counted: bool) {
        self.volumes
            .iter_mut()
            .for_each(|volume| volume.end_second(counted));
        self.host.end_second(counted);
    }

    /// On real storage: the running interval ends at `end`, which is later than it began;
    /// gives its rows. The IOs in flight go on in the next one.
    ///
    /// # Errors
    /// If the latency log cannot be written.
    pub fn end_interval(&mut self, end: Nanos) -> io::Result<Interval> {
        let rates = rates(&self.plan.limits);
        self.close_interval(end, || rates)
    }

    /// The running interval ends at `end`, with these rates in force.
    fn close_interval(
        &mut self,
        end: Nanos,
        rates: impl FnOnce() -> Vec<u64>,
    ) -> io::Result<Interval> {
        let start = self.tally.start;
        let rows = self.close(end)?;
        self.tally.counts.iter_mut().for_each(Counts::roll);
        let mut interval = Interval {
            done_s: seconds(end),
            rows,
            volumes: Vec::new(),
            rates: Vec::new(),
        };
        if self.detail == Detail::Intervals {
            let volumes = self.volumes.iter().enumerate();
            let rows = volumes.map(|(number, volume)| volume.row(number, start));
            interval.volumes = rows.collect();
            interval.rates = rates();
        }
        let served = self.volumes.iter_mut().chain([&mut self.host]);
        served.for_each(Served::end_interval);
        Ok(interval)
    }

    /// The rows of the interval that ends at `end`; adds it to the accounts
    /// unless it belongs to the warm-up.
    fn close(&mut self, end: Nanos) -> io::Result<Vec<IntervalRow>> {
        let (start, length) = (self.tally.start, end - self.tally.start);
        let span = (Duration::from_nanos(start), Duration::from_nanos(length));
        let mut rows = Vec::new();
        for (number, counts) in self.tally.counts.iter().enumerate() {
            let key = self.plan.series[number];
            if self.detail == Detail::Intervals {
                rows.push(counts.row(number, start, length));
            }
            if let Some(log) = &mut self.log {
                let name = self.plan.series_name(key);
                log.write(&name, span, &counts.latencies)?;
            }
            if start >= self.plan.warmup {
                let steps = &self.plan.jobs[key.job].steps;
                let step = steps.iter().rposition(|step| step.0 <= start);
                self.series[number].add(counts, length, step);
            }
        }
        if let Some(log) = &mut self.log {
            log.write(LATENESS, span, &self.lateness)?;
        }
        self.lateness.clear();
        self.tally.start = end;
        Ok(rows)
    }

    /// Ends the run, complete or not, and gives its accounts.
    ///
    /// # Errors
    /// If the latency log cannot be written.
    pub fn finish(mut self) -> io::Result<Measured> {
        if let Some(log) = &mut self.log {
            log.finish()?;
        }
        let limits = &self.plan.limits;
        let credits = |owner| {
            let own = limits.of(owner).map(|limit| &limits[limit]);
            let credits = own.filter(|info| info.credits);
            credits.map(|info| info.name.clone()).collect::<Vec<_>>()
        };
        let volumes = (0..).zip(&self.volumes);
        let host = (!self.volumes.is_empty()).then(|| self.host.total(&credits(Owner::Host)));
        Ok(Measured {
            random: random::ALGORITHM.into(),
            duration_s: seconds(self.tally.start),
            totals: series::totals(&self.plan, &self.series),
            steps: series::steps(&self.plan, &self.series, self.tally.start),
            cycles: self.facts.cycles(&self.plan),
            volumes: volumes
                .map(|(index, volume)| volume.total(&credits(Owner::Volume(index))))
                .collect(),
            hosts: host.into_iter().collect(),
            limits: self.accounts.limits(&self.plan),
            open_loops: self.tally.open_loops,
            series: self.series,
            plan: self.plan,
        })
    }
}
