//! What events did to the IO of a run.

use std::ops::Range;

use blockyard_model::units::{Nanos, SECOND};
use blockyard_scenario::{EventKind, ResolvedEvent};

use crate::measure::counters::InFlight;
use crate::measure::shape::RunShape;
use crate::result::{Event, EventEffect, Held, Outage, seconds};

/// At most so long before and after an event its IOs a second are measured.
const BESIDE: Nanos = 60 * SECOND;

/// Tokens that lie ready last a second: so much after a change is left out if as much is left.
const SETTLING: Nanos = SECOND;

/// Shorter times without a completed IO are no outage.
const LEAST_OUTAGE: Nanos = SECOND / 10;

/// A device has recovered once it serves this share of its IOs a second before.
const RECOVERED: f64 = 0.9;

/// The events of a run, each with the IO of its devices around it.
#[derive(Debug, Default)]
pub(crate) struct Events {
    watched: Vec<Watched>,
    /// By series: the events that change its device's IO.
    of_series: Vec<Vec<usize>>,
    /// Whether each IO is reported; if not, intervals are.
    pub(crate) told_each: bool,
}

/// An event with what is counted of its devices.
#[derive(Debug)]
struct Watched {
    event: ResolvedEvent,
    what: String,
    /// The times in which IOs before and after it count.
    before: (Nanos, Nanos),
    after: (Nanos, Nanos),
    /// When it is over.
    over: Nanos,
    /// IOs that completed before, during and after it.
    ios: [u64; 3],
    failed: u64,
    /// The last IO that completed in it, and the longest time without any.
    last: Nanos,
    longest: Nanos,
    /// IOs that completed in the running interval.
    interval: u64,
    /// How long after it the devices had recovered.
    recovered: Option<Nanos>,
}

impl Events {
    /// The events of a run of this shape, each with what happens in words.
    pub(crate) fn new(shape: &RunShape, events: Vec<(ResolvedEvent, String)>) -> Self {
        let bounds: Vec<_> = events
            .iter()
            .map(|(event, _)| (event.at, over(event), event.devices.clone()))
            .collect();
        let watched = events.into_iter().map(|(event, what)| {
            let over = over(&event);
            let beside = bounds.iter().filter(|(_, _, devices)| {
                devices.iter().any(|device| event.devices.contains(device))
            });
            let beside = beside.flat_map(|&(at, over, _)| [at, over]);
            let begin = event.at.saturating_sub(BESIDE);
            let earlier = beside.clone().filter(|&bound| bound < event.at);
            let before = earlier.chain([begin, shape.warmup.min(event.at)]).max();
            let later = beside.filter(|&bound| bound > over);
            let after = later.chain([over.saturating_add(BESIDE)]).min();
            Watched {
                before: settled(before.unwrap_or(begin), event.at),
                after: settled(over, after.unwrap_or(over).min(shape.duration)),
                over,
                last: event.at,
                event,
                what,
                ios: [0; 3],
                failed: 0,
                longest: 0,
                interval: 0,
                recovered: None,
            }
        });
        let watched: Vec<_> = watched.collect();
        let touching = |device: usize| {
            let all = watched.iter().enumerate();
            let touching = all.filter(move |(_, it)| it.event.devices.contains(&device));
            touching.map(|(place, _)| place).collect()
        };
        Self {
            of_series: shape
                .series
                .iter()
                .map(|key| touching(key.device))
                .collect(),
            watched,
            told_each: true,
        }
    }

    /// An IO completed at `now`.
    pub(crate) fn completed(&mut self, now: Nanos, io: &InFlight) {
        for &place in &self.of_series[io.series] {
            let watched = &mut self.watched[place];
            match io.failed {
                true => watched.failed(io.issued, now, 1),
                false if !io.part => watched.served(now..now, 1),
                false => {}
            }
        }
    }

    /// The IOs of a series that completed and failed between two times.
    pub(crate) fn counted(&mut self, span: Range<Nanos>, series: usize, ios: u64, failed: u64) {
        for &place in &self.of_series[series] {
            let watched = &mut self.watched[place];
            watched.failed(span.start, span.end, failed);
            if ios > 0 {
                watched.served(span.clone(), ios);
            }
        }
    }

    /// An interval ended.
    pub(crate) fn end_interval(&mut self, start: Nanos, end: Nanos) {
        for watched in &mut self.watched {
            watched.end_interval(start, end);
        }
    }

