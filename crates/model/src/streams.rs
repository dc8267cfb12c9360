//! Sequential streams on a volume: which requests continue one, and how they are counted.

use crate::units::{Bytes, KIB};

/// How many streams a volume knows at a time.
const STREAMS: usize = 16;

/// By what SSD types count and merge requests.
pub const SSD_UNIT: Bytes = 256 * KIB;

/// Smaller requests are never merged: 4 KiB in sequence were counted one by one at a depth of
/// 4 and of 64 (measurements dyu-029 and 030, longhorn-002 and 004), and the EC2 user guide of
/// 2020 says that an IO below 32 KiB counts as one.
pub const SMALLEST_MERGED: Bytes = 32 * KIB;

/// The streams that were continued last. A request that continues one fills its open unit
/// before it counts another, whether or not the stream waits: writes of 128 KiB with up to
/// 16,000 reads a second between them were counted by 256 KiB (diskplorer-001).
#[derive(Clone, Debug)]
pub struct Streams {
    unit_bits: u32,
    /// Whether small requests are followed too, which never merge.
    follow_all: bool,
    /// The latest first. `end` holds the direction in its lowest bit.
    ends: [u64; STREAMS],
    /// Bytes in each stream's open unit; 0 if it is full.
    filled: [Bytes; STREAMS],
}

/// What a request is among the streams of its volume.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Followed {
    /// What it counts, in units.
    pub ios: u64,
    /// Whether it continues a stream.
    pub sequential: bool,
}

/// No request begins here.
const NOWHERE: u64 = u64::MAX;

impl Streams {
    /// Of a volume with units of `2^unit_bits` bytes; with `follow_all` small requests are
    /// looked at, too.
    #[must_use]
    pub fn new(unit_bits: u32, follow_all: bool) -> Self {
        Self {
            unit_bits,
            follow_all,
            ends: [NOWHERE; STREAMS],
            filled: [0; STREAMS],
        }
    }

    /// Counts a request.
    #[inline]
    pub fn follow(&mut self, offset: Bytes, len: Bytes, write: bool) -> Followed {
        if len < SMALLEST_MERGED && !self.follow_all {
            let ios = self.units(len);
            let sequential = false;
            return Followed { ios, sequential };
        }
        self.look_up(offset, len, write)
    }

    #[inline(never)]
    fn look_up(&mut self, offset: Bytes, len: Bytes, write: bool) -> Followed {
        let key = |place: Bytes| place << 1 | u64::from(write);
        let known = self.ends.iter().position(|&end| end == key(offset));
        let merges = len >= SMALLEST_MERGED;
        let filled = known.map_or(0, |place| self.filled[place]);
        let filled = if merges { filled } else { 0 };
        let ios = self.units(filled + len) - u64::from(filled > 0);
        let within = (1 << self.unit_bits) - 1;
        // The stream goes to the front; a new one takes the place of the oldest.
        let place = known.unwrap_or(STREAMS - 1);
        self.ends[..=place].rotate_right(1);
        self.filled[..=place].rotate_right(1);
        self.ends[0] = key(offset + len);
        self.filled[0] = if merges { (filled + len) & within } else { 0 };
        Followed {
            ios,
            sequential: known.is_some(),
        }
    }

    /// The units that a number of bytes begins.
    fn units(&self, bytes: Bytes) -> u64 {
        (bytes + (1 << self.unit_bits) - 1) >> self.unit_bits
    }
}

#[cfg(test)]
mod tests {
    use alloc::vec::Vec;

    use proptest::prelude::*;

    use super::*;

    /// The same, obvious: every stream that there was, the latest last.
    fn obvious(requests: &[(Bytes, Bytes, bool)], unit: Bytes, all: bool) -> Vec<Followed> {
        let mut streams: Vec<(Bytes, bool, Bytes)> = Vec::new();
        let follow = |&(offset, len, write): &(Bytes, Bytes, bool)| {
            let merges = len >= SMALLEST_MERGED;
            if !merges && !all {
                let ios = len.div_ceil(unit);
                let sequential = false;
                return Followed { ios, sequential };
            }
            let recent = streams.len().saturating_sub(STREAMS);
            let known = streams[recent..]
                .iter()
                .rposition(|it| (it.0, it.1) == (offset, write));
            let known = known.map(|place| streams.remove(recent + place));
            let filled = known.map_or(0, |it| if merges { it.2 } else { 0 });
            let open = if merges { (filled + len) % unit } else { 0 };
            streams.push((offset + len, write, open));
            Followed {
                ios: (filled + len).div_ceil(unit) - u64::from(filled > 0),
                sequential: known.is_some(),
            }
        };
        requests.iter().map(follow).collect()
    }

    proptest! {
        #[test]
        fn streams_are_followed_as_if_all_were_remembered_of_which_the_latest_count(
            requests in prop::collection::vec((0_u64..24, 1_u64..40, any::<bool>()), 1..200),
            all: bool,
        ) {
            let request = |&(place, blocks, write): &(u64, u64, bool)| {
                (place * 32 * KIB, blocks * 8 * KIB, write)
            };
            let requests: Vec<_> = requests.iter().map(request).collect();
            let mut streams = Streams::new((256 * KIB).ilog2(), all);
            let of = |&(offset, len, write): &_| streams.follow(offset, len, write);
            let found: Vec<_> = requests.iter().map(of).collect();
            prop_assert_eq!(found, obvious(&requests, 256 * KIB, all));
        }
    }
}
