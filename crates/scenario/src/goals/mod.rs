//! Goals: what a run must achieve, such as `readers.latency.p99 < 2ms`.
//!
//! ```text
//! JOB[.read|.write][.step N].FIGURE OP VALUE
//! ```
//! Without `read` or `write` a figure covers both. Steps count from 1; without
//! a step a figure covers the whole run after its warmup. Figures of transactions are those of
//! an `oltp` job, without `read` or `write`.

mod condition;
mod figure;
mod subject;
mod verdict;

use std::fmt;

use blockyard_text::hint;
use blockyard_text::shorten;

pub use condition::{Bound, Condition};
pub use figure::{Figure, Latency};
pub use subject::Subject;
pub(crate) use subject::in_full;
pub use verdict::{BEYOND, Verdict};

/// The operations that a goal looks at.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Op {
    /// Reads only.
    Read,
    /// Writes only.
    Write,
}

/// How a goal compares.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Comparison {
    /// `<`
    Below,
    /// `<=`
    AtMost,
    /// `>`
    Above,
    /// `>=`
    AtLeast,
    /// `==`
    Equal,
}

/// One goal.
#[derive(Clone, Debug, PartialEq)]
pub struct Goal {
    /// As the user wrote it.
    pub text: String,
    /// The job.
    pub job: String,
    /// Its operation; none for both together.
    pub op: Option<Op>,
    /// The load step, from 1; none for the whole run.
    pub step: Option<usize>,
    /// What is compared.
    pub figure: Figure,
    /// How it is compared.
    pub comparison: Comparison,
    /// What it is compared against: latencies in seconds, the rest in the
    /// figure's own unit.
    pub value: f64,
}

impl Comparison {
    /// Whether `value` compares with `bound` as it should.
    #[must_use]
    pub fn holds(self, value: f64, bound: f64) -> bool {
        match self {
            Self::Below => value < bound,
            Self::AtMost => value <= bound,
            Self::Above => value > bound,
            Self::AtLeast => value >= bound,
            Self::Equal => value == bound,
        }
    }
}

/// A job that goals can name.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Target<'a> {
    pub(crate) name: &'a str,
    pub(crate) steps: usize,
    /// Whether it does transactions.
    pub(crate) transactions: bool,
    /// Whether it has an amount to do.
    pub(crate) amount: bool,
    /// Whether a device of it, or its journal, has a mirror.
    pub(crate) is_mirrored: bool,
    /// Whether it has further nodes with engines.
    pub(crate) is_cluster: bool,
}

impl Goal {
    /// Reads a goal about one of `jobs`.
    pub(crate) fn parse(text: &str, jobs: &[Target<'_>]) -> Result<Self, String> {
        let (subject, comparison, value) = split(text).ok_or_else(|| unlike_a_goal(text))?;
        if !subject.contains('.') {
            return Err(unlike_a_goal(text));
        }
        let Subject {
            job,
            op,
            step,
            figure,
        } = Subject::parse(subject, jobs)?;
        Ok(Self {
            text: text.to_owned(),
            job,
            op,
            step,
            figure,
            comparison,
            value: figure.value(value)?,
        })
    }

    /// What it looks at.
    #[must_use]
    pub fn subject(&self) -> Subject {
        Subject {
            job: self.job.clone(),
            op: self.op,
            step: self.step,
            figure: self.figure,
        }
    }
}

/// Whether a job, with this part of its IO, has figures of transactions.
fn has_transactions(job: &Target<'_>, op: Option<Op>) -> Result<(), String> {
    if !job.transactions {
        return Err(format!(
            "the job `{}` does no transactions; expected a figure of its IO, as `latency.p99`, or \
             a job of `kind: oltp`",
            job.name
        ));
    }
    match op {
        None => Ok(()),
        Some(_) => Err(format!(
            "transactions are no reads or writes; expected `{}.transactions.tps` or \
             `{0}.transactions.latency.p99`",
            job.name
        )),
    }
}

/// Whether a job, of which `part` is not the whole, has a figure of mirrors.
fn is_on_mirror(job: &Target<'_>, figure: Figure, part: bool) -> Result<(), String> {
    let name = job.name;
    if figure == Figure::Unserved && job.transactions {
        return Err(format!(
            "the job `{name}` does transactions; expected `{name}.transactions.outage`"
        ));
    }
    if !job.is_mirrored {
        return Err(format!(
            "the job `{name}` has no mirror; expected a job on a device with `mirror`, or with a \
             `mirror` of its journal"
        ));
    }
    match part {
        false => Ok(()),
        true => Err(format!(
            "a mirror serves a job as a whole; expected `{name}.outage` or `{name}.lost_bytes`"
        )),
    }
}

/// Whether a job is ever done, of which `part` is not the whole.
fn has_an_end(job: &Target<'_>, part: bool) -> Result<(), String> {
    if !job.amount {
        let name = job.name;
        return Err(format!(
            "the job `{name}` goes on to the end of the run; expected `amount` in it, as `100GiB`"
        ));
    }
    match part {
        false => Ok(()),
        true => Err(format!(
            "a job is done as a whole; expected `{}.done`",
            job.name
        )),
    }
}

fn no_job<'a>(name: &str, known: impl IntoIterator<Item = &'a str>) -> String {
    format!("no job is called `{}`{}", shorten(name), hint(name, known))
}

