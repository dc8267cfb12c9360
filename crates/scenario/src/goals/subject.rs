//! What a goal looks at: a figure of a job.

use super::{
    Figure, Op, Target, has_an_end, has_transactions, is_on_mirror, no_job, operation, split, step,
};
use blockyard_text::shorten;

/// A figure of a job, which stands left of a goal's comparison: `readers.read.latency.p99`.
#[derive(Clone, Debug, PartialEq)]
pub struct Subject {
    /// The job.
    pub job: String,
    /// Its operation; none for both together.
    pub op: Option<Op>,
    /// The load step, from 1; none for the whole run.
    pub step: Option<usize>,
    /// The figure.
    pub figure: Figure,
}

impl Subject {
    /// Reads a figure of one of `jobs`.
    pub(crate) fn parse(text: &str, jobs: &[Target<'_>]) -> Result<Self, String> {
        let (name, rest) = text.split_once('.').ok_or_else(|| unlike(text))?;
        let target = jobs.iter().find(|job| job.name == name);
        let target = target.ok_or_else(|| no_job(name, jobs.iter().map(|job| job.name)))?;
        let (op, rest) = operation(rest);
        let (step, rest) = step(rest, target)?;
        let figure = Figure::parse(rest)?;
        if figure.is_of_transactions() {
            has_transactions(target, op)?;
        }
        if figure == Figure::Lost && target.is_mirrored && !target.is_cluster {
            return Err(format!(
                "of a mirror the bytes are known that a takeover lost, not the transactions; \
                 expected `{name}.lost_bytes`"
            ));
        }
        if figure.is_of_mirrors() {
            is_on_mirror(target, figure, op.is_some() || step.is_some())?;
        }
        if figure == Figure::Done {
            has_an_end(target, op.is_some() || step.is_some())?;
        }
        Ok(Self {
            job: name.to_owned(),
            op,
            step,
            figure,
        })
    }
}

fn unlike(text: &str) -> String {
    format!(
        "`{}` is not a figure; expected JOB[.read|.write][.step N].FIGURE, \
         as in `readers.latency.p99`",
        shorten(text)
    )
}

/// A figure or a goal with what may be left out: of a scenario with one job its name, and
/// `latency.` before a percentile. `p99 < 2ms` is `readers.latency.p99 < 2ms`.
pub(crate) fn in_full(text: &str, jobs: &[Target<'_>]) -> String {
    let (subject, rest) = match split(text) {
        Some((subject, _, _)) => (
            subject,
            &text[text.find(subject).unwrap_or(0) + subject.len()..],
        ),
        None => (text.trim(), ""),
    };
    let job = subject.split('.').next().unwrap_or_default();
    if jobs.iter().any(|known| known.name == job) {
        return text.to_owned();
    }
    let [only] = jobs else {
        return text.to_owned();
    };
    let (before, last) = match subject.rsplit_once('.') {
        Some((before, last)) => (Some(before), last),
        None => (None, subject),
    };
    let is_latency = matches!(last, "mean" | "p50" | "p95" | "p99" | "p99_9" | "max");
    let part = before.is_none_or(|before| matches!(before, "read" | "write"));
    let figure = match (is_latency && part, before) {
        (true, Some(before)) => format!("{before}.latency.{last}"),
        (true, None) => format!("latency.{last}"),
        (false, _) => subject.to_owned(),
    };
    format!("{}.{figure}{rest}", only.name)
}

#[cfg(test)]
mod tests {
    use super::*;

    const JOB: Target<'_> = Target {
        name: "readers",
        steps: 1,
        transactions: false,
        amount: false,
        is_mirrored: false,
        is_cluster: false,
    };

    #[test]
    fn what_may_be_left_out_is_put_in() {
        let cases = [
            ("p99 < 2ms", "readers.latency.p99 < 2ms"),
            ("read.p99_9<=2ms", "readers.read.latency.p99_9<=2ms"),
            ("iops", "readers.iops"),
            ("worst_second.p99", "readers.worst_second.p99"),
            ("readers.iops > 5", "readers.iops > 5"),
        ];
        for (short, full) in cases {
            assert_eq!(in_full(short, &[JOB]), full);
        }
        let other = Target {
            name: "writers",
            ..JOB
        };
        // Whose of two, nobody can tell.
        assert_eq!(in_full("p99 < 2ms", &[JOB, other]), "p99 < 2ms");
    }

    #[test]
    fn a_figure_is_read_as_that_of_a_goal() {
        let subject = Subject::parse("readers.write.latency.p99", &[JOB]).unwrap();
        assert_eq!((subject.op, subject.step), (Some(Op::Write), None));
        assert_eq!(
            Subject::parse("p99", &[JOB]).unwrap_err(),
            "`p99` is not a figure; expected JOB[.read|.write][.step N].FIGURE, as in \
             `readers.latency.p99`"
        );
    }
}
