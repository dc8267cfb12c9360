//! `ios.csv`: every IO that a run issued, in the order it did.

use std::collections::VecDeque;
use std::io::{self, Write};

use blockyard_model::storage::{Request, Requester};
use blockyard_model::units::Nanos;
use blockyard_model::workload::Slot;

use crate::measure::shape::{RunShape, op_name};

/// The first line of the file.
pub const IO_LOG_COLUMNS: &str = "issued_ns,due_ns,job,slot,device,op,offset,bytes,completed_ns";

/// Writes a line for each IO once it and all that were issued before it have completed, so it
/// keeps only what has been issued since the oldest IO in flight.
pub struct IoLog {
    out: Box<dyn Write + Send>,
    jobs: Vec<String>,
    devices: Vec<String>,
    /// What is not written yet, in the order of issue.
    kept: VecDeque<Kept>,
    /// How many lines have been written.
    written: u64,
    /// By job and slot: the number, among all lines, of the IO issued last.
    last: Vec<Vec<u64>>,
    /// The first error; the log ends there, and the run is told at its end.
    failed: Option<io::Error>,
}

/// An IO that was issued.
struct Kept {
    issued: Nanos,
    due: Nanos,
    slot: Slot,
    request: Request,
    end: End,
}

/// Its outcome.
enum End {
    InFlight,
    /// It has completed well at this time.
    At(Nanos),
    Failed,
}

impl IoLog {
    /// Starts a log of the run that `shape` describes on `out`.
    pub fn new(mut out: Box<dyn Write + Send>, shape: &RunShape) -> Self {
        let head = writeln!(out, "{IO_LOG_COLUMNS}");
        Self {
            out,
            jobs: shape.jobs.iter().map(|job| job.name.clone()).collect(),
            devices: shape.devices.clone(),
            kept: VecDeque::new(),
            written: 0,
            last: vec![Vec::new(); shape.jobs.len()],
            failed: head.err(),
        }
    }

    /// Adds an IO that was issued at `now` and had been due at `due`.
    pub fn issued(&mut self, now: Nanos, due: Nanos, slot: Slot, request: &Request) {
        let number = self.written + self.kept.len() as u64;
        let Some(job) = request.requester.job() else {
            return;
        };
        let last = &mut self.last[job];
        if last.len() <= slot as usize {
            last.resize(slot as usize + 1, 0);
        }
        last[slot as usize] = number;
        self.kept.push_back(Kept {
            issued: now,
            due,
            slot,
            request: *request,
            end: End::InFlight,
        });
    }

    /// The IO in flight on `slot` of a job completed at `now`.
    pub fn completed(&mut self, now: Nanos, requester: Requester, slot: Slot, failed: bool) {
        let last = requester.job().map(|job| &self.last[job]);
        let number = last.and_then(|last| last.get(slot as usize));
        let place = number.and_then(|number| number.checked_sub(self.written));
        if let Some(io) = place.and_then(|place| self.kept.get_mut(place as usize)) {
            io.end = match failed {
                true => End::Failed,
                false => End::At(now),
            };
        }
        while let Some(io) = self.kept.front()
            && !matches!(io.end, End::InFlight)
        {
            self.write_first();
        }
    }

    fn write_first(&mut self) {
        let Some(io) = self.kept.pop_front() else {
            return;
        };
        self.written += 1;
        if self.failed.is_none() {
            self.failed = self.line(&io).err();
        }
    }

    fn line(&mut self, io: &Kept) -> io::Result<()> {
        let Kept {
            issued,
            due,
            slot,
            request,
            end,
        } = io;
        let job = request.requester.job().map_or("", |job| &self.jobs[job]);
        let device = &self.devices[request.device];
        let (op, offset, bytes) = (op_name(request.op), request.offset, request.len);
        write!(
            self.out,
            "{issued},{due},{job},{slot},{device},{op},{offset},{bytes},"
        )?;
        match end {
            End::At(end) => writeln!(self.out, "{end}"),
            End::InFlight | End::Failed => writeln!(self.out),
        }
    }

    /// Writes out what is left; what is in flight has no end.
    ///
    /// # Errors
    /// If anything could not be written.
    pub fn finish(mut self) -> io::Result<()> {
        while !self.kept.is_empty() {
            self.write_first();
        }
        self.failed.take().map_or(Ok(()), Err)?;
        self.out.flush()
    }
}

impl std::fmt::Debug for IoLog {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("IoLog").finish_non_exhaustive()
    }
}
