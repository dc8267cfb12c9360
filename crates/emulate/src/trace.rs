//! `arrivals.csv`: every request that was served, when it arrived, when its
//! reply was due and when it went out.

use std::io::{self, Write};

use blockyard_model::storage::Op;
use blockyard_model::units::Nanos;
use blockyard_record::op_name;

/// A request that was answered.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Arrival {
    /// Its place in the order of arrival, from 0.
    pub(crate) number: u64,
    pub(crate) device: usize,
    pub(crate) op: Op,
    pub(crate) offset: u64,
    pub(crate) len: u64,
    pub(crate) arrival: Nanos,
    pub(crate) due: Nanos,
    pub(crate) sent: Nanos,
    pub(crate) failed: bool,
}

/// Writes a line for each request, in the order of the replies.
pub(crate) struct Trace {
    out: Box<dyn Write + Send>,
    devices: Vec<String>,
    /// The first error; the trace ends there, and the run is told at its end.
    failed: Option<io::Error>,
}

impl Trace {
    /// Starts a trace of requests to `devices`.
    pub(crate) fn new(mut out: Box<dyn Write + Send>, devices: Vec<String>) -> Self {
        let columns = "number,arrived_ns,device,op,offset,bytes,due_ns,answered_ns,failed";
        let failed = writeln!(out, "{columns}").err();
        Self {
            out,
            devices,
            failed,
        }
    }

    pub(crate) fn completed(&mut self, io: &Arrival) {
        if self.failed.is_some() {
            return;
        }
        let line = writeln!(
            self.out,
            "{},{},{},{},{},{},{},{},{}",
            io.number,
            io.arrival,
            self.devices[io.device],
            op_name(io.op),
            io.offset,
            io.len,
            io.due,
            io.sent,
            io.failed,
        );
        self.failed = line.err();
    }

    /// Writes out what is buffered.
    ///
    /// # Errors
    /// If anything could not be written.
    pub(crate) fn finish(mut self) -> io::Result<()> {
        self.failed.take().map_or(Ok(()), Err)?;
        self.out.flush()
    }
}

impl std::fmt::Debug for Trace {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("Trace").finish_non_exhaustive()
    }
}
