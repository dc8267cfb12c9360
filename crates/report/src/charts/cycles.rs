//! Write-daemon cycles: their phases, and whether they end before the next is due.

use blockyard_record::result::Cycle;
use indexmap::IndexSet;

use super::axes::{name_of, time};
use crate::Run;
use crate::figure::{Axis, Dash, Figure, Lane, Lanes, Level, Lines, Plot, Series};
use crate::text::format::{clock, duration};
use crate::words::cycles::{PHASES, duration_s, phases_of, times_s};

/// With more cycles than this, a line of their durations is easier to read than lanes.
const MOST_LANES: usize = 40;

/// After how many seconds the next cycle is due, and when a cycle is alarming.
type Times = (f64, f64);

/// A write-daemon cycle that came to its end.
pub(crate) fn needs(run: &Run) -> bool {
    !run.result.cycles.is_empty()
}

/// The lanes of each job; a line of durations for many cycles and for several runs.
pub(crate) fn figures(runs: &[&Run], _bin_s: f64) -> Vec<Figure> {
    let [run] = runs else {
        return vec![overlay(runs)];
    };
    let times = times_s(run);
    let every = &run.result.cycles;
    let jobs: IndexSet<_> = every.iter().map(|cycle| cycle.job.as_str()).collect();
    let drawn = jobs.into_iter().map(|job| {
        let own: Vec<_> = every.iter().filter(|cycle| cycle.job == job).collect();
        of_job(job, &own, times.get(job).copied())
    });
    drawn.collect()
}

fn of_job(job: &str, cycles: &[&Cycle], times: Option<Times>) -> Figure {
    let levels = levels(times);
    let longest = cycles.iter().map(|cycle| duration_s(cycle));
    let longest = longest.max_by(f64::total_cmp).unwrap_or(0.0);
    let plot = if cycles.len() <= MOST_LANES {
        Plot::Lanes(Lanes {
            x: Axis::new("since the cycle began", "s"),
            kinds: PHASES.iter().map(|&phase| phase.to_owned()).collect(),
            lanes: cycles.iter().map(|cycle| lane(cycle)).collect(),
            levels,
        })
    } else {
        let starts = cycles.iter().map(|cycle| cycle.start_s).collect();
        durations(time(), starts, vec![line(job, cycles, 0)], levels)
    };
    Figure {
        name: name_of(&["cycles", job]),
        title: format!("Write-daemon cycles of {job}"),
        caption: format!(
            "How long the phases of each of {} cycles took; the longest cycle took {}.",
            cycles.len(),
            duration(longest)
        ),
        plot,
        group: String::new(),
    }
}

fn lane(cycle: &Cycle) -> Lane {
    let start = cycle.start_s;
    let phases = phases_of(cycle).into_iter().enumerate();
    Lane {
        label: clock(start.round_ties_even()),
        pieces: phases
            .map(|(kind, (_, begin, end))| (begin - start, end - start, kind))
            .collect(),
    }
}

fn overlay(runs: &[&Run]) -> Figure {
    let series = runs.iter().enumerate().map(|(number, run)| {
        let cycles: Vec<_> = run.result.cycles.iter().collect();
        line(&run.name, &cycles, number)
    });
    let series: Vec<_> = series.collect();
    let most = series.iter().map(|line| line.values.len()).max();
    let numbers = (1..=most.unwrap_or(0)).map(|number| number as f64);
    let mut times = runs.iter().flat_map(|run| times_s(run).into_values());
    let first = times.next();
    // Where all jobs have the same.
    let common = first.filter(|first| times.all(|other| other == *first));
    Figure {
        name: "cycles".to_owned(),
        title: "Duration of write-daemon cycles".to_owned(),
        caption: "From the taking of the dirty blocks to the clearing of the WIJ, cycle by cycle."
            .to_owned(),
        plot: durations(
            Axis::new("cycle", ""),
            numbers.collect(),
            series,
            levels(common),
        ),
        group: String::new(),
    }
}

/// How long cycles took, one after the other.
fn line(label: &str, cycles: &[&Cycle], colour: usize) -> Series {
    let values = cycles.iter().map(|cycle| Some(duration_s(cycle)));
    Series::new(label, values.collect(), Some(colour), Dash::Solid)
}

fn durations(x: Axis, at: Vec<f64>, mut series: Vec<Series>, levels: Vec<Level>) -> Plot {
    for line in &mut series {
        line.values.resize(at.len(), None);
    }
    Plot::Lines(Lines {
        x,
        y: Axis::new("duration", "s"),
        at,
        series,
        levels,
        spans: Vec::new(),
    })
}

/// The time a cycle has, where that is known, and when it is alarming.
fn levels(times: Option<Times>) -> Vec<Level> {
    let level = |name: &str, value: f64| Level {
        label: format!("{name}, {}", duration(value)),
        value,
    };
    times.map_or_else(Vec::new, |(due_s, alert_s)| {
        vec![level("next cycle due", due_s), level("alert", alert_s)]
    })
}
