//! How far a figure might lie from where it was measured, by chance.

use statrs::distribution::{ContinuousCDF, StudentsT};

/// What intervals are expected to cover.
const CONFIDENCE: f64 = 0.95;

/// The variance of the logarithm of a figure, or of two figures' ratio.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Spread {
    variance: f64,
    /// Degrees of freedom that it was estimated with.
    freedom: f64,
}

impl Spread {
    /// Of the mean over independent runs, of their logarithms; none for fewer
    /// than two.
    pub(crate) fn of_runs(logarithms: &[f64]) -> Option<Self> {
        let runs = logarithms.len() as f64;
        (runs > 1.0).then(|| Self {
            variance: variance(logarithms) / runs,
            freedom: runs - 1.0,
        })
    }

    /// Of a run, of the logarithms that its resamples gave. `blocks` were drawn
    /// for each of those, round the own mean of each of its load steps: as among
    /// the deviations from a mean, one is lost in each.
    pub(crate) fn of_resamples(logarithms: &[f64], (blocks, steps): (f64, f64)) -> Option<Self> {
        let freedom = blocks - steps;
        (freedom > 0.0).then(|| Self {
            variance: variance(logarithms) * blocks / freedom,
            freedom,
        })
    }

    /// Of the difference of two independent logarithms, by Welch and
    /// Satterthwaite.
    pub(crate) fn and(self, other: Self) -> Self {
        let variance = self.variance + other.variance;
        let part = |of: Self| of.variance * of.variance / of.freedom;
        let parts = part(self) + part(other);
        Self {
            variance,
            freedom: if parts > 0.0 {
                variance * variance / parts
            } else {
                self.freedom + other.freedom
            },
        }
    }

    /// The interval of a relative change that was measured as `change`, by
    /// Student's t.
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

    /// Margins by hand, with Student's t from a table.
    #[test]
    fn the_interval_is_welchs() {
        let close = |a: f64, b: f64| assert!((a / b - 1.0).abs() < 1e-3, "{a} {b}");
        let two = Spread::of_runs(&[0.0, 0.02]).unwrap();
        let (low, high) = two.interval(0.0).unwrap();
        close(high.ln_1p(), 12.706 * 0.01);
        close(low.ln_1p(), -12.706 * 0.01);
        let six = Spread::of_runs(&[0.0, 0.02, 0.0, 0.02, 0.0, 0.02]).unwrap();
        let (_, high) = six.and(six).interval(0.1).unwrap();
        close(
            high,
            1.1 * (2.228 * (2.0 * 0.00012 / 6.0_f64).sqrt()).exp() - 1.0,
        );
        let none = Spread::of_runs(&[0.5, 0.5]).unwrap();
        assert_eq!(none.and(none).interval(0.25), Some((0.25, 0.25)));
        assert!(Spread::of_runs(&[0.5]).is_none());
    }
}
