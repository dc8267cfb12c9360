//! How many IOs go on where an earlier one ended.

use std::collections::VecDeque;

/// Streams side by side that are told apart: those that went on last.
const STREAMS: usize = 128;

/// How many of a device's IOs are sequential. IOs have an offset and a length, and are in the order
/// of arrival.
///
/// In a small region random IOs, too, begin where another ended. As many of them end where another
/// began, which no sequential one does, so these are taken off.
#[must_use]
pub fn sequential(ios: &[(u64, u64)]) -> usize {
    let mirrored = ios.iter().map(|&(offset, bytes)| {
        let end = offset.saturating_add(bytes);
        (u64::MAX - end, bytes)
    });
    going_on(ios.iter().copied()).saturating_sub(going_on(mirrored))
}

/// How many begin where one of the last before them ended.
fn going_on(ios: impl Iterator<Item = (u64, u64)>) -> usize {
    let mut ends = VecDeque::with_capacity(STREAMS);
    let going_on = ios.filter(|&(offset, bytes)| {
        let stream = ends.iter().rposition(|end| *end == offset);
        match stream {
            Some(place) => drop(ends.remove(place)),
            None if ends.len() == STREAMS => drop(ends.pop_front()),
            None => {}
        }
        ends.push_back(offset.saturating_add(bytes));
        stream.is_some()
    });
    going_on.count()
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    /// As many streams, far from each other, in turns that `order` draws.
    fn streams(order: &[usize]) -> Vec<(u64, u64)> {
        let mut ends = [0; 2 * STREAMS];
        let ios = order.iter().map(|stream| {
            let offset = (*stream as u64) << 32 | ends[*stream];
            ends[*stream] += 4096;
            (offset, 4096)
        });
        ios.collect()
    }

    proptest! {
        #[test]
        fn each_stream_follows_itself(order in prop::collection::vec(0..STREAMS, 0..600)) {
            let mut begun = [false; STREAMS];
            order.iter().for_each(|stream| begun[*stream] = true);
            let begun = begun.iter().filter(|begun| **begun).count();
            prop_assert_eq!(sequential(&streams(&order)), order.len() - begun);
        }

        #[test]
        fn random_ones_in_a_small_region_are_few(
            blocks in prop::collection::vec(0_u64..1000, 4000..4001),
        ) {
            let ios: Vec<_> = blocks.iter().map(|block| (block << 13, 8192)).collect();
            prop_assert!(sequential(&ios) < 200);
        }
    }

    #[test]
    fn of_too_many_streams_the_one_that_rested_longest_is_forgotten() {
        let around: Vec<_> = (0..=STREAMS).chain(0..=STREAMS).collect();
        assert_eq!(sequential(&streams(&around)), 0);
        let back: Vec<_> = (0..=STREAMS).chain((1..=STREAMS).rev()).collect();
        assert_eq!(sequential(&streams(&back)), STREAMS);
    }
}
