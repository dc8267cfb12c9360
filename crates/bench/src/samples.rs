//! Samples of files and devices that are too large to read as a whole.

use std::ops::Range;

use blockyard_model::units::Bytes;

/// Places of `size` bytes in a file or device of `length`: the first, the last,
/// and others evenly between them, `count` in all. The same length always gives the same
/// places. Where they would overlap they cover everything.
pub(crate) fn places(length: Bytes, count: u64, size: Bytes) -> impl Iterator<Item = Range<Bytes>> {
    let count = count.min(length.div_ceil(size));
    let last = length.saturating_sub(size);
    (0..count).map(move |number| {
        let steps = u128::from(count.saturating_sub(1).max(1));
        let start = (u128::from(last) * u128::from(number) / steps) as Bytes;
        start..(start + size).min(length)
    })
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    proptest! {
        #[test]
        fn places_lie_evenly_from_start_to_end(length in 0_u64..1 << 44, count in 2_u64..1000) {
            let places: Vec<_> = places(length, count, 4096).collect();
            prop_assert_eq!(places.first().map_or(0, |place| place.start), 0);
            prop_assert_eq!(places.last().map_or(0, |place| place.end), length);
            let most = (length / (count - 1)).max(4096) + 1;
            for pair in places.windows(2) {
                prop_assert!(pair[0].start < pair[1].start);
                prop_assert!(pair[1].start - pair[0].start <= most);
            }
        }

        #[test]
        fn what_is_short_is_covered(length in 0_u64..=(64 << 12)) {
            let mut end = 0;
            for place in places(length, 64, 4096) {
                prop_assert!(place.start <= end);
                end = place.end;
            }
            prop_assert_eq!(end, length);
        }
    }
}
