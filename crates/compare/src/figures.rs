//! The figures that are compared, and how they follow from the bins of a run.

use blockyard_scenario::goals::{Figure, Latency};

use crate::run::{Bin, Run};
use crate::series_group::SeriesGroup;

/// How many figures there are.
pub(crate) const COUNT: usize = 7;

/// The figures, as goals name them.
pub(crate) const FIGURES: [(&str, Figure); COUNT] = [
    ("iops", Figure::Iops),
    ("mib_per_s", Figure::MibPerS),
    ("latency.mean", Figure::Latency(Latency::Mean)),
    ("latency.p50", Figure::Latency(Latency::P50)),
    ("latency.p95", Figure::Latency(Latency::P95)),
    ("latency.p99", Figure::Latency(Latency::P99)),
    ("latency.p99_9", Figure::Latency(Latency::P99_9)),
];

/// Those figures that are quantiles; they come last.
pub(crate) const QUANTILES: [f64; 4] = [0.5, 0.95, 0.99, 0.999];

/// A value of each of [`FIGURES`]: IOs and MiB a second, latencies in
/// microseconds; none where nothing was measured.
pub(crate) type Values = [Option<f64>; COUNT];

/// The values of what was done in some seconds, with a mean latency and quantiles in
/// nanoseconds.
pub(crate) fn values(
    seconds: f64,
    ios: f64,
    bytes: f64,
    mean: Option<f64>,
    quantiles: Option<[u64; QUANTILES.len()]>,
) -> Values {
    let rate = |amount: f64| (seconds > 0.0 && amount > 0.0).then(|| amount / seconds);
    let [iops, mib_per_s] = [rate(ios), rate(bytes / f64::from(1 << 20))];
    let mean = mean.map(|nanos| nanos / 1e3);
    let [p50, p95, p99, p99_9] = std::array::from_fn(|place| Some(quantiles?[place] as f64 / 1e3));
    [iops, mib_per_s, mean, p50, p95, p99, p99_9]
}

/// The values over all `bins` together.
pub(crate) fn measure<'a>(bins: impl IntoIterator<Item = &'a Bin>) -> Values {
    let sum = Bin::merged(bins, |sum, length| sum + length);
    let (timed, nanos) = sum.timed;
    let quantile = |quantile| sum.latencies.quantiles(&[quantile])[0];
    values(
        sum.length_s,
        sum.ios as f64,
        sum.bytes as f64,
        (timed > 0).then(|| nanos / timed as f64),
        (sum.latencies.count() > 0).then(|| QUANTILES.map(quantile)),
    )
}

/// The quantiles, in microseconds, that a run without histograms states of a group: none of
/// several series together, as percentiles do not add up.
pub(crate) fn stated(run: &Run, group: &SeriesGroup) -> [Option<f64>; QUANTILES.len()] {
    let mut series = run.series.iter().filter(|series| group.includes(series));
    let (Some(only), None) = (series.next(), series.next()) else {
        return [None; QUANTILES.len()];
    };
    QUANTILES.map(|quantile| {
        let mut known = only.percentiles.iter();
        let found = known.find(|(share, _)| (share - quantile).abs() < 1e-9);
        found.map(|&(_, us)| us)
    })
}

/// The bins of all series of `run` that `group` includes, together; none if
/// there are no such series.
pub(crate) fn bins(run: &Run, group: &SeriesGroup) -> Vec<Bin> {
    let series = run.series.iter().filter(|series| group.includes(series));
    let series: Vec<_> = series.collect();
    let most = series.iter().map(|series| series.bins.len()).max();
    let together = |place| {
        let bins = series.iter().filter_map(|series| series.bins.get(place));
        Bin::merged(bins, f64::max)
    };
    (0..most.unwrap_or(0)).map(together).collect()
}
