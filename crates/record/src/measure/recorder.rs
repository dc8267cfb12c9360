//! Measures a run from every IO and the end of every period.

use std::io;
use std::time::Duration;

use blockyard_model::random;
use blockyard_model::spec::StorageSpec;
use blockyard_model::storage::{
    Counted, LimitId, LimitInfo, Limits, LinkWait, Owner, Storage, Transition,
};
use blockyard_model::units::{Nanos, SECOND};
use blockyard_model::workload::Fact;
use blockyard_model::workload::spec::JobSpec;
use blockyard_scenario::ResolvedEvent;

use crate::measure::by_second::{self, BySecond};
use crate::measure::counters::{Counts, InFlight, IntervalCounts, ThreadCounters};
use crate::measure::events::Events;
use crate::measure::facts::Facts;
use crate::measure::histogram::Histogram;
use crate::measure::logs::latency_log::LatencyLog;
use crate::measure::observer::{Interval, IntervalRow};
use crate::measure::series::{self, Series};
use crate::measure::series_steps;
use crate::measure::shape::{RunShape, SeriesKey};
use crate::measure::shortfall::Shortfall;
use crate::measure::storage::served::Served;
use crate::measure::storage::throttling::ThrottleStats;
use crate::measure::storage::volumes::VolumeStats;
use crate::measure::summary::Summary;
use crate::result::seconds;

/// Tag of the lateness in the latency log; no job's, which have dots.
const LATENESS: &str = "lateness";

/// Which rows a recorder works out; totals are the same with either.
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

    /// What links added to the latency of requests since the last call.
    fn take_link_waits(&mut self) -> Vec<LinkWait> {
        Vec::new()
    }

    /// The rate in force of every limit, in the order of their ids; 0 of one that does not hold.
    fn rates(&self) -> Vec<u64>;
}

impl Metered for Storage {
    fn take_counted(&mut self, owner: Owner, end: Nanos) -> Counted {
        Self::take_counted(self, owner, end)
    }

    fn take_link_waits(&mut self) -> Vec<LinkWait> {
        Self::take_link_waits(self).collect()
    }

    fn rates(&self) -> Vec<u64> {
        rates(self.limits())
    }
}

/// 0 for what does not hold now.
fn rates(limits: &Limits) -> Vec<u64> {
    let in_force = |info: &LimitInfo| if info.is_lifted { 0 } else { info.rate };
    limits.iter().map(|(_, info)| in_force(info)).collect()
}

/// Everything that is measured in a run, in memory that does not grow with
/// the run's length.
#[derive(Debug)]
pub struct Recorder {
    shape: RunShape,
    detail: Detail,
    counters: ThreadCounters,
    series: Vec<Series>,
    by_second: Vec<BySecond>,
    volumes: Vec<VolumeStats>,
    hosts: Vec<VolumeStats>,
    throttle_stats: ThrottleStats,
    /// Job by job; none of a closed loop.
    shortfalls: Vec<Option<Shortfall>>,
    facts: Facts,
    /// None without events.
    events: Option<Box<Events>>,
    /// How late answers went out in the running interval.
    lateness: Histogram,
    log: Option<LatencyLog>,
    served: Served,
}

impl Recorder {
    /// A recorder of the run that `shape` describes, which also writes each
    /// interval's latencies to `log`.
    pub fn new(shape: RunShape, log: Option<LatencyLog>) -> Self {
        let steps = |key: &SeriesKey| shape.jobs[key.job].steps.len();
        let limits = &shape.limits;
        let host = |(index, name): (usize, &String)| {
            let own = limits.of(Owner::Host(index));
            let names = own.map(|limit| limits[limit].name.clone());
            VolumeStats::new(name.clone(), names.collect())
        };
        let volume = |(index, name): (usize, &String)| {
            let over = limits.over(index).map(|limit| &limits[limit]);
            let names = over.map(|info| shape.owners().beside_volume(info));
            VolumeStats::new(name.clone(), names.collect())
        };
        Self {
            counters: ThreadCounters::new(&shape),
            series: shape
                .series
                .iter()
                .map(|key| Series::new(steps(key)))
                .collect(),
            by_second: by_second::all(&shape),
            volumes: shape.volumes.iter().enumerate().map(volume).collect(),
            hosts: shape.hosts.iter().enumerate().map(host).collect(),
            throttle_stats: ThrottleStats::new(limits.len(), shape.jobs.len()),
            shortfalls: shape.jobs.iter().map(Shortfall::of).collect(),
            facts: Facts::new(&shape),
            events: None,
            lateness: Histogram::default(),
            log,
            served: Served::default(),
            detail: Detail::default(),
            shape,
        }
    }

