//! What a report says at its head of each run.

use blockyard_record::result::{Machine, Status};

use crate::Run;
use crate::text::format::duration;

/// Facts of a run as (what, value). `path` is its run directory, if it was kept.
#[must_use]
pub fn head(run: &Run, path: Option<&str>, has_scenario: bool) -> Vec<(String, String)> {
    let result = &run.result;
    let reason = result.reason.as_deref().filter(|why| !why.is_empty());
    let reason = reason.map_or_else(String::new, |why| format!(": {why}"));
    let mut found = vec![
        ("mode", format!("{}: {}", run.made(), how(run.made()))),
        ("duration", duration(result.duration_s)),
        ("status", format!("{}{reason}", ended(result.status))),
    ];
    if has_scenario {
        found.push(("scenario", result.scenario.clone()));
        found.push(("seed", result.seed.to_string()));
    }
    found.extend(result.machine.iter().flat_map(machine));
    found.extend(path.map(|path| ("from", path.to_owned())));
    let owned = found.into_iter();
    owned
        .map(|(what, value)| (what.to_owned(), value))
        .collect()
}

/// How a run of a mode was made, or what another program's was read from.
fn how(made: &str) -> &'static str {
    match made {
        "simulate" => "modelled workload on modelled storage, in virtual time",
        "bench" => "modelled workload on real storage",
        "emulate" => "real workload on modelled storage",
        "observe" => "real workload on real storage",
        "fio" => "read from what fio wrote",
        "iostat" => "read from what iostat wrote",
        "yaspe" => "read from yaspe's database",
        "sar" => "read from what sar wrote",
        "diskstats" => "read from copies of /proc/diskstats",
        "prometheus" => "read from node_exporter's counters",
        "systemperformance" => "read from a report of SystemPerformance",
        "pgbench" => "read from what pgbench wrote",
        "sysbench" => "read from what sysbench wrote",
        _ => "read from another program's file",
    }
}

/// How a run ended, in a word.
pub(crate) fn ended(status: Status) -> &'static str {
    match status {
        Status::Complete => "complete",
        Status::Interrupted => "interrupted",
        Status::Failed => "failed",
    }
}

fn machine(of: &Machine) -> Vec<(&str, String)> {
    let mut found = Vec::new();
    if !of.started.is_empty() {
        found.push(("started", of.started.clone()));
    }
    found.push(("IO", of.engine.clone()));
    if of.processors > 0 {
        let processors = format!("{} of {}", of.processors, of.processor);
        found.push(("processors", processors));
    }
    if !of.kernel.is_empty() {
        found.push(("kernel", format!("Linux {}", of.kernel)));
    }
    let targets = of.targets.iter();
    found.extend(targets.map(|target| (target.device.as_str(), target.path.clone())));
    found
}
