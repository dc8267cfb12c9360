//! Transactions of engines, counted and timed.

use std::ops::Range;
use std::time::Duration;

use blockyard_model::storage::LinkWait;
use blockyard_model::units::{Nanos, SECOND};
use blockyard_model::workload::{
    EngineCounts, EngineIo, EngineStop, GroupCounts, HeldUp, MembershipChange, MembershipEvent,
    NodeCounts, Offered, Transaction, TransactionWait, Waits,
};

use crate::measure::counters::InFlight;
use crate::measure::engine::group::GroupRecord;
use crate::measure::engine::halves::Halves;
use crate::measure::engine::ios::{EngineIos, purpose};
use crate::measure::engine::membership;
use crate::measure::engine::time::{per_second, time_spent};
use crate::measure::histogram::Histogram;
use crate::measure::logs::latency_log::LatencyLog;
use crate::measure::observer::TransactionRow;
use crate::measure::outages::Outages;
use crate::measure::series_steps::{SeriesSteps, StepStats};
use crate::measure::shape::{EngineShape, JobShape, RunShape};
use crate::result::{
    EngineTotal, Event, LatencyUs, Quartiles, Spread, StoppedEngine, TransactionKindTotal,
    TransactionStep, TransactionTotal, seconds,
};

/// The windows that [`Spread`] is over.
const WINDOW: Nanos = 5 * SECOND;

/// What follows the job in the tag of their latencies: no operation on a device.
const TAG: &str = "transaction";

/// The transactions of one job.
#[derive(Debug)]
pub(crate) struct Transactions {
    job: usize,
    shape: JobShape,
    engine: EngineShape,
    warmup: Nanos,
    /// Of the running interval, and of the running window.
    interval: Histogram,
    window: Histogram,
    /// When the running window began.
    window_from: Nanos,
    kinds: Vec<Histogram>,
    steps: Vec<Histogram>,
    waits: Waits,
    ios: EngineIos,
    group: GroupRecord,
    /// Of each whole window: transactions a second, and the 99th percentile.
    windows: Vec<(u64, u64)>,
    /// What the engine had done by the end of the warm-up, and has by now.
    before: EngineCounts,
    now: EngineCounts,
    /// Transactions that ended after the warm-up: by now, and when the engine last told what it
    /// had done, which it does every second.
    counted: u64,
    counted_by_then: u64,
    /// Transactions that failed after the warm-up.
    failed: u64,
    /// Those that were refused.
    refused: u64,
    lost: u64,
    /// The node that takes them.
    serving: usize,
    /// Engines that stopped, and whether they were taking them.
    stops: Vec<(EngineStop, bool)>,
    changes: Vec<MembershipChange>,
    /// Times without any, or in which others of a kind waited for other nodes and none of it ended.
    outages: Outages,
    /// When the last one of each kind ended, by the model's numbers.
    last_of: Vec<Nanos>,
    /// Of the two halves of the time after the warm-up.
    halves: Halves,
}

impl Transactions {
    /// Of job number `job`, if that does any.
    pub(crate) fn of(job: usize, shape: &JobShape, warmup: Nanos, duration: Nanos) -> Option<Self> {
        let engine = shape.engine.clone()?;
        let engine_kinds = engine.kind_of.len();
        Some(Self {
            job,
            interval: Histogram::default(),
            window: Histogram::default(),
            window_from: warmup,
            kinds: vec![Histogram::default(); engine.kinds.len()],
            steps: vec![Histogram::default(); shape.steps.len()],
            waits: Waits::NONE,
            ios: EngineIos::default(),
            group: GroupRecord::new(&engine, warmup),
            windows: Vec::new(),
            before: EngineCounts::default(),
            now: EngineCounts::default(),
            halves: Halves::between(warmup, duration),
            shape: shape.clone(),
            engine,
            warmup,
            counted: 0,
            counted_by_then: 0,
            failed: 0,
            refused: 0,
            lost: 0,
            serving: 0,
            stops: Vec::new(),
            changes: Vec::new(),
            outages: Outages::since(warmup),
            last_of: vec![warmup; engine_kinds],
        })
    }

    pub(crate) fn job(&self) -> usize {
        self.job
    }

