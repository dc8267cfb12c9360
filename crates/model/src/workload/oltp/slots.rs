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

/// Who submits: the logs, the cleaner, and from here on the threads.
pub(super) const LOG_WRITER: u32 = 0;
pub(super) const PAGE_CLEANER: u32 = 1;
pub(super) const FIRST_THREAD: u32 = 2;

/// Submitters that each node of a group has, from the first node's on.
pub(super) const OF_NODE: u32 = 1 << 24;

impl EngineIo {
    /// Which node of its group an IO of an `oltp` job is of, 0 for the one that transactions are
    /// asked of, and what it is for: by its submitter ([`Request::submitter`]).
    ///
    /// [`Request::submitter`]: crate::request::Request::submitter
    pub fn by(submitter: u32) -> (usize, Self) {
        let purpose = match submitter % OF_NODE {
            LOG_WRITER => Self::Log,
            PAGE_CLEANER => Self::PageWrite,
            _ => Self::PageRead,
        };
        ((submitter / OF_NODE) as usize, purpose)
    }
}
