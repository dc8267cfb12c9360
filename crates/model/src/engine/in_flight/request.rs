//! A request in flight and its parts.

use alloc::vec::Vec;

use crate::request::Reply;
use crate::units::Nanos;

/// What is known of a part's end.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum End {
    /// Nothing: it waits for tokens.
    Open,
    /// When it is, or was.
    Known,
    /// When it would be, if its volume were not paused.
    Stalled,
    /// Nothing: it has not begun, and no failure of what has can touch it.
    Held,
}

/// A request in flight, or one whose ticket has not been used again.
#[derive(Clone, Debug)]
pub(super) struct Entry {
    pub(super) device: u32,
    pub(super) kind: Kind,
    /// Of a write, the epoch of its device that it belongs to; of a flush, the one that it ended.
    pub(super) epoch: u64,
    /// Parts whose end is not known.
    pub(super) open: u32,
    /// Its only part; of a request in several parts only the reply counts, the end of all.
    pub(super) whole: Part,
    /// The parts, if there are several; of flushes and trims always.
    pub(super) parts: Vec<Part>,
}

/// A part of a request.
#[derive(Clone, Copy, Debug)]
pub(super) struct Part {
    /// The volume that it is on; none of the writes that a flush waits for.
    pub(super) volume: Option<u32>,
    pub(super) end: End,
    /// How it ends, unless it is open.
    pub(super) reply: Reply,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Kind {
    Read,
    Write,
    Flush,
    Trim,
}

impl Kind {
    /// Whether it is about the whole device.
    pub(super) fn is_whole(self) -> bool {
        matches!(self, Self::Flush | Self::Trim)
    }
}

impl Entry {
    pub(super) fn unused() -> Self {
        Self {
            device: 0,
            kind: Kind::Read,
            epoch: 0,
            open: 0,
            whole: Part {
                end: End::Known,
                ..Part::open(None)
            },
            parts: Vec::new(),
        }
    }

    pub(super) fn in_flight(&self, now: Nanos) -> bool {
        self.open > 0 || self.whole.reply.at > now
    }

    pub(super) fn parts(&self) -> &[Part] {
        match self.parts.is_empty() {
            true => core::slice::from_ref(&self.whole),
            false => &self.parts,
        }
    }

    pub(super) fn parts_mut(&mut self) -> &mut [Part] {
        match self.parts.is_empty() {
            true => core::slice::from_mut(&mut self.whole),
            false => &mut self.parts,
        }
    }

    pub(super) fn part(&mut self, index: u32) -> &mut Part {
        &mut self.parts_mut()[index as usize]
    }

    /// The end of the request, if it is known.
    pub(super) fn end(&self) -> Option<Reply> {
        (self.open == 0).then_some(self.whole.reply)
    }

    /// Counts the open parts anew; gives the end of the request if there are none.
    #[inline]
    pub(super) fn recount(&mut self) -> Option<Reply> {
        if self.parts.is_empty() {
            self.open = u32::from(self.whole.end != End::Known);
            return self.end();
        }
        let parts = self.parts.iter();
        let open = parts.filter(|part| part.end != End::Known).count();
        self.open = open as u32;
        if open == 0 {
            // In the order of the parts, which decides between ends at the same time.
            let replies = self.parts.iter().map(|part| part.reply);
            self.whole.reply = replies.reduce(Reply::later)?;
        }
        self.end()
    }
}

impl Part {
    /// A part whose end is not known.
    pub(super) fn open(volume: Option<usize>) -> Self {
        Self {
            volume: volume.map(|volume| volume as u32),
            end: End::Open,
            reply: Reply::free(0),
        }
    }

    /// Whether it is on `volume`.
    pub(super) fn is_on(&self, volume: usize) -> bool {
        self.volume == Some(volume as u32)
    }

    pub(super) fn set(&mut self, end: End, reply: Reply) {
        (self.end, self.reply) = (end, reply);
    }
}
