//! How uneven the rate of a device is: its peak, and the dispersion of counts.

use crate::Run;
use crate::charts::history::{HAIR, history};
use crate::charts::series::series;

/// The windows in which IOs are counted, in seconds.
pub(crate) const WINDOWS_S: [f64; 3] = [1.0, 10.0, 60.0];

/// Of fewer windows the variance says little.
const FEWEST: usize = 10;

/// How uneven a rate is.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(crate) struct Bursts {
    /// IOs a second.
    pub(crate) mean: f64,
    /// The same in the busiest second, or interval if that is longer.
    pub(crate) peak: f64,
    /// By window: the index of dispersion for counts, variance by mean; none of too few windows,
    /// or of such as are shorter than an interval.
    pub(crate) dispersion: [Option<f64>; WINDOWS_S.len()],
}

/// Of a device and one of its operations, or of all its reads and writes; none without IOs.
pub(crate) fn bursts(run: &Run, device: &str, op: Option<&str>) -> Option<Bursts> {
    let counts = |width: f64| {
        let found = history(run, width);
        let own = series(run).into_iter().filter(|key| {
            let wanted = match op {
                Some(op) => key.op == op,
                None => matches!(key.op, "read" | "write"),
            };
            key.device == device && wanted
        });
        let own: Vec<_> = own.collect();
        let sums = found.sums(&own, |bin| bin.ios as f64);
        let width = width.max(run.interval_s);
        let whole = found.lengths_s.iter().zip(sums);
        let whole = whole.filter(|(length, _)| **length > width - HAIR);
        whole.map(|(_, sum)| sum.unwrap_or(0.0)).collect::<Vec<_>>()
    };
    let by_second = counts(1.0);
    let width = run.interval_s.max(1.0);
    let mean = by_second.iter().sum::<f64>() / by_second.len() as f64 / width;
    let peak = by_second.iter().copied().fold(0.0, f64::max) / width;
    let of_window = |window: f64| {
        let fits = window > run.interval_s - HAIR;
        fits.then(|| dispersion(&counts(window))).flatten()
    };
    (mean > 0.0).then(|| Bursts {
        mean,
        peak,
        dispersion: WINDOWS_S.map(of_window),
    })
}

fn dispersion(counts: &[f64]) -> Option<f64> {
    let number = counts.len() as f64;
    let mean = counts.iter().sum::<f64>() / number;
    let squares = counts.iter().map(|count| (count - mean) * (count - mean));
    let variance = squares.sum::<f64>() / (number - 1.0);
    (counts.len() >= FEWEST && mean > 0.0).then(|| variance / mean)
}

#[cfg(test)]
mod tests {
    use super::dispersion;

    #[test]
    fn dispersion_is_variance_by_mean() {
        assert_eq!(dispersion(&[5.0; 10]), Some(0.0));
        let uneven = [0.0, 20.0].repeat(5);
        // 10 squares of 10², by 9, by a mean of 10.
        assert_eq!(dispersion(&uneven), Some(1000.0 / 9.0 / 10.0));
        assert_eq!(dispersion(&[5.0; 9]), None);
        assert_eq!(dispersion(&[0.0; 10]), None);
    }
}
