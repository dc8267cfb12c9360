//! Parts of sentences.

use blockyard_explain::RateUnit;
use blockyard_record::result::{Range, RunResult, Step};

use super::steps::load_of;
use crate::text::format::{duration, grouped, number, percent};

/// The names of jobs and devices, which are written as the scenario has them.
pub(crate) fn named(result: &RunResult) -> Vec<&str> {
    let totals = result.totals.iter();
    totals
        .flat_map(|total| [total.job.as_str(), &total.device])
        .collect()
}

/// How long what came due last waits, if it goes on as it did: of more than the run's length that
/// is all that is known.
pub(crate) fn wait(wait_s: f64, result: &RunResult) -> String {
    match wait_s > result.duration_s {
        true => "longer than the run".to_owned(),
        false => duration(wait_s),
    }
}

/// `a`, `a and b`, `a, b and c`.
pub(crate) fn listed<T: AsRef<str>>(items: &[T]) -> String {
    match items {
        [] => String::new(),
        [one] => one.as_ref().to_owned(),
        [first @ .., last] => {
            let first: Vec<_> = first.iter().map(T::as_ref).collect();
            format!("{} and {}", first.join(", "), last.as_ref())
        }
    }
}

/// From one figure to another: `0.53 to 1.33 ms`, `0.53 ms to 1.33 s`, `3,000` of two alike.
pub(crate) fn joined(first: &str, last: &str) -> String {
    if first == last {
        return first.to_owned();
    }
    let unit = |figure: &str| figure.split_once(' ').map(|(_, unit)| unit.to_owned());
    let (figure, _) = first.split_once(' ').unwrap_or((first, ""));
    let first = if unit(first) == unit(last) {
        figure
    } else {
        first
    };
    format!("{first} to {last}")
}

/// `1.10 to 1.41 ms`, `0.90 ms to 1.10 s`; of what is written alike, once.
pub(crate) fn between(figure: &Range, written: impl Fn(f64) -> String) -> String {
    joined(&written(figure.min), &written(figure.max))
}

/// What steps offered: `1 process`, `2 and 4 processes`, `1,000/s and 2,000/s`.
pub(crate) fn loads(steps: &[&Step]) -> String {
    if steps.len() > 1 && steps.iter().all(|step| step.rate.is_none()) {
        let processes = steps
            .iter()
            .map(|step| step.processes.unwrap_or(0).to_string());
        return format!("{} processes", listed(&processes.collect::<Vec<_>>()));
    }
    let loads: Vec<_> = steps.iter().map(|step| load_of(step)).collect();
    listed(&loads)
}

/// A share of 0 to 1: in percent, unless it is all, or too little for a figure.
#[must_use]
pub fn share(part: f64) -> String {
    if part >= 0.999 {
        "all".to_owned()
    } else if part > 0.99 {
        "more than 99%".to_owned()
    } else if part >= 0.01 {
        percent(part, 0)
    } else {
        "less than 1%".to_owned()
    }
}

/// `1 cycle`, `22 cycles`.
pub(crate) fn counted(number: u64, one: &str) -> String {
    counted_as(number, one, &format!("{one}s"))
}

/// `1 process`, `22 processes`: of a plural that is not regular.
pub(crate) fn counted_as(number: u64, one: &str, many: &str) -> String {
    let noun = if number == 1 { one } else { many };
    format!("{} {noun}", crate::text::format::count(number))
}

/// A limit's value with its unit: `3,000 IOPS`.
pub(crate) fn amount((value, unit): (f64, RateUnit)) -> String {
    format!("{} {}", grouped(value, 0), unit_name(unit))
}

/// `IOPS`, `MiB/s`, `MB/s`.
pub(crate) fn unit_name(unit: RateUnit) -> &'static str {
    match unit {
        RateUnit::Iops => "IOPS",
        RateUnit::MibPerS => "MiB/s",
        RateUnit::MbPerS => "MB/s",
    }
}

/// `168 KiB`, `11.4 MiB`; from 10 GiB on in GiB.
pub(crate) fn in_bytes(count: u64) -> String {
    const MIB: u64 = 1 << 20;
    let kib = count as f64 / 1024.0;
    if count >= 10_240 * MIB {
        format!("{} GiB", number(kib / MIB as f64))
    } else if count >= MIB {
        format!("{} MiB", number(count as f64 / MIB as f64))
    } else {
        format!("{} KiB", number(kib))
    }
}