    /// The events that paused or slowed down what IO of a series is for between two times, each
    /// with for how long.
    pub(crate) fn within(
        &self,
        series: usize,
        span: Range<Nanos>,
    ) -> impl Iterator<Item = (usize, Nanos)> {
        self.within_those(series, span, |_| true)
    }

    /// The same of those that count.
    fn within_those(
        &self,
        series: usize,
        span: Range<Nanos>,
        counts: impl Fn(&ResolvedEvent) -> bool,
    ) -> impl Iterator<Item = (usize, Nanos)> {
        let mut after = span.start;
        self.of_series[series].iter().filter_map(move |&place| {
            let watched = &self.watched[place];
            let paused = matches!(watched.event.kind, EventKind::Pause | EventKind::Degrade);
            // What two pause counts once.
            let begin = watched.event.at.max(after);
            let end = watched.over.min(span.end);
            (paused && begin < end && counts(&watched.event)).then(|| {
                after = end;
                (place, end - begin)
            })
        })
    }

    /// The events in whose time an IO was throttled, each with for how long, of those that can
    /// throttle: what waits for a volume does not wait for a link that is slow meanwhile.
    pub(crate) fn throttling(&self, io: &InFlight) -> impl Iterator<Item = (usize, Nanos)> {
        let mut left = io.throttled;
        let span = io.issued..io.issued + io.throttled;
        let within = self.within_those(io.series, span, |event| !event.spares_volumes);
        within.map(move |(event, paused)| {
            let paused = paused.min(left);
            left -= paused;
            (event, paused)
        })
    }

    /// Their outcome in a run that ended at `end`, with what each `held`; those that had not
    /// begun are left out.
    pub(crate) fn results(self, end: Nanos, held: impl Fn(usize) -> Vec<Held>) -> Vec<Event> {
        let all = self.watched.into_iter().enumerate();
        let begun = all.filter(|(_, it)| it.event.at < end);
        begun
            .map(|(place, it)| Event {
                held: held(place),
                ..it.result(end)
            })
            .collect()
    }
}

/// Whether an event keeps devices from doing what they do, until it is over.
fn disturbs(kind: EventKind) -> bool {
    match kind {
        EventKind::Fail
        | EventKind::Cut
        | EventKind::Pause
        | EventKind::Degrade
        | EventKind::Failover
        | EventKind::Switch => true,
        EventKind::Modify
        | EventKind::Resume
        | EventKind::Grow
        | EventKind::Reconnect
        | EventKind::Frozen
        | EventKind::SplitBrain
        | EventKind::Discarded
        | EventKind::Add
        | EventKind::Trouble
        | EventKind::CatchUp
        | EventKind::Takeover
        | EventKind::Silent
        | EventKind::Left
        | EventKind::Outdated
        | EventKind::StateTransfer
        | EventKind::LogFull
        | EventKind::NotPromoted
        | EventKind::NoQuorum
        | EventKind::Asynchronous
        | EventKind::Fault
        | EventKind::Set
        | EventKind::Note => false,
    }
}

/// When an event is over: one that lasts and has no end is so never.
fn over(event: &ResolvedEvent) -> Nanos {
    let lasts = disturbs(event.kind);
    match event.until {
        Some(until) => until,
        None if lasts => Nanos::MAX,
        None => event.at,
    }
}

/// The time between two changes, without the second after the first if it is long enough.
fn settled(from: Nanos, to: Nanos) -> (Nanos, Nanos) {
    match from.saturating_add(2 * SETTLING) <= to {
        true => (from + SETTLING, to),
        false => (from, to),
    }
}

impl Watched {
    fn served(&mut self, span: Range<Nanos>, ios: u64) {
        let Range {
            start: from,
            end: to,
        } = span;
        self.interval += ios;
        let spans = [self.before, (self.event.at, self.over), self.after];
        for (sum, span) in self.ios.iter_mut().zip(spans) {
            *sum += if (span.0..span.1).contains(&from) {
                ios
            } else {
                0
            };
        }
        if from < self.event.at {
            return;
        }
        if self.last < self.over {
            self.longest = self.longest.max(from.saturating_sub(self.last));
        }
        self.last = to;
    }

    /// IOs failed that were issued and ended at these times.
    fn failed(&mut self, issued: Nanos, ended: Nanos, ios: u64) {
        let fails = matches!(
            self.event.kind,
            EventKind::Fail | EventKind::Cut | EventKind::Failover | EventKind::Switch
        );
        if fails && issued < self.over && ended >= self.event.at {
            self.failed += ios;
        }
    }

