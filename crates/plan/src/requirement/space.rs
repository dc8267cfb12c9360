//! What volumes must have so that the file system made on them has the size that is wanted.
//!
//! LVM keeps its metadata and rounds to extents of 4 MiB on each volume; XFS takes an internal log.
//! What else XFS writes of its own when it is made is below a MiB, and in LVM's part here. Once the
//! file system is mounted, the kernel reserves up to 2 % more for its trees: these are within
//! the space that is to stay free.

use blockyard_model::units::{Bytes, GIB, MIB};

/// Of each volume: LVM's metadata (1 MiB, which makes an extent) and an extent that is not whole.
const LVM: Bytes = 8 * MIB;

/// The log that `mkfs.xfs` makes: a 2048th of the file system, within these bounds.
const LOG_OF: Bytes = 2048;
const SMALLEST_LOG: Bytes = 64 * MIB;
const LARGEST_LOG: Bytes = 2 * GIB;

/// The fewest bytes of `volumes` volumes on which a file system of `bytes` can be made.
pub(crate) fn volumes_for(bytes: Bytes, volumes: u32) -> Bytes {
    let held = bytes.saturating_add(LVM * u64::from(volumes));
    let log = held.div_ceil(LOG_OF - 1).clamp(SMALLEST_LOG, LARGEST_LOG);
    held.saturating_add(log)
}

/// The size of the file system that is made on volumes with so many bytes.
pub(crate) fn file_system_on(bytes: Bytes, volumes: u32) -> Bytes {
    let log = bytes.div_ceil(LOG_OF).clamp(SMALLEST_LOG, LARGEST_LOG);
    bytes.saturating_sub(log + LVM * u64::from(volumes))
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    proptest! {
        #[test]
        fn volumes_have_room_for_the_file_system_and_no_more(
            bytes in 1_u64..1 << 50,
            volumes in 1_u32..57,
        ) {
            let needed = volumes_for(bytes, volumes);
            prop_assert!(file_system_on(needed, volumes) >= bytes);
            prop_assert!(file_system_on(needed - 2, volumes) < bytes);
        }
    }

    #[test]
    fn logs_are_those_that_mkfs_makes() {
        // Blocks of 4 KiB: `logblocks` of mkfs.xfs 6.1.0 on sparse files of so many GiB.
        for (gib, blocks) in [
            (10, 16_384),
            (50, 16_384),
            (200, 25_600),
            (500, 64_000),
            (1000, 128_000),
            (2016, 258_048),
            (4096, 521_728),
        ] {
            let log = gib * GIB - file_system_on(gib * GIB, 0);
            assert!(
                (blocks * 4096..=blocks * 4096 * 101 / 100).contains(&log),
                "{gib}: {log}"
            );
        }
    }
}
