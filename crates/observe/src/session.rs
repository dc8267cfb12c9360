//! An observation while it goes on.

use std::io;
use std::sync::Arc;
use std::thread;
use std::time::Duration;

use blockyard_machine::{Clock, Error, monotonic};
use blockyard_model::units::{Nanos, SECOND};
use blockyard_record::result::{LostEvents, ObservedDevice, RunResult};
use blockyard_record::{Interval, RowNames, SeriesName};

use crate::calls::Watch;
use crate::counts::{Counts, OPS};
use crate::devices::{chosen, reason};
use crate::ending::{Ended, calls_lost, events_lost};
use crate::events::note;
use crate::interval_log::IntervalLog;
use crate::ios::{InUse, IoLog, Latencies, Tracer, called, interval_of, issued};
use crate::outcome::{JOB, result};
use crate::pressure::Waiting;
use crate::processes::Processes;
use crate::slots::Slots;
use crate::watched::{ByOp, Watched};
use crate::{Observer, Options, SoFar};

/// How often it is asked whether to stop, and how often events are taken in.
const LOOK_UP: Duration = Duration::from_millis(50);

/// From the first event to the first sample: most IOs that began unseen have ended by then.
const SETTLE: Duration = Duration::from_millis(50);

/// Processes are read no more often than this; and as there may be thousands, for no more than one
/// part of the time in so many.
const PROCESSES: Nanos = SECOND;
const READING: Nanos = 500;

/// An observation that goes on.
#[derive(Debug)]
pub(crate) struct Session<'a> {
    options: &'a Options,
    clock: Clock,
    /// The clock's 0, as events are stamped.
    origin: Nanos,
    length: Option<Nanos>,
    interval: Nanos,
    slots: Slots,
    devices: Vec<Watched>,
    names: Arc<RowNames>,
    log: IntervalLog,
    io_log: Option<IoLog>,
    /// Or why each IO cannot be seen.
    tracer: Result<Tracer, String>,
    lost: Vec<LostEvents>,
    calls: Option<Watch>,
    processes: Processes,
    waiting: Waiting,
}

impl<'a> Session<'a> {
    /// Takes the first samples.
    pub(crate) fn start(options: &'a Options, observer: &mut dyn Observer) -> Result<Self, Error> {
        let (length, interval) = options.times()?;
        options.check_whose()?;
        let memory = options.memory()?;
        let devices = chosen(&options.device)?;
        let processes = Processes::start(options)?;
        let log = IntervalLog::create(&options.latency_log).map_err(unwritten)?;
        if observer.stopped() {
            return Err(Error::Stopped);
        }
        let tracer = if options.counters {
            Err("--counters asks for no more".into())
        } else {
            Tracer::start(&devices, memory)
        };
        let calls = options.calls.as_ref().filter(|_| tracer.is_ok());
        let calls = calls.map(|_| Watch::start(&processes.threads(), memory));
        let mut calls = calls
            .transpose()
            .map_err(|why| Error::Lacks(format!("--calls: {why}")))?;
        match &tracer {
            Ok(_) => thread::sleep(SETTLE),
            Err(why) => options.check_unseen(why)?,
        }
        let (origin, clock) = (monotonic(), Clock::start());
        let io_log = options.io_log.as_deref();
        let io_log = io_log.map(|path| IoLog::create(path, origin));
        let io_log = io_log.transpose().map_err(unwritten)?;
        if let (Some(calls), Some(path)) = (&mut calls, &options.calls) {
            calls.keep(path, origin).map_err(unwritten)?;
        }
        let devices = devices.into_iter().map(Watched::start);
        let mut devices = devices.collect::<Result<Vec<_>, _>>()?;
        if tracer.is_ok() {
            let each = devices.iter_mut();
            each.for_each(|watched| {
                watched.latencies = Some(Latencies::default());
                watched.in_use = Some(InUse::new(interval));
            });
        }
        Ok(Self {
            options,
            clock,
            origin,
            length,
            interval,
            slots: Slots::new(interval),
            names: Arc::new(names(&devices)),
            devices,
            log,
            io_log,
            tracer,
            lost: Vec::new(),
            calls,
            processes,
            waiting: Waiting::start(),
        })
    }