    /// A transaction ended.
    pub(crate) fn ended(&mut self, it: &Transaction) {
        let latency = it.end - it.due;
        self.interval.record(latency);
        if it.end <= self.warmup {
            return;
        }
        self.end_windows(it.end - 1);
        self.outages.ended(it.due, it.end);
        let last = core::mem::replace(&mut self.last_of[usize::from(it.kind)], it.end);
        let apart = [TransactionWait::Replication, TransactionWait::FlowControl];
        let apart = apart.iter().map(|&wait| it.waits.of(wait)).sum();
        let waited = it.end - last.max(it.due);
        self.outages.lasted(it.end - waited.min(apart), it.end);
        self.window.record(latency);
        self.halves.ended(it.end);
        self.kinds[self.engine.kind_of[usize::from(it.kind)]].record(latency);
        let step = self.shape.steps.iter().rposition(|step| step.0 < it.end);
        if let Some(step) = step {
            self.steps[step].record(latency);
        }
        for wait in TransactionWait::ALL {
            self.waits.add(wait, it.waits.of(wait));
        }
        self.counted += 1;
    }

    /// The transactions that failed at a time.
    pub(crate) fn failed(&mut self, at: Nanos, count: u64) {
        if at > self.warmup && count > 0 {
            self.failed += count;
            self.outages.failed();
        }
    }

    /// The transactions that were refused at a time.
    pub(crate) fn refused(&mut self, at: Nanos, count: u64) {
        if at > self.warmup && count > 0 {
            self.refused += count;
            self.outages.refused(at);
        }
    }

    /// Who is in its group changed.
    pub(crate) fn membership(&mut self, change: MembershipChange) {
        if let MembershipEvent::Serves(node, lost) = change.what {
            self.serving = node.into();
            self.group.serves(self.serving);
            // Whenever that was: a loss is none of what settles, and no goal is met by its time.
            self.lost += lost;
        }
        self.changes.push(change);
    }

    /// Changes of its group, as events.
    pub(crate) fn events(&self, shape: &RunShape) -> Vec<Event> {
        let hosts = self.engine.nodes.iter();
        let hosts: Vec<_> = hosts.map(|&host| shape.hosts[host].as_str()).collect();
        let of = (self.shape.name.as_str(), &hosts[..]);
        membership::events(of, self.engine.shipped, &self.changes)
    }

    /// Its engine stopped, or that of another node of its group.
    pub(crate) fn stopped(&mut self, stop: EngineStop) {
        let was_serving = usize::from(stop.node) == self.serving;
        self.stops.push((stop, was_serving));
        if was_serving {
            self.outages
                .lasted(stop.at - self.held_outage(stop.at), stop.at);
        }
    }

    /// For how long, until a time, nothing of a kind has ended of which one waits for other nodes.
    fn held_outage(&self, until: Nanos) -> Nanos {
        let (since, kind) = self.now.held.first;
        match self.now.held.count {
            0 => 0,
            _ => until.saturating_sub(since.max(self.last_of[usize::from(kind)])),
        }
    }

    /// An IO of its engine completed, after the warm-up, which events held for `in_events`.
    pub(crate) fn io(&mut self, now: Nanos, io: &InFlight, in_events: Nanos) {
        let (node, _) = EngineIo::by(io.submitter);
        let ios = match node == self.serving {
            true => &mut self.ios,
            false => self.group.ios(node),
        };
        ios.completed(now, io, in_events);
    }

    /// A link of a mirror held IO of its engine, after the warm-up. Mirrors do not tell the nodes
    /// of a group apart, so of these it is told of none.
    pub(crate) fn held_by_link(&mut self, wait: &LinkWait) {
        if self.engine.nodes.is_empty() {
            self.ios.held_by_link(wait);
        }
    }

    /// A second of its group ended.
    pub(crate) fn group(&mut self, counts: GroupCounts) {
        self.group.group(counts);
    }

    /// A second of another node of its group ended.
    pub(crate) fn node(&mut self, counts: NodeCounts) {
        self.group.node(counts);
    }

    /// A second of its engine ended.
    pub(crate) fn engine(&mut self, counts: EngineCounts) {
        self.now = counts;
        self.counted_by_then = self.counted;
        if counts.at <= self.warmup {
            self.before = counts;
        }
        self.halves.engine(counts);
    }

