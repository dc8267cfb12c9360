//! Whether IOs go on where an earlier one ended.

use std::collections::VecDeque;

/// Streams side by side that are told apart: those that went on last.
const STREAMS: usize = 128;

/// Whether each of a device's IOs begins where one before it ended. IOs have an offset and a
/// length, and are in the order of arrival.
pub fn following(ios: impl IntoIterator<Item = (u64, u64)>) -> impl Iterator<Item = bool> {
    let mut ends: VecDeque<u64> = VecDeque::with_capacity(STREAMS);
    ios.into_iter().map(move |(offset, bytes)| {
        let stream = ends.iter().rposition(|end| *end == offset);
        match stream {
            Some(place) => drop(ends.remove(place)),
            None if ends.len() == STREAMS => drop(ends.pop_front()),
            None => {}
        }
        ends.push_back(offset.wrapping_add(bytes));
        stream.is_some()
    })
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
            let mut seen = [false; STREAMS];
            for (stream, follows) in order.iter().zip(following(streams(&order))) {
                prop_assert_eq!(follows, std::mem::replace(&mut seen[*stream], true));
            }
        }
    }

    #[test]
    fn of_too_many_streams_the_one_that_rested_longest_is_forgotten() {
        let around: Vec<_> = (0..=STREAMS).chain(0..=STREAMS).collect();
        assert!(following(streams(&around)).all(|follows| !follows));
        let back: Vec<_> = (0..=STREAMS).chain((1..=STREAMS).rev()).collect();
        let follow = following(streams(&back)).filter(|follows| *follows);
        assert_eq!(follow.count(), STREAMS);
    }
}
