//! The IOs of a trace, in memory.

use std::path::Path;

use blockyard_model::storage::Op;
use blockyard_model::units::{Nanos, SECOND};
use blockyard_text::{grouped, hint};
use blockyard_trace::{Format, Recorded, Row, Trace, open};

use super::{COARSE, spread};
use crate::resolve::Invalid;
use crate::schema::{self, ReplayLoop};

/// A row has some 100 bytes while it is read.
const MOST_ROWS: usize = 50_000_000;

/// What is replayed.
pub(super) struct Recording {
    /// In the order of their arrival, which all have.
    pub(super) rows: Vec<Row>,
    recorded: Recorded,
    /// IOs whose arrival is not known.
    without: u64,
    /// What was at the end of a file that is cut.
    cut: Option<String>,
}

impl Recording {
    /// Reads the trace of a job.
    pub(super) fn read(path: &str, job: &schema::Replay) -> Result<Self, Invalid> {
        let invalid = |message: String| Invalid::new(format!("{path}.trace"), message);
        let format = job.format.as_deref().map(|name| {
            Format::named(name).ok_or_else(|| {
                let hint = hint(name, Format::ALL.map(Format::name));
                let message = format!("no format is called `{name}`{hint}");
                Invalid::new(format!("{path}.format"), message)
            })
        });
        let trace = open(Path::new(&job.trace), format.transpose()?);
        let mut trace = trace.map_err(|error| invalid(error.to_string()))?;
        let mut rows = Vec::new();
        for row in trace.by_ref() {
            rows.push(row.map_err(|error| invalid(error.to_string()))?);
            if rows.len() > MOST_ROWS {
                let most = grouped(MOST_ROWS as u64);
                let message = format!("more than {most} IOs; expected a shorter piece of it");
                return Err(invalid(message));
            }
        }
        let device = device(path, job, &trace)?;
        rows.retain(|row| device.is_none_or(|device| row.device == device));
        let all = rows.len();
        rows.retain(|row| row.arrival.or(row.issue).is_some());
        let without = all - rows.len();
        if rows.is_empty() {
            return Err(invalid(match all {
                0 => "no IO in it".into(),
                _ => "only ends are recorded; a replay needs when IOs came".into(),
            }));
        }
        Ok(Self {
            rows: as_asked_for(rows),
            recorded: trace.format().recorded(),
            without: without as u64,
            cut: trace.notes().cut.clone(),
        })
    }

    /// What an IO waits for: what is asked for, if the trace has what that needs.
    pub(super) fn pace(&self, path: &str, job: &schema::Replay) -> Result<ReplayLoop, Invalid> {
        let threads = self.rows.iter().any(|row| row.by.is_some());
        let ends = self.rows.iter().any(|row| row.completion.is_some());
        let refused = |what: &str, way: &str| {
            let message = format!("the trace records no {what}; expected {way}");
            Err(Invalid::new(format!("{path}.loop"), message))
        };
        match job.pace {
            None if threads && ends => Ok(ReplayLoop::Threads),
            None if ends => Ok(ReplayLoop::Chains),
            None => Ok(ReplayLoop::Open),
            Some(ReplayLoop::Threads | ReplayLoop::Commits) if !threads => {
                refused("threads", "`chains` or `open`")
            }
            Some(ReplayLoop::Open) => Ok(ReplayLoop::Open),
            Some(_) if !ends => refused("ends", "`open`"),
            Some(pace) => Ok(pace),
        }
    }

    /// When each came, from the first on.
    pub(super) fn times(&self) -> Vec<Nanos> {
        let begins = self.rows.iter().filter_map(Row::begin);
        let first = begins.clone().next().unwrap_or(0);
        let mut times: Vec<_> = begins.map(|time| time - first).collect();
        if self.recorded.step >= COARSE {
            spread(&mut times, self.recorded.step);
        }
        times
    }

    /// What tells it from others: of the times, places and threads of its IOs.
    pub(super) fn digest(&self) -> String {
        let first = self.rows.first().and_then(Row::begin).unwrap_or(0);
        let since = |time: Option<Nanos>| time.map_or(Nanos::MAX, |time| time.wrapping_sub(first));
        let mut hash = crc32fast::Hasher::new();
        for row in &self.rows {
            let (job, thread) = row.by.unwrap_or((u32::MAX, 0));
            let by = u64::from(job) << 32 | u64::from(thread);
            let times = [since(row.begin()), since(row.completion)];
            for part in [times[0], times[1], row.op as u64, row.offset, row.bytes, by] {
                hash.update(&part.to_le_bytes());
            }
        }
        format!("{:08x}", hash.finalize())
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
        if let Some(cut) = &self.cut {
            said.push(format!("{cut}; what is before it is replayed"));
        }
        said
    }
}

/// The number of the device to replay; none if all there are.
fn device(path: &str, job: &schema::Replay, trace: &Trace<'_>) -> Result<Option<u32>, Invalid> {
    let names = trace.devices();
    let invalid = |message: String| Err(Invalid::new(format!("{path}.device"), message));
    match &job.device {
        Some(wanted) => match (0..).zip(names).find(|(_, name)| *name == wanted) {
            Some((number, _)) => Ok(Some(number)),
            None => {
                let hint = hint(wanted, names.iter().map(String::as_str));
                invalid(format!("no device of the trace is called `{wanted}`{hint}"))
            }
        },
        None if names.len() > 1 => {
            let few: Vec<_> = names.iter().take(3).map(String::as_str).collect();
            let count = names.len();
            let few = few.join(", ");
            invalid(format!(
                "the trace has {count} devices ({few}, …); expected one of them"
            ))
        }
        None => Ok(None),
    }
}

/// What was asked of the device, in the order in which it was: a write without bytes asks for a
/// flush, and then the flushes that the kernel made of it are left out.
fn as_asked_for(mut rows: Vec<Row>) -> Vec<Row> {
    let empty = |row: &Row| row.op == Op::Write && row.bytes == 0;
    if rows.iter().any(empty) {
        rows.retain(|row| row.op != Op::Flush);
        for row in rows.iter_mut().filter(|row| empty(row)) {
            row.op = Op::Flush;
        }
    }
    rows.retain(|row| row.bytes > 0 || row.op == Op::Flush);
    rows.sort_by_key(Row::begin);
    rows
}
