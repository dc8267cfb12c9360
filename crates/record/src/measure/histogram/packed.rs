//! A histogram at rest.

use integer_encoding::VarInt;

use super::{Histogram, bucket as bucket_of, find, middle};

/// The number of buckets that are looked at at once.
const FEW: usize = 16;

/// The same counts as a [`Histogram`], in about two bytes for each non-empty bucket, instead of
/// eight for every bucket up to the maximum.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Packed {
    /// Bucket by bucket: how many empty ones lie before it, and its count.
    buckets: Box<[u8]>,
    total: u64,
    sum: u128,
    max: u64,
}

impl Packed {
    /// Values counted.
    pub fn count(&self) -> u64 {
        self.total
    }

    /// The largest value; 0 when empty.
    pub fn max(&self) -> u64 {
        self.max
    }

    /// The mean; 0 when empty.
    pub fn mean(&self) -> f64 {
        self.sum as f64 / self.total.max(1) as f64
    }

    /// The values at rising quantiles (0 to 1), as [`Histogram::quantiles`]
    /// gives them.
    pub fn quantiles(&self, quantiles: &[f64]) -> Vec<u64> {
        let mut found = vec![self.max; quantiles.len()];
        find(quantiles, self.buckets(), self.total, self.max, &mut found);
        found
    }

    /// The buckets in use: middle value and count, rising.
    pub fn buckets(&self) -> impl Iterator<Item = (u64, u64)> {
        self.counts().map(|(bucket, count)| (middle(bucket), count))
    }

    /// Its parts, for storing: the encoded buckets, the number of values, their sum, and the
    /// largest.
    pub fn parts(&self) -> (&[u8], u64, u128, u64) {
        (&self.buckets, self.total, self.sum, self.max)
    }

    /// Of what [`parts`](Self::parts) returned; none if the parts do not fit together.
    pub fn of_parts(buckets: &[u8], total: u64, sum: u128, max: u64) -> Option<Self> {
        let packed = Self {
            buckets: buckets.into(),
            total,
            sum,
            max,
        };
        let (last, mut counted) = (bucket_of(max), 0_u64);
        for (bucket, count) in packed.counts() {
            if bucket > last {
                return None;
            }
            counted = counted.checked_add(count)?;
        }
        (counted == total).then_some(packed)
    }

    /// Bytes that the buckets take.
    pub(crate) fn size(&self) -> usize {
        self.buckets.len()
    }

    fn counts(&self) -> impl Iterator<Item = (usize, u64)> {
        let mut rest = &*self.buckets;
        let mut next = 0_usize;
        std::iter::from_fn(move || {
            let (empty, count) = (take(&mut rest)?, take(&mut rest)?);
            let bucket = next.checked_add(empty as usize)?;
            next = bucket.checked_add(1)?;
            Some((bucket, count))
        })
    }
}

/// Takes a number off the front; none if `bytes` end before it does.
#[inline]
fn take(bytes: &mut &[u8]) -> Option<u64> {
    // As most are.
    if let [number @ ..0x80, rest @ ..] = *bytes {
        *bytes = rest;
        return Some(u64::from(*number));
    }
    let (number, len) = u64::decode_var(bytes)?;
    *bytes = &bytes[len..];
    Some(number)
}

fn push(bytes: &mut Vec<u8>, number: u64) {
    let mut room = [0; 10];
    let len = number.encode_var(&mut room);
    bytes.extend_from_slice(&room[..len]);
}

impl From<&Histogram> for Packed {
    fn from(histogram: &Histogram) -> Self {
        let mut buckets = Vec::new();
        let mut empty = histogram.first as u64;
        // Most are empty, and are told to be by the dozen.
        for few in histogram.used().chunks(FEW) {
            if few.iter().fold(0, |any, count| any | count) == 0 {
                empty += few.len() as u64;
                continue;
            }
            for &count in few {
                if count == 0 {
                    empty += 1;
                    continue;
                }
                push(&mut buckets, empty);
                push(&mut buckets, count);
                empty = 0;
            }
        }
        Self {
            buckets: buckets.into(),
            total: histogram.total,
            sum: histogram.sum,
            max: histogram.max,
        }
    }
}

impl Histogram {
    /// Adds all counts of `other`.
    pub fn merge_packed(&mut self, other: &Packed) {
        let Some((first, _)) = other.counts().next() else {
            return;
        };
        let longest = bucket_of(other.max);
        if longest >= self.counts.len() {
            self.grow(longest);
        }
        let mut last = first;
        for (bucket, count) in other.counts() {
            self.counts[bucket] += count;
            last = bucket;
        }
        (self.first, self.last) = if self.total == 0 {
            (first, last)
        } else {
            (self.first.min(first), self.last.max(last))
        };
        self.total += other.total;
        self.sum += other.sum;
        self.max = self.max.max(other.max);
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    #[test]
    fn parts_make_the_same_again_and_others_are_refused() {
        let mut counts = Histogram::default();
        counts.record_many(7, 2);
        counts.record_many(123_456, 3);
        let packed = Packed::from(&counts);
        let (buckets, total, sum, max) = packed.parts();
        assert_eq!(
            Packed::of_parts(buckets, total, sum, max).as_ref(),
            Some(&packed)
        );
        assert_eq!(Packed::of_parts(buckets, total + 1, sum, max), None);
        assert_eq!(Packed::of_parts(buckets, total, sum, 1), None);
        // Beyond the largest number, and one that does not end.
        let mut endless = Vec::new();
        for number in [1, 1, u64::MAX, 1] {
            push(&mut endless, number);
        }
        for bytes in [endless.as_slice(), &[0xff; 12], &[0x80]] {
            assert_eq!(Packed::of_parts(bytes, total, sum, max), None);
        }
    }

    proptest! {
        #[test]
        fn packing_loses_nothing(
            left in prop::collection::vec((0_u64..1 << 62, 1_u64..1 << 40), 0..100),
            right in prop::collection::vec((0_u64..1 << 20, 1_u64..3), 0..100),
        ) {
            let (mut whole, mut parts) = (Histogram::default(), Histogram::default());
            for side in [left, right] {
                let mut part = Histogram::default();
                for (value, count) in side {
                    whole.record_many(value, count);
                    part.record_many(value, count);
                }
                parts.merge_packed(&Packed::from(&part));
            }
            let packed = Packed::from(&parts);
            prop_assert_eq!(&packed, &Packed::from(&whole));
            prop_assert!(packed.buckets().eq(whole.buckets()));
            prop_assert_eq!((packed.count(), packed.max()), (whole.count(), whole.max()));
            prop_assert_eq!(packed.mean(), whole.mean());
            let quantiles = [0.0, 0.1, 0.5, 0.999, 1.0];
            prop_assert_eq!(packed.quantiles(&quantiles), whole.quantiles(quantiles));
        }
    }
}
