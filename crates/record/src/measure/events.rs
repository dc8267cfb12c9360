//! What events did to the IO of a run.

#[cfg(test)]
mod tests;

use std::ops::Range;

use blockyard_model::units::{Nanos, SECOND};
use blockyard_model::workload::spec::JobSpec;
use blockyard_scenario::{EventKind, ResolvedEvent};

use crate::measure::counters::InFlight;
use crate::measure::serving::{Backup, Servers, Takeovers};
use crate::measure::shape::RunShape;
use crate::result::{Event, EventEffect, Held, Outage, seconds};

/// At most so long before and after an event its IOs a second are measured.
const BESIDE: Nanos = 60 * SECOND;

/// Tokens that lie ready last a second: so much after a change is left out if as much is left.
const SETTLING: Nanos = SECOND;

/// Shorter times without a completed IO are no outage.
const LEAST_OUTAGE: Nanos = SECOND / 10;

/// Shorter than so many times the usual time between two IOs neither: of random ones one time in
/// twenty is as long.
const USUAL_GAPS: f64 = 3.0;

/// A device has recovered once it serves this share of its IOs a second before.
const RECOVERED: f64 = 0.9;

/// The events of a run, each with the IO around it of the jobs that it counts: those that are
/// served by what it is on while it lasts.
#[derive(Debug, Default)]
pub(crate) struct Events {
    watched: Vec<Watched>,
    /// By series: the events that can change its IO, each with the series' place in it.
    of_series: Vec<Vec<(usize, usize)>>,
    takeovers: Takeovers,
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
    /// The series that it can touch.
    series: Vec<Touched>,
    failed: u64,
    /// The last IO that completed in it, and the longest time without any.
    last: Nanos,
    longest: Nanos,
    /// IOs that completed in the running interval.
    interval: u64,
    /// How long after it the devices had recovered.
    recovered: Option<Nanos>,
}

/// A series that an event can touch.
#[derive(Debug)]
struct Touched {
    servers: Servers,
    /// From when on its IOs before the event count.
    before: Nanos,
    /// Its IOs that completed before, during and after the event.
    ios: [u64; 3],
}

impl Events {
    /// The events of a run of this shape and these jobs, each with what happens in words.
    pub(crate) fn new(
        shape: &RunShape,
        jobs: &[JobSpec],
        events: Vec<(ResolvedEvent, String)>,
    ) -> Self {
        let backups = shape.series.iter().map(|key| Backup::of(key, jobs));
        let backups: Vec<_> = backups.collect();
        let touched: Vec<Vec<_>> = events
            .iter()
            .map(|(event, _)| touched(event, shape, &backups))
            .collect();
        // On one device, or on devices of one job: a database whose log stands still reads nothing.
        let jobs_of = |event: usize| touched[event].iter().map(|it| shape.series[it.0].job);
        let share = |one: usize, other: usize| {
            let mut devices = events[one].0.devices.iter();
            devices.any(|device| events[other].0.devices.contains(device))
                || jobs_of(one).any(|own| jobs_of(other).any(|job| job == own))
        };
        let mut of_series = vec![Vec::new(); shape.series.len()];
        let mut windows = Vec::new();
        for (place, (event, _)) in events.iter().enumerate() {
            for (index, &(series, _)) in touched[place].iter().enumerate() {
                of_series[series].push((place, index));
            }
            let over = over(event);
            let beside = events.iter().enumerate();
            let beside = beside.filter(|&(other, _)| share(place, other));
            let beside = beside.flat_map(|(_, (it, _))| [it.at, self::over(it)]);
            let begin = event.at.saturating_sub(BESIDE);
            let earlier = beside.clone().filter(|&bound| bound < event.at);
            let before = earlier.chain([begin, shape.warmup.min(event.at)]).max();
            let later = beside.filter(|&bound| bound > over);
            let after = later.chain([over.saturating_add(BESIDE)]).min();
            windows.push((
                settled(before.unwrap_or(begin), event.at),
                settled(over, after.unwrap_or(over).min(shape.duration)),
            ));
        }
        let all = events.into_iter().zip(touched).zip(windows);
        let watched = all.map(|(((event, what), touched), (before, after))| Watched {
            before,
            after,
            over: over(&event),
            last: event.at,
            event,
            what,
            series: touched
                .into_iter()
                .map(|(_, servers)| Touched {
                    servers,
                    before: before.0,
                    ios: [0; 3],
                })
                .collect(),
            failed: 0,
            longest: 0,
            interval: 0,
            recovered: None,
        });
        Self {
            watched: watched.collect(),
            of_series,
            takeovers: Takeovers::new(jobs.len()),
            told_each: true,
        }
    }

