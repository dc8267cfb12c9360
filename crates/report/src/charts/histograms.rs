//! Latencies as charts need them: seconds and microseconds in place of nanoseconds.

use std::collections::BTreeMap;

use blockyard_record::{Latencies, Packed};

/// What was recorded in each bin, by the bin's number; bins without are left out.
pub(crate) type Bins = BTreeMap<usize, Packed>;

/// The latencies of tags in bins of a width in seconds, by the middle of each interval.
pub(crate) fn over_time(latencies: &Latencies, tags: &[String], bin_s: f64) -> Bins {
    let bin = nanos(bin_s).max(1);
    let bins = latencies.over_time(tags, bin).into_iter();
    bins.map(|(start, found)| ((start / bin) as usize, found))
        .collect()
}

/// All latencies of tags in the intervals whose middle lies between two times in seconds; without
/// an end, in all later ones.
pub(crate) fn between(
    latencies: &Latencies,
    tags: &[String],
    from_s: f64,
    to_s: Option<f64>,
) -> Packed {
    latencies.merged(tags, nanos(from_s), to_s.map_or(u64::MAX, nanos))
}

/// The longest in microseconds; 0 when there are none.
pub(crate) fn max_us(histogram: &Packed) -> f64 {
    micros(histogram.max())
}

/// The middle of the first bucket that has any, in microseconds; none when there are none.
pub(crate) fn least_us(histogram: &Packed) -> Option<f64> {
    histogram.buckets().next().map(|(nanos, _)| micros(nanos))
}

/// The latencies at rising quantiles (0 to 1) in microseconds.
pub(crate) fn quantiles_us(histogram: &Packed, quantiles: &[f64]) -> Vec<f64> {
    histogram
        .quantiles(quantiles)
        .into_iter()
        .map(micros)
        .collect()
}

/// How many lie from each of the rising edges on, and before the next.
pub(crate) fn counts(histogram: &Packed, edges_us: &[f64]) -> Vec<i64> {
    let mut counts = vec![0; edges_us.len().saturating_sub(1)];
    let mut next = 0;
    for (nanos, count) in histogram.buckets() {
        let rest = edges_us.get(next..).unwrap_or_default();
        next += rest.partition_point(|&edge| edge <= micros(nanos));
        let below = next.checked_sub(1);
        if let Some(counted) = below.and_then(|below| counts.get_mut(below)) {
            *counted += i64::try_from(count).unwrap_or(i64::MAX);
        }
    }
    counts
}

fn micros(nanos: u64) -> f64 {
    nanos as f64 / 1e3
}

/// Seconds in nanoseconds; times below 0 are 0.
fn nanos(seconds: f64) -> u64 {
    (seconds * 1e9).round() as u64
}

#[cfg(test)]
mod tests {
    use blockyard_record::Histogram;

    use super::*;

    #[test]
    fn bins_go_by_number_as_their_starts_are_not_exact() {
        let mut one = Histogram::default();
        one.record_many(1_500, 2);
        let mut latencies = Latencies::default();
        latencies.push("a", 300_000_000, 100_000_000, Packed::from(&one));
        let found = over_time(&latencies, &["a".to_owned()], 0.1);
        assert_eq!(found.keys().collect::<Vec<_>>(), [&3]);
        assert_eq!(quantiles_us(&found[&3], &[0.0, 1.0]), [1.5, 1.5]);
    }

    #[test]
    fn counts_are_from_each_edge_on_and_before_the_next() {
        let mut few = Histogram::default();
        for nanos in [500, 1_000, 1_999, 2_000, 4_000] {
            few.record(nanos);
        }
        let few = Packed::from(&few);
        assert_eq!(counts(&few, &[1.0, 2.0, 4.0]), [2, 1]);
        assert!(counts(&few, &[]).is_empty());
    }
}