    /// The same recorder, which works out so much of each interval.
    #[must_use]
    pub fn with_detail(self, detail: Detail) -> Self {
        Self { detail, ..self }
    }

    /// The same recorder, which tells what these events do to `jobs`, each with what happens in
    /// words. `told_each` is whether it will get each IO, or intervals only.
    #[must_use]
    pub fn watching(
        self,
        events: Vec<(ResolvedEvent, String)>,
        jobs: &[JobSpec],
        told_each: bool,
    ) -> Self {
        let watched = (!events.is_empty()).then(|| {
            let mut watched = Events::new(&self.shape, jobs, events);
            watched.told_each = told_each;
            Box::new(watched)
        });
        Self {
            events: watched,
            ..self
        }
    }

    /// The same recorder, which looks for times in which mirrors did not serve. It must get each
    /// IO.
    #[must_use]
    pub fn timing_mirrors(self, storage: &StorageSpec) -> Self {
        Self {
            served: Served::new(&self.shape, storage),
            ..self
        }
    }

    /// What is recorded apart, in the order of the interval rows.
    pub fn series(&self) -> &[SeriesKey] {
        &self.shape.series
    }

    /// The shape of the run.
    pub fn shape(&self) -> &RunShape {
        &self.shape
    }

    /// Why the latency log ends early, once it has.
    pub fn unwritten(&self) -> Option<&io::Error> {
        self.log.as_ref()?.failed()
    }

    /// Where IOs are counted as they are issued and served.
    #[inline]
    pub fn counters(&mut self) -> &mut ThreadCounters {
        &mut self.counters
    }

    /// These transitions are all that the mirror of a job's journal has made so far: its backup may
    /// have become primary.
    pub fn taken_over(&mut self, job: usize, transitions: &[(Nanos, Transition)]) {
        if let Some(events) = &mut self.events {
            let ready = transitions.iter().filter(|it| it.1 == Transition::Ready);
            events.taken_over(job, ready.map(|it| it.0).collect());
        }
    }

