//! What a trace says of a device.

use std::collections::BTreeMap;

use blockyard_model::storage::Op;
use blockyard_model::units::{Bytes, Nanos, SECOND};
use blockyard_record::IntervalRow;
use blockyard_record::result::LatencyUs;
use blockyard_trace::block::{Io, Task};
use blockyard_trace::{OPS, Row};

use super::in_flight::InFlight;
use super::survey::Found;
use crate::ios::Latencies;
use crate::load::{Issued, Load};
use crate::watched::ByOp;

/// What was done of an operation.
#[derive(Clone, Copy, Debug, Default)]
pub(super) struct Cell {
    pub(super) ios: u64,
    pub(super) bytes: Bytes,
    /// Latencies, summed, of those that did not fail.
    pub(super) took: Nanos,
    /// Times in flight, summed, whatever came of it.
    pub(super) in_flight: Nanos,
    /// IOs whose latency is known.
    pub(super) timed: u64,
}

/// By operation.
pub(super) type Cells = [Cell; OPS.len()];

/// A device of a trace.
#[derive(Debug)]
pub(super) struct Device {
    pub(super) name: String,
    pub(super) size: Bytes,
    ops: [bool; OPS.len()],
    open: BTreeMap<u64, Cells>,
    pub(super) latencies: Latencies,
    pub(super) whole: Cells,
    /// The most IOs in an interval.
    pub(super) peaks: [u64; OPS.len()],
    pub(super) in_flight: InFlight,
    pub(super) load: Load,
}

impl Device {
    pub(super) fn new(found: &Found, begin: Nanos, interval: Nanos) -> Self {
        Self {
            name: found.name.clone(),
            size: found.size,
            ops: found.ops,
            open: BTreeMap::new(),
            latencies: Latencies::default(),
            whole: Cells::default(),
            peaks: Default::default(),
            in_flight: InFlight::new(begin, interval),
            load: Load::default(),
        }
    }

    /// Adds a row to an interval: when it ended, if the trace has any ends. `jobs` are the names of
    /// who asked.
    pub(super) fn add(&mut self, row: &Row, slot: u64, jobs: &[String]) {
        let op = row.op as usize;
        let took = row.latency();
        let between = row.arrival.or(row.issue).zip(row.completion);
        let in_flight = between.map_or(0, |(begin, end)| end.saturating_sub(begin));
        for cell in [
            &mut self.open.entry(slot).or_default()[op],
            &mut self.whole[op],
        ] {
            cell.ios += 1;
            cell.bytes += row.bytes;
            cell.took += took.unwrap_or(0);
            cell.in_flight += in_flight;
            cell.timed += u64::from(took.is_some());
        }
        let issued = Issued {
            at: row.begin().unwrap_or(0),
            op,
            place: (row.offset, row.bytes),
            interval: slot,
            by: row.by,
            flush: row.op == Op::Flush,
        };
        let job = row.by.and_then(|(job, _)| jobs.get(job as usize));
        self.load.add(&issued, || job.cloned().unwrap_or_default());
        // Where only ends are recorded, or none of those that failed.
        let Some((begin, end)) = between else {
            self.latencies.whole[op].failed += u64::from(row.failed);
            return;
        };
        let latency = end.saturating_sub(begin);
        let queue = row.issue.zip(row.arrival);
        let queue = queue.map(|(issue, arrival)| issue.saturating_sub(arrival));
        let io = Io {
            time: end,
            op,
            failed: row.failed,
            latency,
            queue,
            device: queue.map(|queue| latency.saturating_sub(queue)),
            place: (0, 0),
            counted: 0,
            by: Task::default(),
        };
        self.latencies.add(&io, slot);
        self.in_flight.add(begin, end.max(begin));
    }

    /// Takes out what an interval has.
    pub(super) fn ended(&mut self, slot: u64) -> (Cells, ByOp) {
        let cells = self.open.remove(&slot).unwrap_or_default();
        for (peak, cell) in self.peaks.iter_mut().zip(&cells) {
            *peak = cell.ios.max(*peak);
        }
        (cells, self.latencies.ended(Some(slot + 1)))
    }

    /// The rows of an interval: of each operation that the device ever has, also before the first
    /// and after the last of them, as means are over all of the run.
    pub(super) fn rows(
        &self,
        first: usize,
        cells: &Cells,
        latencies: &ByOp,
        (t_s, length_s): (f64, f64),
    ) -> Vec<IntervalRow> {
        let each = cells.iter().zip(latencies).enumerate();
        let each = each.filter(|(op, _)| self.ops[*op]);
        each.map(|(op, (cell, latencies))| {
            let latency_us = LatencyUs::of(latencies);
            IntervalRow {
                t_s,
                series: first + op,
                ios: cell.ios,
                bytes: cell.bytes,
                mean_us: latency_us.map(|us| us.mean),
                latency_us,
                queue_depth: cell.in_flight as f64 / SECOND as f64 / length_s,
            }
        })
        .collect()
    }

    pub(super) fn finish(&mut self) {
        self.in_flight.finish();
    }
}
