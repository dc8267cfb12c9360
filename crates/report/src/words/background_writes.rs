//! How reads fare beside writes in the background: of checkpoints, write daemons and write-back.

use std::cmp::Reverse;
use std::collections::BTreeMap;

use blockyard_record::result::{Observed, ObservedDevice};

use super::phrases::{counted, in_bytes, listed, share};
use crate::Run;
use crate::charts::beside::{Beside, Reads, beside};
use crate::text::format::{duration, latency, rate};

/// Those are named who have written this share of it.
const MOST: f64 = 0.9;
const FEW: usize = 3;

/// Of each device how its reads fared, and how bursts were found.
pub(super) fn told(run: &Run, observed: &Observed) -> Vec<String> {
    let devices = observed.devices.iter();
    let said = devices.filter_map(|device| reads_beside(run, device).or_else(|| even(device)));
    let mut said: Vec<_> = said.map(|said| format!("{said}.")).collect();
    if !said.is_empty() {
        said.push(format!(
            "Background writes are those of threads of which at most 1 in 20 reads and writes is \
             a read; they are heavy in each {} with at least twice their mean, and 1 MiB/s.",
            duration(observed.interval_s)
        ));
    }
    said
}

/// Latency of reads while writes in the background were heavy, and otherwise.
pub(super) fn reads_beside(run: &Run, device: &ObservedDevice) -> Option<String> {
    let heavy = &device.load.as_ref()?.heavy_writes;
    let Beside { inside, outside } = beside(run, device)?;
    let seconds: f64 = heavy.iter().map(|one| one.to_s - one.from_s).sum();
    let bytes: u64 = heavy.iter().map(|one| one.bytes).sum();
    let mut by = BTreeMap::new();
    for (name, bytes) in heavy.iter().flat_map(|one| &one.by) {
        *by.entry(name.as_str()).or_default() += bytes;
    }
    let said = |of: &Reads, seconds: f64| {
        let (iops, p50, p99) = (of.count as f64 / seconds, of.p50_us, of.p99_us);
        let (p50, p99) = (latency(p50), latency(p99));
        format!("{} reads a second took p50 {p50}, p99 {p99}", rate(iops))
    };
    Some(format!(
        "{}: in {} of heavy background writes ({}, {} by {}) {}; otherwise {}",
        device.name,
        duration(seconds),
        counted(heavy.len() as u64, "burst"),
        in_bytes(bytes),
        writers(&by, bytes),
        said(&inside, seconds),
        said(&outside, run.result.duration_s - seconds)
    ))
}

/// That writes in the background were even.
fn even(device: &ObservedDevice) -> Option<String> {
    let load = device.load.as_ref()?;
    let by = load.issuers.iter();
    let by = by.map(|own| (own.name.as_str(), own.background_bytes));
    let by: BTreeMap<_, _> = by.collect();
    let bytes: u64 = by.values().sum();
    (load.heavy_writes.is_empty() && bytes > 0).then(|| {
        format!(
            "{}: background writes of {} by {} had no bursts beside which reads could differ",
            device.name,
            in_bytes(bytes),
            writers(&by, bytes)
        )
    })
}

/// Those who wrote most, with how much of all bytes they have if that is not nearly all.
fn writers(by: &BTreeMap<&str, u64>, all: u64) -> String {
    let mut by: Vec<_> = by.iter().collect();
    by.sort_by_key(|(_, bytes)| Reverse(**bytes));
    let (mut named, mut sum) = (Vec::new(), 0);
    for (name, bytes) in by.into_iter().take(FEW) {
        if sum as f64 >= MOST * all as f64 {
            break;
        }
        sum += bytes;
        named.push(*name);
    }
    let rest = match sum as f64 >= MOST * all as f64 {
        true => String::new(),
        false => format!(" ({} of it)", share(sum as f64 / all as f64)),
    };
    format!("{}{rest}", listed(&named))
}
