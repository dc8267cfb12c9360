//! An observation while it goes on.

use std::sync::Arc;
use std::thread;
use std::time::Duration;

use blockyard_machine::{BlockDevice, BlockStat, Clock, Error};
use blockyard_model::units::{Nanos, SECOND};
use blockyard_record::result::{RunResult, Status};
use blockyard_record::{Interval, IntervalRow, LatencyLog, RowNames, SeriesName};

use crate::counts::{Counts, OPS};
use crate::devices::{chosen, reason};
use crate::outcome::{Ended, JOB, Totals, result};
use crate::pressure::Waiting;
use crate::processes::Processes;
use crate::slots::Slots;
use crate::{Observer, Options};

/// How often it is asked whether to stop.
const LOOK_UP: Duration = Duration::from_millis(50);

/// Processes are read no more often than this: there may be thousands.
const PROCESSES: Nanos = SECOND;

/// A device that is observed.
#[derive(Debug)]
pub(crate) struct Watched {
    pub(crate) device: BlockDevice,
    pub(crate) name: String,
    last: BlockStat,
    /// Why it can no longer be read, and since when.
    pub(crate) gone: Option<(Nanos, String)>,
    pub(crate) totals: Totals,
}

/// An observation that goes on.
#[derive(Debug)]
pub(crate) struct Session<'a> {
    options: &'a Options,
    clock: Clock,
    length: Option<Nanos>,
    interval: Nanos,
    slots: Slots,
    devices: Vec<Watched>,
    names: Arc<RowNames>,
    processes: Processes,
    waiting: Waiting,
}

impl<'a> Session<'a> {
    /// Takes the first samples.
    pub(crate) fn start(options: &'a Options, observer: &mut dyn Observer) -> Result<Self, Error> {
        let (length, interval) = options.times()?;
        let devices = chosen(&options.device)?;
        let processes = Processes::start(options)?;
        // Every run has such a log; counters know no single latency.
        let log = LatencyLog::create(&options.latency_log).and_then(|mut log| log.finish());
        log.map_err(|error| Error::Failed(format!("{}: {error}", options.latency_log.display())))?;
        if observer.stopped() {
            return Err(Error::Stopped);
        }
        let devices = devices.into_iter().map(Watched::start);
        let devices = devices.collect::<Result<Vec<_>, _>>()?;
        Ok(Self {
            options,
            clock: Clock::start(),
            length,
            interval,
            slots: Slots::new(interval),
            names: Arc::new(names(&devices)),
            devices,
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
                processes_at = now + PROCESSES;
            }
            if self.length.is_some_and(|length| now >= length) {
                break Ended::InTime;
            }
            self.sample(now, observer);
            if self.devices.iter().all(|watched| watched.gone.is_some()) {
                break Ended::NoDevice;
            }
            if self.processes.have_ended() {
                break Ended::NoProcess;
            }
        };
        let now = self.clock.now();
        if !matches!(end, Ended::NoDevice) {
            self.sample(now, observer);
        }
        self.processes.look();
        self.outcome(&end, now)
    }

    /// Sleeps; says whether it is to stop.
    fn sleep(&self, until: Nanos, observer: &mut dyn Observer) -> bool {
        loop {
            if observer.stopped() {
                return true;
            }
            let left = until.saturating_sub(self.clock.now());
            if left == 0 {
                return false;
            }
            thread::sleep(Duration::from_nanos(left).min(LOOK_UP));
        }
    }

    /// Takes a sample of all devices and passes on the intervals that it ends.
    fn sample(&mut self, now: Nanos, observer: &mut dyn Observer) {
        let done = self
            .devices
            .iter_mut()
            .map(|watched| watched.sample(now, observer));
        let done: Vec<Counts> = done.collect();
        let slots = self.slots.ended(now);
        let of = slots.end - slots.start;
        for (index, slot) in (0..).zip(slots) {
            let mut rows = Vec::new();
            for (place, counts) in done.iter().enumerate() {
                let part = counts.part(index, of);
                let watched = &mut self.devices[place];
                watched.totals.add(&part, self.interval);
                if watched.gone.is_none() {
                    rows.extend(self.rows(place, &part, slot));
                }
            }
            let done_s = (slot + 1) as f64 * self.interval as f64 / SECOND as f64;
            let interval = Interval {
                done_s,
                rows,
                volumes: Vec::new(),
                rates: Vec::new(),
                transactions: Vec::new(),
            };
            observer.interval(&self.names, interval);
        }
    }

