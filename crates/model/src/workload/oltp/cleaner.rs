//! What writes changed pages out, in batches: first to the doublewrite area, then to their
//! places.

use alloc::vec;
use alloc::vec::Vec;

use super::pool::Pool;
use super::spec::{Flushing, OltpSpec, Pace};
use crate::units::{Bytes, Nanos, SECOND};

/// What the pace is worked out by: places in the log.
#[derive(Clone, Copy, Debug)]
pub(super) struct Pressure {
    /// The end of the log.
    pub(super) end: Bytes,
    /// The oldest change that is not on disk; the end if there is none.
    pub(super) oldest: Bytes,
    /// How far from the end that may be at most.
    pub(super) capacity: Bytes,
}

impl Pressure {
    /// Bytes of log since the oldest change that is not on disk.
    pub(super) fn age(self) -> Bytes {
        self.end - self.oldest
    }

    /// Whether the log has no space left.
    pub(super) fn is_full(self) -> bool {
        self.age() >= self.capacity
    }
}

/// Decides which pages are written when, and keeps the batches under way.
#[derive(Clone, Debug)]
pub(super) struct Cleaner {
    spec: Flushing,
    has_doublewrite: bool,
    batches: Vec<Batch>,
    /// Pages that may be written, beside those that make room, in billionths.
    allowance: u128,
    checkpoint: Checkpoint,
}

/// The last checkpoint that was begun.
#[derive(Clone, Copy, Debug, Default)]
struct Checkpoint {
    /// When, and where the log ended then.
    at: Nanos,
    end: Bytes,
    /// Pages a second.
    rate: u64,
}

/// Pages that are written together.
#[derive(Clone, Debug, Default)]
struct Batch {
    frames: Vec<u32>,
    /// Pages still to be issued, of those that the frames stand for.
    left: u64,
    /// Of these, pages that have been through the doublewrite area.
    doubled: u64,
    in_flight: u32,
}

/// What a batch does next.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Next {
    /// It writes this number of pages to the doublewrite area.
    Double(u64),
    /// It writes this number of pages to their places.
    Write(u64),
    /// It waits for what it has in flight.
    Wait,
    /// It is over.
    Over,
}

impl Cleaner {
    pub(super) fn new(spec: &OltpSpec) -> Self {
        Self {
            spec: spec.flushing.clone(),
            has_doublewrite: spec.doublewrite.is_some(),
            batches: vec![Batch::default(); spec.flushing.cleaners as usize],
            allowance: 0,
            checkpoint: Checkpoint::default(),
        }
    }

    /// `time` has gone by at that pressure.
    pub(super) fn earn(&mut self, time: Nanos, pressure: Pressure) {
        let rate = self.rate(pressure);
        self.allowance += u128::from(rate) * u128::from(time);
        // What was not used in a second is not made up for.
        let most = u128::from(rate) * u128::from(SECOND);
        self.allowance = self.allowance.min(most);
        if pressure.is_full() && !self.has_checkpoints() {
            // All else waits for it.
            self.allowance = u128::MAX / 2;
        }
    }

    /// Pages a second.
    fn rate(&self, pressure: Pressure) -> u64 {
        match self.spec.pace {
            Pace::Adaptive {
                rate,
                most,
                low,
                high,
            } => {
                let capacity = u128::from(pressure.capacity.max(1));
                let share = (u128::from(pressure.age()) * 1000 / capacity) as u64;
                let above = share.clamp(low.into(), high.into()) - u64::from(low);
                let span = u64::from(high - low).max(1);
                rate + (most.max(rate) - rate) * above / span
            }
            Pace::Checkpoints { .. } => self.checkpoint.rate,
        }
    }

    /// Whether it writes by checkpoints.
    pub(super) fn has_checkpoints(&self) -> bool {
        matches!(self.spec.pace, Pace::Checkpoints { .. })
    }

    /// Begins a checkpoint if one is due with this number of changed pages; whether it did.
    pub(super) fn begin_checkpoint(&mut self, now: Nanos, pressure: Pressure, dirty: u64) -> bool {
        let Pace::Checkpoints { every, spread } = self.spec.pace else {
            return false;
        };
        let since = now - self.checkpoint.at;
        // While it is written the log grows on: it must be over before there is no space.
        let whole = 1000 + u64::from(spread);
        let space = u128::from(pressure.capacity) * 1000 / u128::from(whole);
        let is_wanted = u128::from(pressure.end - self.checkpoint.end) >= space;
        if since < every && !(is_wanted && since > 0) {
            return false;
        }
        let time = u128::from(since) * u128::from(spread) / 1000;
        let rate = u128::from(dirty) * u128::from(SECOND) / time.max(1);
        self.checkpoint = Checkpoint {
            at: now,
            end: pressure.end,
            rate: rate as u64 + 1,
        };
        true
    }

    /// Fills the batches that are idle; gives the numbers of those that have begun.
    pub(super) fn begin(&mut self, pool: &mut Pool, begun: &mut Vec<usize>) {
        for number in 0..self.batches.len() {
            if self.batches[number].frames.is_empty() && self.fill(number, pool) {
                begun.push(number);
            }
        }
    }

    fn fill(&mut self, number: usize, pool: &mut Pool) -> bool {
        let scale = pool.scale();
        let cost = u128::from(scale) * u128::from(SECOND);
        let before = match self.spec.pace {
            Pace::Adaptive { .. } => Bytes::MAX,
            Pace::Checkpoints { .. } => self.checkpoint.end,
        };
        let batch = &mut self.batches[number];
        let room = (u64::from(self.spec.batch) / scale).max(1);
        while (batch.frames.len() as u64) < room {
            // Who waits for room cannot wait for the pace.
            let frame = pool.take_last().or_else(|| {
                let frame = (self.allowance >= cost).then(|| pool.take_oldest(before))?;
                self.allowance -= if frame.is_some() { cost } else { 0 };
                frame
            });
            let Some(frame) = frame else { break };
            batch.frames.push(frame);
        }
        batch.left = batch.frames.len() as u64 * scale;
        batch.left > 0
    }

    /// What batch `number` does next.
    pub(super) fn next(&mut self, number: usize) -> Next {
        let most = u64::from(self.spec.batch);
        let batch = &mut self.batches[number];
        if batch.in_flight > 0 {
            return Next::Wait;
        }
        if batch.left == 0 {
            return Next::Over;
        }
        let pages = batch.left.min(most);
        if self.has_doublewrite && batch.doubled == 0 {
            batch.doubled = pages;
            batch.in_flight = 1;
            return Next::Double(pages);
        }
        batch.doubled = 0;
        batch.left -= pages;
        batch.in_flight = pages as u32;
        Next::Write(pages)
    }

    /// A write of batch `number` is done.
    pub(super) fn completed(&mut self, number: usize) {
        self.batches[number].in_flight -= 1;
    }

    /// Pages that are being written: to the doublewrite area, and to their places.
    pub(super) fn in_flight(&self) -> (u64, u64) {
        let busy = || self.batches.iter().filter(|batch| batch.in_flight > 0);
        let writing = busy().filter(|batch| batch.doubled == 0);
        let writing = writing.map(|batch| u64::from(batch.in_flight)).sum();
        (busy().map(|batch| batch.doubled).sum(), writing)
    }

    /// IOs in flight.
    pub(super) fn ios(&self) -> u32 {
        self.batches.iter().map(|batch| batch.in_flight).sum()
    }

    /// Batch `number` is over: its pages are on disk.
    pub(super) fn end(&mut self, number: usize, pool: &mut Pool) {
        for frame in self.batches[number].frames.drain(..) {
            pool.written(frame);
        }
    }
}
