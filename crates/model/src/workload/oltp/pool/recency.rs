//! In which order frames were last used.

use alloc::vec::Vec;

/// No frame.
const NONE: u32 = u32::MAX;

/// Frames in the order of their last use, each at its number: a list through an array.
#[derive(Clone, Debug)]
pub(super) struct Recency {
    frames: Vec<Neighbours>,
    newest: u32,
    oldest: u32,
    /// As many frames make the old end, if there are so many.
    depth: usize,
    /// The newest of the old end.
    last_old: u32,
}

/// The frames that were used next before and after one.
#[derive(Clone, Copy, Debug)]
struct Neighbours {
    newer: u32,
    older: u32,
    is_old: bool,
}

impl Recency {
    /// No frames yet, of which the `depth` that were used longest ago will be old.
    pub(super) fn new(depth: u32) -> Self {
        Self {
            frames: Vec::new(),
            newest: NONE,
            oldest: NONE,
            depth: depth as usize,
            last_old: NONE,
        }
    }

    /// A frame more, which is used now; its number is how many there were.
    pub(super) fn add(&mut self) -> u32 {
        let frame = self.frames.len() as u32;
        let is_old = self.frames.len() < self.depth;
        self.frames.push(Neighbours {
            newer: NONE,
            older: NONE,
            is_old,
        });
        self.link(frame);
        if is_old {
            self.last_old = frame;
        }
        frame
    }

    /// A frame is used now. The one that gets old in its place, if it was old.
    pub(super) fn use_again(&mut self, frame: u32) -> Option<u32> {
        if frame == self.newest {
            return None;
        }
        let next = self.frames[self.last_old as usize].newer;
        self.unlink(frame);
        self.link(frame);
        if next == NONE {
            // All are old, and it is the newest of these.
            self.last_old = frame;
            return None;
        }
        let was_old = core::mem::take(&mut self.frames[frame as usize].is_old);
        was_old.then(|| {
            self.last_old = next;
            self.frames[next as usize].is_old = true;
            next
        })
    }

    /// Whether a frame is among those that were used longest ago.
    pub(super) fn is_old(&self, frame: u32) -> bool {
        self.frames[frame as usize].is_old
    }

    /// Those that were used longest ago, as many as the depth, the oldest first.
    pub(super) fn old(&self) -> impl Iterator<Item = u32> {
        self.oldest_first().take(self.depth)
    }

    pub(super) fn oldest_first(&self) -> impl Iterator<Item = u32> {
        let some = |frame: u32| (frame != NONE).then_some(frame);
        let newer = move |&frame: &u32| some(self.frames[frame as usize].newer);
        core::iter::successors(some(self.oldest), newer)
    }

    fn unlink(&mut self, frame: u32) {
        let Neighbours { newer, older, .. } = self.frames[frame as usize];
        match newer {
            NONE => self.newest = older,
            newer => self.frames[newer as usize].older = older,
        }
        match older {
            NONE => self.oldest = newer,
            older => self.frames[older as usize].newer = newer,
        }
    }

    fn link(&mut self, frame: u32) {
        let before = core::mem::replace(&mut self.newest, frame);
        let linked = &mut self.frames[frame as usize];
        (linked.newer, linked.older) = (NONE, before);
        match before {
            NONE => self.oldest = frame,
            before => self.frames[before as usize].newer = frame,
        }
    }
}
