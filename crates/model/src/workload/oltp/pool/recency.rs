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
}

/// The frames that were used next before and after one.
#[derive(Clone, Copy, Debug)]
struct Neighbours {
    newer: u32,
    older: u32,
}

impl Default for Recency {
    fn default() -> Self {
        Self {
            frames: Vec::new(),
            newest: NONE,
            oldest: NONE,
        }
    }
}

impl Recency {
    /// A frame more, which is used now; its number is how many there were.
    pub(super) fn add(&mut self) -> u32 {
        let frame = self.frames.len() as u32;
        self.frames.push(Neighbours {
            newer: NONE,
            older: NONE,
        });
        self.link(frame);
        frame
    }

    /// A frame is used now.
    pub(super) fn use_again(&mut self, frame: u32) {
        if frame != self.newest {
            self.unlink(frame);
            self.link(frame);
        }
    }

    pub(super) fn oldest_first(&self) -> impl Iterator<Item = u32> {
        let some = |frame: u32| (frame != NONE).then_some(frame);
        let newer = move |&frame: &u32| some(self.frames[frame as usize].newer);
        core::iter::successors(some(self.oldest), newer)
    }

    fn unlink(&mut self, frame: u32) {
        let Neighbours { newer, older } = self.frames[frame as usize];
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
        self.frames[frame as usize] = Neighbours {
            newer: NONE,
            older: before,
        };
        match before {
            NONE => self.oldest = frame,
            before => self.frames[before as usize].newer = frame,
        }
    }
}
