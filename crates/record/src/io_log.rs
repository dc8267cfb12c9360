//! `ios.csv`: every IO that a run issued, in the order it did.

use std::io::{self, Write};

use blockyard_model::storage::Request;
use blockyard_model::units::Nanos;
use blockyard_model::workload::Slot;

use crate::shape::{RunShape, op_name};

/// Writes a line for each IO.
pub struct IoLog {
    out: Box<dyn Write + Send>,
    jobs: Vec<String>,
    devices: Vec<String>,
    /// The first error; the log ends there, and the run is told at its end.
    failed: Option<io::Error>,
}

impl IoLog {
    /// Starts a log of the run that `shape` describes on `out`.
    pub fn new(mut out: Box<dyn Write + Send>, shape: &RunShape) -> Self {
        let head = writeln!(out, "issued_ns,due_ns,job,slot,device,op,offset,bytes");
        Self {
            out,
            jobs: shape.jobs.iter().map(|job| job.name.clone()).collect(),
            devices: shape.devices.clone(),
            failed: head.err(),
        }
    }

    /// Adds an IO that was issued at `now` and had been due at `due`.
    pub fn issued(&mut self, now: Nanos, due: Nanos, slot: Slot, request: &Request) {
        let (job, device) = (
            &self.jobs[usize::from(request.job)],
            &self.devices[request.device],
        );
        let (op, offset, bytes) = (op_name(request.op), request.offset, request.len);
        if self.failed.is_none() {
            let line = writeln!(
                self.out,
                "{now},{due},{job},{slot},{device},{op},{offset},{bytes}"
            );
            self.failed = line.err();
        }
    }

    /// Writes out what is buffered.
    ///
    /// # Errors
    /// If anything could not be written.
    pub fn finish(mut self) -> io::Result<()> {
        self.failed.take().map_or(Ok(()), Err)?;
        self.out.flush()
    }
}

impl std::fmt::Debug for IoLog {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("IoLog").finish_non_exhaustive()
    }
}
