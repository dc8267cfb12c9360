//! One recorded IO.

use blockyard_model::storage::Op;
use blockyard_model::units::{Bytes, Nanos};

/// The operations that a trace may have, by [`Op`] as a number.
pub const OPS: [&str; 4] = ["read", "write", "flush", "trim"];

/// The kernel's sector, whatever the device has.
pub(crate) const SECTOR: Bytes = 512;

/// One recorded IO. Times are as recorded: nothing says what their 0 is.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Row {
    /// When it was asked for; none if only its end was seen.
    pub arrival: Option<Nanos>,
    /// When the device got it.
    pub issue: Option<Nanos>,
    /// When it ended.
    pub completion: Option<Nanos>,
    /// One of [`OPS`].
    pub op: Op,
    /// Its first byte on the device.
    pub offset: Bytes,
    /// How many; 0 of a flush, and of a write that only asks for one.
    pub bytes: Bytes,
    /// Index into [`crate::Trace::devices`].
    pub device: u32,
    /// Who asked for it: index into [`crate::Trace::jobs`], and the number of the thread.
    pub by: Option<(u32, u32)>,
    /// It ended with an error.
    pub failed: bool,
}

impl Row {
    /// When it is first known of.
    #[must_use]
    pub fn begin(&self) -> Option<Nanos> {
        self.arrival.or(self.issue).or(self.completion)
    }

    /// When it ended, having come at `arrival`: of one that failed the end is not known.
    pub(crate) fn end(&self, arrival: Nanos) -> Nanos {
        self.completion.unwrap_or(arrival).max(arrival)
    }

    /// From its arrival to its end; none of one that failed.
    #[must_use]
    pub fn latency(&self) -> Option<Nanos> {
        let (from, to) = (self.arrival.or(self.issue)?, self.completion?);
        (!self.failed).then(|| to.saturating_sub(from))
    }
}