    /// The row of the interval of this begin and end; latencies go to `log`, if there is one.
    pub(crate) fn end_interval(
        &mut self,
        span: Range<Nanos>,
        log: Option<&mut LatencyLog>,
    ) -> TransactionRow {
        let latencies = core::mem::take(&mut self.interval);
        let (start, length) = (span.start, span.end - span.start);
        if let Some(log) = log {
            let tag = format!("{}.{TAG}", self.shape.name);
            let (start, length) = (Duration::from_nanos(start), Duration::from_nanos(length));
            log.write(&tag, start, length, &latencies);
        }
        TransactionRow {
            t_s: seconds(start),
            job: self.job,
            count: latencies.count(),
            tps: per_second(latencies.count(), length),
            latency_us: LatencyUs::of(&latencies),
            dirty_pages: self.now.dirty,
            checkpoint_age: self.now.age,
        }
    }

    /// Closes the windows that ended by `now`.
    fn end_windows(&mut self, now: Nanos) {
        while now >= self.window_from + WINDOW {
            let latencies = core::mem::take(&mut self.window);
            let [p99] = latencies.quantiles([0.99]);
            self.windows.push((latencies.count(), p99));
            self.window_from += WINDOW;
        }
    }

    /// The totals of a run that got to `reached` of `duration`.
    pub(crate) fn total(mut self, reached: Nanos, shape: &RunShape) -> TransactionTotal {
        self.end_windows(reached);
        // Those that waited as their engine stopped have failed.
        let stopped = self.stops.iter().filter(|(_, was_serving)| *was_serving);
        if stopped.map(|(stop, _)| stop.at).max() > Some(self.now.held.first.0) {
            self.now.held = HeldUp::default();
        }
        let held = self.held_outage(reached);
        self.outages.lasted(reached - held, reached);
        let mut all = Histogram::default();
        self.kinds.iter().for_each(|kind| all.merge(kind));
        let time = reached.saturating_sub(self.warmup);
        let waits = self.now.waiting + self.now.held.count > 0;
        let outage = self.outages.clone();
        let outage = outage.longest(reached, waits, time.checked_div(all.count()));
        let kind = |(name, latencies): (&String, &Histogram)| TransactionKindTotal {
            kind: name.clone(),
            count: latencies.count(),
            tps: per_second(latencies.count(), time),
            latency_us: LatencyUs::of(latencies),
        };
        let kinds = self.engine.kinds.iter().zip(&self.kinds).map(kind);
        let kinds: Vec<_> = kinds.collect();
        TransactionTotal {
            job: self.shape.name.clone(),
            count: all.count(),
            tps: per_second(all.count(), time),
            latency_us: LatencyUs::of(&all),
            waiting: self.now.waiting,
            held: self.now.held.count,
            failed: self.failed,
            refused: self.refused,
            outage_s: seconds(outage),
            lost: self.lost,
            stopped: self.stops.iter().map(|it| self.stop(it, shape)).collect(),
            kinds: if kinds.len() > 1 { kinds } else { Vec::new() },
            steps: self.steps(reached, shape.duration),
            time: time_spent(&self.waits, all.count()),
            io: self.ios.totals(shape),
            by_5s: self.spread(),
            engine: self.engine_total(self.counted_by_then),
            replication: self.group.total(shape),
        }
    }

    fn stop(&self, (stop, was_serving): &(EngineStop, bool), shape: &RunShape) -> StoppedEngine {
        let host = self.engine.nodes.get(usize::from(stop.node));
        let host = host.filter(|_| !was_serving);
        let is_back = |it: &&MembershipChange| match it.what {
            MembershipEvent::Serves(..) | MembershipEvent::Quorum => *was_serving,
            MembershipEvent::Back(node, _) => !was_serving && node == stop.node,
            _ => false,
        };
        let mut later = self.changes.iter().filter(|it| it.at >= stop.at);
        StoppedEngine {
            t_s: seconds(stop.at),
            host: host.map(|&host| shape.hosts[host].clone()),
            failed_io: stop.failed.map(purpose),
            back_s: later.find(is_back).map(|it| seconds(it.at)),
        }
    }

    /// From when to when each load step was, as far as the run got and without the warm-up, what
    /// was offered in it, and the latencies.
    fn step_times(
        &self,
        reached: Nanos,
        duration: Nanos,
    ) -> impl Iterator<Item = (Nanos, Nanos, Offered, &Histogram)> {
        let starts = self.shape.steps.iter().map(|step| step.0);
        let ends = starts.skip(1).chain([duration]);
        let all = self.shape.steps.iter().zip(ends).zip(&self.steps);
        all.map(move |((&(from, offered), to), latencies)| {
            let (from, to) = (from.max(self.warmup), to.min(reached));
            (from, to, offered, latencies)
        })
    }