fn unlike_a_goal(text: &str) -> String {
    format!(
        "`{}` is not a goal; expected JOB[.read|.write][.step N].FIGURE OP VALUE, \
         as in `readers.latency.p99 < 2ms`",
        shorten(text)
    )
}

/// The text before the comparison, the comparison, and the text after it.
fn split(text: &str) -> Option<(&str, Comparison, &str)> {
    use Comparison::{Above, AtLeast, AtMost, Below, Equal};
    let at = text.find(['<', '>', '='])?;
    let (subject, rest) = text.split_at(at);
    // Longer operators first: `<=` begins with `<`.
    [
        ("<=", AtMost),
        (">=", AtLeast),
        ("==", Equal),
        ("<", Below),
        (">", Above),
    ]
    .into_iter()
    .find_map(|(sign, comparison)| Some((comparison, rest.strip_prefix(sign)?)))
    .map(|(comparison, value)| (subject.trim(), comparison, value.trim()))
}

fn operation(rest: &str) -> (Option<Op>, &str) {
    match rest.split_once('.') {
        Some(("read", rest)) => (Some(Op::Read), rest),
        Some(("write", rest)) => (Some(Op::Write), rest),
        _ => (None, rest),
    }
}

fn step<'a>(rest: &'a str, job: &Target<'_>) -> Result<(Option<usize>, &'a str), String> {
    let Some((number, rest)) = rest.strip_prefix("step ").and_then(|r| r.split_once('.')) else {
        return Ok((None, rest));
    };
    let step = number.trim().parse().ok();
    match step.filter(|step| (1..=job.steps).contains(step)) {
        Some(step) => Ok((Some(step), rest)),
        None => Err(format!(
            "the job `{}` has no step `{}`; expected 1 to {}",
            job.name,
            shorten(number.trim()),
            job.steps
        )),
    }
}

