//! The buffer pool: which pages are in memory, and which of them are changed.
//!
//! Of a large pool only a sample is kept. Pages next to each other in how much they are wanted
//! make a **group**, all of whose pages fare alike; one access in as many goes to the sample. So
//! the times for which a page stays in memory are those of the whole pool (Waldspurger et al.,
//! "Efficient MRC Construction with SHARDS", FAST '15, samples pages in the same way), and memory
//! is bounded by the frames that are kept, not by the size of the data.

mod recency;
mod tables;

use alloc::collections::BTreeSet;
use alloc::vec::Vec;

use foldhash::fast::FixedState;
use hashbrown::HashMap;

use self::recency::Recency;
pub(super) use self::tables::Mix;
use self::tables::Table;
use super::spec::{Start, TableSpec};
use crate::random::Stream;
use crate::units::Bytes;

/// Most frames that are kept.
const MOST_FRAMES: u64 = 1 << 16;

/// No checkpoint.
const NEVER: u32 = u32::MAX;

/// A place in the log that no change has.
const CLEAN: Bytes = Bytes::MAX;

/// A page in memory, which stands for a group of them.
#[derive(Clone, Copy, Debug)]
struct Frame {
    group: u64,
    /// Where in the log its oldest change is that is not on disk, being written or not.
    oldest: Bytes,
    /// The same of changes that came while it was being written.
    again: Bytes,
    is_being_written: bool,
    /// The checkpoint since which the log has the page whole.
    logged: u32,
}

impl Frame {
    /// A page that has just been read.
    fn of(group: u64) -> Self {
        Self {
            group,
            oldest: CLEAN,
            again: CLEAN,
            is_being_written: false,
            logged: NEVER,
        }
    }

    fn is_clean(&self) -> bool {
        self.oldest == CLEAN
    }

    fn is_to_be_written(&self) -> bool {
        !self.is_clean() && !self.is_being_written
    }
}

/// A buffer pool with the least recently used page as the next to go.
#[derive(Clone, Debug)]
pub(super) struct Pool {
    /// Pages of a group: 1 << this.
    bits: u32,
    tables: Vec<Table>,
    /// By group: its frame, if it is in memory. A warm pool begins with a million accesses, most of
    /// whose time an ordered map would take; nothing asks in which order groups are here.
    frame_of: HashMap<u64, u32, FixedState>,
    frames: Vec<Frame>,
    /// Frames at its old end are looked at for one that can go.
    by_use: Recency,
    /// Of these, how many are changed and not being written: most often none, and then nobody
    /// looks.
    old_to_write: u32,
    room: u32,
    /// The oldest changes of all changed frames, in their order in the log.
    changed: BTreeSet<(Bytes, u32)>,
    /// Checkpoints begun.
    checkpoint: u32,
}

/// The outcome of an access to the sample.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Access {
    /// It was in memory.
    pub(super) hit: bool,
    /// It is the first change of the page since a checkpoint, as far as the pool knows: of a
    /// page that was read anew it does not.
    pub(super) first_change: bool,
}

impl Pool {
    /// A pool of `room` pages over `pages`, for tables among which accesses are mixed. Of a warm
    /// one `random` draws what is in it. Pages among the last `depth` are kept clean.
    pub(super) fn new(
        (pages, room, depth): (u64, u64, u64),
        start: Start,
        (tables, mix): (&[TableSpec], &Mix),
        random: &mut Stream,
    ) -> Self {
        let mut bits = 0;
        while room.min(pages) >> bits > MOST_FRAMES {
            bits += 1;
        }
        let groups = (pages >> bits).max(1);
        let table = |(table, spec)| Table::new(spec, (bits, groups), mix.share(table), random);
        let room = (room >> bits).clamp(1, groups.min(2 * MOST_FRAMES)) as u32;
        let mut pool = Self {
            bits,
            tables: (0..).zip(tables).map(table).collect(),
            frame_of: HashMap::with_capacity_and_hasher(room as usize, FixedState::default()),
            frames: Vec::new(),
            by_use: Recency::new((depth >> bits).max(1) as u32),
            old_to_write: 0,
            room,
            changed: BTreeSet::new(),
            checkpoint: 0,
        };
        match start {
            Start::Warm => pool.warm_up(groups, mix, random),
            Start::Cold => pool.tables.iter_mut().for_each(Table::is_cold),
        }
        pool
    }

    /// Fills it as a long time of reads would have.
    fn warm_up(&mut self, groups: u64, mix: &Mix, random: &mut Stream) {
        // A pool as large as the data holds all of it.
        if u64::from(self.room) == groups {
            for group in 0..groups {
                self.bring_in(group);
            }
            return;
        }
        for _ in 0..16 * u64::from(self.room) {
            self.access(mix.draw(random), random, None);
        }
    }

    /// Pages that a frame stands for.
    pub(super) fn scale(&self) -> u64 {
        1 << self.bits
    }

    /// The share of a table's accesses that are not in memory, as of late.
    pub(super) fn miss_share(&self, table: u16) -> f64 {
        self.tables[usize::from(table)].misses.value()
    }

