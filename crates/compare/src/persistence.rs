//! How long the slow and the fast times of a run last, and what blocks of it miss of that.

use std::ops::Range;

/// Deviations that are smaller than this on average, as shares of the whole, are none.
const NEGLIGIBLE: f64 = 1e-3;

/// The number of successive bins that tell as much as one independent one: 1 where each bin is
/// independent. `values` are the bins' relative deviations, in steps with means of their own.
///
/// This is the sum of the autocorrelations of both signs, by Geyer's initial monotone sequence:
/// of pairs of successive lags, as long as these fall and are positive.
pub(crate) fn persistence(values: &mut [f64], steps: &[Range<usize>]) -> f64 {
    for step in steps {
        let own = &mut values[step.clone()];
        let mean = own.iter().sum::<f64>() / own.len() as f64;
        own.iter_mut().for_each(|value| *value -= mean);
    }
    let values = &*values;
    let covariance = |lag: usize| -> f64 {
        let steps = steps.iter().map(|step| &values[step.clone()]);
        let products = steps.flat_map(|own| own.iter().zip(own.iter().skip(lag)));
        products.map(|(a, b)| a * b).sum()
    };
    let variance = covariance(0);
    if variance <= NEGLIGIBLE * NEGLIGIBLE * values.len() as f64 {
        return 1.0;
    }
    let (mut sum, mut before) = (0.0, f64::INFINITY);
    for lag in (0..values.len() / 2).step_by(2) {
        let pair = (covariance(lag) + covariance(lag + 1)) / variance;
        before = pair.min(before);
        if before <= 0.0 {
            break;
        }
        sum += before;
    }
    f64::max(2.0 * sum - 1.0, 1.0)
}

/// The share of the variance of a mean that resamples from blocks of `block` bins miss, where
/// bins last for `persistence` and autocorrelations fall by a constant factor from lag to lag.
pub(crate) fn unseen(persistence: f64, block: usize) -> f64 {
    (persistence - 1.0 / persistence) / (2.0 * block as f64)
}

#[cfg(test)]
mod tests {
    use blockyard_model::random::Stream;

    use super::*;

    /// An autoregressive series with a factor of r lasts for (1 + r) / (1 - r).
    #[test]
    fn persistence_is_that_of_a_known_series() {
        let of = |factor: f64| {
            let (mut stream, mut level) = (Stream::new(1, "test"), 0.0);
            let values = (0..20_000).map(|_| {
                level = factor * level + stream.unit() - 0.5;
                level
            });
            // A step in the middle counts for nothing where it is known.
            let half = |(place, value)| value + f64::from(u8::from(place >= 10_000));
            let mut values: Vec<f64> = values.enumerate().map(half).collect();
            persistence(&mut values, &[0..10_000, 10_000..20_000])
        };
        for (factor, expected) in [(0.0, 1.0), (0.5, 3.0), (0.8, 9.0)] {
            let found = of(factor);
            assert!((found / expected - 1.0).abs() < 0.1, "{found} {expected}");
        }
        assert_eq!(persistence(&mut [2.0; 9], &[0..4, 4..9]), 1.0);
    }

    #[test]
    fn independent_bins_leave_nothing_unseen() {
        assert_eq!(unseen(1.0, 1), 0.0);
        assert!((unseen(9.0, 20) - 2.0 / 9.0).abs() < 1e-9);
    }
}
