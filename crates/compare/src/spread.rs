//! How far a figure might lie, by chance, from its measured value.

use statrs::distribution::{ContinuousCDF, StudentsT};

/// The share of intervals that are expected to cover the true value.
const CONFIDENCE: f64 = 0.95;

/// The variance of the logarithm of a figure, or of the ratio of two figures.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Spread {
    variance: f64,
    /// The degrees of freedom with which it was estimated.
    freedom: f64,
    /// Whether no more is known than that the variance is not larger.
    at_most: bool,
}

impl Spread {
    /// The spread of the mean of `logarithms`, one for each independent run; none for
    /// fewer than two.
    pub(crate) fn of_runs(logarithms: &[f64]) -> Option<Self> {
        let runs = logarithms.len() as f64;
        (runs > 1.0).then(|| Self {
            variance: variance(logarithms) / runs,
            freedom: runs - 1.0,
            at_most: false,
        })
    }

    /// The spread of what several independent runs come to together, from the logarithms of
    /// what they come to without one of them, each left out once (the jackknife); none for
    /// fewer than two. A run with many slow IOs weighs more in a percentile of all IOs than in
    /// a mean over runs, which would have its spread too small.
    pub(crate) fn of_left_out(logarithms: &[f64]) -> Option<Self> {
        let runs = logarithms.len() as f64;
        (runs > 1.0).then(|| Self {
            variance: variance(logarithms) * (runs - 1.0) * (runs - 1.0) / runs,
            freedom: runs - 1.0,
            at_most: false,
        })
    }

    /// The spread of a run, from its resamples' logarithms. `blocks` were drawn for each
    /// of them, around a separate mean in each load step: as with all deviations from a
    /// mean, each step loses one degree of freedom.
    pub(crate) fn of_resamples(logarithms: &[f64], blocks: f64, steps: f64) -> Option<Self> {
        let freedom = blocks - steps;
        (freedom > 0.0).then(|| Self {
            variance: variance(logarithms) * blocks / freedom,
            freedom,
            at_most: false,
        })
    }

    /// With the variance multiplied by a factor.
    pub(crate) fn times(self, factor: f64) -> Self {
        Self {
            variance: self.variance * factor,
            ..self
        }
    }

    /// That of a run which is no more than one of its blocks over and over: its slow times may
    /// last as long as it does.
    pub(crate) fn of_one_phase(self, blocks: f64) -> Self {
        Self {
            at_most: true,
            ..self.times(blocks)
        }
    }

    /// Whether no more is known than that it is not larger.
    pub(crate) fn is_at_most(self) -> bool {
        self.at_most
    }

    /// The spread of the difference of two independent logarithms, by Welch and
    /// Satterthwaite.
    pub(crate) fn and(self, other: Self) -> Self {
        let variance = self.variance + other.variance;
        let part = |of: Self| of.variance * of.variance / of.freedom;
        let parts = part(self) + part(other);
        Self {
            at_most: self.at_most || other.at_most,
            variance,
            freedom: if parts > 0.0 {
                variance * variance / parts
            } else {
                self.freedom + other.freedom
            },
        }
    }

    /// The interval around a relative change measured as `change`, by Student's t.
    pub(crate) fn interval(self, change: f64) -> Option<(f64, f64)> {
        let t = StudentsT::new(0.0, 1.0, self.freedom).ok()?;
        let margin = t.inverse_cdf(0.5 + CONFIDENCE / 2.0) * self.variance.sqrt();
        let at = |margin: f64| (1.0 + change) * margin.exp() - 1.0;
        let interval = (at(-margin), at(margin));
        interval.1.is_finite().then_some(interval)
    }
}

fn variance(values: &[f64]) -> f64 {
    let count = values.len() as f64;
    let mean = values.iter().sum::<f64>() / count;
    let squares = values.iter().map(|value| (value - mean) * (value - mean));
    squares.sum::<f64>() / (count - 1.0)
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Margins worked out by hand, with Student's t from a table.
    #[test]
    fn the_interval_is_welchs() {
        let close = |a: f64, b: f64| assert!((a / b - 1.0).abs() < 1e-3, "{a} {b}");
        // Of runs whose mean is what counts, leaving one out leaves the mean of the others:
        // both ways give the same.
        let of_runs = |runs: &[f64]| {
            let sum: f64 = runs.iter().sum();
            let others = (runs.len() - 1).max(1) as f64;
            let left: Vec<_> = runs.iter().map(|run| (sum - run) / others).collect();
            let found = Spread::of_left_out(&left)?;
            close(Spread::of_runs(runs)?.variance + 1.0, found.variance + 1.0);
            Some(found)
        };
        let two = of_runs(&[0.0, 0.02]).unwrap();
        let (low, high) = two.interval(0.0).unwrap();
        close(high.ln_1p(), 12.706 * 0.01);
        close(low.ln_1p(), -12.706 * 0.01);
        let six = of_runs(&[0.0, 0.02, 0.0, 0.02, 0.0, 0.02]).unwrap();
        let (_, high) = six.and(six).interval(0.1).unwrap();
        close(
            high,
            1.1 * (2.228 * (2.0 * 0.00012 / 6.0_f64).sqrt()).exp() - 1.0,
        );
        let none = of_runs(&[0.5, 0.5]).unwrap();
        assert_eq!(none.and(none).interval(0.25), Some((0.25, 0.25)));
        assert!(of_runs(&[0.5]).is_none());
    }
}