    fn end_interval(&mut self, start: Nanos, end: Nanos) {
        let ios = std::mem::take(&mut self.interval);
        if !disturbs(self.event.kind) || start < self.over || self.recovered.is_some() {
            return;
        }
        let rate = ios as f64 / seconds(end - start);
        let before = self.rate(0, end);
        if before.is_some_and(|before| rate >= RECOVERED * before) {
            self.recovered = Some(start - self.over);
        }
    }

    /// IOs a second before, during or after it, in a run that ends at `end`.
    fn rate(&self, part: usize, end: Nanos) -> Option<f64> {
        let (from, to) = match part {
            0 => self.before,
            1 => (self.event.at, self.over),
            _ => self.after,
        };
        let to = to.min(end);
        (from < to).then(|| self.ios[part] as f64 / seconds(to - from))
    }

    fn result(mut self, end: Nanos) -> Event {
        if self.last < self.over {
            self.longest = self.longest.max(end.saturating_sub(self.last));
        }
        let outage = Some(self.longest).filter(|&longest| longest >= LEAST_OUTAGE);
        let touches = !self.event.devices.is_empty();
        let effect = EventEffect {
            outage_s: outage.map_or(0.0, seconds),
            recovered_s: self.recovered.map(seconds),
            failed_ios: self.failed,
            iops_before: self.rate(0, end),
            iops_during: self.rate(1, end),
            iops_after: self.rate(2, end),
        };
        Event {
            t_s: seconds(self.event.at),
            what: self.what,
            kind: self.event.kind,
            on: Some(self.event.on),
            until_s: self.event.until.map(seconds),
            outage: (self.event.outage).map(|outage| Outage::of(outage, self.event.at, end)),
            effect: Some(effect).filter(|_| touches),
            held: Vec::new(),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::measure::shape::RunTimes;

    fn watched(kind: EventKind, at: Nanos, until: Option<Nanos>) -> Watched {
        let storage = blockyard_model::spec::StorageSpec {
            hosts: Vec::new(),
            volumes: Vec::new(),
            devices: Vec::new(),
            links: Vec::new(),
        };
        let limits = blockyard_model::storage::Limits::new(&storage);
        let shape = RunShape::new(
            RunTimes {
                interval: SECOND,
                warmup: 0,
                duration: 60 * SECOND,
            },
            &[],
            &storage,
            &limits,
        );
        let event = ResolvedEvent::new(kind, "data", at, until, vec![0]);
        let mut events = Events::new(&shape, vec![(event, String::new())]);
        events.watched.remove(0)
    }

    /// Ten IOs a second from 0 to 10 s and from 13 s on; the event lasts from 10 to 12.5 s.
    #[test]
    fn an_outage_lasts_until_the_next_io() {
        let mut event = watched(EventKind::Pause, 10 * SECOND, Some(25 * SECOND / 2));
        let tenth = SECOND / 10;
        for second in 0..20 {
            for place in 0..10 {
                let now = second * SECOND + place * tenth;
                if !(10 * SECOND..13 * SECOND).contains(&now) {
                    event.served(now..now, 1);
                }
            }
            event.end_interval(second * SECOND, (second + 1) * SECOND);
        }
        let effect = event.result(20 * SECOND).effect.unwrap();
        assert_eq!((effect.outage_s, effect.recovered_s), (3.0, Some(0.5)));
        assert_eq!(effect.iops_before, Some(10.0));
        assert_eq!(effect.iops_during, Some(0.0));
        // From 13.5 s on.
        assert_eq!(effect.iops_after, Some(65.0 / 6.5));
    }

    #[test]
    fn what_never_ends_lasts_to_the_end_of_the_run() {
        let mut event = watched(EventKind::Fail, 10 * SECOND, None);
        (0..10_u64).for_each(|second| event.served(second * SECOND..second * SECOND, 1));
        event.failed(8 * SECOND, 9 * SECOND, 1);
        event.failed(11 * SECOND, 12 * SECOND, 7);
        let effect = event.result(30 * SECOND).effect.unwrap();
        assert_eq!((effect.outage_s, effect.recovered_s), (20.0, None));
        assert_eq!((effect.failed_ios, effect.iops_after), (7, None));
    }
}
