//! How latency grows with the size of an IO.

use schemars::JsonSchema;
use serde::Serialize;

use crate::quantiles::Sample;
use crate::{Figure, Verdict};

/// Nanoseconds for each KiB beyond the size that the tables are for.
#[derive(Clone, Debug, PartialEq, Serialize, JsonSchema)]
pub struct Slope {
    /// Of reads.
    pub read: Figure,
    /// Of writes.
    pub write: Figure,
}

/// The line through the medians of each size, by least squares weighted with their limits; of
/// `kept` nanoseconds where there are fewer than two sizes.
pub(crate) fn slope(samples: &[(u64, &Sample)], kept: f64) -> Figure {
    let ios = samples.iter().map(|(_, sample)| sample.count).sum();
    let points: Vec<Point> = samples.iter().filter_map(point).collect();
    if points.len() < 2 {
        return Figure {
            value: Some(kept),
            low: None,
            high: None,
            verdict: Verdict::Kept,
            ios,
            why: "needs IOs of two sizes".to_owned(),
        };
    }
    let (slope, error) = line(&points);
    Figure {
        value: Some(slope.max(0.0)),
        low: Some((slope - error).max(0.0)),
        high: Some((slope + error).max(0.0)),
        verdict: Verdict::Measured,
        ios,
        why: format!("medians of {} sizes", points.len()),
    }
}

/// The median of a size.
#[derive(Clone, Copy, Debug)]
struct Point {
    kib: f64,
    nanos: f64,
    weight: f64,
}

fn point((bytes, sample): &(u64, &Sample)) -> Option<Point> {
    let (nanos, low, high) = sample.quantile(0.5);
    let nanos = nanos?;
    let error = ((high? - low?) / (2.0 * 1.96)).max(1.0);
    Some(Point {
        kib: *bytes as f64 / 1024.0,
        nanos,
        weight: 1.0 / (error * error),
    })
}

/// The slope and how far it may be off, with a confidence of 95 %; further if the points do not
/// lie on a line.
fn line(points: &[Point]) -> (f64, f64) {
    let sum = |of: &dyn Fn(&Point) -> f64| points.iter().map(|it| it.weight * of(it)).sum::<f64>();
    let all = sum(&|_| 1.0);
    let (x, y) = (sum(&|it| it.kib) / all, sum(&|it| it.nanos) / all);
    let spread = sum(&|it| (it.kib - x).powi(2));
    let slope = sum(&|it| (it.kib - x) * (it.nanos - y)) / spread;
    let misses = sum(&|it| (it.nanos - y - slope * (it.kib - x)).powi(2));
    let free = points.len().saturating_sub(2).max(1) as f64;
    (slope, 1.96 * ((misses / free).max(1.0) / spread).sqrt())
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::trace::Bin;

    fn sample(nanos: u64) -> Sample {
        let bins = (0..201).map(|it| Bin {
            nanos: nanos + it * 100,
            count: 5,
        });
        Sample::new(bins.collect(), 0.0, false)
    }

    #[test]
    fn two_sizes_give_a_slope_and_one_keeps_it() {
        let (small, large) = (sample(600_000), sample(600_000 + 240 * 500));
        let sizes = [(16 << 10, &small), (256 << 10, &large)];
        let found = slope(&sizes, 7.0);
        assert_eq!(found.verdict, Verdict::Measured);
        assert!((found.value.unwrap() - 500.0).abs() < 1.0, "{found:?}");
        assert!(found.low.unwrap() < 500.0 && found.high.unwrap() > 500.0);
        let one = slope(&sizes[..1], 7.0);
        assert_eq!((one.value, one.verdict), (Some(7.0), Verdict::Kept));
    }
}
