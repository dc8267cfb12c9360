//! What the figures of a comparison are called, and how they are written.

use blockyard_scenario::goals::BEYOND;

use crate::text::format::{grouped, latency, number, rate};

/// What jobs and devices are called that are taken together.
pub(crate) const ALL: &str = "all";

/// Whether a figure counts what was done in a second.
pub(crate) fn is_rate(figure: &str) -> bool {
    matches!(figure, "iops" | "tps")
}

/// What a sentence calls a figure by which jobs are judged.
pub(crate) fn in_words(figure: &'static str) -> &'static str {
    match figure {
        "iops" => "IOPS",
        "tps" => "TPS",
        "latency.p99" => "p99",
        "latency.mean" => "mean latency",
        other => other,
    }
}

/// A value of a figure, as tables write it.
pub(crate) fn written(figure: &str, value: f64) -> String {
    if figure.starts_with("latency") {
        latency(value)
    } else if is_rate(figure) || !(1.0..MILLION).contains(&value) {
        rate(value)
    } else {
        grouped(value, 1)
    }
}

/// What is counted in millions.
const MILLION: f64 = 999_500.0;

/// A change in percent with its sign: `+49%`, `-0%`.
pub(crate) fn signed(change: f64, places: usize) -> String {
    format!("{:+.places$}%", 100.0 * change)
}

/// A change to a tenth of a percent; of none that is seen, 0 has no sign.
pub(crate) fn tenths(change: f64) -> String {
    let text = signed(change, 1);
    match text.as_str() {
        "+0.0%" | "-0.0%" => "0.0%".to_owned(),
        _ => text,
    }
}

/// How many times as much: `4.11 times`; beyond what says anything, `more than 1,000 times`.
pub(crate) fn times(change: f64) -> String {
    if 1.0 + change >= BEYOND {
        return format!("more than {} times", grouped(BEYOND, 0));
    }
    format!("{} times", number(1.0 + change))
}
