//! A traced IO as the load that it is of.

use blockyard_machine::Process;
use blockyard_trace::block::{Io, Task};

use crate::counts::SECTOR;
use crate::lines::name;
use crate::load::Issued;

const WRITE: usize = 1;

/// An IO that ended in an interval. Empty writes ask for a flush, which is issued in the name of
/// whoever runs then.
pub(crate) fn issued(io: &Io, interval: u64) -> Issued {
    let (sector, sectors) = io.place;
    Issued {
        at: io.time.saturating_sub(io.latency),
        op: io.op,
        place: (sector * SECTOR, sectors * SECTOR),
        interval,
        by: Some((0, io.by.thread)),
        flush: io.op == WRITE && sectors == 0,
    }
}

/// What a thread calls itself, if it is still there; otherwise as the kernel does.
pub(crate) fn called(by: &Task) -> String {
    let title = Process::numbered(by.thread).map(|thread| thread.title());
    let known = title.filter(|title| !title.is_empty());
    known.unwrap_or_else(|| name(by))
}
