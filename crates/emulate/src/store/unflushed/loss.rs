//! What is left of changed blocks when the power goes.

use std::fmt;

use blockyard_model::random::Stream;
use rustix::io::Errno;

use super::BLOCK;
use super::shard::Content;
use crate::answer::Outcome;
use crate::store::image::Image;

/// What storage writes whole even when the power goes.
const SECTOR: u64 = 512;

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

/// What a power cut took.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(crate) struct Lost {
    /// 4 KiB blocks that were changed since the last flush.
    pub(crate) blocks_unflushed: u64,
    /// Of these, how many fell back to the old content.
    pub(crate) dropped: u64,
    /// Of these, how many were left with old and new sectors.
    pub(crate) torn: u64,
}

impl fmt::Display for Lost {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Self {
            blocks_unflushed,
            dropped,
            torn,
        } = self;
        write!(
            f,
            "of {blocks_unflushed} unflushed blocks {dropped} lost, {torn} torn"
        )
    }
}

/// Leaves each block new, old or, with `torn`, mixed; all are as likely.
pub(super) fn undo(
    image: &Image,
    changed: &[Changed],
    stream: &mut Stream,
    torn: bool,
) -> Result<Lost, Errno> {
    let mut lost = Lost {
        blocks_unflushed: changed.len() as u64,
        ..Lost::default()
    };
    for Changed { block, old, older } in changed {
        match stream.below(if torn { 3 } else { 2 }) {
            0 => {}
            1 => {
                lost.dropped += 1;
                let old = match older {
                    Some(older) if stream.below(2) == 0 => older,
                    _ => old,
                };
                restore(image, block * BLOCK, old, 0..BLOCK)?;
            }
            _ => {
                lost.torn += 1;
                tear(image, *block, old, stream)?;
            }
        }
    }
    Ok(lost)
}

/// Restores some of a block's sectors, at least one and not all.
fn tear(image: &Image, block: u64, old: &Content, stream: &mut Stream) -> Outcome {
    let all = (1 << (BLOCK / SECTOR)) - 1;
    let chosen = 1 + stream.below(all - 1);
    (0..BLOCK / SECTOR)
        .filter(|sector| chosen >> sector & 1 == 1)
        .try_for_each(|sector| {
            let within = sector * SECTOR..(sector + 1) * SECTOR;
            restore(image, block * BLOCK, old, within)
        })
}

fn restore(image: &Image, at: u64, old: &Content, within: std::ops::Range<u64>) -> Outcome {
    let (start, len) = (at + within.start, within.end - within.start);
    match old {
        Some(bytes) => image.write(start, &bytes[within.start as usize..within.end as usize]),
        None => image.zero(start, len, false),
    }
}
