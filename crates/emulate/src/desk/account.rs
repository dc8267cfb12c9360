//! What a device has served so far, for who looks while it serves.

use blockyard_model::storage::Op;
use blockyard_model::units::Nanos;
use serde_json::{Value, json};

use crate::answer::{Asked, Outcome};

/// Running totals of a device.
#[derive(Clone, Copy, Debug, Default)]
pub(crate) struct Account {
    in_flight: u64,
    reads: u64,
    writes: u64,
    flushes: u64,
    trims: u64,
    read_bytes: u64,
    write_bytes: u64,
    /// Time that reads took, summed.
    read_time: Nanos,
    write_time: Nanos,
    errors: u64,
}

impl Account {
    pub(crate) fn arrived(&mut self) {
        self.in_flight += 1;
    }

    pub(crate) fn completed(&mut self, asked: &Asked, latency: Nanos, outcome: Outcome) {
        self.in_flight -= 1;
        self.errors += u64::from(outcome.is_err());
        match asked.op {
            Op::Read => {
                self.reads += 1;
                self.read_bytes += asked.len;
                self.read_time += latency;
            }
            Op::Write | Op::Zero => {
                self.writes += 1;
                self.write_bytes += asked.len;
                self.write_time += latency;
            }
            Op::Flush => self.flushes += 1,
            Op::Trim => self.trims += 1,
        }
    }

    /// As the status shows it.
    pub(crate) fn to_json(self) -> Value {
        json!({
            "in_flight": self.in_flight,
            "reads": self.reads,
            "writes": self.writes,
            "flushes": self.flushes,
            "trims": self.trims,
            "read_bytes": self.read_bytes,
            "write_bytes": self.write_bytes,
            "read_time_s": self.read_time as f64 / 1e9,
            "write_time_s": self.write_time as f64 / 1e9,
            "errors": self.errors,
        })
    }
}
