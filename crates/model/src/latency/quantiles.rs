//! Draws from a quantile table in constant time.

use alloc::vec::Vec;

use crate::product::product;
use crate::random::Stream;
use crate::units::Nanos;

const CELLS: u64 = 1000;

/// The inverse of a distribution function, sampled at equal steps of
/// probability and linear between them.
///
/// A thousand cells put the percentiles that people quote on their bounds. One
/// of them for the whole tail would draw it as a straight line, so the last
/// cell is split into a thousand again: the 99.99th percentile is as exact as
/// the median.
#[derive(Clone, Debug)]
pub(super) struct Quantiles {
    body: Vec<Nanos>,
    tail: Vec<Nanos>,
}

impl Quantiles {
    /// From (probability, latency) points that rise from probability 0 to 1.
    pub(super) fn new(points: &[(f64, Nanos)]) -> Self {
        let cells = CELLS as f64;
        let body = (0..=CELLS).map(|cell| at(points, cell as f64 / cells));
        let tail = (0..=CELLS).map(|cell| at(points, (cells - 1.0 + cell as f64 / cells) / cells));
        Self {
            body: body.collect(),
            tail: tail.collect(),
        }
    }

    /// The mean of what is drawn.
    pub(super) fn mean(&self) -> f64 {
        let of = |table: &[Nanos]| {
            let cells = table
                .windows(2)
                .map(|ends| (ends[0] + ends[1]) as f64 / 2.0);
            cells.sum::<f64>()
        };
        // The tail is the last cell of the body in detail.
        let body = of(&self.body[..CELLS as usize]);
        (body + of(&self.tail) / CELLS as f64) / CELLS as f64
    }

    /// One latency.
    #[inline]
    pub(super) fn draw(&self, random: &mut Stream) -> Nanos {
        let (cell, within) = split(random.bits());
        if cell == CELLS as usize - 1 {
            let (cell, within) = split(within);
            return interpolate(&self.tail, cell, within);
        }
        interpolate(&self.body, cell, within)
    }
}

/// The cell of a fraction `bits` / 2^64, and the fraction within the cell.
#[inline]
fn split(bits: u64) -> (usize, u64) {
    let wide = product(bits, CELLS);
    ((wide >> 64) as usize, wide as u64)
}

#[inline]
fn interpolate(table: &[Nanos], cell: usize, within: u64) -> Nanos {
    let (low, high) = (table[cell], table[cell + 1]);
    low + (product(high - low, within) >> 64) as Nanos
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
        let points = [
            (0.0, 300_000),
            (0.5, 600_000),
            (0.99, 1_200_000),
            (0.999, 3_000_000),
            (1.0, 12_000_000),
        ];
        let table = Quantiles::new(&points);
        let mut random = Stream::new(3, "test");
        let count = 1_000_000;
        let drawn: Vec<Nanos> = (0..count).map(|_| table.draw(&mut random)).collect();
        for (probability, latency) in points {
            let below = drawn.iter().filter(|&&drawn| drawn <= latency).count();
            // Five standard errors of a share.
            let error = 5.0 * libm::sqrt(probability * (1.0 - probability) / f64::from(count));
            let share = below as f64 / f64::from(count);
            assert!(
                (share - probability).abs() <= error + 2e-6,
                "p{probability}: {share}"
            );
        }
        let mean = drawn.iter().sum::<Nanos>() as f64 / f64::from(count);
        assert!(
            (table.mean() / mean - 1.0).abs() < 0.002,
            "{}",
            table.mean()
        );
        assert!(
            drawn
                .iter()
                .all(|latency| (300_000..=12_000_000).contains(latency))
        );
    }

    #[test]
    fn a_flat_table_is_constant() {
        let table = Quantiles::new(&[(0.0, 5), (1.0, 5)]);
        let mut random = Stream::new(3, "test");
        assert!((0..1000).all(|_| table.draw(&mut random) == 5));
    }
}