    /// The rows of a device's operations: of each from its first IO on.
    fn rows(&self, place: usize, counts: &Counts, slot: u64) -> Vec<IntervalRow> {
        let length_s = self.interval as f64 / SECOND as f64;
        let begun = self.devices[place].totals.whole.ops;
        let ops = counts.ops.iter().zip(begun).enumerate();
        let rows = ops.filter(|(_, (_, begun))| begun.ios > 0);
        rows.map(|(op, (counts, _))| IntervalRow {
            t_s: slot as f64 * length_s,
            series: place * OPS.len() + op,
            ios: counts.ios,
            bytes: counts.bytes,
            mean_us: counts.mean_us(),
            latency_us: None,
            queue_depth: counts.ms as f64 / 1000.0 / length_s,
        })
        .collect()
    }

    fn outcome(self, end: &Ended, now: Nanos) -> Result<RunResult, Error> {
        let asked = self.length.is_some();
        let (status, reason) = match end {
            // Without a length it is over when somebody says so.
            Ended::Stopped if asked => (Status::Interrupted, None),
            Ended::Stopped | Ended::InTime | Ended::NoProcess => (Status::Complete, None),
            Ended::NoDevice => {
                let gone = self.devices.iter().filter_map(Watched::loss);
                let gone: Vec<_> = gone.collect();
                (Status::Failed, Some(gone.join("; ")))
            }
        };
        let seconds = now as f64 / SECOND as f64;
        let mut notices = self.processes.notices();
        notices.extend(self.slots.notice());
        if reason.is_none() {
            notices.extend(self.devices.iter().filter_map(Watched::loss));
        }
        notices.extend(self.devices.iter().filter_map(Watched::began_anew));
        let processes = self.processes.result();
        let pressure = self.waiting.since(seconds);
        let mut made = result(self.options, &self.devices, seconds, self.interval);
        (made.status, made.reason, made.notices) = (status, reason, notices);
        if let Some(observed) = &mut made.observed {
            (observed.processes, observed.pressure) = (processes, pressure);
        }
        Ok(made)
    }
}

impl Watched {
    fn start(device: BlockDevice) -> Result<Self, Error> {
        let name = device.name();
        let last = device
            .stat()
            .map_err(|error| Error::Lacks(format!("{name}: {}", reason(&error))))?;
        Ok(Self {
            device,
            name,
            last,
            gone: None,
            totals: Totals::default(),
        })
    }

    /// What it did since the last sample.
    fn sample(&mut self, now: Nanos, observer: &mut dyn Observer) -> Counts {
        if self.gone.is_some() {
            return Counts::default();
        }
        match self.device.stat() {
            Ok(stat) => {
                let done = Counts::between(&self.last, &stat);
                self.last = stat;
                self.totals.anew += u64::from(done.is_none());
                done.unwrap_or_default()
            }
            Err(error) => {
                self.gone = Some((now, reason(&error)));
                self.loss().iter().for_each(|said| observer.warn(said));
                Counts::default()
            }
        }
    }

    /// That it vanished, if it did.
    fn loss(&self) -> Option<String> {
        let (at, why) = self.gone.as_ref()?;
        let at = *at as f64 / SECOND as f64;
        Some(format!("{} vanished after {at:.1} s ({why})", self.name))
    }

    fn began_anew(&self) -> Option<String> {
        let times = self.totals.anew;
        (times > 0).then(|| {
            format!(
                "counters of {} began anew {times} times; what was counted then is left out",
                self.name
            )
        })
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
    RowNames {
        series: series.collect(),
        jobs: vec![JOB.into()],
        volumes: Vec::new(),
    }
}
