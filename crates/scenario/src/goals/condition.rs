//! Conditions on how runs differ: `readers.latency.p99 > +5%`.
//!
//! ```text
//! JOB[.read|.write].FIGURE OP VALUE
//! ```
//! where a value with a sign and a percent sign bounds the change against the
//! first run, and any other value bounds the other run's own figure.

use blockyard_text::shorten;

use super::{Comparison, Figure, Op, no_job, operation, split};

/// What a condition compares against.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum Bound {
    /// A relative change: 0.05 for `+5%`.
    Change(f64),
    /// A value: latencies in seconds, the rest in the figure's own unit.
    Value(f64),
}

/// One condition.
#[derive(Clone, Debug, PartialEq)]
pub struct Condition {
    /// As the user wrote it.
    pub text: String,
    /// The job.
    pub job: String,
    /// Its operation; none for both together.
    pub op: Option<Op>,
    /// What is compared.
    pub figure: Figure,
    /// How it is compared.
    pub comparison: Comparison,
    /// What it is compared against.
    pub bound: Bound,
}

impl Condition {
    /// Reads a condition about one of `jobs`.
    ///
    /// # Errors
    /// A line that names what is wrong, what was expected and the nearest name.
    pub fn parse(text: &str, jobs: &[&str]) -> Result<Self, String> {
        let (subject, comparison, value) = split(text).ok_or_else(|| unlike(text))?;
        let (job, rest) = subject.split_once('.').ok_or_else(|| unlike(text))?;
        if !jobs.contains(&job) {
            return Err(no_job(job, jobs.iter().copied()));
        }
        let (op, rest) = operation(rest);
        if rest.starts_with("step ") {
            return Err(format!(
                "`{}` names a step; whole runs are compared",
                shorten(text)
            ));
        }
        let figure = Figure::parse(rest)?;
        Ok(Self {
            text: text.to_owned(),
            job: job.to_owned(),
            op,
            figure,
            comparison,
            bound: bound(figure, comparison, value)?,
        })
    }
}

fn bound(figure: Figure, comparison: Comparison, text: &str) -> Result<Bound, String> {
    let Some(percent) = text.strip_suffix('%') else {
        return figure.value(text).map(Bound::Value);
    };
    if comparison == Comparison::Equal {
        return Err("no change can be shown to be equal; expected <, <=, > or >=".to_owned());
    }
    let number = percent.trim_end();
    let is_decimal = number
        .bytes()
        .all(|b| b.is_ascii_digit() || b"+-.".contains(&b));
    let number = number.parse::<f64>().ok().filter(|_| is_decimal);
    number
        .filter(|_| percent.starts_with(['+', '-']))
        .map(|percent| Bound::Change(percent / 100.0))
        .ok_or_else(|| {
            format!(
                "`{}` is not a change; expected a number with its sign, as in `+5%`",
                shorten(text)
            )
        })
}

fn unlike(text: &str) -> String {
    format!(
        "`{}` is not a condition; expected JOB[.read|.write].FIGURE OP VALUE, \
         as in `readers.latency.p99 > +5%`",
        shorten(text)
    )
}

#[cfg(test)]
mod tests {
    use super::super::Latency;
    use super::*;

    const JOBS: [&str; 2] = ["readers", "writers"];

    #[test]
    fn changes_have_a_sign_and_values_a_unit() {
        let condition = Condition::parse("writers.write.latency.p99_9>=-2.5%", &JOBS);
        assert_eq!(
            condition.unwrap(),
            Condition {
                text: "writers.write.latency.p99_9>=-2.5%".to_owned(),
                job: "writers".to_owned(),
                op: Some(Op::Write),
                figure: Figure::Latency(Latency::P99_9),
                comparison: Comparison::AtLeast,
                bound: Bound::Change(-0.025),
            }
        );
        let value = |text| Condition::parse(text, &JOBS).unwrap().bound;
        assert_eq!(value("readers.latency.p99 > 2ms"), Bound::Value(0.002));
        assert_eq!(value("readers.iops < 60000"), Bound::Value(60000.0));
    }

    #[test]
    fn wrong_conditions_say_what_was_expected() {
        let cases = [
            (
                "slower",
                "`slower` is not a condition; expected JOB[.read|.write].FIGURE OP VALUE, as in `readers.latency.p99 > +5%`",
            ),
            (
                "reader.iops < -5%",
                "no job is called `reader`; did you mean `readers`?",
            ),
            (
                "readers.ipos < -5%",
                "no figure is called `ipos`; did you mean `iops`?",
            ),
            (
                "readers.iops < 5%",
                "`5%` is not a change; expected a number with its sign, as in `+5%`",
            ),
            (
                "readers.iops < +inf%",
                "`+inf%` is not a change; expected a number with its sign, as in `+5%`",
            ),
            (
                "readers.iops == +5%",
                "no change can be shown to be equal; expected <, <=, > or >=",
            ),
            (
                "readers.step 2.iops < -5%",
                "`readers.step 2.iops < -5%` names a step; whole runs are compared",
            ),
            (
                "readers.latency.p99 > 2",
                "`2` has no unit; expected a number with h, m, s, ms, us or ns, as in `30m`",
            ),
        ];
        for (text, message) in cases {
            assert_eq!(Condition::parse(text, &JOBS).unwrap_err(), message);
        }
    }
}
