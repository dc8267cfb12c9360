//! What is recorded of all groups together.

use std::collections::BTreeMap;

use blockyard_model::spec::StorageSpec;
use blockyard_model::storage::{Counted, LimitId, Owner};
use blockyard_model::units::{Nanos, SECOND};
use blockyard_record::result::Event;
use blockyard_record::{
    Emulated, Histogram, Interval, Metered, Recorder, RunShape, SeriesKey, Summary, VolumeRow,
};
use blockyard_scenario::{EventKind, ResolvedEvent};
use blockyard_text::said;

use super::{Served, Settings};
use crate::contained::contained;
use crate::engine::{GroupInterval, PeriodCounts};
use crate::fault::Registry;
use crate::groups::Group;
use crate::trace::Trace;

/// The one recording of a service.
#[derive(Debug)]
pub(super) struct Recording {
    recorder: Recorder,
    pub(super) faults: Registry,
    /// What was changed or injected from outside.
    noted: Vec<Event>,
    /// The scenario's events, each with what happens in words.
    planned: Vec<(ResolvedEvent, String)>,
    /// How much later than the model's time replies went out, in all intervals that ended.
    pub(super) lateness: Histogram,
    /// When the service ended.
    pub(super) ended: Option<Nanos>,
    /// Periods that ended.
    periods: u64,
    intervals: Vec<Interval>,
    /// The last interval that ended.
    last: Option<Interval>,
    trace: Option<Trace>,
    /// The first panic while something was recorded.
    failed: Option<String>,
    /// The failures that [`super::Emulator::new_failures`] has given.
    pub(super) told: Vec<String>,
}

/// What the groups counted in a period, by the numbers of the whole.
#[derive(Debug)]
struct Whole {
    counted: BTreeMap<Owner, Counted>,
    rates: Vec<u64>,
}

impl Metered for Whole {
    fn take_counted(&mut self, owner: Owner, _end: Nanos) -> Counted {
        self.counted.remove(&owner).unwrap_or_default()
    }

    fn rates(&self) -> Vec<u64> {
        self.rates.clone()
    }
}

impl Recording {
    /// Nothing yet, of `storage` with this plan.
    pub(super) fn new(storage: &StorageSpec, plan: RunShape, settings: Settings) -> Self {
        let Settings {
            seed,
            schedule,
            events,
            ..
        } = settings;
        let mut faults = Registry::new(storage, seed);
        for event in &events {
            let own = event.faults(&schedule, seed);
            own.into_iter().for_each(|fault| faults.plan(event, fault));
        }
        let planned = events.iter().map(|event| event.drawn(&schedule, seed));
        let planned: Vec<_> = planned.collect();
        Self {
            recorder: Recorder::new(plan, settings.log).watching(planned.clone(), &[], false),
            faults,
            noted: Vec::new(),
            planned,
            lateness: Histogram::default(),
            ended: None,
            periods: 0,
            intervals: Vec::new(),
            last: None,
            trace: settings.trace,
            failed: None,
            told: Vec::new(),
        }
    }

    /// The first thing that could not be recorded, in words.
    pub(super) fn failure(&self) -> Option<String> {
        let unwritten = || self.recorder.unwritten().map(said);
        let why = self.failed.clone().or_else(unwritten)?;
        Some(format!("cannot record measurements: {why}"))
    }

    pub(super) fn plan(&self) -> &RunShape {
        self.recorder.shape()
    }

    /// When the next period ends.
    pub(super) fn next_period(&self) -> Nanos {
        (self.periods + 1) * self.plan().period()
    }

    /// Ends the next period, which the groups have ended.
    pub(super) fn end_period(&mut self, groups: &[Served]) {
        let ended = contained(|| {
            let mut whole = self.add_up(groups);
            self.recorder.end_period(&mut whole, self.periods)
        });
        self.periods += 1;
        self.keep(ended);
    }

    /// The service ended at `now`, and the running interval with it.
    pub(super) fn cut(&mut self, groups: &[Served], now: Nanos) {
        let ended = contained(|| {
            let mut whole = self.add_up(groups);
            self.recorder.cut(&mut whole, now)
        });
        self.keep(ended);
        self.ended = Some(now);
    }

    fn keep(&mut self, ended: Result<Option<Interval>, String>) {
        match ended {
            Ok(None) => {}
            Ok(Some(interval)) => {
                self.last = Some(interval.clone());
                self.intervals.push(interval);
            }
            Err(panic) => {
                self.failed.get_or_insert(panic);
            }
        }
    }

    /// Adds what the groups counted in the period that ended first to the running interval.
    fn add_up(&mut self, groups: &[Served]) -> Whole {
        let limits = &self.plan().limits;
        let mut whole = Whole {
            counted: BTreeMap::new(),
            rates: limits.iter().map(|(_, info)| info.rate).collect(),
        };
        for served in groups {
            let counts = served.counted(|counters| counters.take_period());
            if let Some(counts) = counts.flatten() {
                self.add(&served.group, counts, &mut whole);
            }
        }
        whole
    }

