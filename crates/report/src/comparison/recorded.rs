//! From a run's tables to the figures that are compared.

use std::collections::{BTreeMap, BTreeSet};

use blockyard_compare::{Columns, Load, Recorded, StepTimes, TRANSACTION};
use blockyard_model::workload::spec::JobSpec;
use blockyard_record::result::Mode;
use indexmap::IndexMap;

use super::comparability::{Together, is_known};
use super::figures::ALL;
use crate::Run;
use crate::run::Names;
use crate::text::format::duration;

/// A row of a run's table of intervals.
#[derive(Clone, Copy, Debug)]
struct Row<'a> {
    job: &'a str,
    device: &'a str,
    op: &'a str,
    t_s: f64,
    ios: u64,
    bytes: u64,
    latency_mean_us: Option<f64>,
}

/// What a comparison looks at in a run.
///
/// # Errors
/// A line that names the series whose intervals do not rise.
pub(crate) fn recorded(run: &Run, together: Together) -> Result<blockyard_compare::Run, String> {
    let mut rows = rows(run);
    let mut end_s = run.result.duration_s;
    if !is_known(run) {
        end_s = keep_busy(&mut rows, end_s);
    }
    let mut series = transactions(run, together);
    series.extend(intervals(run, &rows, together));
    let recorded = Recorded {
        series,
        latencies: &run.latencies,
        warmup_s: run.warmup_s,
        duration_s: end_s,
        step_starts_s: step_starts_s(run),
        steps: if together.jobs {
            Vec::new()
        } else {
            steps(run)
        },
        seed: run.is(Mode::Simulate).then_some(run.result.seed),
    };
    recorded.run()
}

/// The rows of a run's intervals; of some foreign files no more is known than the whole run, as one
/// interval.
fn rows(run: &Run) -> Vec<Row<'_>> {
    let table = &run.tables.intervals;
    let row = |(place, &t_s): (usize, &f64)| {
        Some(Row {
            job: name(&table.job, place)?,
            device: name(&table.device, place)?,
            op: name(&table.op, place)?,
            t_s,
            ios: *table.ios.get(place)?,
            bytes: *table.bytes.get(place)?,
            latency_mean_us: known(&table.latency_mean_us, place),
        })
    };
    let rows: Vec<_> = table.t_s.iter().enumerate().filter_map(row).collect();
    if !rows.is_empty() {
        return rows;
    }
    let whole = run.result.totals.iter().map(|total| Row {
        job: &total.job,
        device: &total.device,
        op: &total.op,
        t_s: 0.0,
        ios: total.ios,
        bytes: total.bytes,
        latency_mean_us: total.mean(),
    });
    whole.collect()
}

fn name(column: &Names, row: usize) -> Option<&str> {
    let name = column.names.get(*column.index.get(row)?)?;
    Some(name)
}

fn known(column: &[f64], row: usize) -> Option<f64> {
    column.get(row).copied().filter(|value| !value.is_nan())
}

/// Keeps the rows from the first interval with IO to the last, and tells where that ends; `end_s`
/// is the run's end. Before and after them nobody asked for anything.
fn keep_busy(rows: &mut Vec<Row<'_>>, end_s: f64) -> f64 {
    let busy = || rows.iter().filter(|row| row.ios > 0).map(|row| row.t_s);
    let first = busy().min_by(f64::total_cmp).unwrap_or(0.0);
    let last = busy().max_by(f64::total_cmp).unwrap_or(0.0);
    let later = rows.iter().map(|row| row.t_s).filter(|&t_s| t_s > last);
    let later = later.min_by(f64::total_cmp);
    rows.retain(|row| (first..=last).contains(&row.t_s));
    later.unwrap_or(end_s)
}

/// Over which time figures are compared, where that is not the whole run, as reports have it.
pub(super) fn busy_time(run: &Run) -> Option<String> {
    let mut rows = rows(run);
    let (whole_s, all) = (run.result.duration_s, rows.len());
    let end_s = keep_busy(&mut rows, whole_s);
    let begin_s = rows.iter().map(|row| row.t_s).min_by(f64::total_cmp)?;
    (!is_known(run) && rows.len() < all).then(|| {
        format!(
            "compared over {} from its first IO to its last; its report counts all {}",
            duration(end_s - begin_s),
            duration(whole_s)
        )
    })
}

