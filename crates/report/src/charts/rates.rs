//! IOPS and MiB/s over time, device by device, under the limits in force.

use blockyard_model::spec::Unit;
use blockyard_record::result::Mode;

use crate::Run;
use crate::charts::axes::{name_of, time};
use crate::charts::history::{Bin, History, history};
use crate::charts::limit_lines::{Drawn, over, unit_of};
use crate::charts::overlay;
use crate::charts::series::{colours, devices, movers};
use crate::charts::spans::spans;
use crate::figure::{Axis, Dash, Figure, Lines, Plot, Series};
use crate::text::format::{clock, duration, number};

/// The last place of the palette, which no series is likely to have.
const TOTAL: usize = 7;

const COUNTED: [Unit; 2] = [Unit::Io, Unit::Byte];

/// Whether there are rows of intervals, and a series that moved bytes.
pub(crate) fn needs(run: &Run) -> bool {
    !run.tables.intervals.t_s.is_empty() && !movers(run).is_empty()
}

/// One run at its own intervals, with jobs apart; several in bins, each as a whole.
pub(crate) fn figures(runs: &[&Run], bin_s: f64) -> Vec<Figure> {
    let [run] = runs else {
        return COUNTED
            .into_iter()
            .flat_map(|counted| overlays(runs, bin_s, counted))
            .collect();
    };
    let found = history(run, run.interval_s);
    let devices = devices(&movers(run)).into_iter();
    devices
        .flat_map(|device| COUNTED.map(|counted| of_device(run, &found, device, counted)))
        .collect()
}

fn overlays(runs: &[&Run], bin_s: f64, counted: Unit) -> Vec<Figure> {
    let (unit, _) = unit_of(counted);
    let axis = Axis::new(unit, unit);
    overlay::figures(runs, bin_s, name(counted), &axis, |found, keys| {
        found.rates(keys, |bin| count(bin, counted))
    })
}

fn of_device(run: &Run, found: &History<'_>, device: &str, counted: Unit) -> Figure {
    let keys = movers(run);
    let palette = colours(&keys);
    let there: Vec<_> = keys
        .into_iter()
        .filter(|key| key.device == device)
        .collect();
    let total = found.rates(&there, |bin| count(bin, counted));
    let (highest, at) = highest(&total, &found.at);
    let drawn = over(run, device, counted, highest, found.at.len());
    let (unit, _) = unit_of(counted);

    let mut said = vec![format!(
        "Means of {}; the highest is {} {unit}, at {}.",
        duration(run.interval_s),
        number(highest),
        clock(at)
    )];
    said.extend(of_limits(run, &drawn, highest));

    let mut series = Vec::new();
    if there.len() > 1 {
        // First, so that it lies below the others.
        series.push(Series::new("total", total, Some(TOTAL), Dash::Dotted));
    }
    series.extend(there.iter().map(|key| {
        let values = found.rates(&[*key], |bin| count(bin, counted));
        Series::new(&key.label(), values, palette.of(key), Dash::Solid)
    }));
    series.extend(drawn.series);
    Figure {
        name: name_of(&[name(counted), device]),
        title: format!("{unit} on {device}"),
        caption: said.join(" "),
        plot: Plot::Lines(Lines {
            x: time(),
            y: Axis::new(unit, unit),
            at: found.at.clone(),
            series,
            levels: drawn.levels,
            spans: spans(&[run]),
        }),
        group: format!("rates-{device}"),
    }
}

/// What figures of it are called.
fn name(counted: Unit) -> &'static str {
    match counted {
        Unit::Io => "iops",
        Unit::Byte => "throughput",
    }
}

/// What it comes to in a bin, in the unit of the chart.
fn count(bin: &Bin, counted: Unit) -> f64 {
    let (_, worth) = unit_of(counted);
    let count = match counted {
        Unit::Io => bin.ios,
        Unit::Byte => bin.bytes,
    };
    count as f64 / worth
}

/// The highest value, and the last place that has it; 0 at 0 without values.
fn highest(values: &[Option<f64>], at: &[f64]) -> (f64, f64) {
    let known = values.iter().zip(at);
    known
        .filter_map(|(value, &at)| Some(((*value)?, at)))
        .max_by(|(one, _), (other, _)| one.total_cmp(other))
        .unwrap_or_default()
}

/// What the limits in the plot are, and which lie above it.
fn of_limits(run: &Run, drawn: &Drawn, highest: f64) -> Vec<String> {
    let mut said = Vec::new();
    if !drawn.levels.is_empty() || !drawn.series.is_empty() {
        let limits = if run.is(Mode::Bench) {
            "Dashed: the limits of the scenario, which real storage need not have."
        } else if drawn.levels.iter().any(|level| level.value < highest) {
            "Dashed: the limits in force; each also lets through what was saved up while the load \
             was below it."
        } else {
            "Dashed: the limits in force."
        };
        said.push(limits.to_owned());
    }
    if !drawn.beyond.is_empty() {
        said.push(format!("Above the plot: {}.", drawn.beyond));
    }
    said
}
