//! Draws from a quantile table in constant time.

use alloc::vec::Vec;

use crate::random::Stream;
use crate::units::Nanos;

const CELL_BITS: u32 = 10;
const CELLS: usize = 1 << CELL_BITS;

/// The inverse of a distribution function, sampled at equal steps of
/// probability and linear between them.
///
/// A thousand cells would draw the tail as one straight line, so the last cell
/// is split into a thousand again: the 99.9th and the 99.9999th percentile are
/// as exact as the median.
#[derive(Clone, Debug)]
pub(super) struct Quantiles {
    body: Vec<Nanos>,
    tail: Vec<Nanos>,
}

impl Quantiles {
    /// From (probability, latency) points that rise from probability 0 to 1.
    pub(super) fn new(points: &[(f64, Nanos)]) -> Self {
        let step = 1.0 / CELLS as f64;
        let sample = |from: f64, width: f64| {
            (0..=CELLS).map(|i| at(points, from + width * i as f64 / CELLS as f64)).collect()
        };
        Self { body: sample(0.0, 1.0), tail: sample(1.0 - step, step) }
    }

    /// One latency.
    #[inline]
    pub(super) fn draw(&self, random: &mut Stream) -> Nanos {
        let bits = random.bits();
        let cell = (bits >> (64 - CELL_BITS)) as usize;
        if cell == CELLS - 1 {
            return interpolate(&self.tail, bits << CELL_BITS);
        }
        interpolate(&self.body, bits)
    }
}

/// The value at the fraction `bits` / 2^64 of `table`.
#[inline]
fn interpolate(table: &[Nanos], bits: u64) -> Nanos {
    let cell = (bits >> (64 - CELL_BITS)) as usize;
    let within = (bits << CELL_BITS) >> 32;
    let (low, high) = (table[cell], table[cell + 1]);
    // A cell spans less than 2^32 ns (the last one of a table that ends at an
    // hour aside, which the wider type covers).
    low + ((u128::from(high - low) * u128::from(within)) >> 32) as Nanos
}

/// The latency at `probability`, linear between the points.
fn at(points: &[(f64, Nanos)], probability: f64) -> Nanos {
    let above = points.partition_point(|point| point.0 < probability);
    let Some(&(high_p, high)) = points.get(above) else {
        return points.last().map_or(0, |last| last.1);
    };
    if above == 0 {
        return high;
    }
    let (low_p, low) = points[above - 1];
    low + ((high - low) as f64 * (probability - low_p) / (high_p - low_p)) as Nanos
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn draws_have_the_tables_quantiles() {
        let points =
            [(0.0, 300_000), (0.5, 600_000), (0.99, 1_200_000), (0.999, 3_000_000), (1.0, 12_000_000)];
        let table = Quantiles::new(&points);
        let mut random = Stream::new(3, "test");
        let mut drawn: Vec<Nanos> = (0..1_000_000).map(|_| table.draw(&mut random)).collect();
        drawn.sort_unstable();
        for (probability, expected) in [(0.5, 600_000), (0.99, 1_200_000), (0.999, 3_000_000)] {
            let got = drawn[(probability * 1e6) as usize];
            let error = got as f64 / f64::from(expected) - 1.0;
            assert!(error.abs() < 0.05, "p{probability}: {got} for {expected}");
        }
        assert!(drawn[0] >= 300_000 && drawn[999_999] <= 12_000_000);
    }

    #[test]
    fn a_flat_table_is_constant() {
        let table = Quantiles::new(&[(0.0, 5), (1.0, 5)]);
        let mut random = Stream::new(3, "test");
        assert!((0..1000).all(|_| table.draw(&mut random) == 5));
    }
}
