//! Tables of what was delivered: latencies, ranges over seeds, load steps.

use blockyard_record::result::{RunResult, Step, Total, TotalRange};

use super::mean_latency::mean_us;
use super::outcome::tells;
use super::phrases::between;
use super::steps::{load_of, loaded};
use crate::Run;
use crate::text::format::{grouped, latency, number, rate};
use crate::text::limit_names::in_words;
use crate::text::provenance;
use crate::text::table::Table;

/// What a row is of.
const SERIES: [&str; 3] = ["job", "operation", "device"];
const RATES: [&str; 2] = ["IOPS", "MiB/s"];

/// The tables of a run, without those that would be empty.
pub(crate) fn tables(run: &Run) -> Vec<Table> {
    let totals = run.result.totals.iter();
    let totals: Vec<_> = totals
        .filter(|total| total.ios > 0 && tells(&run.result, total))
        .collect();
    if totals.is_empty() {
        return Vec::new();
    }
    let tables = [
        Some(whole(run, &totals)),
        seeds(&run.result),
        steps(run, &totals),
    ];
    tables.into_iter().flatten().collect()
}

/// A row for each total; a mark says whose figures depend on an assumption.
fn whole(run: &Run, totals: &[&Total]) -> Table {
    let marked = provenance::marked(&run.result);
    let rows = totals.iter().map(|total| {
        let is_marked = marked.contains(&(total.device.as_str(), total.op.as_str()));
        let mark = if is_marked { provenance::MARK } else { "" };
        let op = format!("{} {mark}", total.op);
        let mut row = of(&total.job, op.trim_end(), &total.device);
        row.extend(rates(total));
        row.extend(latencies(run, total));
        row
    });
    let figures = ["mean", "p50", "p95", "p99", "p99.9", "max"];
    let columns = [&SERIES[..], &RATES, &figures].concat();
    let caption = if run.warmup_s == 0.0 {
        "The whole run"
    } else {
        "The run without its warm-up"
    };
    Table::new(caption, &columns, rows.collect(), 3).without_empty()
}

fn of(job: &str, op: &str, device: &str) -> Vec<String> {
    [job, op, device].map(str::to_owned).to_vec()
}

fn rates(total: &Total) -> [String; 2] {
    let moved = if total.bytes == 0 {
        String::new()
    } else if total.mib_per_s >= 1.0 {
        grouped(total.mib_per_s, 1)
    } else {
        number(total.mib_per_s)
    };
    [rate(total.iops), moved]
}

fn latencies(run: &Run, total: &Total) -> [String; 6] {
    if let Some(us) = total.latency_us {
        return [us.mean, us.p50, us.p95, us.p99, us.p99_9, us.max].map(latency);
    }
    let mean = total
        .mean_us
        .or_else(|| mean_us(&run.tables.intervals, total))
        .map(latency);
    let mut cells = <[String; 6]>::default();
    cells[0] = mean.unwrap_or_default();
    cells
}

/// Ranges over the seeds.
fn seeds(result: &RunResult) -> Option<Table> {
    let waited = |one: &&TotalRange| one.latency_us.is_none_or(|us| us.mean.max > 0.0);
    let rows = result.by_seed.as_ref()?.totals.iter().filter(waited);
    let rows = rows.map(|one| {
        let us = one.latency_us;
        let ranges = us.map(|us| [us.mean, us.p99].map(|figure| between(&figure, latency)));
        let mut row = of(&one.job, &one.op, &one.device);
        row.push(between(&one.iops, rate));
        row.extend(ranges.unwrap_or_default());
        row
    });
    let columns = [&SERIES[..], &["IOPS", "mean", "p99"]].concat();
    shown(Table::new(
        &seeds_caption(result),
        &columns,
        rows.collect(),
        3,
    ))
}

/// What tables of ranges over the seeds show.
pub(crate) fn seeds_caption(result: &RunResult) -> String {
    let others = result.by_seed.as_ref().map_or(0, |it| it.seeds.max(1) - 1);
    let last = result.seed.saturating_add(others.into());
    format!("Min and max of seeds {} to {last}", result.seed)
}

/// A row for each load step of a job, device and operation that has several.
fn steps(run: &Run, totals: &[&Total]) -> Option<Table> {
    let mut rows = Vec::new();
    for total in totals {
        let key = |one: &Total| (one.job.clone(), one.op.clone(), one.device.clone());
        let steps = run.result.steps.iter();
        let steps = steps.filter(|step| key(&step.total) == key(total));
        let steps: Vec<_> = steps.collect();
        if steps.len() > 1 {
            let asking = steps.into_iter().filter(|step| loaded(step));
            rows.extend(asking.map(|step| of_step(run, step)));
        }
    }
    let columns = [
        &SERIES[..],
        &["load"],
        &RATES,
        &["mean", "p99", "throttled by"],
    ]
    .concat();
    shown(Table::new("Load steps", &columns, rows, 4))
}

fn of_step(run: &Run, step: &Step) -> Vec<String> {
    let total = &step.total;
    let figures = total.latency_us.map(|us| [us.mean, us.p99].map(latency));
    let mut row = of(&total.job, &total.op, &total.device);
    row.push(load_of(step));
    row.extend(rates(total));
    row.extend(figures.unwrap_or_default());
    row.push(held(run, step));
    row
}

/// The limits whose waits were felt in a step; empty where that is not known.
fn held(run: &Run, step: &Step) -> String {
    let modelled = run.facts.as_ref().and_then(|facts| facts.modelled.as_ref());
    let waits = modelled.map_or(&[][..], |modelled| &modelled.waits);
    let felt = waits.iter();
    let felt = felt.filter_map(|waits| Some((in_words(&waits.limit), waits.felt_in.as_ref()?)));
    let felt: Vec<_> = felt.collect();
    if felt.is_empty() {
        return String::new();
    }
    let now = felt
        .into_iter()
        .filter(|(_, steps)| steps.contains(&step.step));
    let names: Vec<_> = now.map(|(name, _)| name).collect();
    if names.is_empty() {
        return "nothing".to_owned();
    }
    names.join(", ")
}

/// A table without its empty columns; none without rows.
fn shown(table: Table) -> Option<Table> {
    (!table.rows.is_empty()).then(|| table.without_empty())
}
