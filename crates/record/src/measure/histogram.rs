//! Counts of latencies with a relative error below 0.1 %, from 1 ns up,
//! without a largest value.

mod packed;

pub use packed::Packed;

/// Bits that tell buckets of one power of two apart: 1,024 of them keep a
/// bucket's width below 0.1 % of its values.
const BITS: u32 = 10;

/// The number of buckets that are added up at once in the search for a quantile.
const CHUNK: usize = 64;

/// Values of one histogram from elsewhere, at most. Far above what storage does in an interval,
/// and low enough that no sum of many histograms' counts overflows.
pub const MOST_VALUES: u64 = 1 << 40;

/// A log-linear histogram: exact below 2^11 ns, then 2^10 buckets a power of
/// two. It grows to the largest value it is given.
#[derive(Clone, Debug, Default)]
pub struct Histogram {
    counts: Vec<u64>,
    /// Bounds of the buckets in use, so that sparse ones are cheap to walk.
    first: usize,
    last: usize,
    total: u64,
    sum: u128,
    max: u64,
}

impl Histogram {
    /// Counts one value.
    #[inline]
    pub fn record(&mut self, value: u64) {
        self.record_many(value, 1);
    }

    /// Counts a value `count` times.
    #[inline]
    pub fn record_many(&mut self, value: u64, count: u64) {
        if count == 0 {
            return;
        }
        let bucket = bucket(value);
        if bucket >= self.counts.len() {
            self.grow(bucket);
        }
        if self.total == 0 {
            (self.first, self.last) = (bucket, bucket);
        }
        self.first = self.first.min(bucket);
        self.last = self.last.max(bucket);
        self.counts[bucket] += count;
        self.total += count;
        self.sum += u128::from(value) * u128::from(count);
        self.max = self.max.max(value);
    }

    /// Adds all counts of `other`.
    pub fn merge(&mut self, other: &Self) {
        if other.total == 0 {
            return;
        }
        if other.last >= self.counts.len() {
            self.grow(other.last);
        }
        let empty = self.total == 0;
        self.first = if empty {
            other.first
        } else {
            self.first.min(other.first)
        };
        self.last = self.last.max(other.last);
        let range = other.first..=other.last;
        for (mine, theirs) in self.counts[range.clone()]
            .iter_mut()
            .zip(&other.counts[range])
        {
            *mine += theirs;
        }
        self.total += other.total;
        self.sum += other.sum;
        self.max = self.max.max(other.max);
    }

    /// Forgets everything, in time proportional to the buckets in use.
    pub fn clear(&mut self) {
        if self.total > 0 {
            self.counts[self.first..=self.last].fill(0);
        }
        (self.first, self.last, self.total, self.sum, self.max) = (0, 0, 0, 0, 0);
    }

    /// Values counted.
    pub fn count(&self) -> u64 {
        self.total
    }

    /// The largest value, exact; 0 when empty.
    pub fn max(&self) -> u64 {
        self.max
    }

    /// The exact mean; 0 when empty.
    pub fn mean(&self) -> f64 {
        if self.total == 0 {
            0.0
        } else {
            self.sum as f64 / self.total as f64
        }
    }

    /// The values at rising quantiles (0 to 1): the middle of the bucket of the
    /// smallest value that at least that share of values does not exceed.
    pub fn quantiles<const N: usize>(&self, quantiles: [f64; N]) -> [u64; N] {
        let mut found = [self.max; N];
        find(&quantiles, self.buckets(), self.total, self.max, &mut found);
        found
    }

    /// The value at one quantile, as [`Histogram::quantiles`] gives it, several times as fast: most
    /// buckets are only added up.
    pub fn quantile(&self, quantile: f64) -> u64 {
        let rank = rank(quantile, self.total);
        let (mut seen, mut first) = (0, self.first);
        for chunk in self.used().chunks(CHUNK) {
            let sum: u64 = chunk.iter().sum();
            if seen + sum >= rank {
                let reached = |count: &u64| {
                    seen += count;
                    seen >= rank
                };
                let place = chunk.iter().position(reached).unwrap_or(0);
                return middle(first + place).min(self.max);
            }
            (seen, first) = (seen + sum, first + CHUNK);
        }
        self.max
    }