    fn add(&mut self, group: &Group, counts: PeriodCounts, whole: &mut Whole) {
        for (&volume, counted) in group.volumes.iter().zip(counts.volumes) {
            let counted = renumbered(counted, &group.limits);
            whole.counted.insert(Owner::Volume(volume), counted);
        }
        for (host, counted) in counts.hosts {
            let counted = renumbered(counted, &group.limits);
            // Where several groups pass a host, it has no limits.
            let host = whole.counted.entry(Owner::Host(host)).or_default();
            let (ios, bytes) = (host.ios, host.bytes);
            *host = counted;
            host.ios += ios;
            host.bytes += bytes;
        }
        for (&limit, (ios, time)) in group.limits.iter().zip(counts.throttled) {
            if ios > 0 {
                self.recorder.add_throttled(limit, 0, ios, time);
            }
        }
        if let Some(interval) = counts.interval {
            self.add_interval(group, &interval, whole);
        }
    }

    fn add_interval(&mut self, group: &Group, counts: &GroupInterval, whole: &mut Whole) {
        let series = series_of(group, self.plan());
        self.recorder.add_series(&counts.series, &series);
        self.recorder.add_lateness(&counts.lateness);
        self.lateness.merge(&counts.lateness);
        for (limit, &rate) in group.limits.iter().zip(&counts.rates) {
            whole.rates[limit.index()] = rate;
        }
    }

    /// Writes down the requests that were answered before `now`, in the order of the replies.
    pub(super) fn write_trace(&mut self, groups: &[Served], now: Nanos) {
        let Some(trace) = &mut self.trace else {
            return;
        };
        let mut answered = Vec::new();
        for served in groups {
            let own = served.counted(|counters| counters.take_answered(now));
            let own = own.unwrap_or_default().into_iter();
            answered.extend(own.map(|mut io| {
                io.device = served.group.devices[io.device];
                io
            }));
        }
        answered.sort_by_key(|io| io.sent);
        answered.iter().for_each(|io| trace.completed(io));
    }

    /// The intervals that have ended since the last call.
    pub(super) fn take_intervals(&mut self) -> Vec<(RunShape, Interval)> {
        let intervals = std::mem::take(&mut self.intervals);
        let with_plan = |interval| (self.plan().clone(), interval);
        intervals.into_iter().map(with_plan).collect()
    }

    /// A volume's row in the last interval, and how many seconds that took.
    pub(super) fn last_row(&self, volume: usize) -> Option<(&VolumeRow, f64)> {
        let interval = self.last.as_ref()?;
        let row = &interval.volumes[volume];
        Some((row, interval.done_s - row.t_s))
    }

    /// Notes what happened at `now`.
    pub(super) fn note(&mut self, now: Nanos, kind: EventKind, on: Option<String>, what: String) {
        let t_s = seconds(self.ended.unwrap_or(now));
        self.noted.push(Event::noted(t_s, kind, on, what));
    }

    /// What has happened by `now`.
    pub(super) fn events_until(&self, now: Nanos) -> Vec<Event> {
        let begun = self.planned.iter().filter(|(event, _)| event.at <= now);
        let begun = begun.map(|(event, what)| {
            Event::noted(
                seconds(event.at),
                event.kind,
                Some(event.on.clone()),
                what.clone(),
            )
        });
        let mut all: Vec<_> = begun.chain(self.noted.iter().cloned()).collect();
        all.sort_by(|a, b| a.t_s.total_cmp(&b.t_s));
        all
    }

    /// The result.
    pub(super) fn finish(self) -> (Summary, Emulated) {
        let traced = self.trace.map_or(Ok(()), Trace::finish);
        let mut summary = self.recorder.finish();
        summary.unwritten = summary.unwritten.or(traced.err());
        let emulated = Emulated {
            lateness: self.lateness,
            events: self.noted,
        };
        (summary, emulated)
    }
}

fn seconds(time: Nanos) -> f64 {
    time as f64 / SECOND as f64
}

/// The counts with the limits' numbers of the whole.
fn renumbered(counted: Counted, limits: &[LimitId]) -> Counted {
    let contended = counted.contended.into_iter();
    let balances = counted.balances.into_iter();
    Counted {
        contended: contended
            .map(|((limit, job), tokens)| ((limits[limit.index()], job), tokens))
            .collect(),
        balances: balances
            .map(|(limit, balance)| (limits[limit.index()], balance))
            .collect(),
        ..counted
    }
}

/// The numbers in `plan` of a group's series: those of its devices, in order.
fn series_of(group: &Group, plan: &RunShape) -> Vec<usize> {
    let own = |(_, key): &(usize, &SeriesKey)| group.devices.contains(&key.device);
    let series = plan.series.iter().enumerate().filter(own);
    series.map(|(number, _)| number).collect()
}
