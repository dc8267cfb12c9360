//! What is stored on a target.

use std::fs::File;
use std::ops::Range;
use std::os::unix::fs::FileExt;
use std::path::Path;
use std::time::Duration;

use blockyard_machine::Clock;
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

/// A device must have no signature, and be zero wherever it is sampled, and where `written` to as
/// far as that can be read in a short time.
pub(super) fn check_device(
    path: &Path,
    device: &File,
    written: Range<Bytes>,
) -> Result<(), Reason> {
    signatures::check(path)?;
    // Read-ahead would fetch what lies between.
    let _ = fadvise(device, 0, None, Advice::Random);
    let length = length(device)?;
    check_zero(device, looked_at(length).into_iter())?;
    let _ = fadvise(device, 0, None, Advice::Sequential);
    let clock = Clock::start();
    let in_time = |_: &_| clock.elapsed() < PATIENCE;
    let checked = check_zero(device, steps(written, length).take_while(in_time));
    // What the kernel keeps of it would slow the run's first writes to it.
    let _ = fadvise(device, 0, None, Advice::DontNeed);
    checked
}

/// For how long what is about to be written to is read: some GiB of most disks.
const PATIENCE: Duration = Duration::from_secs(2);

/// The first of a device is read as a whole, to behind the place where most partitions and LVM's
/// volumes begin; and the last, where partition tables, volume managers and RAID keep copies.
const FIRST: Bytes = 2 * MIB;
const LAST: Bytes = MIB;

/// How much is read at a time.
const STEP: Bytes = MIB;

/// Sampled places in between, and the size of each. A spinning disk takes some seconds for so
/// many.
const PLACES: u64 = 512;
const PLACE: Bytes = 64 * KIB;

/// Where file systems begin: on the whole device, in the first partition as DOS made it, and as
/// everybody makes it now, LVM its first volume, too.
const STARTS: [Bytes; 3] = [0, 63 * 512, MIB];

/// Where file systems whose start was overwritten have copies of their superblocks, from where
/// they begin: ext2 to ext4 with blocks of 1, 2 and 4 KiB, btrfs, OCFS2, XFS of more than 4 TiB.
const COPIES: [Bytes; 10] = [
    8 * MIB,
    32 * MIB,
    64 * MIB,
    128 * MIB,
    384 * MIB,
    GIB,
    4 * GIB,
    16 * GIB,
    256 * GIB,
    1024 * GIB,
];

/// Refuses a device with a byte that is not zero in one of `places`, which are at most `STEP`
/// each.
fn check_zero(device: &File, places: impl Iterator<Item = Range<Bytes>>) -> Result<(), Reason> {
    let mut buffer = vec![0; STEP as usize];
    for place in places {
        let bytes = &mut buffer[..(place.end - place.start) as usize];
        device.read_exact_at(bytes, place.start)?;
        if let Some(position) = bytes.iter().position(|&byte| byte != 0) {
            let offset = place.start + position as Bytes;
            return Err(Reason::NotZero { offset });
        }
    }
    Ok(())
}

/// What of `range` a device of `length` has, in steps.
fn steps(range: Range<Bytes>, length: Bytes) -> impl Iterator<Item = Range<Bytes>> {
    let end = range.end.min(length);
    let starts = (range.start..end).step_by(STEP as usize);
    starts.map(move |start| start..(start + STEP).min(end))
}

/// The sampled ranges of a device, in rising order.
fn looked_at(length: Bytes) -> Vec<Range<Bytes>> {
    let around = |at: Bytes| at.saturating_sub(PLACE / 2)..at + PLACE / 2;
    let copies = STARTS.into_iter().flat_map(|start| copies(start, length));
    let copies = copies.map(around).filter(|place| place.end <= length);
    let mut all: Vec<_> = places(length, PLACES, PLACE).chain(copies).collect();
    all.extend(steps(0..FIRST, length));
    all.extend(steps(length.saturating_sub(LAST)..length, length));
    all.sort_by_key(|place| place.start);
    all
}

/// Where a file system from `start` to the end would have copies of its superblock.
fn copies(start: Bytes, length: Bytes) -> impl Iterator<Item = Bytes> {
    // Below that XFS divides its space in four, rounded, and begins each part with a copy.
    let quarter = length.saturating_sub(start) / 4;
    let quarters = (1..4).map(move |number| quarter * number);
    COPIES.into_iter().chain(quarters).map(move |at| start + at)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn not_zero(file: &File, places: impl Iterator<Item = Range<Bytes>>) -> Option<Bytes> {
        match check_zero(file, places) {
            Err(Reason::NotZero { offset }) => Some(offset),
            other => {
                other.unwrap();
                None
            }
        }
    }

    #[test]
    fn the_ends_and_the_copies_are_looked_at() {
        let length = 100 * GIB;
        let places = looked_at(length);
        assert!(places.len() > PLACES as usize);
        for range in [
            MIB - 512..MIB,
            length - LAST..length,
            // The first copy of ext4, the second group of XFS.
            128 * MIB..128 * MIB + 4096,
            length / 4..length / 4 + 512,
            // The same in a partition, and in one of old.
            MIB..MIB + 4096,
            129 * MIB..129 * MIB + 4096,
            MIB + (length - MIB) / 4..MIB + (length - MIB) / 4 + 512,
            128 * MIB + 32256..128 * MIB + 32256 + 512,
        ] {
            let seen = |place: &Range<Bytes>| place.start <= range.start && place.end >= range.end;
            assert!(places.iter().any(seen), "{range:?}");
        }
        assert!(places.windows(2).all(|pair| pair[0].start <= pair[1].start));
        assert!(places.iter().all(|place| place.end <= length));
        assert!(places.iter().all(|place| place.end - place.start <= STEP));
    }

    #[test]
    fn a_byte_that_is_not_zero_is_found_where_it_is_looked_for() {
        let file = tempfile::tempfile().unwrap();
        let length = 1000 * MIB;
        file.set_len(length).unwrap();
        let found = || not_zero(&file, looked_at(length).into_iter());
        assert_eq!(found(), None);
        // From the end, so that each is the first.
        for offset in [
            length - 1,
            length - MIB,
            length / 4 * 3,
            129 * MIB,
            128 * MIB,
            32 * MIB,
            2 * MIB - 1,
            MIB,
            MIB - 1,
            0,
        ] {
            file.write_all_at(b"x", offset).unwrap();
            assert_eq!(found(), Some(offset));
        }
    }

    #[test]
    fn all_that_is_written_to_is_looked_at() {
        let file = tempfile::tempfile().unwrap();
        let length = 1000 * MIB;
        file.set_len(length).unwrap();
        // Where no place is: between two of them.
        let places = looked_at(length);
        let pair = places.windows(2).rfind(|pair| pair[0].end < pair[1].start);
        let offset = pair.unwrap()[0].end;
        file.write_all_at(b"x", offset).unwrap();
        assert_eq!(not_zero(&file, places.into_iter()), None);
        assert_eq!(not_zero(&file, steps(0..offset, length)), None);
        assert_eq!(not_zero(&file, steps(0..u64::MAX, length)), Some(offset));
        assert_eq!(
            not_zero(&file, steps(offset..offset + 1, length)),
            Some(offset)
        );
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
