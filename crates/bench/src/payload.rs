//! What is written: random bytes, which no storage can compress or merge.

use blockyard_model::random::Stream;
use blockyard_model::units::Bytes;

/// The interval in bytes at which a write is made different from all others.
const PAGE: usize = 4096;

/// Makes the content of writes.
#[derive(Debug)]
pub(crate) struct Payload {
    writes: u64,
}

impl Payload {
    pub(crate) fn new() -> Self {
        Self { writes: 0 }
    }

    /// Makes a buffer of random bytes different from all that were written
    /// before, by a few bytes a page: to draw every byte anew would cost more
    /// than the IO.
    #[inline]
    pub(crate) fn freshen(&mut self, buffer: &mut [u8], offset: Bytes) {
        self.writes += 1;
        for page in buffer.chunks_mut(PAGE) {
            if let Some(head) = page.first_chunk_mut::<16>() {
                head[..8].copy_from_slice(&offset.to_le_bytes());
                head[8..].copy_from_slice(&self.writes.to_le_bytes());
            }
        }
    }
}

/// Fills a buffer with random bytes.
pub(crate) fn fill(buffer: &mut [u8], random: &mut Stream) {
    for bytes in buffer.chunks_mut(8) {
        let drawn = random.bits().to_le_bytes();
        bytes.copy_from_slice(&drawn[..bytes.len()]);
    }
}