    /// An IO completed at `now`; a limit may have throttled it.
    #[inline]
    pub fn completed(&mut self, now: Nanos, io: &InFlight) {
        self.counters.end(now, io);
        if let Some(events) = &mut self.events {
            events.completed(now, io);
            if io.issued > io.due && self.counters.start >= self.shape.warmup {
                let job = self.shape.series[io.series].job;
                for (event, lagged) in events.within(io.series, io.due..io.issued) {
                    self.throttle_stats.lagged_in_event(event, job, lagged);
                }
            }
        }
        if self.facts.has_engines() && self.counters.start >= self.shape.warmup {
            let events = self.events.iter();
            let in_events = events.flat_map(|it| it.throttling(io)).map(|it| it.1);
            let in_events = in_events.sum();
            let job = self.shape.series[io.series].job;
            self.facts.io(job, now, io, in_events);
        }
        if now > self.shape.warmup {
            self.served.ended(now, io);
        }
        if io.throttled > 0 {
            self.throttled(io);
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
        self.throttle_stats.throttled(limit, job, ios, time);
    }

    #[inline(never)]
    fn throttled(&mut self, io: &InFlight) {
        if self.counters.start < self.shape.warmup {
            return;
        }
        let job = self.shape.series[io.series].job;
        let mut throttled = io.throttled;
        for (event, paused) in self.events.iter().flat_map(|it| it.throttling(io)) {
            self.throttle_stats.paused(event, job, paused);
            throttled -= paused;
        }
        // What waits for a leg that is paused waits for no limit.
        if let (Some(limit), true) = (io.limit, throttled > 0) {
            self.throttle_stats.throttled(limit, job, 1, throttled);
        }
    }

    /// Adds what a thread counted in the running interval.
    pub fn add(&mut self, closed: &IntervalCounts) {
        self.counters
            .add((0..closed.counts.len()).zip(&closed.counts));
        self.counters.add_open_loops(&closed.open_loops);
    }

    /// Adds counts of the running interval whose series have other numbers: `series` gives this
    /// recorder's number for each of them.
    pub fn add_series(&mut self, closed: &IntervalCounts, series: &[usize]) {
        self.counters
            .add(series.iter().copied().zip(&closed.counts));
    }

    /// Whether all jobs have done what they had to do, and the run is over.
    pub fn all_done(&self) -> bool {
        self.facts.amounts().all_done()
    }

    /// Job number `job` told something of itself.
    pub fn fact(&mut self, job: usize, fact: Fact) {
        self.facts.add(job, fact);
    }

    /// Period number `index` of [`RunShape::period`] ended. Where an interval
    /// ended with it, gives its rows.
    pub fn end_period(&mut self, storage: &mut impl Metered, index: u64) -> Option<Interval> {
        let end = (index + 1) * self.shape.period();
        let counted = end > self.shape.warmup;
        self.add_period(storage, end, counted);
        if end.is_multiple_of(SECOND) {
            self.end_second(counted);
        }
        let ended = end.is_multiple_of(self.shape.interval);
        ended.then(|| self.close_interval(end, || storage.rates()))
    }

    /// The run is cut off at `now`: gives the rows of the interval that was running, if it
    /// had begun.
    pub fn cut(&mut self, storage: &mut impl Metered, now: Nanos) -> Option<Interval> {
        if now <= self.counters.start {
            return None;
        }
        let counted = now > self.shape.warmup;
        self.add_period(storage, now, counted);
        self.end_second(counted);
        Some(self.close_interval(now, || storage.rates()))
    }

    /// Adds what was served in the period that ends at `end`.
    fn add_period(&mut self, storage: &mut impl Metered, end: Nanos, counted: bool) {
        let volumes = (0..).map(Owner::Volume).zip(&mut self.volumes);
        let hosts = (0..).map(Owner::Host).zip(&mut self.hosts);
        for (owner, served) in volumes.chain(hosts) {
            let period = storage.take_counted(owner, end);
            served.add(&period, counted);
            if counted {
                self.throttle_stats.took(&period.contended);
            }
        }
        for wait in storage.take_link_waits() {
            if counted {
                self.throttle_stats.held_by_link(&wait);
                self.facts.held_by_link(&wait);
            }
        }
    }

    fn end_second(&mut self, counted: bool) {
        let served = self.volumes.iter_mut().chain(&mut self.hosts);
        served.for_each(|stats| stats.end_second(counted));
    }

    /// On real storage: the running interval ends at `end`, which is later than it began;
    /// gives its rows. The IOs in flight go on in the next one.
    pub fn end_interval(&mut self, end: Nanos) -> Interval {
        let rates = rates(&self.shape.limits);
        self.close_interval(end, || rates)
    }

    /// The running interval ends at `end`, with these rates in force.
    fn close_interval(&mut self, end: Nanos, rates: impl FnOnce() -> Vec<u64>) -> Interval {
        let start = self.counters.start;
        let rows = self.close(end);
        self.counters.counts.iter_mut().for_each(Counts::roll);
        let mut interval = Interval {
            done_s: seconds(end),
            rows,
            volumes: Vec::new(),
            rates: Vec::new(),
            transactions: self.facts.end_interval(start..end, self.log.as_mut()),
        };
        if self.detail == Detail::Intervals {
            let volumes = self.volumes.iter().enumerate();
            let hosts = self.hosts.iter().map(VolumeStats::lowest_balance);
            let hosts: Vec<_> = hosts.collect();
            let rows = volumes.map(|(number, volume)| {
                let host = hosts[self.shape.limits.host_of(number)];
                volume.row(number, start, host)
            });
            interval.volumes = rows.collect();
            interval.rates = rates();
        }
        let served = self.volumes.iter_mut().chain(&mut self.hosts);
        served.for_each(|stats| stats.end_interval(end));
        interval
    }

    /// The rows of the interval that ends at `end`; adds it to the totals
    /// unless it belongs to the warm-up.
    fn close(&mut self, end: Nanos) -> Vec<IntervalRow> {
        let (start, length) = (self.counters.start, end - self.counters.start);
        let (log_start, log_length) = (Duration::from_nanos(start), Duration::from_nanos(length));
        let mut rows = Vec::new();
        for (number, counts) in self.counters.counts.iter().enumerate() {
            let key = self.shape.series[number];
            if self.detail == Detail::Intervals {
                rows.push(counts.row(number, start, length));
            }
            if let Some(events) = self.events.as_mut().filter(|it| !it.told_each) {
                let ios = counts.latencies.count();
                events.counted(start..end, number, ios, counts.errors);
            }
            if let Some(log) = &mut self.log {
                let name = self.shape.series_name(key);
                log.write(&name, log_start, log_length, &counts.latencies);
            }
            if start >= self.shape.warmup {
                let steps = &self.shape.jobs[key.job].steps;
                let step = steps.iter().rposition(|step| step.0 <= start);
                let until = self.facts.amounts().until(key.job, end);
                let at_work = until.saturating_sub(start);
                self.series[number].add(counts, (length, at_work), step);
            }
        }
        for by_second in &mut self.by_second {
            if self.facts.amounts().until(by_second.job, end) < start {
                continue;
            }
            by_second.interval(start..end, &self.counters.counts);
        }
        if let Some(log) = &mut self.log {
            log.write(LATENESS, log_start, log_length, &self.lateness);
        }
        self.lateness.clear();
        if let Some(events) = &mut self.events {
            events.end_interval(start, end);
        }
        let open_loops = self
            .counters
            .open_loops
            .iter_mut()
            .zip(&mut self.shortfalls);
        for (job, (open_loop, shortfall)) in open_loops.enumerate() {
            if let Some(shortfall) = shortfall {
                shortfall.interval(start..end, open_loop.served, open_loop.failed);
            }
            let slots = std::mem::take(&mut open_loop.interval);
            if start >= self.shape.warmup {
                self.throttle_stats.end_interval(job, slots);
            }
        }
        self.counters.start = end;
        rows
    }

    /// Ends the run, complete or not, and gives its summary.
    pub fn finish(mut self) -> Summary {
        let unwritten = self.log.and_then(|log| log.finish().err());
        for by_second in &mut self.by_second {
            let end = self.counters.start;
            by_second.finish(self.facts.amounts().until(by_second.job, end));
        }
        let limits = &self.shape.limits;
        let credits = |owner| {
            let own = limits.of(owner).map(|limit| &limits[limit]);
            let credits = own.filter(|info| info.credits);
            credits.map(|info| info.name.clone()).collect::<Vec<_>>()
        };
        let volumes = (0..).zip(&self.volumes);
        let hosts = (0..).zip(&self.hosts);
        let end = self.counters.start;
        let held = |event| self.throttle_stats.in_event(event, &self.shape);
        let events = self.events.map(|events| events.results(end, held));
        let mut events = events.unwrap_or_default();
        events.extend(self.facts.events(&self.shape));
        let mut by_step = series_steps::of_ios(&self.shape, &self.series);
        by_step.extend(self.facts.by_step(end, &self.shape));
        let transactions = self.facts.transactions(end, &self.shape);
        let totals = series::totals(&self.shape, &self.series, &self.by_second);
        let amounts = self.facts.amounts().totals(&self.shape, &totals, end);
        let unserved = self.served.longest(&self.shape, &self.counters.counts, end);
        Summary {
            unwritten,
            by_step,
            unserved,
            amounts,
            transactions,
            events,
            random: random::ALGORITHM.into(),
            duration_s: seconds(self.counters.start),
            totals,
            steps: series::steps(
                &self.shape,
                &self.series,
                &self.by_second,
                self.counters.start,
            ),
            cycles: self.facts.cycles(&self.shape),
            volumes: volumes
                .map(|(index, volume)| volume.total(&credits(Owner::Volume(index))))
                .collect(),
            hosts: hosts
                .map(|(index, host)| host.total(&credits(Owner::Host(index))))
                .collect(),
            limits: self.throttle_stats.limits(&self.shape),
            open_loops: self.counters.open_loops,
            shortfalls: self.shortfalls,
            own_lags_s: self.throttle_stats.own_lags_s(),
            throttle_stats: self.throttle_stats,
            series: self.series,
            by_second: self.by_second,
            shape: self.shape,
        }
    }
}