    /// The mirror of a job's journal has been taken over at these times, the last of them now.
    pub(crate) fn taken_over(&mut self, job: usize, times: Vec<Nanos>) {
        let Some(&now) = times.last() else { return };
        let counted = self.watched.iter().map(|it| it.since(&self.takeovers));
        let counted: Vec<_> = counted.collect();
        self.takeovers.set(job, times);
        for (watched, counted) in self.watched.iter_mut().zip(counted) {
            watched.taken_over(now, job);
            if let (None, Some(since)) = (counted, watched.since(&self.takeovers)) {
                watched.last = since;
            }
        }
    }

    /// An IO completed at `now`.
    pub(crate) fn completed(&mut self, now: Nanos, io: &InFlight) {
        for &(place, index) in &self.of_series[io.series] {
            let watched = &mut self.watched[place];
            match io.failed {
                true => watched.failed((index, &self.takeovers), io.issued..now, 1),
                false if !io.part => watched.served((index, &self.takeovers), now..now, 1),
                false => {}
            }
        }
    }

    /// The IOs of a series that completed and failed between two times.
    pub(crate) fn counted(&mut self, span: Range<Nanos>, series: usize, ios: u64, failed: u64) {
        for &(place, index) in &self.of_series[series] {
            let watched = &mut self.watched[place];
            watched.failed((index, &self.takeovers), span.clone(), failed);
            if ios > 0 {
                watched.served((index, &self.takeovers), span.clone(), ios);
            }
        }
    }

