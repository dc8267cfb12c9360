//! The stamp in every sector of a written block, by which a torn block is recognised.

use std::fmt::{self, Display};

use blockyard_model::units::Bytes;

use super::blocks::Expected;

/// Storage writes a sector whole or not at all.
const SECTOR: usize = 512;

/// A sector: this mark, the checksum of what follows, its own offset, the
/// generation, and bytes made from both.
const MARK: [u8; 4] = *b"BYV1";
const CHECKED_FROM: usize = 8;
const OFFSET: usize = 8;
const GENERATION: usize = 16;
const FILLING: usize = 24;

/// What is wrong with a block.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Fault {
    /// Something else is there, or bits have changed.
    Damaged,
    /// It is the block of another place.
    Misplaced(Bytes),
    /// It is older than what was written.
    Stale { found: u32, expected: u32 },
    /// It is newer than all that was written.
    Unwritten { found: u32, expected: u32 },
    /// Some sectors are of one write and some of another.
    Torn(u32, u32),
}

impl Display for Fault {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Damaged => write!(f, "damaged: not what was ever written there"),
            Self::Misplaced(offset) => write!(f, "misplaced: it was written to offset {offset}"),
            Self::Stale { found, expected } => {
                write!(f, "stale: generation {found}, {expected} was written")
            }
            Self::Unwritten { found, expected } => {
                write!(f, "generation {found}, only {expected} was written")
            }
            Self::Torn(first, second) => {
                write!(f, "torn: sectors of generations {first} and {second}")
            }
        }
    }
}

/// Fills a block that will lie at `offset`.
pub(crate) fn stamp(block: &mut [u8], offset: Bytes, generation: u32) {
    for (number, sector) in (0..).zip(block.chunks_exact_mut(SECTOR)) {
        let at = offset + number * SECTOR as Bytes;
        sector[OFFSET..GENERATION].copy_from_slice(&at.to_le_bytes());
        sector[GENERATION..FILLING].copy_from_slice(&u64::from(generation).to_le_bytes());
        let mut state = at ^ u64::from(generation) << 40;
        for bytes in sector[FILLING..].chunks_exact_mut(8) {
            state = next(state);
            bytes.copy_from_slice(&state.to_le_bytes());
        }
        let checksum = crc32fast::hash(&sector[CHECKED_FROM..]);
        sector[..4].copy_from_slice(&MARK);
        sector[4..CHECKED_FROM].copy_from_slice(&checksum.to_le_bytes());
    }
}

/// SplitMix64's step: bytes that do not compress.
fn next(state: u64) -> u64 {
    let mut z = state.wrapping_add(0x9e37_79b9_7f4a_7c15);
    z = (z ^ z >> 30).wrapping_mul(0xbf58_476d_1ce4_e5b9);
    z = (z ^ z >> 27).wrapping_mul(0x94d0_49bb_1331_11eb);
    z ^ z >> 31
}

/// What is wrong with the block that was read from `offset`, if anything is.
pub(crate) fn inspect(block: &[u8], offset: Bytes, expected: Expected) -> Option<Fault> {
    let mut first = None;
    for (number, sector) in (0..).zip(block.chunks_exact(SECTOR)) {
        let (at, generation) = match read(sector) {
            Some(found) => found,
            None => return Some(Fault::Damaged),
        };
        if at != offset + number * SECTOR as Bytes {
            return Some(Fault::Misplaced(
                at.saturating_sub(number * SECTOR as Bytes),
            ));
        }
        let of_first = *first.get_or_insert(generation);
        if of_first != generation && !expected.mixed {
            return Some(Fault::Torn(of_first, generation));
        }
        if generation < expected.oldest {
            return Some(Fault::Stale {
                found: generation,
                expected: expected.oldest,
            });
        }
        if generation > expected.newest {
            return Some(Fault::Unwritten {
                found: generation,
                expected: expected.newest,
            });
        }
    }
    None
}

/// The offset and the generation of a sound sector.
fn read(sector: &[u8]) -> Option<(Bytes, u32)> {
    let checksum = u32::from_le_bytes(sector[4..CHECKED_FROM].try_into().ok()?);
    if sector[..4] != MARK || checksum != crc32fast::hash(&sector[CHECKED_FROM..]) {
        return None;
    }
    let offset = Bytes::from_le_bytes(sector[OFFSET..GENERATION].try_into().ok()?);
    let generation = u64::from_le_bytes(sector[GENERATION..FILLING].try_into().ok()?);
    Some((offset, u32::try_from(generation).ok()?))
}

#[cfg(test)]
mod tests {
    use super::*;

    const ANY: Expected = Expected {
        oldest: 3,
        newest: 5,
        mixed: false,
    };

    fn block(offset: Bytes, generation: u32) -> Vec<u8> {
        let mut block = vec![0; 4096];
        stamp(&mut block, offset, generation);
        block
    }

    #[test]
    fn a_block_is_what_was_written() {
        for generation in 3..=5 {
            assert_eq!(inspect(&block(8192, generation), 8192, ANY), None);
        }
    }

    #[test]
    fn every_fault_is_told() {
        let (stale, unwritten) = (inspect(&block(0, 2), 0, ANY), inspect(&block(0, 6), 0, ANY));
        assert_eq!(
            stale,
            Some(Fault::Stale {
                found: 2,
                expected: 3
            })
        );
        assert_eq!(
            unwritten,
            Some(Fault::Unwritten {
                found: 6,
                expected: 5
            })
        );
        assert_eq!(
            inspect(&block(4096, 3), 0, ANY),
            Some(Fault::Misplaced(4096))
        );
        let mut torn = block(0, 4);
        torn[2048..].copy_from_slice(&block(0, 3)[2048..]);
        assert_eq!(inspect(&torn, 0, ANY), Some(Fault::Torn(4, 3)));
        let overlapping = Expected { mixed: true, ..ANY };
        assert_eq!(inspect(&torn, 0, overlapping), None);
    }

    #[test]
    fn every_flipped_bit_is_found() {
        for bit in 0..512 * 8 {
            let mut block = block(0, 3);
            block[1024 + bit / 8] ^= 1 << (bit % 8);
            assert_eq!(inspect(&block, 0, ANY), Some(Fault::Damaged), "bit {bit}");
        }
        assert_eq!(inspect(&[0; 4096], 0, ANY), Some(Fault::Damaged));
    }
}
