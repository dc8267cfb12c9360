//! What is left of changed blocks when the power goes.

use std::fmt;

use blockyard_model::random::Stream;
use rustix::io::Errno;

use super::block::Changed;
use crate::store::image::Image;

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
    for block in changed {
        match stream.below(if torn { 3 } else { 2 }) {
            0 => {}
            1 => {
                lost.dropped += 1;
                block.fall_back(image, stream)?;
            }
            _ => {
                lost.torn += 1;
                block.tear(image, stream)?;
            }
        }
    }
    Ok(lost)
}
