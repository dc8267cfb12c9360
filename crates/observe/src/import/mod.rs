//! A trace of another program as a run, as if it had been observed.
//!
//! The trace is read twice: first for its devices, its beginning and its end, then for the run. So
//! a mistake in it is told before anything is written, and memory does not grow with it.

mod device;
mod failures;
mod in_flight;
mod notices;
mod outcome;
mod survey;
mod threads;

use std::io;
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::time::Duration as Time;

use blockyard_machine::Error;
use blockyard_model::units::{Nanos, SECOND};
use blockyard_record::result::RunResult;
use blockyard_record::{Interval, LatencyLog, RowNames, SeriesName};
use blockyard_scenario::units::Duration;
use blockyard_trace::{Format, OPS, Row, Trace, open};
use serde::Deserialize;

use self::device::Device;
use self::survey::Survey;
use self::threads::Threads;
use crate::Observer;
use crate::devices::reason;
use crate::ios::{IoLog, Line};
use crate::outcome::JOB;

/// What to import and how. The names are those of the command line's options.
#[derive(Clone, Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Import {
    /// The file.
    pub trace: PathBuf,
    /// What errors call it.
    pub called: String,
    /// Its format; told from its content unless stated.
    #[serde(default)]
    pub format: Option<String>,
    /// The devices to take; all unless any is named.
    #[serde(default)]
    pub device: Vec<String>,
    /// Length of an interval.
    pub interval: Duration,
    /// The run's name.
    pub name: String,
    /// The file that gets each interval's latencies.
    pub latency_log: PathBuf,
    /// The file that gets each IO.
    pub io_log: PathBuf,
}

/// Rows are in the order of their beginnings or of their ends: one that comes later than this
/// after its time counts in a later interval.
const LATEST: Nanos = 10 * SECOND;

/// Asked between so many rows whether to stop.
const LOOK_UP: u64 = 1 << 16;

impl Import {
    /// The trace from its beginning.
    fn open(&self) -> Result<Trace<'static>, Error> {
        let format = self.format.as_deref().map(|name| {
            Format::named(name).ok_or_else(|| {
                let names = Format::ALL.map(Format::name).join(", ");
                Error::Input(format!("--format: `{name}`; expected one of {names}"))
            })
        });
        open(&self.trace, format.transpose()?).map_err(|error| self.wrong(&error))
    }

    fn wrong(&self, error: &blockyard_trace::Error) -> Error {
        let said = error.to_string();
        Error::Input(said.replacen(&self.trace.display().to_string(), &self.called, 1))
    }
}

/// Imports a trace.
///
/// # Errors
/// If it cannot be read, or is wrong: see [`Error`].
pub fn import(options: &Import, observer: &mut dyn Observer) -> Result<RunResult, Error> {
    let survey = Survey::of(options, observer)?;
    let mut trace = options.open()?;
    let mut importer = Importer::start(options, survey)?;
    let mut number = 0;
    while let Some(row) = trace.next() {
        let row = row.map_err(|error| options.wrong(&error))?;
        importer.add(&row, number, &trace, observer);
        number += 1;
        if number % LOOK_UP == 0 && observer.stopped() {
            return Err(Error::Stopped);
        }
    }
    importer.finish(&trace, observer)
}

struct Importer<'a> {
    options: &'a Import,
    survey: Survey,
    interval: Nanos,
    devices: Vec<Device>,
    names: Arc<RowNames>,
    log: LatencyLog,
    io_log: IoLog,
    threads: Threads,
    /// The first interval that is not over.
    open: u64,
    /// The length of the run, and the intervals in it, of which the last may be shorter.
    length: Nanos,
    intervals: u64,
}

impl<'a> Importer<'a> {
    fn start(options: &'a Import, survey: Survey) -> Result<Self, Error> {
        let log = LatencyLog::create(&options.latency_log);
        let io_log = IoLog::create(&options.io_log, survey.begin);
        let interval = options.interval.nanos();
        // Of less than an interval the rates are those of the interval, as its peaks are.
        let length = (survey.end - survey.begin).max(interval);
        let devices = survey.devices.iter();
        let devices: Vec<_> = devices
            .map(|it| Device::new(it, survey.begin, interval))
            .collect();
        Ok(Self {
            options,
            interval,
            names: Arc::new(names(&devices)),
            devices,
            log: log.map_err(|error| unwritten(&options.latency_log, &error))?,
            io_log: io_log.map_err(|error| unwritten(&options.io_log, &error))?,
            threads: Threads::default(),
            open: 0,
            length,
            intervals: length.div_ceil(interval),
            survey,
        })
    }

