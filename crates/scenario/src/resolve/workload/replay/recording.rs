//! A trace, read from its first row to its last one.

use std::fs;
use std::path::Path;

use blockyard_model::units::{Nanos, SECOND};
use blockyard_text::{grouped, hint};
use blockyard_trace::{Format, Notes, Recorded, Row, Sorted, TooLate, Trace, open};

use super::flow::Flow;
use super::known::Known;
use super::spread::COARSE;
use super::streams::Streams;
use crate::resolve::Invalid;
use crate::schema;

/// A row has some 100 bytes while it is held back.
const MOST_ROWS: usize = 50_000_000;
/// A trace that is known to its end is read again at most so often.
const MOST_READINGS: usize = 5;

/// What is replayed.
pub(super) struct Recording<'a> {
    pub(super) flow: Flow<'a>,
    recorded: Recorded,
    notes: Notes,
    /// IOs whose arrival is not known.
    without: u64,
}

impl<'a> Recording<'a> {
    /// Reads the trace of a job. What decides how that is done is taken from its first rows, and
    /// it is read again if others show that to be wrong.
    pub(super) fn read(path: &'a str, job: &'a schema::Replay) -> Result<Self, Invalid> {
        let format = job.format.as_deref().map(|name| {
            Format::named(name).ok_or_else(|| {
                let hint = hint(name, Format::ALL.map(Format::name));
                let message = format!("no format is called `{name}`{hint}");
                Invalid::new(format!("{path}.format"), message)
            })
        });
        if job.streams.permille() == 0 {
            let message = "no stream is replayed; expected more than 0%".to_owned();
            return Err(Invalid::new(format!("{path}.streams"), message));
        }
        // What is no file cannot be read twice.
        let once = !fs::metadata(&job.trace).is_ok_and(|found| found.is_file());
        let mut reading = Reading {
            path,
            job,
            format: format.transpose()?,
            known: None,
            streams: None,
            window: if once { usize::MAX } else { Sorted::WINDOW },
        };
        for _ in 0..MOST_READINGS {
            match reading.read()? {
                None => reading.window = usize::MAX,
                Some(found) if found.flow.is_right() => return Ok(found),
                Some(found) => {
                    reading.known = Some(found.flow.seen);
                    reading.streams = found.flow.streams;
                }
            }
        }
        let message = format!(
            "`{}` changes while it is read; expected a file that nothing writes to",
            job.trace
        );
        Err(reading.invalid(message))
    }

    /// What to know of it.
    pub(super) fn notices(&self) -> Vec<String> {
        let mut said = Vec::new();
        if self.recorded.step >= COARSE {
            let step = self.recorded.step / SECOND;
            said.push(format!(
                "times are recorded in steps of {step} s: IOs are taken as spread evenly within each, \
                 so that no wait below that is known"
            ));
        }
        if self.without > 0 {
            let ios = grouped(self.without);
            said.push(format!(
                "{ios} IOs are left out: when they came is not recorded"
            ));
        }
        if let Some(cut) = &self.notes.cut {
            said.push(format!("{cut}; what is before it is replayed"));
        }
        if let Some(line) = self.notes.unended {
            said.push(format!(
                "line {line}, the last, has no line end, so it may be cut off; it is replayed"
            ));
        }
        let lost: Vec<_> = self.notes.lost.iter().map(|lost| lost.events).collect();
        if !lost.is_empty() {
            let events = grouped(lost.iter().sum());
            said.push(format!(
                "{events} events or more were lost as it was recorded: IOs are missing"
            ));
        }
        said
    }
}

/// One reading of a trace.
struct Reading<'a> {
    path: &'a str,
    job: &'a schema::Replay,
    format: Option<Format>,
    /// What another reading showed.
    known: Option<Known>,
    streams: Option<Streams>,
    /// Rows that are held back.
    window: usize,
}

