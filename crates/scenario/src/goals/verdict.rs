//! Whether a goal was met, and if not, by how much.

use super::{Figure, Goal};

/// What became of a goal.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Verdict {
    /// Whether it was met.
    pub met: bool,
    /// What was measured and, for a missed goal, by how much it missed:
    /// `2.310ms, 15.5% too high`.
    pub text: String,
}

impl Goal {
    /// Compares with the measured figure, in the unit of [`Goal::value`].
    /// Nothing measured (a latency without any IO or transaction) misses every goal. What is said
    /// of the worst second says when it was: `worst_s` seconds after the start.
    #[must_use]
    pub fn verdict(&self, measured: Option<f64>, worst_s: Option<f64>) -> Verdict {
        let Some(measured) = measured.filter(|m| m.is_finite()) else {
            return Verdict {
                met: false,
                text: "nothing was measured".to_owned(),
            };
        };
        let met = self.comparison.holds(measured, self.value);
        let mut printed = self.figure.print(measured);
        match (self.figure, worst_s) {
            (Figure::WorstSecond(_), Some(t_s)) => printed += &format!(" at {t_s}s"),
            (Figure::TimeAbove(_), Some(t_s)) => printed += &format!(" (worst at {t_s}s)"),
            _ => {}
        }
        let text = if met {
            printed
        } else {
            format!("{printed}, {}", self.shortfall(measured))
        };
        Verdict { met, text }
    }

    fn shortfall(&self, measured: f64) -> String {
        let by = measured - self.value;
        let side = if by < 0.0 { "too low" } else { "too high" };
        if by == 0.0 {
            "equal is not enough".to_owned()
        } else if let Figure::TimeAbove(_) = self.figure {
            format!("{:.2} points {side}", 100.0 * by.abs())
        } else if self.value == 0.0 {
            format!("{} {side}", self.figure.print(by.abs()))
        } else {
            format!("{:.1}% {side}", 100.0 * by.abs() / self.value)
        }
    }
}

#[cfg(test)]
mod tests {
    use crate::goals::{Goal, Target};

    #[test]
    fn a_missed_goal_says_by_how_much() {
        let cases = [
            ("readers.latency.p99 < 2ms", Some(0.0019), true, "1.900ms"),
            (
                "readers.latency.p99 < 2ms",
                Some(0.00231),
                false,
                "2.310ms, 15.5% too high",
            ),
            (
                "readers.latency.p99 < 2ms",
                Some(0.002),
                false,
                "2.000ms, equal is not enough",
            ),
            (
                "readers.latency.p99 < 2ms",
                None,
                false,
                "nothing was measured",
            ),
            ("readers.iops >= 60000", Some(60000.0), true, "60000"),
            (
                "readers.iops >= 60000",
                Some(45000.0),
                false,
                "45000, 25.0% too low",
            ),
            ("readers.errors == 0", Some(3.0), false, "3, 3 too high"),
            (
                "readers.worst_second.p99 < 20ms",
                Some(0.033),
                false,
                "33.000ms at 83.5s, 65.0% too high",
            ),
            (
                "readers.time_above(5ms) < 1%",
                Some(0.1533),
                false,
                "15.33% (worst at 83.5s), 14.33 points too high",
            ),
            (
                "readers.time_above(5ms) <= 1%",
                Some(0.0),
                true,
                "0.00% (worst at 83.5s)",
            ),
        ];
        let jobs = [Target {
            name: "readers",
            steps: 1,
            transactions: false,
        }];
        for (text, measured, met, expected) in cases {
            let goal = Goal::parse(text, &jobs).unwrap();
            let verdict = goal.verdict(measured, Some(83.5));
            assert_eq!(
                (verdict.met, verdict.text.as_str()),
                (met, expected),
                "{text}"
            );
        }
    }
}
