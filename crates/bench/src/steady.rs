//! When a run has become steady.

use std::str::FromStr;

use blockyard_machine::Error;
use blockyard_model::units::Nanos;
use blockyard_scenario::units::{Duration, Percent};
use serde::Deserialize;

/// Ends a run once its IOPS are steady: over the window no interval is
/// further from the mean than the tolerance, and the straight line through
/// them rises or falls by no more than that. These are the two conditions of
/// SNIA's Solid State Storage Performance Test Specification (there 10 % to
/// either side, and 10 %).
#[derive(Clone, Copy, Debug, PartialEq, Deserialize)]
#[serde(try_from = "String")]
pub struct Steady {
    /// The length of the window that is judged.
    pub window: Nanos,
    /// The tolerance, as a share of the mean.
    pub tolerance: f64,
}

impl FromStr for Steady {
    type Err = String;

    /// Reads `WINDOW:TOLERANCE`, as `30s:5%`.
    fn from_str(text: &str) -> Result<Self, String> {
        let (window, tolerance) = text
            .split_once(':')
            .ok_or_else(|| format!("`{text}`; expected WINDOW:TOLERANCE, as 30s:5%"))?;
        let (window, tolerance): (Duration, Percent) = (window.parse()?, tolerance.parse()?);
        if window.nanos() == 0 || tolerance.permille() == 0 {
            return Err(format!(
                "`{text}` is never steady; expected a window and a tolerance above 0"
            ));
        }
        Ok(Self {
            window: window.nanos(),
            tolerance: tolerance.permille() as f64 / 1000.0,
        })
    }
}

impl TryFrom<String> for Steady {
    type Error = String;

    fn try_from(text: String) -> Result<Self, String> {
        text.parse()
    }
}

impl Steady {
    /// Checks that a run can become steady that measures for `measured`.
    pub(crate) fn check(&self, measured: Nanos) -> Result<(), Error> {
        if self.window <= measured {
            return Ok(());
        }
        Err(Error::Input(format!(
            "--steady-stop: a window of {}; the run measures for {}, expected at most that",
            Duration::new(self.window),
            Duration::new(measured)
        )))
    }

    /// Whether the last of `rates`, one every `interval`, are steady.
    pub(crate) fn reached(&self, rates: &[f64], interval: Nanos) -> bool {
        let length = (self.window / interval).max(2) as usize;
        let Some(first) = rates.len().checked_sub(length) else {
            return false;
        };
        let window = &rates[first..];
        let mean = window.iter().sum::<f64>() / length as f64;
        let allowed = self.tolerance * mean;
        let furthest = window.iter().map(|rate| (rate - mean).abs());
        mean > 0.0
            && furthest.fold(0.0, f64::max) <= allowed
            && drift(window, mean).abs() <= allowed
    }
}

/// How much the least-squares line through the rates rises over the window.
fn drift(rates: &[f64], mean: f64) -> f64 {
    let middle = (rates.len() - 1) as f64 / 2.0;
    let (mut covariance, mut variance) = (0.0, 0.0);
    for (index, rate) in rates.iter().enumerate() {
        let x = index as f64 - middle;
        covariance += x * (rate - mean);
        variance += x * x;
    }
    covariance / variance * (rates.len() - 1) as f64
}

#[cfg(test)]
mod tests {
    use blockyard_model::units::SECOND;

    use super::*;

    fn reached(rates: &[f64]) -> bool {
        let steady = Steady {
            window: 5 * SECOND,
            tolerance: 0.1,
        };
        steady.reached(rates, SECOND)
    }

    #[test]
    fn a_window_of_equal_rates_is_steady() {
        assert!(reached(&[9000.0, 1.0, 100.0, 101.0, 99.0, 100.0, 100.0]));
        assert!(!reached(&[100.0; 4]), "the window is not full yet");
        assert!(!reached(&[0.0; 5]), "nothing happens");
    }

    #[test]
    fn one_rate_far_off_or_a_drift_is_not() {
        assert!(!reached(&[100.0, 100.0, 115.0, 100.0, 100.0]));
        // Every one within a tenth, but together they rise by 14 %.
        assert!(!reached(&[93.0, 96.5, 100.0, 103.5, 107.0]));
    }
}