    /// What was done load step by load step.
    pub(crate) fn by_step(&self, reached: Nanos, duration: Nanos) -> SeriesSteps {
        let steps = self.step_times(reached, duration);
        let steps = steps.map(|(from, to, offered, latencies)| {
            StepStats::of_transactions(offered, to.saturating_sub(from), latencies)
        });
        SeriesSteps {
            job: self.shape.name.clone(),
            device: String::new(),
            op: TAG.into(),
            steps: steps.collect(),
        }
    }

    fn steps(&self, reached: Nanos, duration: Nanos) -> Vec<TransactionStep> {
        let times = self.step_times(reached, duration);
        let begun = times.enumerate().filter(|(_, (from, to, ..))| from < to);
        let step =
            |(index, (from, to, offered, latencies)): (usize, (Nanos, Nanos, _, &Histogram))| {
                let (threads, rate) = match offered {
                    Offered::Processes(threads) => (Some(threads), None),
                    Offered::Rate(rate) => (None, Some(rate)),
                };
                TransactionStep {
                    step: index + 1,
                    from_s: seconds(from),
                    to_s: seconds(to),
                    threads,
                    rate,
                    count: latencies.count(),
                    tps: per_second(latencies.count(), to - from),
                    latency_us: LatencyUs::of(latencies),
                }
            };
        begun.map(step).collect()
    }

    fn spread(&self) -> Option<Spread> {
        let of = |value: fn(&(u64, u64)) -> f64| {
            let mut values: Vec<f64> = self.windows.iter().map(value).collect();
            values.sort_by(f64::total_cmp);
            quartiles(&values)
        };
        Some(Spread {
            count: self.windows.len(),
            tps: of(|window| per_second(window.0, WINDOW))?,
            p99_us: of(|window| window.1 as f64 / 1e3)?,
        })
    }

    fn engine_total(&self, count: u64) -> Option<EngineTotal> {
        let (now, before) = (&self.now, &self.before);
        let accesses = now.accesses.saturating_sub(before.accesses);
        if accesses == 0 || count == 0 {
            return None;
        }
        let each = |amount: u64| amount as f64 / count as f64;
        // What was under way when the engine stopped is taken back.
        let reads = now.reads.saturating_sub(before.reads);
        let flushed = now.flushed.saturating_sub(before.flushed);
        let pages = (reads + flushed) * self.engine.page;
        let doublewritten = now.doublewritten.saturating_sub(before.doublewritten);
        let logged = now.logged.saturating_sub(before.logged);
        let binlogged = now.binlogged.saturating_sub(before.binlogged);
        Some(EngineTotal {
            hit_ratio: 1.0 - reads as f64 / accesses as f64,
            accesses_per_transaction: each(accesses),
            reads_per_transaction: each(reads),
            writes_per_transaction: each(flushed),
            bytes_per_transaction: each(pages + doublewritten + logged + binlogged),
            doublewrite_bytes_per_transaction: each(doublewritten),
            log_bytes_per_transaction: each(logged),
            binlog_bytes_per_transaction: each(binlogged),
            checkpoints: now.checkpoints - before.checkpoints,
            peak_dirty_pages: self.halves.peak_dirty(),
            peak_checkpoint_age: self.halves.peak_age(),
            halves: self.halves.results(),
        })
    }
}

/// Of rising values, by linear interpolation; none of none.
fn quartiles(values: &[f64]) -> Option<Quartiles> {
    let last = values.len().checked_sub(1)?;
    let at = |share: f64| {
        let place = share * last as f64;
        let (below, above) = (place.floor() as usize, place.ceil() as usize);
        values[below] + (values[above] - values[below]) * place.fract()
    };
    Some(Quartiles {
        min: values[0],
        q1: at(0.25),
        median: at(0.5),
        q3: at(0.75),
        max: values[last],
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn quartiles_are_those_of_a_box_plot() {
        let quartiles = quartiles(&[1.0, 2.0, 3.0, 4.0, 10.0]).unwrap();
        let Quartiles {
            min,
            q1,
            median,
            q3,
            max,
        } = quartiles;
        assert_eq!([min, q1, median, q3, max], [1.0, 2.0, 3.0, 4.0, 10.0]);
        assert_eq!(super::quartiles(&[]), None);
    }
}
