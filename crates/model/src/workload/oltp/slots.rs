//! The slots and the submitters of an engine.

use crate::workload::facts::EngineIo;
use crate::workload::io::Slot;

/// The engine's clock.
pub(super) const CLOCK: Slot = 0;
/// The alarm of load steps, or of the next transaction that comes due.
pub(super) const LOAD: Slot = 1;
/// Writes of the redo log.
pub(super) const LOG: Slot = 2;
/// Writes of the binary log.
pub(super) const BINLOG: Slot = 3;
/// The first of the cleaner's slots: for each batch one of its doublewrite, then of its pages.
pub(super) const CLEANER: Slot = 4;

/// Who submits: what writes the logs, ...
pub(super) const LOG_WRITER: u32 = 0;

/// ... the cleaners, one for each batch, ...
pub(super) const fn cleaner(batch: u32) -> u32 {
    PURPOSES * batch + 1
}

/// ... and the threads.
pub(super) const fn thread(number: Slot) -> u32 {
    PURPOSES * number + 2
}

/// Submitters for each purpose take turns.
pub(crate) const PURPOSES: u32 = 3;

/// Submitters that each node of a group has, from the first node's on: a multiple of the purposes.
pub(crate) const OF_NODE: u32 = PURPOSES << 22;

/// What copies a node's data for another, or from another: the last of its submitters.
pub(crate) const COPIES: u32 = OF_NODE - 1;

impl EngineIo {
    /// Which node of its group an IO of an `oltp` job is of, 0 for the one that transactions are
    /// asked of, and what it is for: by its submitter ([`Request::submitter`]).
    ///
    /// [`Request::submitter`]: crate::request::Request::submitter
    pub fn by(submitter: u32) -> (usize, Self) {
        let purpose = match submitter % PURPOSES {
            _ if submitter % OF_NODE == COPIES => Self::Copy,
            0 => Self::Log,
            1 => Self::PageWrite,
            _ => Self::PageRead,
        };
        ((submitter / OF_NODE) as usize, purpose)
    }
}