impl fmt::Display for Goal {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.text)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const JOBS: [Target<'_>; 6] = [
        Target {
            name: "backup",
            steps: 1,
            transactions: false,
            amount: true,
            is_mirrored: false,
            is_cluster: false,
        },
        Target {
            name: "readers",
            steps: 5,
            transactions: false,
            amount: false,
            is_mirrored: false,
            is_cluster: false,
        },
        Target {
            name: "writers",
            steps: 1,
            transactions: false,
            amount: false,
            is_mirrored: false,
            is_cluster: false,
        },
        Target {
            name: "shop",
            steps: 2,
            transactions: true,
            amount: false,
            is_mirrored: false,
            is_cluster: false,
        },
        Target {
            name: "journal",
            steps: 1,
            transactions: false,
            amount: false,
            is_mirrored: true,
            is_cluster: false,
        },
        Target {
            name: "till",
            steps: 1,
            transactions: true,
            amount: false,
            is_mirrored: true,
            is_cluster: false,
        },
    ];

    fn wrong(text: &str) -> String {
        Goal::parse(text, &JOBS).unwrap_err()
    }

    #[test]
    fn figures_of_mirrors_are_of_jobs_that_have_one() {
        let goal = Goal::parse("journal.outage <= 10s", &JOBS).unwrap();
        assert_eq!((goal.figure, goal.value), (Figure::Unserved, 10.0));
        let goal = Goal::parse("till.lost_bytes <= 0", &JOBS).unwrap();
        assert_eq!((goal.figure, goal.value), (Figure::LostBytes, 0.0));
        let cases = [
            ("readers.outage <= 1s", "the job `readers` has no mirror"),
            ("shop.lost_bytes <= 0", "the job `shop` has no mirror"),
            ("till.outage <= 1s", "expected `till.transactions.outage`"),
            ("till.transactions.lost <= 0", "expected `till.lost_bytes`"),
            ("journal.write.outage <= 1s", "expected `journal.outage`"),
            ("journal.step 1.lost_bytes <= 0", "or `journal.lost_bytes`"),
        ];
        for (text, expected) in cases {
            assert!(wrong(text).contains(expected), "{}", wrong(text));
        }
    }

    #[test]
    fn every_part_of_the_grammar_is_read() {
        let goal = Goal::parse("writers.write.step 1.latency.p99_9 >= 1.5ms", &JOBS).unwrap();
        assert_eq!(
            goal,
            Goal {
                text: "writers.write.step 1.latency.p99_9 >= 1.5ms".to_owned(),
                job: "writers".to_owned(),
                op: Some(Op::Write),
                step: Some(1),
                figure: Figure::Latency(Latency::P99_9),
                comparison: Comparison::AtLeast,
                value: 0.0015,
            }
        );
        let goal = Goal::parse("readers.iops>60000", &JOBS).unwrap();
        assert_eq!(
            (goal.op, goal.step, goal.figure),
            (None, None, Figure::Iops)
        );
        assert_eq!(
            Goal::parse("readers.errors == 0", &JOBS).unwrap().value,
            0.0
        );
        let goal = Goal::parse("readers.read.step 2.time_above(1.5ms) < 1%", &JOBS).unwrap();
        assert_eq!(
            (goal.op, goal.step, goal.figure, goal.value),
            (Some(Op::Read), Some(2), Figure::TimeAbove(1_500_000), 0.01)
        );
        let goal = Goal::parse("readers.worst_second.p99 < 20ms", &JOBS).unwrap();
        assert_eq!(
            (goal.figure, goal.value),
            (Figure::WorstSecond(Latency::P99), 0.02)
        );
        let goal = Goal::parse("shop.step 2.transactions.latency.p99 < 500ms", &JOBS).unwrap();
        assert_eq!(
            (goal.step, goal.figure, goal.value),
            (Some(2), Figure::Transaction(Latency::P99), 0.5)
        );
        let goal = Goal::parse("backup.done < 90m", &JOBS).unwrap();
        assert_eq!((goal.figure, goal.value), (Figure::Done, 5400.0));
        let goal = Goal::parse("shop.transactions.tps > 300", &JOBS).unwrap();
        assert_eq!((goal.figure, goal.value), (Figure::Tps, 300.0));
    }

    #[test]
    fn wrong_goals_say_what_was_expected() {
        let cases = [
            (
                "readers.done < 6h",
                "the job `readers` goes on to the end of the run; expected `amount` in it, as `100GiB`",
            ),
            (
                "backup.step 1.done < 6h",
                "a job is done as a whole; expected `backup.done`",
            ),
            (
                "readers are fast",
                "`readers are fast` is not a goal; expected JOB[.read|.write][.step N].FIGURE OP VALUE, as in `readers.latency.p99 < 2ms`",
            ),
            (
                "reader.iops > 5",
                "no job is called `reader`; did you mean `readers`?",
            ),
            (
                "readers.ipos > 5",
                "no figure is called `ipos`; did you mean `iops`?",
            ),
            (
                "readers.speed > 5",
                "no figure is called `speed`; known are `iops`, `latency.p99`, `errors` and others",
            ),
            (
                "readers.step 6.iops > 5",
                "the job `readers` has no step `6`; expected 1 to 5",
            ),
            (
                "readers.latency.p99 < 2",
                "`2` has no unit; expected a number with h, m, s, ms, us or ns, as in `30m`",
            ),
            (
                "readers.iops > 60k",
                "`60k` is not a number; expected one without unit, as in `60000`",
            ),
            (
                "readers.worst_second < 2ms",
                "no figure is called `worst_second`; did you mean `worst_second.p50`?",
            ),
            (
                "readers.time_above < 1%",
                "`time_above` has no latency; expected one in parentheses, as in `time_above(5ms)`",
            ),
            (
                "readers.time_above(5) < 1%",
                "`5` has no unit; expected a number with h, m, s, ms, us or ns, as in `30m`",
            ),
            (
                "readers.time_above(5ms) < 0.01",
                "`0.01` is not a share of the time; expected 0% to 100%, as in `1%`",
            ),
            (
                "readers.time_above(5ms) < 101%",
                "`101%` is not a share of the time; expected 0% to 100%, as in `1%`",
            ),
            (
                "readers.transactions.tps > 300",
                "the job `readers` does no transactions; expected a figure of its IO, as `latency.p99`, or a job of `kind: oltp`",
            ),
            (
                "shop.read.transactions.tps > 300",
                "transactions are no reads or writes; expected `shop.transactions.tps` or `shop.transactions.latency.p99`",
            ),
            (
                "readers.time_avobe(5ms) < 1%",
                "no figure is called `time_avobe(5ms)`; did you mean `time_above(5ms)`?",
            ),
        ];
        for (text, message) in cases {
            assert_eq!(wrong(text), message);
        }
    }
}
