//! A block that was changed and not flushed, and what can become of it.

use std::ops::Range;

use blockyard_model::random::Stream;

use super::BLOCK;
use crate::request::IoResult;
use crate::store::image::Image;

/// What storage writes whole even when the power goes.
const SECTOR: u64 = 512;

/// A block's content; none for zeros.
pub(super) type Content = Option<Box<[u8]>>;

/// A block that was changed and not flushed.
#[derive(Debug)]
pub(super) struct Changed {
    pub(super) block: u64,
    /// Its content before the first change since the last flush began.
    pub(super) old: Content,
    /// While that flush goes on: its content before the first change since
    /// the flush before, if it was changed then.
    pub(super) older: Option<Content>,
}

impl Changed {
    /// Restores the whole block, to either of its old contents.
    pub(super) fn fall_back(&self, image: &Image, stream: &mut Stream) -> IoResult {
        let content = match &self.older {
            Some(older) if stream.below(2) == 0 => older,
            _ => &self.old,
        };
        self.restore(image, content, 0..BLOCK)
    }

    /// Restores some of the block's sectors, at least one and not all.
    pub(super) fn tear(&self, image: &Image, stream: &mut Stream) -> IoResult {
        let all = (1 << (BLOCK / SECTOR)) - 1;
        let chosen = 1 + stream.below(all - 1);
        (0..BLOCK / SECTOR)
            .filter(|sector| chosen >> sector & 1 == 1)
            .try_for_each(|sector| {
                let within = sector * SECTOR..(sector + 1) * SECTOR;
                self.restore(image, &self.old, within)
            })
    }

    fn restore(&self, image: &Image, content: &Content, within: Range<u64>) -> IoResult {
        let (start, len) = (self.block * BLOCK + within.start, within.end - within.start);
        match content {
            Some(bytes) => image.write(start, &bytes[within.start as usize..within.end as usize]),
            None => image.zero(start, len, false),
        }
    }
}