    /// Takes a sample at each interval's end, up to the last.
    pub(crate) fn carry_on(mut self, observer: &mut dyn Observer) -> Result<RunResult, Error> {
        let mut processes_at = PROCESSES;
        let end = loop {
            let next = self.slots.next_end();
            let until = self.length.map_or(next, |length| length.min(next));
            if self.sleep(until, observer) {
                break Ended::Stopped;
            }
            let now = self.clock.now();
            if now >= processes_at {
                self.processes.look();
                if let Some(calls) = &mut self.calls {
                    calls.follow(&self.processes.threads());
                }
                let read = self.clock.now();
                processes_at = read + PROCESSES.max((read - now).saturating_mul(READING));
            }
            if self.length.is_some_and(|length| now >= length) {
                break Ended::InTime;
            }
            self.sample(now, observer);
            if self.devices.iter().all(Watched::is_gone) {
                break Ended::NoDevice;
            }
            if self.processes.have_ended() {
                break Ended::NoProcess;
            }
        };
        let now = self.clock.now();
        // IOs of calls that are still seen to end must have been.
        self.calls.iter_mut().for_each(Watch::stop);
        self.tracer.iter_mut().for_each(Tracer::stop);
        if !matches!(end, Ended::NoDevice) {
            self.sample(now, observer);
        }
        self.processes.look();
        let latencies_ended = self.log.finish();
        let log_ended = self.io_log.take().and_then(IoLog::finish);
        self.end_use(now);
        let seconds = now as f64 / SECOND as f64;
        let mut made = result(self.options, &self.devices, seconds, self.interval);
        made.status = end.status(self.length.is_some());
        (made.reason, made.notices) = self.said(&end);
        made.notices.extend(latencies_ended);
        made.notices.extend(log_ended);
        let calls = self
            .calls
            .take()
            .map(|calls| calls.finish(self.origin + now));
        let (calls, table_ended) = calls.unwrap_or_default();
        made.notices.extend(table_ended);
        made.notices
            .extend(calls.as_ref().and_then(|calls| calls_lost(&calls.lost)));
        if let Some(observed) = &mut made.observed {
            made.notices.extend(self.add_ebs(&mut observed.devices));
            observed.processes = self.processes.result();
            observed.pressure = self.waiting.since(seconds);
            observed.lost = self.lost;
            observed.calls = calls;
            observed.events = self.tracer.as_ref().ok().map(Tracer::events);
        }
        Ok(made)
    }

    /// What has not ended was in flight until now. With events lost, only counters know for how
    /// long there was IO.
    fn end_use(&mut self, now: Nanos) {
        let Ok(tracer) = &self.tracer else {
            return;
        };
        for (place, arrival) in tracer.oldest() {
            let watched = &mut self.devices[place];
            // Where nothing is, only its end was not seen.
            let goes_on = watched.in_flight() > 0;
            if let Some(in_use) = watched.in_use.as_mut().filter(|_| goes_on) {
                in_use.add(arrival.saturating_sub(self.origin), now);
            }
        }
        for watched in self.devices.iter_mut().filter(|_| self.lost.is_empty()) {
            watched.used = watched.in_use.take().map(InUse::finish);
        }
    }

    /// Sleeps, but for taking in events; says whether it is to stop.
    fn sleep(&mut self, until: Nanos, observer: &mut dyn Observer) -> bool {
        loop {
            if observer.stopped() {
                return true;
            }
            self.take_events();
            if self.tracer.is_err() {
                self.devices.iter_mut().for_each(Watched::look_into_driver);
            }
            let left = until.saturating_sub(self.clock.now());
            if left == 0 {
                return false;
            }
            thread::sleep(Duration::from_nanos(left).min(LOOK_UP));
        }
    }

    /// Takes in what tracepoints recorded up to now.
    fn take_events(&mut self) {
        let Ok(tracer) = &mut self.tracer else {
            return;
        };
        let (devices, origin, interval) = (&mut self.devices, self.origin, self.interval);
        let (io_log, calls) = (&mut self.io_log, &mut self.calls);
        tracer.take(|place, io| {
            let watched = &mut devices[place];
            // What ended before the first sample is not counted.
            let counts = io.time >= origin;
            if let Some(latencies) = watched.latencies.as_mut().filter(|_| counts) {
                let slot = interval_of(io.time, origin, interval);
                latencies.add(io, slot);
                watched.counted.add(io, slot);
                if let Some(in_use) = &mut watched.in_use {
                    let end = io.time - origin;
                    in_use.add(end.saturating_sub(io.latency), end);
                }
                watched.load.add(&issued(io, slot), || called(&io.by));
            }
            if let Some(log) = io_log {
                log.add(&watched.name, io);
            }
            if let Some(calls) = calls {
                calls.io(io);
            }
        });
        let seconds = |time: Nanos| time.saturating_sub(origin) as f64 / SECOND as f64;
        for loss in tracer.losses() {
            let lost = LostEvents {
                from_s: seconds(loss.from),
                to_s: seconds(loss.to),
                events: loss.events,
            };
            note(&mut self.lost, lost);
        }
        if let Some(calls) = calls {
            calls.take();
        }
    }

