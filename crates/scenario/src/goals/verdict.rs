//! Whether a goal was met, and if not, by how much.

use blockyard_text::grouped;

use super::{Figure, Goal};

/// From so many times the goal on, or so small a part of it, the factor says more than percent do.
const FAR: f64 = 10.0;

/// Below this a factor has a decimal place.
const COARSE: f64 = 100.0;

/// From this factor on, how far does not matter: what waits in a queue that grows all day may be
/// millions of times the goal.
pub const BEYOND: f64 = 1000.0;

/// Percent below which a figure misses its goal by hardly anything.
const LEAST: f64 = 0.1;

/// The outcome of a goal.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Verdict {
    /// Whether it was met.
    pub met: bool,
    /// What was measured and, for a missed goal, by how much it missed:
    /// `2.310ms, 15.5% too high`, or `1.310s, 655 times the goal`.
    pub text: String,
}

impl Goal {
    /// Compares with the measured figure, in the unit of [`Goal::value`].
    /// Nothing measured (a latency without any IO or transaction) misses every goal, and so does a
    /// latency without end. What is said
    /// of the worst second says when it was: `worst_s` seconds after the start.
    #[must_use]
    pub fn verdict(&self, measured: Option<f64>, worst_s: Option<f64>) -> Verdict {
        let finite = measured.filter(|it| it.is_finite());
        let Some(finite) = finite else {
            let text = match self.figure {
                Figure::Done => "not done by the end of the run",
                _ if measured == Some(f64::INFINITY) => {
                    "too many transactions failed, were refused or wait for ever"
                }
                _ => "nothing was measured",
            };
            return Verdict {
                met: false,
                text: text.to_owned(),
            };
        };
        let met = self.comparison.holds(finite, self.value);
        let mut printed = self.figure.print(finite);
        match (self.figure, worst_s) {
            (Figure::WorstSecond(_), Some(t_s)) => printed += &format!(" at {t_s}s"),
            (Figure::TimeAbove(_), Some(t_s)) => printed += &format!(" (worst at {t_s}s)"),
            _ => {}
        }
        let text = if met {
            printed
        } else {
            format!("{printed}, {}", self.shortfall(finite))
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
            let percent = 100.0 * by.abs() / self.value;
            far(measured / self.value).unwrap_or_else(|| match percent < LEAST {
                true => format!("less than {LEAST}% {side}"),
                false => format!("{percent:.1}% {side}"),
            })
        }
    }
}

/// What is measured as a factor of its goal, if the two are far apart.
fn far(share: f64) -> Option<String> {
    let factor = |of: f64| match of < COARSE {
        true => format!("{of:.1}"),
        false => grouped(of.round() as u64),
    };
    let beyond = grouped(BEYOND as u64);
    if share >= BEYOND {
        Some(format!("more than {beyond} times the goal"))
    } else if share > 0.0 && share <= 1.0 / BEYOND {
        Some(format!("less than 1/{beyond} of the goal"))
    } else if share >= FAR {
        Some(format!("{} times the goal", factor(share)))
    } else if share > 0.0 && share <= 1.0 / FAR {
        Some(format!(
            "1/{} of the goal",
            grouped((1.0 / share).round() as u64)
        ))
    } else {
        None
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
                Some(0.002_000_4),
                false,
                "2.000ms, less than 0.1% too high",
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
                "readers.latency.p99 < 3ms",
                Some(0.0299),
                false,
                "29.900ms, 896.7% too high",
            ),
            (
                "readers.latency.p99 < 3ms",
                Some(0.0565),
                false,
                "56.500ms, 18.8 times the goal",
            ),
            (
                "readers.latency.p99 < 3ms",
                Some(6.410_994),
                false,
                "6.411s, more than 1,000 times the goal",
            ),
            (
                "readers.iops >= 60000",
                Some(40.0),
                false,
                "40, less than 1/1,000 of the goal",
            ),
            (
                "readers.iops >= 60000",
                Some(0.0),
                false,
                "0, 100.0% too low",
            ),
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
            amount: false,
            is_mirrored: false,
            is_cluster: false,
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
