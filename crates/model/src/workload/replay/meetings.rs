//! Chains of a replay that wait for each other's flushes.

use alloc::sync::Arc;
use alloc::vec;
use alloc::vec::Vec;

use super::spec::Meeting;
use crate::workload::io::Slot;

/// Who waits for whom.
#[derive(Clone, Debug)]
pub(super) struct Meetings {
    /// In the order of IOs.
    all: Arc<[Meeting]>,
    /// The flushes, rising.
    flushes: Vec<Flush>,
}

#[derive(Clone, Debug)]
struct Flush {
    io: u32,
    ended: bool,
    /// The chains that wait for it, as they came.
    waiting: Vec<Slot>,
}

impl Meetings {
    pub(super) fn new(all: &Arc<[Meeting]>) -> Self {
        let mut flushes: Vec<u32> = all.iter().map(|meeting| meeting.flush).collect();
        flushes.sort_unstable();
        flushes.dedup();
        let flush = |io| Flush {
            io,
            ended: false,
            waiting: vec![],
        };
        Self {
            all: Arc::clone(all),
            flushes: flushes.into_iter().map(flush).collect(),
        }
    }

    /// Whether an IO, which is the next one on a slot, has to wait for a flush that has not ended.
    pub(super) fn waits(&mut self, io: usize, slot: Slot) -> bool {
        let found = self.all.binary_search_by_key(&io, |own| own.io as usize);
        let flush = found.ok().map(|place| self.all[place].flush as usize);
        let Some(flush) = flush.and_then(|io| self.flush(io)) else {
            return false;
        };
        if !flush.ended {
            flush.waiting.push(slot);
        }
        !flush.ended
    }

    /// An IO ended: the slots that waited for it.
    pub(super) fn ended(&mut self, io: usize) -> Vec<Slot> {
        let Some(flush) = self.flush(io) else {
            return Vec::new();
        };
        flush.ended = true;
        core::mem::take(&mut flush.waiting)
    }

    fn flush(&mut self, io: usize) -> Option<&mut Flush> {
        let place = self
            .flushes
            .binary_search_by_key(&io, |own| own.io as usize);
        self.flushes.get_mut(place.ok()?)
    }
}