    /// Pages that are changed in memory only.
    pub(super) fn dirty_pages(&self) -> u64 {
        (self.changed.len() as u64) << self.bits
    }

    /// A transaction accesses a page of the sample in a table, and changes it if there is a place
    /// in the log that says so.
    pub(super) fn access(
        &mut self,
        table: u16,
        random: &mut Stream,
        change: Option<Bytes>,
    ) -> Access {
        let table = &mut self.tables[usize::from(table)];
        let group = table.draw(random) >> self.bits;
        let before = self.frame_of.get(&group).copied();
        table.misses.add(before.is_none());
        let frame = match before {
            Some(frame) => {
                self.use_again(frame);
                before
            }
            None => self.bring_in(group),
        };
        let first_change = match (frame, change) {
            (Some(frame), Some(at)) => self.change(frame, at),
            _ => false,
        };
        Access {
            hit: before.is_some(),
            first_change,
        }
    }

    /// A checkpoint begins.
    pub(super) fn begin_checkpoint(&mut self) {
        self.checkpoint += 1;
    }

    /// Whether a page can be brought in without waiting for a write.
    pub(super) fn has_room(&self) -> bool {
        self.frames.len() < self.room as usize || self.victim().is_some()
    }

    /// The next changed page to be written to make room, if one is near the end.
    pub(super) fn take_last(&mut self) -> Option<u32> {
        if self.old_to_write == 0 {
            return None;
        }
        let wanted = |&frame: &u32| self.frames[frame as usize].is_to_be_written();
        let frame = self.by_use.old().find(wanted)?;
        Some(self.take(frame))
    }

    /// The page whose change is the oldest of those that are not being written, if it is from
    /// before that place in the log.
    pub(super) fn take_oldest(&mut self, before: Bytes) -> Option<u32> {
        let wanted = |&&(_, frame): &&(Bytes, u32)| !self.frames[frame as usize].is_being_written;
        let mut old = self.changed.range(..(before, 0));
        let &(_, frame) = old.find(|it| wanted(it))?;
        Some(self.take(frame))
    }

    fn take(&mut self, frame: u32) -> u32 {
        self.alter(frame, |of| of.is_being_written = true);
        frame
    }

    /// What was taken is on disk.
    pub(super) fn written(&mut self, frame: u32) {
        let (before, again) = self.alter(frame, |of| {
            of.is_being_written = false;
            let again = core::mem::replace(&mut of.again, CLEAN);
            (core::mem::replace(&mut of.oldest, again), again)
        });
        self.changed.remove(&(before, frame));
        if again != CLEAN {
            self.changed.insert((again, frame));
        }
    }

    /// Alters a frame, and keeps count of those that are to be written.
    fn alter<T>(&mut self, frame: u32, change: impl FnOnce(&mut Frame) -> T) -> T {
        self.old_to_write -= self.old_to_write(frame);
        let said = change(&mut self.frames[frame as usize]);
        self.old_to_write += self.old_to_write(frame);
        said
    }

    /// A frame is used, and another may get old in its place.
    fn use_again(&mut self, frame: u32) {
        self.old_to_write -= self.old_to_write(frame);
        let in_its_place = self.by_use.use_again(frame);
        for now in in_its_place.into_iter().chain([frame]) {
            self.old_to_write += self.old_to_write(now);
        }
    }

    /// 1 for an old frame that is to be written.
    fn old_to_write(&self, frame: u32) -> u32 {
        let is_old = self.by_use.is_old(frame);
        u32::from(is_old && self.frames[frame as usize].is_to_be_written())
    }

    /// Where in the log the oldest change is that is not on disk.
    pub(super) fn oldest_change(&self) -> Option<Bytes> {
        self.changed.first().map(|&(at, _)| at)
    }

    /// Changes a page; whether it is the first change since the last checkpoint began.
    fn change(&mut self, frame: u32, at: Bytes) -> bool {
        let checkpoint = self.checkpoint;
        let (was_clean, logged) = self.alter(frame, |of| {
            let was_clean = of.is_clean();
            if was_clean {
                of.oldest = at;
            } else if of.is_being_written && of.again == CLEAN {
                of.again = at;
            }
            (was_clean, core::mem::replace(&mut of.logged, checkpoint))
        });
        if was_clean {
            self.changed.insert((at, frame));
        }
        logged != checkpoint
    }

    /// The page that makes room for another: the last that is clean, if one is near the end.
    fn victim(&self) -> Option<u32> {
        let is_clean = |&frame: &u32| self.frames[frame as usize].is_clean();
        self.by_use.old().find(is_clean)
    }

    /// Brings in a page; the frame that it is in, unless nothing can make room.
    fn bring_in(&mut self, group: u64) -> Option<u32> {
        if self.frames.len() < self.room as usize {
            let frame = self.by_use.add();
            self.frame_of.insert(group, frame);
            self.frames.push(Frame::of(group));
            return Some(frame);
        }
        let victim = self.victim()?;
        let gone = core::mem::replace(&mut self.frames[victim as usize], Frame::of(group));
        self.frame_of.remove(&gone.group);
        self.frame_of.insert(group, victim);
        self.use_again(victim);
        Some(victim)
    }
}

#[cfg(test)]
mod tests;