    /// An interval ended.
    pub(crate) fn end_interval(&mut self, start: Nanos, end: Nanos) {
        for watched in &mut self.watched {
            watched.end_interval(&self.takeovers, start, end);
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
        self.of_series[series]
            .iter()
            .filter_map(move |&(place, index)| {
                let watched = &self.watched[place];
                let paused = matches!(watched.event.kind, EventKind::Pause | EventKind::Degrade);
                if !paused || !counts(&watched.event) {
                    return None;
                }
                // What two pause counts once.
                let held = watched.event.at.max(after)..watched.over.min(span.end);
                let held = watched.series[index].servers.serve(&self.takeovers, held)?;
                after = held.end;
                Some((place, held.end - held.start))
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
                ..it.result(&self.takeovers, end)
            })
            .collect()
    }
}

/// The series that an event can touch, by number, each with what serves it.
fn touched(
    event: &ResolvedEvent,
    shape: &RunShape,
    backups: &[Option<Backup>],
) -> Vec<(usize, Servers)> {
    let is_on = |device: &usize| event.devices.contains(device);
    let all = shape.series.iter().zip(backups).enumerate();
    let touched = all.map(|(series, (key, backup))| {
        let own = is_on(&key.device);
        let shipped = event.journals.contains(&key.device);
        let mirrored = backup
            .as_ref()
            .map(|it| it.devices.iter().any(is_on) || shipped);
        let servers = Servers {
            on: [own, mirrored.unwrap_or(own)],
            mirror: backup.as_ref().map(|it| it.job),
        };
        (series, servers)
    });
    touched.filter(|it| it.1.on.contains(&true)).collect()
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

impl Touched {
    /// Since when it counts for an event of that time: from when on what the event is on serves
    /// it. None if that is never so, by the takeovers so far.
    fn since(&self, takeovers: &Takeovers, time: Range<Nanos>) -> Option<Nanos> {
        let served = self.servers.serve(takeovers, time)?;
        Some(served.start)
    }
}

impl Watched {
    /// The time in which it holds; of one that is over at once, that moment.
    fn time(&self) -> Range<Nanos> {
        self.event.at..self.over.max(self.event.at + 1)
    }

    /// Since when it counts any job; none if it counts none, by the takeovers so far.
    fn since(&self, takeovers: &Takeovers) -> Option<Nanos> {
        let since = |it: &Touched| it.since(takeovers, self.time());
        self.series.iter().filter_map(since).min()
    }

    /// A backup took over at `now`: what was before that is not what the event changes.
    fn taken_over(&mut self, now: Nanos, job: usize) {
        let of_mirror = |it: &&mut Touched| it.servers.mirror == Some(job);
        if now < self.event.at {
            let (before, _) = settled(now, self.event.at);
            let series = self.series.iter_mut().filter(of_mirror);
            series.filter(|it| before > it.before).for_each(|it| {
                it.before = before;
                it.ios[0] = 0;
            });
        }
    }

    /// IOs of one of its series completed.
    fn served(&mut self, (index, takeovers): (usize, &Takeovers), span: Range<Nanos>, ios: u64) {
        let Range {
            start: from,
            end: to,
        } = span;
        let time = self.time();
        let touched = &mut self.series[index];
        // Who serves then is not known before.
        if from >= self.event.at && touched.since(takeovers, time).is_none() {
            return;
        }
        self.interval += ios;
        let before = (touched.before, self.before.1);
        let spans = [before, (self.event.at, self.over), self.after];
        for (sum, span) in touched.ios.iter_mut().zip(spans) {
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

    /// IOs of one of its series failed that were issued and ended at these times.
    fn failed(&mut self, (index, takeovers): (usize, &Takeovers), span: Range<Nanos>, ios: u64) {
        let fails = matches!(
            self.event.kind,
            EventKind::Fail | EventKind::Cut | EventKind::Failover | EventKind::Switch
        );
        let time = span.start.max(self.event.at)..(span.end + 1).min(self.time().end);
        let servers = self.series[index].servers;
        if fails && servers.serve(takeovers, time).is_some() {
            self.failed += ios;
        }
    }

    fn end_interval(&mut self, takeovers: &Takeovers, start: Nanos, end: Nanos) {
        let ios = std::mem::take(&mut self.interval);
        if !disturbs(self.event.kind) || start < self.over || self.recovered.is_some() {
            return;
        }
        let rate = ios as f64 / seconds(end - start);
        let before = self.rate(0, takeovers, end);
        if before.is_some_and(|before| before > 0.0 && rate >= RECOVERED * before) {
            self.recovered = Some(start - self.over);
        }
    }

    /// IOs a second before, during or after it, in a run that ends at `end`: of each series while
    /// it counts.
    fn rate(&self, part: usize, takeovers: &Takeovers, end: Nanos) -> Option<f64> {
        let (from, to) = match part {
            0 => self.before,
            1 => (self.event.at, self.over),
            _ => self.after,
        };
        let to = to.min(end);
        let ios = |it: &Touched| {
            let since = it.since(takeovers, self.time())?;
            let counts_from = match part {
                0 => it.before,
                1 => since,
                _ => from,
            };
            let times = (to - from) as f64 / to.saturating_sub(counts_from).max(1) as f64;
            Some(it.ios[part] as f64 * times)
        };
        // An empty sum of these numbers would be -0.0.
        let ios = || {
            self.series
                .iter()
                .filter_map(ios)
                .fold(0.0, |sum, ios| sum + ios)
        };
        (from < to).then(|| ios() / seconds(to - from))
    }

    fn result(mut self, takeovers: &Takeovers, end: Nanos) -> Event {
        // Where it counts no job, nobody waits.
        if self.last < self.over && self.since(takeovers).is_some() {
            self.longest = self.longest.max(end.saturating_sub(self.last));
        }
        let [before, during, after] = [0, 1, 2].map(|part| self.rate(part, takeovers, end));
        let usual = before.map(|before| before.max(after.unwrap_or(0.0)));
        let is_outage = |longest: &Nanos| {
            let gaps = usual.map(|usual| usual * seconds(*longest));
            *longest >= LEAST_OUTAGE && gaps.is_none_or(|gaps| gaps >= USUAL_GAPS)
        };
        let outage = Some(self.longest).filter(is_outage);
        let touches = !self.event.devices.is_empty();
        let effect = EventEffect {
            outage_s: outage.map_or(0.0, seconds),
            recovered_s: self.recovered.map(seconds),
            failed_ios: self.failed,
            iops_before: before,
            iops_during: during,
            iops_after: after,
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
