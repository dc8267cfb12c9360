//! What a trial moved.

use blockyard_experiment::advice::Moved;

use crate::text::format::{latency, number};
use crate::text::limit_names::possessive;

/// At most this many figures of a trial are told, those with most IOs first.
const MOST_TOLD: usize = 4;

/// What moved: `readers' p99 33.0 ms to 1.20 ms, 3,000 to 4,500 reads a second`.
pub(super) fn told(moved: &[Moved]) -> String {
    let told = moved.iter().take(MOST_TOLD).map(|one| {
        let own = &one.before;
        let alike = |other: &&Moved| (&other.before.job, &other.before.op) == (&own.job, &own.op);
        let several = moved.iter().filter(alike).count() > 1;
        let device = if several {
            format!(" on {}", own.device)
        } else {
            String::new()
        };
        format!("{} {}{device}", possessive(&own.job), figures(one))
    });
    told.collect::<Vec<_>>().join("; ")
}

/// The tail of the latency if it moved, else its mean, and the rate.
fn figures(moved: &Moved) -> String {
    let (before, after) = (&moved.before, &moved.after);
    let ops = match before.op.as_str() {
        "flush" => "flushes".to_owned(),
        op => format!("{op}s"),
    };
    let mut found = Vec::new();
    if let Some((was, is_now)) = before.latency_us.zip(after.latency_us) {
        let of = if moved.rate {
            String::new()
        } else {
            format!(" of {ops}")
        };
        let figure = if moved.p99 {
            Some(("p99", was.p99, is_now.p99))
        } else if moved.mean {
            Some(("mean", was.mean, is_now.mean))
        } else {
            None
        };
        found.extend(figure.map(|(figure, was, is_now)| {
            format!("{figure}{of} {} to {}", latency(was), latency(is_now))
        }));
    }
    if moved.rate {
        let (was, is_now) = (number(before.iops), number(after.iops));
        found.push(format!("{was} to {is_now} {ops} a second"));
    }
    found.join(", ")
}
