//! What a load takes of limits, which latencies it has, and what it costs, line by line.

use blockyard_plan::{Estimate, Item, Layout, Use};
use blockyard_record::result::ExpectedRange;

use super::amounts::{lasting, ms};
use crate::text::format::{count, grouped, percent};
use crate::words::expected::{ends, legend};

/// A line of the bill: what it is for.
pub(super) fn item(of: &Item) -> String {
    // Traffic, which rests on an assumption, is counted in its unit; all else in pieces.
    let times = if of.assumed.is_some() { "" } else { "x " };
    format!("{} {times}{}", count(of.count), of.what)
}

/// A limit: its name, what is used, of how much, and the headroom.
pub(super) fn row(of: &Use) -> [String; 4] {
    let mut name = format!("{} {}", of.owner, limit_name(&of.limit));
    let has = match of.credits_last_s {
        Some(last) => lasting(last),
        // What is left is of the balance, which the baseline keeps full.
        None if of.limit.contains("credits") && of.left > of_rate(of) => "sustained".to_owned(),
        // The baseline is enough, so no credits are spent.
        None if of.used <= of.has => {
            name = name.replace(", credits", ", sustained");
            rate(of, of.has)
        }
        None if of.limit.contains("credits") => "sustained".to_owned(),
        None => rate(of, of.has),
    };
    [name, rate(of, of.used), has, percent(of.left, 0)]
}

/// What a limit is called in a sentence.
pub(super) fn limit_name(limit: &str) -> &str {
    match limit {
        "iops" => "IOPS",
        "read_iops" => "read IOPS",
        "write_iops" => "write IOPS",
        "read_throughput" => "read throughput",
        "write_throughput" => "write throughput",
        "iops_credits" => "IOPS, credits",
        "throughput_credits" => "throughput, credits",
        other => other,
    }
}

/// What would be left of the rate, with what rounding adds to it.
fn of_rate(of: &Use) -> f64 {
    1.0 - of.used as f64 / of.has.max(1) as f64 + 1e-4
}

fn rate(of: &Use, value: u64) -> String {
    const MIB: f64 = (1 << 20) as f64;
    match of.unit.as_str() {
        "io" => format!("{}/s", count(value)),
        _ => format!("{} MiB/s", grouped(value as f64 / MIB, 0)),
    }
}

/// Of which IO, p50 and p99: simulated, this with where measurements lie, or else as profiles
/// estimate them.
pub(super) fn latencies(layout: &Layout) -> Vec<[String; 3]> {
    let Some(jobs) = &layout.simulated else {
        let estimates = layout.latency.iter();
        let figures = |it: &Estimate| [it.p50_us, it.p99_us].map(|us| ms(us / 1e3));
        return estimates
            .map(|it| (format!("estimated {}", it.of), figures(it)))
            .map(|(of, [p50, p99])| [of, p50, p99])
            .collect();
    };
    let jobs = jobs.iter();
    jobs.map(|it| {
        [
            format!("simulated {}", it.job),
            ms(it.p50_us / 1e3),
            with_range(it.p99_us, it.p99_expected_us.as_ref()),
        ]
    })
    .collect()
}

fn with_range(us: f64, range: Option<&ExpectedRange>) -> String {
    let range = range.map(|range| format!(" ({})", ends(range)));
    format!("{}{}", ms(us / 1e3), range.unwrap_or_default())
}

/// What the ranges beside simulated latencies are; none if there are none.
pub(super) fn measured(layout: &Layout) -> Option<String> {
    let jobs = layout.simulated.iter().flatten();
    legend(jobs.filter_map(|it| it.p99_expected_us.as_ref()))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn credits(used: u64, has: u64, left: f64) -> Use {
        Use {
            owner: "instance".to_owned(),
            limit: "iops_credits".to_owned(),
            unit: "io".to_owned(),
            used,
            has,
            credits_last_s: None,
            left,
        }
    }

    #[test]
    fn headroom_is_of_what_stands_beside_it() {
        let [name, .., has, left] = row(&credits(2_500, 2_500, 1.0));
        let balance = ["instance IOPS, credits", "sustained", "100%"];
        assert_eq!([name.as_str(), &has, &left], balance);
        let [name, .., has, left] = row(&credits(16_000, 20_000, 0.2));
        let rate = ["instance IOPS, sustained", "20,000/s", "20%"];
        assert_eq!([name.as_str(), &has, &left], rate);
    }
}
