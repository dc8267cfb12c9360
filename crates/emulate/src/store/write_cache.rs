//! What a disk's volatile write cache may lose: the old content of every block
//! that was changed since the last flush.
//!
//! A cache writes back in any order, so at a power cut each such block keeps
//! its new content or falls back to the old one, whatever the others do. The
//! image itself always has the new content; what is kept here undoes it.

mod block;
mod loss;
mod undo_log;

use std::ops::Range;
use std::sync::{Mutex, MutexGuard, PoisonError, RwLock, RwLockReadGuard};

use blockyard_model::random::Stream;
use rustix::io::Errno;

pub(crate) use self::loss::Lost;
use self::undo_log::UndoLog;
use super::image::Image;
use crate::request::IoResult;

/// Bytes that a cache writes as one, unless it is torn.
pub(super) const BLOCK: u64 = 4096;

/// Old content that is kept, in bytes. Beyond it the blocks that were changed
/// first count as written back by the disk itself.
const KEPT: u64 = 256 << 20;

/// A longer change counts as durable at once: discarding a whole device does not
/// justify reading it first.
const LONGEST: u64 = 64 << 20;

/// Neighbouring blocks under one lock, so that their old content is read as
/// one.
const GROUP: u64 = 64;

const LOGS: usize = 16;

/// The changed blocks of a store. All calls may come from any thread.
#[derive(Debug)]
pub(super) struct WriteCache {
    /// Held shared while the image is changed, alone to begin a flush or to
    /// cut the power: no change is half on either side of these.
    changing: RwLock<()>,
    /// By [`GROUP`] of blocks.
    logs: [Mutex<UndoLog>; LOGS],
}

impl WriteCache {
    pub(super) fn new() -> Self {
        Self::keeping((KEPT / BLOCK) as usize)
    }

    /// Keeps the old content of `blocks` blocks.
    pub(super) fn keeping(blocks: usize) -> Self {
        let log = || Mutex::new(UndoLog::new(blocks.div_ceil(LOGS)));
        Self {
            changing: RwLock::default(),
            logs: std::array::from_fn(|_| log()),
        }
    }

    /// Carries out `change`, which changes `range` of the image at most.
    pub(super) fn change(
        &self,
        image: &Image,
        range: Range<u64>,
        change: impl FnOnce() -> IoResult,
    ) -> IoResult {
        let _changing = self.changing();
        if range.end - range.start > LONGEST {
            let whole = range.start.div_ceil(BLOCK)..range.end / BLOCK;
            self.each_log(|log| log.forget(&whole));
        } else {
            self.record_old(image, range.start / BLOCK..range.end.div_ceil(BLOCK))?;
        }
        change()
    }

    /// Keeps what blocks contain, unless older content of theirs is kept.
    fn record_old(&self, image: &Image, blocks: Range<u64>) -> IoResult {
        let mut first = blocks.start;
        while first < blocks.end {
            let until = blocks.end.min((first / GROUP + 1) * GROUP);
            let log = (first / GROUP) as usize % LOGS;
            lock(&self.logs[log]).record_old(image, first..until)?;
            first = until;
        }
        Ok(())
    }

    /// Carries out `sync`, which makes all durable that was changed before.
    /// What is changed meanwhile is not durable then. One flush at a time.
    pub(super) fn flush(&self, sync: impl FnOnce() -> IoResult) -> IoResult {
        {
            let _alone = self
                .changing
                .write()
                .unwrap_or_else(PoisonError::into_inner);
            self.each_log(UndoLog::flush_begins);
        }
        let synced = sync();
        self.each_log(|log| log.flush_ended(synced.is_ok()));
        synced
    }

    /// Undoes what the cache has not written back, by draws from `stream`.
    /// With `torn`, some blocks are left half written. The power is off.
    pub(super) fn lose(
        &self,
        image: &Image,
        stream: &mut Stream,
        torn: bool,
    ) -> Result<Lost, Errno> {
        let _alone = self
            .changing
            .write()
            .unwrap_or_else(PoisonError::into_inner);
        let mut all = Vec::new();
        self.each_log(|log| all.append(&mut log.take()));
        all.sort_unstable_by_key(|changed| changed.block);
        loss::undo(image, &all, stream, torn)
    }

    fn changing(&self) -> RwLockReadGuard<'_, ()> {
        self.changing.read().unwrap_or_else(PoisonError::into_inner)
    }

    fn each_log(&self, mut act: impl FnMut(&mut UndoLog)) {
        for log in &self.logs {
            act(&mut lock(log));
        }
    }
}

fn lock(log: &Mutex<UndoLog>) -> MutexGuard<'_, UndoLog> {
    log.lock().unwrap_or_else(PoisonError::into_inner)
}