    /// How many values are above `value`, without those in its bucket.
    pub fn count_above(&self, value: u64) -> u64 {
        let from = (bucket(value) + 1).saturating_sub(self.first);
        self.used().iter().skip(from).sum()
    }

    /// The buckets in use: middle value and count.
    pub fn buckets(&self) -> impl Iterator<Item = (u64, u64)> {
        let counts = (self.first..).zip(self.used());
        counts
            .filter(|(_, count)| **count > 0)
            .map(|(bucket, &count)| (middle(bucket), count))
    }

    /// The counts from the first bucket in use to the last.
    fn used(&self) -> &[u64] {
        if self.total == 0 {
            &[]
        } else {
            &self.counts[self.first..=self.last]
        }
    }

    #[cold]
    fn grow(&mut self, bucket: usize) {
        self.counts
            .resize((bucket + 1).next_multiple_of(1 << BITS), 0);
    }
}

/// Finds the values at rising quantiles among rising `buckets` of `total` values.
fn find(
    quantiles: &[f64],
    buckets: impl Iterator<Item = (u64, u64)>,
    total: u64,
    max: u64,
    found: &mut [u64],
) {
    let mut wanted = quantiles.iter().zip(found).peekable();
    let mut seen = 0;
    for (value, count) in buckets {
        seen += count;
        let reached = |(quantile, _): &(&f64, &mut u64)| seen >= rank(**quantile, total);
        while let Some((_, found)) = wanted.next_if(reached) {
            *found = value.min(max);
        }
    }
}

/// At which place among `total` values, from 1, that of a quantile is.
fn rank(quantile: f64, total: u64) -> u64 {
    (quantile * total as f64).ceil().max(1.0) as u64
}

#[inline]
fn bucket(value: u64) -> usize {
    let shift = (u64::BITS - BITS - 1).saturating_sub(value.leading_zeros());
    ((shift as usize) << BITS) + (value >> shift) as usize
}

fn middle(bucket: usize) -> u64 {
    let shift = (bucket >> BITS).saturating_sub(1);
    let low = ((bucket - (shift << BITS)) as u64) << shift;
    low + (1_u64 << shift) / 2
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    proptest! {
        #[test]
        fn a_buckets_middle_is_close_to_its_values(value in 0_u64..=u64::MAX) {
            let got = middle(bucket(value));
            prop_assert!(got.abs_diff(value) as f64 <= value as f64 * 0.0005 + 0.5);
        }

        #[test]
        fn buckets_rise_with_values(a in 0_u64..=u64::MAX, b in 0_u64..=u64::MAX) {
            prop_assert!(bucket(a.min(b)) <= bucket(a.max(b)));
        }

        #[test]
        fn quantiles_are_those_of_the_sorted_values(
            mut left in prop::collection::vec(1_u64..10_000_000_000_000, 1..300),
            right in prop::collection::vec(1_u64..10_000, 0..300),
        ) {
            let (mut histogram, mut other) = (Histogram::default(), Histogram::default());
            left.iter().for_each(|&v| histogram.record(v));
            right.iter().for_each(|&v| other.record(v));
            histogram.merge(&other);
            left.extend(right);
            left.sort_unstable();
            let quantiles = [0.0, 0.5, 0.99, 1.0];
            for (q, got) in quantiles.into_iter().zip(histogram.quantiles(quantiles)) {
                let rank = (q * left.len() as f64).ceil().max(1.0) as usize;
                let exact = left[rank - 1];
                prop_assert!(got.abs_diff(exact) as f64 <= exact as f64 * 0.001 + 0.5, "{q}: {got} {exact}");
                prop_assert_eq!(histogram.quantile(q), got);
            }
            let half = left[left.len() / 2];
            let above = |least: f64| left.iter().filter(|&&v| v as f64 > half as f64 * least).count();
            let found = histogram.count_above(half) as usize;
            prop_assert!((above(1.002)..=above(1.0)).contains(&found), "{found} {half}");
            prop_assert_eq!(histogram.count(), left.len() as u64);
            prop_assert_eq!(histogram.max(), left[left.len() - 1]);
            histogram.clear();
            prop_assert_eq!(histogram.buckets().count(), 0);
        }
    }
}
