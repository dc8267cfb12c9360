//! What a load takes of limits, which latencies it has, and what it costs, line by line.

use blockyard_plan::{Item, Layout, Use};

use super::amounts::{lasting, ms};
use crate::text::format::{count, grouped, percent};

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

fn rate(of: &Use, value: u64) -> String {
    const MIB: f64 = (1 << 20) as f64;
    match of.unit.as_str() {
        "io" => format!("{}/s", count(value)),
        _ => format!("{} MiB/s", grouped(value as f64 / MIB, 0)),
    }
}

/// Of which IO, p50 and p99: simulated, or else as profiles estimate them.
pub(super) fn latencies(layout: &Layout) -> Vec<[String; 3]> {
    let row = |how: &str, of: &str, p50_us: f64, p99_us: f64| {
        [format!("{how} {of}"), ms(p50_us / 1e3), ms(p99_us / 1e3)]
    };
    match &layout.simulated {
        Some(jobs) => {
            let jobs = jobs.iter();
            jobs.map(|it| row("simulated", &it.job, it.p50_us, it.p99_us))
                .collect()
        }
        None => {
            let estimates = layout.latency.iter();
            estimates
                .map(|it| row("estimated", &it.of, it.p50_us, it.p99_us))
                .collect()
        }
    }
}
