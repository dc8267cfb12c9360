//! In which order frames are to go.
//!
//! InnoDB's list has a midpoint: a page that was just read begins at the head of its old part, and
//! comes to the head of all when it is used again, so that pages used once do not push out those
//! used often.

use alloc::vec::Vec;

/// No frame.
const NONE: u32 = u32::MAX;

/// Frames in that order, each at its number: a list through an array.
#[derive(Clone, Debug)]
pub(super) struct Recency {
    frames: Vec<Neighbours>,
    newest: u32,
    oldest: u32,
    /// The newest of the old part, and how many frames that has, which is `share` of all in 1000.
    midpoint: u32,
    olds: usize,
    share: usize,
}

/// The frames that were used next before and after one.
#[derive(Clone, Copy, Debug)]
struct Neighbours {
    newer: u32,
    older: u32,
    is_old: bool,
}

impl Recency {
    /// No frames yet. With an old part of 0 it is a plain list by last use.
    pub(super) fn new(old_permille: u32) -> Self {
        Self {
            frames: Vec::new(),
            newest: NONE,
            oldest: NONE,
            midpoint: NONE,
            olds: 0,
            share: old_permille as usize,
        }
    }

    /// A frame more, into which a page was read; its number is how many there were.
    pub(super) fn add(&mut self) -> u32 {
        let frame = self.frames.len() as u32;
        self.frames.push(Neighbours {
            newer: NONE,
            older: NONE,
            is_old: false,
        });
        self.link_read(frame);
        frame
    }

    /// Another page was read into a frame.
    pub(super) fn read(&mut self, frame: u32) {
        self.unlink(frame);
        self.link_read(frame);
    }

    /// A frame is used now.
    pub(super) fn use_again(&mut self, frame: u32) {
        if frame != self.newest {
            self.unlink(frame);
            self.link(self.newest, frame, NONE);
            self.balance();
        }
    }

    pub(super) fn oldest_first(&self) -> impl Iterator<Item = u32> {
        let some = |frame: u32| (frame != NONE).then_some(frame);
        let newer = move |&frame: &u32| some(self.frames[frame as usize].newer);
        core::iter::successors(some(self.oldest), newer)
    }

    fn at(&mut self, frame: u32) -> &mut Neighbours {
        &mut self.frames[frame as usize]
    }

    /// Links a frame at the midpoint, or as the newest if there is none.
    fn link_read(&mut self, frame: u32) {
        match self.midpoint {
            NONE => self.link(self.newest, frame, NONE),
            next => {
                let newer = self.at(next).newer;
                self.link(next, frame, newer);
                self.at(frame).is_old = true;
                self.midpoint = frame;
                self.olds += 1;
            }
        }
        self.balance();
    }

    /// Moves the midpoint to where the old part has its share.
    fn balance(&mut self) {
        let wanted = self.frames.len() * self.share / 1000;
        while self.olds > wanted {
            let young = self.midpoint;
            self.at(young).is_old = false;
            self.midpoint = self.at(young).older;
            self.olds -= 1;
        }
        while self.olds < wanted {
            let old = match self.midpoint {
                NONE => self.oldest,
                midpoint => self.at(midpoint).newer,
            };
            self.at(old).is_old = true;
            self.midpoint = old;
            self.olds += 1;
        }
    }

    fn unlink(&mut self, frame: u32) {
        let Neighbours {
            newer,
            older,
            is_old,
        } = *self.at(frame);
        if is_old {
            self.olds -= 1;
        }
        if frame == self.midpoint {
            self.midpoint = older;
        }
        match newer {
            NONE => self.newest = older,
            newer => self.at(newer).older = older,
        }
        match older {
            NONE => self.oldest = newer,
            older => self.at(older).newer = newer,
        }
    }

    /// Links a frame between two.
    fn link(&mut self, older: u32, frame: u32, newer: u32) {
        *self.at(frame) = Neighbours {
            newer,
            older,
            is_old: false,
        };
        match newer {
            NONE => self.newest = frame,
            newer => self.at(newer).older = frame,
        }
        match older {
            NONE => self.oldest = frame,
            older => self.at(older).newer = frame,
        }
    }
}