impl<'a> Reading<'a> {
    /// Reads all of it; none if more rows have to be held back.
    fn read(&self) -> Result<Option<Recording<'a>>, Invalid> {
        let trace = open(Path::new(&self.job.trace), self.format);
        let mut trace = trace.map_err(|error| self.invalid(error.to_string()))?;
        let recorded = trace.format().recorded();
        let mut flow = self.known.map(|known| self.flow(known, recorded.step));
        let mut sorted = Sorted::new(self.window);
        let (mut all, mut without) = (0_u64, 0);
        let mut wanted = None;
        let mut begin = None;
        while let Some(row) = trace.next() {
            let row = row.map_err(|error| self.invalid(error.to_string()))?;
            let came = row.arrival.or(row.issue);
            begin = begin.into_iter().chain(came).min();
            if wanted.is_none() {
                let name = trace.devices().get(row.device as usize);
                let is_wanted = self.job.device.is_none() || self.job.device.as_ref() == name;
                wanted = is_wanted.then_some(row.device);
            }
            if wanted != Some(row.device) {
                continue;
            }
            all += 1;
            if came.is_none() {
                without += 1;
                continue;
            }
            match sorted.push(row) {
                Err(TooLate) => return Ok(None),
                Ok(false) => self.check_held(&sorted)?,
                Ok(true) => {
                    let flow = flow.get_or_insert_with(|| {
                        let mut held = sorted.held().to_vec();
                        held.sort_by_key(Row::begin);
                        self.guessed(&held, begin, recorded.step)
                    });
                    sorted.give().try_for_each(|row| flow.take(row))?;
                }
            }
        }
        check_device(self.path, self.job, &trace)?;
        if all == without {
            return Err(self.invalid(match all {
                0 => "no IO in it".into(),
                _ => "only ends are recorded; a replay needs when IOs came".into(),
            }));
        }
        let rest = sorted.end();
        let mut flow = flow.unwrap_or_else(|| self.guessed(&rest, begin, recorded.step));
        rest.into_iter().try_for_each(|row| flow.take(row))?;
        flow.seen.begin = begin;
        Ok(Some(Recording {
            flow,
            recorded,
            notes: trace.notes().clone(),
            without,
        }))
    }

    /// As another reading showed it to be done.
    fn flow(&self, known: Known, step: Nanos) -> Flow<'a> {
        let mut flow = Flow::new(self.path, self.job, known, step);
        if let Some(counted) = &self.streams {
            flow.choose_as(counted);
        }
        flow
    }

    /// As its first rows ask for, in the order of their arrival.
    fn guessed(&self, rows: &[Row], begin: Option<Nanos>, step: Nanos) -> Flow<'a> {
        let mut known = Known::of(rows);
        known.begin = begin;
        let mut flow = self.flow(known, step);
        flow.choose(rows);
        flow
    }

    /// Whether memory holds the rows of a trace that is not in order.
    fn check_held(&self, sorted: &Sorted) -> Result<(), Invalid> {
        if sorted.held().len() <= MOST_ROWS {
            return Ok(());
        }
        let (most, window) = (grouped(MOST_ROWS as u64), grouped(Sorted::WINDOW as u64));
        Err(self.invalid(format!(
            "more than {most} IOs, of which some come more than {window} after one that is later; \
             expected a shorter piece of it, or one in the order of time"
        )))
    }

    fn invalid(&self, message: String) -> Invalid {
        Invalid::new(format!("{}.trace", self.path), message)
    }
}

/// That the trace has the device to replay, or no other one.
fn check_device(path: &str, job: &schema::Replay, trace: &Trace<'_>) -> Result<(), Invalid> {
    let names = trace.devices();
    let invalid = |message: String| Err(Invalid::new(format!("{path}.device"), message));
    match &job.device {
        Some(wanted) if !names.contains(wanted) => {
            let hint = hint(wanted, names.iter().map(String::as_str));
            invalid(format!("no device of the trace is called `{wanted}`{hint}"))
        }
        None if names.len() > 1 => {
            let few: Vec<_> = names.iter().take(3).map(String::as_str).collect();
            let count = names.len();
            let few = few.join(", ");
            invalid(format!(
                "the trace has {count} devices ({few}, …); expected one of them"
            ))
        }
        _ => Ok(()),
    }
}
