//! What decides how a trace is replayed, but is known only at its end.

use blockyard_model::storage::Op;
use blockyard_model::units::{Bytes, Nanos};
use blockyard_trace::Row;

use super::SECTOR;
use crate::resolve::Invalid;
use crate::schema::{self, Beyond, ReplayLoop};

/// What the rows of a trace have.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(super) struct Known {
    pub(super) threads: bool,
    ends: bool,
    /// Writes without bytes, which ask for flushes.
    empty_writes: bool,
    /// Up to where they go.
    end: Bytes,
    /// When the trace begins: with the first row of any device, so that replays of several of them
    /// keep their distance.
    pub(super) begin: Option<Nanos>,
}

impl Known {
    /// That of some rows.
    pub(super) fn of(rows: &[Row]) -> Self {
        let mut known = Self::default();
        rows.iter().for_each(|row| known.see_recorded(row));
        let asked_for = rows.iter().filter_map(|row| known.asked_for(*row));
        let mut seen = known;
        asked_for.for_each(|row| seen.see(&row));
        seen
    }

    /// Takes note of a row as it was recorded.
    pub(super) fn see_recorded(&mut self, row: &Row) {
        self.empty_writes |= is_empty_write(row);
    }

    /// Takes note of a row as it was asked for.
    pub(super) fn see(&mut self, row: &Row) {
        self.threads |= row.by.is_some();
        self.ends |= row.completion.is_some();
        self.end = self.end.max(row.offset.saturating_add(row.bytes));
    }

    /// What was asked of the device, if it was something: a write without bytes asks for a flush,
    /// and then the flushes that the kernel made of such ones are left out.
    pub(super) fn asked_for(&self, mut row: Row) -> Option<Row> {
        match row.op {
            Op::Flush => return (!self.empty_writes).then_some(row),
            Op::Write if row.bytes == 0 => row.op = Op::Flush,
            _ if row.bytes == 0 => return None,
            _ => {}
        }
        Some(row)
    }

    /// Up to where IOs go, in whole sectors.
    pub(super) fn extent(&self) -> Bytes {
        self.end.max(SECTOR).next_multiple_of(SECTOR)
    }

    /// Whether a job is replayed as another state of knowledge has it.
    pub(super) fn agrees(&self, other: &Self, job: &schema::Replay) -> bool {
        let decides = |known: &Self| {
            let scaled = job.beyond == Some(Beyond::Scale);
            let extent = scaled.then(|| known.extent());
            let Self {
                threads,
                ends,
                empty_writes,
                begin,
                ..
            } = *known;
            (threads, ends, empty_writes, begin, extent)
        };
        decides(self) == decides(other)
    }

    /// What an IO waits for: what is asked for, if the trace has what that needs.
    pub(super) fn pace(&self, path: &str, job: &schema::Replay) -> Result<ReplayLoop, Invalid> {
        let (threads, ends) = (self.threads, self.ends);
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
}

fn is_empty_write(row: &Row) -> bool {
    row.op == Op::Write && row.bytes == 0
}