    /// Takes a sample of all devices and passes on the intervals that it ends.
    fn sample(&mut self, now: Nanos, observer: &mut dyn Observer) {
        let done = self.devices.iter_mut();
        let done: Vec<Counts> = done.map(|it| it.sample(now, observer)).collect();
        // What is counted has been recorded before.
        self.take_events();
        let slots = self.slots.ended(now);
        let of = slots.end - slots.start;
        let last = slots.end - 1;
        let length_s = self.interval as f64 / SECOND as f64;
        for (index, slot) in (0..).zip(slots) {
            let (mut rows, mut volumes) = (Vec::new(), Vec::new());
            for (place, counts) in done.iter().enumerate() {
                let part = counts.part(index, of);
                let watched = &mut self.devices[place];
                watched.totals.add(&part, self.interval);
                // As of the counts, the last interval gets all that there is.
                let end = (slot < last).then_some(slot + 1);
                let latencies = watched.latencies.as_mut().map(|all| all.ended(end));
                rows.extend(watched.rows(
                    place * OPS.len(),
                    &part,
                    latencies.as_ref(),
                    slot,
                    length_s,
                ));
                if let Some(latencies) = &latencies {
                    let counted = watched.counted.ended(end);
                    let t_s = slot as f64 * length_s;
                    volumes.extend(watched.counted(place, &part, counted, t_s));
                    self.record(place, slot, latencies);
                }
            }
            let interval = Interval {
                done_s: (slot + 1) as f64 * length_s,
                rows,
                volumes,
                rates: Vec::new(),
                transactions: Vec::new(),
            };
            let so_far: Vec<_> = self.devices.iter().map(SoFar::of).collect();
            observer.interval(&self.names, interval, &so_far);
        }
    }

    /// Writes the latencies of an interval to the log.
    fn record(&mut self, place: usize, slot: u64, all: &ByOp) {
        let length = Duration::from_nanos(self.interval);
        let start = Duration::from_nanos(slot * self.interval);
        for (op, latencies) in OPS.iter().zip(all) {
            let tag = format!("{JOB}.{}.{op}", self.devices[place].name);
            self.log.write(&tag, start, length, latencies);
        }
    }

    /// Adds what EBS counted; gives of which volumes that is not known, and why.
    fn add_ebs(&self, devices: &mut [ObservedDevice]) -> Vec<String> {
        let mut unknown: Vec<(String, Vec<&str>)> = Vec::new();
        for device in devices {
            let watched = self.devices.iter().find(|it| it.name == device.name);
            match watched.and_then(Watched::by_ebs) {
                Some(Ok(counted)) => device.ebs = Some(counted),
                Some(Err(why)) => match unknown.iter_mut().find(|it| it.0 == why) {
                    Some(same) => same.1.push(&device.name),
                    None => unknown.push((why, vec![&device.name])),
                },
                None => {}
            }
        }
        let said = unknown.iter().map(|(why, names)| {
            let names = names.join(", ");
            format!("what EBS counted of {names} is not known: {why}")
        });
        said.collect()
    }

    /// Why it failed, if it did, and what to know of its figures.
    fn said(&self, end: &Ended) -> (Option<String>, Vec<String>) {
        let gone: Vec<_> = self.devices.iter().filter_map(Watched::loss).collect();
        let mut notices = self.processes.notices();
        let reason = match end {
            Ended::NoDevice => Some(gone.join("; ")),
            _ => {
                notices.extend(gone);
                None
            }
        };
        notices.extend(self.slots.notice());
        notices.extend(self.devices.iter().flat_map(Watched::notices));
        notices.extend(events_lost(&self.lost));
        if let Err(why) = &self.tracer {
            notices.push(format!("means only, no percentiles: {why}"));
        }
        (reason, notices)
    }
}

/// All series that there may be: each device with each operation.
fn names(devices: &[Watched]) -> RowNames {
    let series = devices.iter().flat_map(|watched| {
        OPS.map(|op| SeriesName {
            job: JOB.into(),
            device: watched.name.clone(),
            op,
        })
    });
    let volumes = devices
        .iter()
        .map(|watched| (watched.name.clone(), Vec::new()));
    RowNames {
        series: series.collect(),
        jobs: vec![JOB.into()],
        volumes: volumes.collect(),
    }
}

fn unwritten(error: io::Error) -> Error {
    Error::Failed(format!("nothing kept: {}", reason(&error)))
}
