//! What is stored on a target.

use std::fs::File;
use std::ops::Range;
use std::os::unix::fs::FileExt;
use std::path::Path;

use blockyard_model::units::{Bytes, GIB, KIB, MIB};
use rustix::fs::{Advice, fadvise};

use super::refusal::Reason;
use super::signatures;
use crate::provenance::{self, Origin};
use crate::samples::places;
use crate::target::length;

/// A file must be empty, or as an earlier run left it.
pub(super) fn check_file(path: &Path, file: &File) -> Result<(), Reason> {
    if file.metadata()?.len() == 0 {
        return Ok(());
    }
    match provenance::origin(file) {
        Origin::Ours { .. } => signatures::check(path),
        Origin::Foreign => Err(Reason::Foreign),
        Origin::Changed => Err(Reason::Changed),
        Origin::Filling | Origin::Writing { .. } => Err(Reason::Unfinished),
    }
}

/// A device must have no signature, and be zero wherever it is sampled.
pub(super) fn check_device(path: &Path, device: &File) -> Result<(), Reason> {
    signatures::check(path)?;
    match first_byte(device)? {
        Some(offset) => Err(Reason::NotZero { offset }),
        None => Ok(()),
    }
}

/// Both ends of a device are read as a whole: partition tables, volume managers and RAID keep
/// their metadata, and copies of it, there.
const EDGE: Bytes = MIB;

/// Sampled places in between, and the size of each. A spinning disk takes some seconds for so
/// many.
const PLACES: u64 = 512;
const PLACE: Bytes = 64 * KIB;

/// Where file systems whose start was overwritten have copies of their superblocks:
/// ext2 to ext4 with blocks of 1, 2 and 4 KiB, btrfs, OCFS2.
const COPIES: [Bytes; 9] = [
    8 * MIB,
    32 * MIB,
    64 * MIB,
    128 * MIB,
    384 * MIB,
    GIB,
    4 * GIB,
    16 * GIB,
    256 * GIB,
];

/// The offset of the first byte that is not zero, among those that are sampled.
fn first_byte(device: &File) -> Result<Option<Bytes>, Reason> {
    // Read-ahead would fetch what lies between.
    let _ = fadvise(device, 0, None, Advice::Random);
    let mut buffer = vec![0; EDGE as usize];
    for place in looked_at(length(device)?) {
        let bytes = &mut buffer[..(place.end - place.start) as usize];
        device.read_exact_at(bytes, place.start)?;
        if let Some(position) = bytes.iter().position(|&byte| byte != 0) {
            return Ok(Some(place.start + position as Bytes));
        }
    }
    Ok(None)
}

/// The sampled ranges of a device, in rising order.
fn looked_at(length: Bytes) -> Vec<Range<Bytes>> {
    let edge = EDGE.min(length);
    // XFS divides a disk in four, rounded, and begins each part with a copy.
    let quarters = (1..4).map(|number| length / 4 * number);
    let around = |at: Bytes| at.saturating_sub(PLACE / 2)..at + PLACE / 2;
    let copies = COPIES.into_iter().chain(quarters).map(around);
    let copies = copies.filter(|place| place.end <= length);
    let mut all: Vec<_> = places(length, PLACES, PLACE).chain(copies).collect();
    all.extend([0..edge, length - edge..length]);
    all.sort_by_key(|place| place.start);
    all
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_ends_and_the_copies_are_looked_at() {
        let length = 100 * GIB;
        let places = looked_at(length);
        assert!(places.len() > PLACES as usize);
        for range in [
            0..EDGE,
            length - EDGE..length,
            // The first copy of ext4, the second group of XFS.
            128 * MIB..128 * MIB + 4096,
            length / 4..length / 4 + 512,
        ] {
            let seen = |place: &Range<Bytes>| place.start <= range.start && place.end >= range.end;
            assert!(places.iter().any(seen), "{range:?}");
        }
        assert!(places.windows(2).all(|pair| pair[0].start <= pair[1].start));
        assert!(places.iter().all(|place| place.end <= length));
    }

    #[test]
    fn a_byte_that_is_not_zero_is_found_where_it_is_looked_for() {
        let file = tempfile::tempfile().unwrap();
        let length = 1000 * MIB;
        file.set_len(length).unwrap();
        assert!(matches!(first_byte(&file), Ok(None)));
        // From the end, so that each is the first.
        for offset in [
            length - 1,
            length - MIB,
            length / 4 * 3,
            128 * MIB,
            32 * MIB,
            MIB - 1,
            0,
        ] {
            file.write_all_at(b"x", offset).unwrap();
            assert!(matches!(first_byte(&file), Ok(Some(found)) if found == offset));
        }
    }

    #[test]
    fn a_small_device_is_looked_at_as_a_whole() {
        for length in [0, 512, MIB, 3 * MIB + 512, 32 * MIB] {
            let mut end = 0;
            for place in looked_at(length) {
                assert!(place.start <= end);
                end = end.max(place.end);
            }
            assert_eq!(end, length);
        }
    }
}