/// What each job did on each device with each operation; nothing of what it never did.
fn intervals(run: &Run, rows: &[Row<'_>], together: Together) -> Vec<Columns> {
    let busy = rows.iter().filter(|row| row.ios > 0);
    let busy: BTreeSet<_> = busy.map(|row| (row.job, row.device, row.op)).collect();
    let mut series: IndexMap<_, Columns> = IndexMap::new();
    for row in rows {
        let key @ (job, device, op) = (row.job, row.device, row.op);
        if !busy.contains(&key) {
            continue;
        }
        let own = series.entry(key).or_insert_with(|| {
            let device_name = if together.devices { ALL } else { device };
            let tag = format!("{job}.{device}.{op}");
            empty(run, tag, job_name(job, together), device_name, op)
        });
        own.start_s.push(row.t_s);
        own.ios.push(row.ios);
        own.bytes.push(row.bytes);
        own.latency_mean_us.push(row.latency_mean_us);
    }
    series.into_values().collect()
}

/// The transactions of each job that does any, each counted as an IO without bytes.
fn transactions(run: &Run, together: Together) -> Vec<Columns> {
    let table = &run.tables.transactions;
    let rows = table.t_s.iter().zip(&table.count).enumerate();
    let rows = rows.filter_map(|(place, (&t_s, &count))| {
        let mean_us = known(&table.latency_mean_us, place);
        Some((name(&table.job, place)?, t_s, count, mean_us))
    });
    let rows: Vec<_> = rows.collect();
    let mut series: IndexMap<&str, Columns> = IndexMap::new();
    for &(job, ..) in rows.iter().filter(|(_, _, count, _)| *count > 0) {
        series.entry(job).or_insert_with(|| {
            let tag = format!("{job}.{TRANSACTION}");
            empty(run, tag, job_name(job, together), "", TRANSACTION)
        });
    }
    for (job, t_s, count, mean_us) in rows {
        if let Some(own) = series.get_mut(job) {
            own.start_s.push(t_s);
            own.ios.push(count);
            own.bytes.push(0);
            own.latency_mean_us.push(mean_us);
        }
    }
    series.into_values().collect()
}

fn job_name(job: &str, together: Together) -> &str {
    if together.jobs { ALL } else { job }
}

/// A series of which there is no interval yet.
fn empty(run: &Run, tag: String, job: &str, device: &str, op: &str) -> Columns {
    Columns {
        percentiles: run.percentiles.get(&tag).cloned().unwrap_or_default(),
        tag,
        job: job.to_owned(),
        device: device.to_owned(),
        op: op.to_owned(),
        start_s: Vec::new(),
        ios: Vec::new(),
        bytes: Vec::new(),
        latency_mean_us: Vec::new(),
    }
}

/// When load steps of any job begin, in seconds, rising.
fn step_starts_s(run: &Run) -> Vec<f64> {
    let Some(base) = &run.scenario else {
        return Vec::new();
    };
    let jobs = base.opened().resolved.jobs.iter();
    let starts: BTreeSet<_> = jobs.flat_map(JobSpec::steps).map(|(at, _)| at).collect();
    starts.into_iter().map(|at| at as f64 / 1e9).collect()
}

/// The load steps of each job, in order.
fn steps(run: &Run) -> Vec<StepTimes> {
    let mut found = BTreeMap::new();
    for step in &run.result.steps {
        let load = step.rate.map(Load::Rate);
        let load = load.or(step.processes.map(Load::Processes));
        if let Some(load) = load {
            let job = step.total.job.clone();
            let times = StepTimes {
                job: job.clone(),
                load,
                from_s: step.from_s,
                to_s: step.to_s,
            };
            found.insert((job, step.step), times);
        }
    }
    found.into_values().collect()
}
