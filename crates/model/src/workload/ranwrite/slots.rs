//! The slots and the submitters of a `ranwrite` job.

use crate::workload::io::Slot;

/// The alarm of the cycle.
pub(super) const CYCLE: Slot = 0;
/// The alarm of the journal.
pub(super) const JOURNAL_ALARM: Slot = 1;
/// The journal daemon's writes.
pub(super) const JOURNAL: Slot = 2;
/// The write daemon's flushes, one at a time, and the clearing of the WIJ.
pub(super) const CONTROL: Slot = 3;
/// The first of the WIJ's slots; the database's come after them.
pub(super) const WIJ: Slot = 4;

/// Who submits: the master write daemon (the WIJ, and all flushes), the journal daemon, and
/// from here on the daemons that write the database.
pub(super) const MASTER: u32 = 0;
pub(super) const JOURNAL_DAEMON: u32 = 1;
pub(super) const FIRST_DAEMON: u32 = 2;