    /// Adds a row, by its number, and passes on the intervals that are over by then.
    fn add(&mut self, row: &Row, number: u64, trace: &Trace<'_>, observer: &mut dyn Observer) {
        let Some(place) = self.survey.place(row) else {
            return;
        };
        let Some(at) = row.completion.or_else(|| row.begin()) else {
            return;
        };
        let since = at.saturating_sub(self.survey.begin);
        let over = since.saturating_sub(LATEST) / self.interval;
        while self.open < over {
            self.pass_on(observer);
        }
        // What ends with the run ends in its last interval.
        let slot = (since / self.interval).min(self.intervals - 1);
        let slot = slot.max(self.open);
        // One that never ended counts no more than the kernel would have counted it.
        if self.survey.ended(row, number) {
            self.devices[place].add(row, slot, trace.jobs());
        }
        if let Some(due) = row.arrival.or(row.issue) {
            let (job, thread) = match row.by {
                Some((job, thread)) => (trace.jobs()[job as usize].as_str(), thread),
                None => (JOB, 0),
            };
            self.io_log.write(&Line {
                issued: row.issue.unwrap_or(due).max(due),
                due,
                job,
                thread,
                device: &self.devices[place].name,
                op: OPS[row.op as usize],
                place: (row.offset, row.bytes),
                completed: row
                    .completion
                    .filter(|_| !row.failed)
                    .map(|end| end.max(due)),
            });
        }
        self.threads.add(row);
    }

    /// Passes on the first interval that is not over.
    fn pass_on(&mut self, observer: &mut dyn Observer) {
        let start = self.open * self.interval;
        let end = self.length.min(start + self.interval);
        let seconds = |time: Nanos| time as f64 / SECOND as f64;
        let (t_s, length_s) = (seconds(start), seconds(end - start));
        let length = Time::from_nanos(end - start);
        let mut rows = Vec::new();
        for (place, device) in self.devices.iter_mut().enumerate() {
            let (cells, latencies) = device.ended(self.open);
            for (op, latencies) in OPS.iter().zip(&latencies) {
                let tag = format!("{JOB}.{}.{op}", device.name);
                self.log
                    .write(&tag, Time::from_nanos(start), length, latencies);
            }
            rows.extend(device.rows(place * OPS.len(), &cells, &latencies, (t_s, length_s)));
        }
        self.open += 1;
        let interval = Interval {
            done_s: seconds(end),
            rows,
            volumes: Vec::new(),
            rates: Vec::new(),
            transactions: Vec::new(),
        };
        observer.interval(&self.names, interval, &[]);
    }

    fn finish(
        mut self,
        trace: &Trace<'_>,
        observer: &mut dyn Observer,
    ) -> Result<RunResult, Error> {
        while self.open < self.intervals {
            self.pass_on(observer);
        }
        let finished = self.log.finish();
        finished.map_err(|error| unwritten(&self.options.latency_log, &error))?;
        if let Some(ended) = self.io_log.finish() {
            return Err(Error::Failed(format!("nothing kept: {ended}")));
        }
        let seconds = self.length as f64 / SECOND as f64;
        self.devices.iter_mut().for_each(Device::finish);
        let processes = match trace.format() {
            // There a thread is a place for one IO of a job.
            Format::Blockyard => Vec::new(),
            _ => self.threads.processes(trace.jobs()),
        };
        Ok(outcome::result(
            self.options,
            (&self.survey, trace),
            (&self.devices, processes),
            seconds,
        ))
    }
}

fn names(devices: &[Device]) -> RowNames {
    let series = devices.iter().flat_map(|device| {
        OPS.map(|op| SeriesName {
            job: JOB.into(),
            device: device.name.clone(),
            op,
        })
    });
    RowNames {
        series: series.collect(),
        jobs: vec![JOB.into()],
        volumes: Vec::new(),
    }
}

/// The folder that `path` is in is called otherwise once it is whole, so it is not named.
fn unwritten(path: &Path, error: &io::Error) -> Error {
    let name = path.file_name().unwrap_or_default().display();
    Error::Failed(format!("nothing kept: {name}: {}", reason(error)))
}

#[cfg(test)]
mod tests;
