//! The table of IOs.

use blockyard_experiment::advice::{Open, OpenDone};
use blockyard_record::result::{Mode, RunResult, Step, Total, TotalRange};

use super::super::outcome::tells;
use super::super::replayed;
use super::{ENDS, NarrowTable, OPEN};
use crate::Run;
use crate::text::format::{count, grouped, latency};
use crate::text::provenance;

const HEADINGS: [&str; 8] = ["job", "load", "IOPS", "MiB/s", "mean", "p50", "p99", "max"];

/// What narrow terminals do without: IOPS and p99 stay.
const FIRST_TO_GO: [&str; 5] = ["MiB/s", "p50", "max", "mean", "load"];

/// A line for each total, after those of its load steps and before those of other seeds and of a
/// replay's other end.
pub(super) fn figures(run: &Run) -> NarrowTable {
    let result = &run.result;
    let shown = result.totals.iter().filter(|total| is_shown(result, total));
    let lines = shown.flat_map(|total| lines(run, total)).collect();
    NarrowTable::new(&HEADINGS, lines, &FIRST_TO_GO)
}

/// What no client asked for tells nothing.
fn is_shown(result: &RunResult, total: &Total) -> bool {
    tells(result, total) && (result.mode != Mode::Emulate || total.ios > 0)
}

fn lines(run: &Run, total: &Total) -> Vec<Vec<String>> {
    let result = &run.result;
    let name = name(result, total);
    let line = |load: &str, row: Vec<String>| {
        let mut cells = vec![name.clone(), load.to_owned()];
        cells.extend(row);
        cells
    };
    let steps = result.steps.iter();
    let steps: Vec<_> = steps.filter(|step| same(&step.total, total)).collect();
    let mut lines = Vec::new();
    if steps.len() > 1 {
        lines.extend(steps.iter().map(|step| line(&load(step), row(&step.total))));
    }
    lines.push(line("all", row(total)));
    let ends = over_seeds(result, total).into_iter();
    lines.extend(ends.map(|(end, row)| line(end, row)));
    lines.extend(replayed::open(run, total).map(|open| line(OPEN, of_open(open))));
    lines
}

/// The job and the operation; the device, where the job has several; a mark, where figures are
/// assumed.
fn name(result: &RunResult, total: &Total) -> String {
    if result.observed.is_some() {
        return format!("{} {}", total.device, total.op);
    }
    let mut name = format!("{} {}", total.job, total.op);
    let mut others = result.totals.iter().filter(|other| other.job == total.job);
    if others.any(|other| other.device != total.device) {
        name += &format!(" {}", total.device);
    }
    let place = (total.device.as_str(), total.op.as_str());
    if provenance::marked(result).contains(&place) {
        name += provenance::MARK;
    }
    name
}

/// Minimum and maximum of a total's figures over several seeds.
fn over_seeds(result: &RunResult, total: &Total) -> Vec<(&'static str, Vec<String>)> {
    let own = |one: &&TotalRange| {
        (&one.job, &one.device, &one.op) == (&total.job, &total.device, &total.op)
    };
    let ranges = result.by_seed.iter().flat_map(|by_seed| &by_seed.totals);
    let ends = ranges.filter(own).flat_map(|one| {
        let [least, most] = ends(one);
        if least == most {
            Vec::new()
        } else {
            ENDS.into_iter().zip([least, most]).collect()
        }
    });
    ends.collect()
}

/// The least and the most of each figure.
fn ends(one: &TotalRange) -> [Vec<String>; 2] {
    let us = one.latency_us.as_ref();
    let ranged = us.map(|us| [us.mean, us.p50, us.p99]);
    [
        end(one.iops.min, ranged.map(|us| us.map(|figure| figure.min))),
        end(one.iops.max, ranged.map(|us| us.map(|figure| figure.max))),
    ]
}

fn end(iops: f64, us: Option<[f64; 3]>) -> Vec<String> {
    let mut cells = vec![grouped(iops, 0), String::new()];
    cells.extend(shown(us));
    cells.push(String::new());
    cells
}

/// What a step offered: processes in a closed loop, IOs a second in an open one.
fn load(step: &Step) -> String {
    match step.rate {
        Some(rate) => format!("{}/s", count(rate)),
        None => format!("{} proc", step.processes.unwrap_or(0)),
    }
}

fn same(one: &Total, other: &Total) -> bool {
    (&one.job, &one.device, &one.op) == (&other.job, &other.device, &other.op)
}

fn row(total: &Total) -> Vec<String> {
    let us = total.latency_us;
    let mut cells = vec![grouped(total.iops, 0), grouped(total.mib_per_s, 1)];
    let mut latencies = shown(us.map(|us| [us.mean, us.p50, us.p99, us.max]));
    if let Some(mean) = total.mean_us {
        latencies[0] = latency(mean);
    }
    cells.extend(latencies);
    cells
}

/// The figures of a replay's other end; without latencies where these only grow.
fn of_open((open, done): (&Open, &OpenDone)) -> Vec<String> {
    let us = done.latency_us.filter(|_| !open.behind);
    let mut cells = vec![grouped(done.iops, 0), grouped(done.mib_per_s, 1)];
    cells.extend(shown(us.map(|us| [us.mean, us.p50, us.p99, us.max])));
    cells
}

/// Latencies; a dash for each that is not known.
fn shown<const N: usize>(us: Option<[f64; N]>) -> [String; N] {
    us.map_or_else(
        || std::array::from_fn(|_| "-".to_owned()),
        |us| us.map(latency),
    )
}
