//! Where on a device reads and writes go.

use blockyard_record::result::{Observed, ObservedDevice, Places};

use super::axes::name_of;
use crate::Run;
use crate::figure::{Axis, Curve, Curves, Dash, Figure, Lines, Plot, Series};
use crate::words::phrases::in_bytes;

const MIB: u64 = 1 << 20;
const GIB: u64 = 1 << 30;
/// From so much on places are in GiB.
const LARGE: u64 = 4 * GIB;

/// An observation that knows the place of each IO.
pub(crate) fn needs(run: &Run) -> bool {
    devices(run).next().is_some()
}

/// Reads and writes of each device; of several runs both together, over each other.
pub(crate) fn figures(runs: &[&Run], _bin_s: f64) -> Vec<Figure> {
    let [run] = runs else {
        let mut names: Vec<&str> = Vec::new();
        for (device, _) in runs.iter().flat_map(|run| devices(run)) {
            if !names.contains(&device.name.as_str()) {
                names.push(&device.name);
            }
        }
        return names.iter().map(|name| overlay(runs, name)).collect();
    };
    devices(run)
        .map(|(device, places)| alone(run, device, places))
        .collect()
}

fn devices(run: &Run) -> impl Iterator<Item = (&ObservedDevice, &Places)> {
    let observed = run.result.observed.iter();
    let all = observed.flat_map(|observed: &Observed| &observed.devices);
    all.filter_map(|device| Some((device, &device.load.as_ref()?.places)))
}

fn alone(run: &Run, device: &ObservedDevice, places: &Places) -> Figure {
    let (unit, bytes) = unit_of(end_of(places));
    let series = [("reads", &places.reads), ("writes", &places.writes)];
    let series = series
        .into_iter()
        .enumerate()
        .map(|(colour, (label, ios))| {
            let values = ios
                .iter()
                .map(|ios| Some(*ios as f64 / run.result.duration_s));
            let line = Series::new(label, values.collect(), Some(colour), Dash::Solid);
            Series {
                stepped: true,
                ..line
            }
        });
    let at = (0..places.reads.len() as u64).map(|part| place(places, part) / bytes);
    Figure {
        name: name_of(&["places", &device.name]),
        title: format!("Where on {} reads and writes go", device.name),
        caption: format!(
            "IOPS by the part of {} of the device in which they began, from the first that was \
             touched to the last.",
            in_bytes(places.part_bytes)
        ),
        plot: Plot::Lines(Lines {
            x: Axis::new("place", unit),
            y: Axis::new("IOPS", "IOPS"),
            at: at.collect(),
            series: series.collect(),
            levels: Vec::new(),
            spans: Vec::new(),
        }),
        group: String::new(),
    }
}

fn overlay(runs: &[&Run], name: &str) -> Figure {
    let own = |run: &Run| {
        devices(run)
            .find(|(device, _)| device.name == name)
            .map(|it| it.1.clone())
    };
    let found = runs.iter().enumerate();
    let found: Vec<_> = found
        .filter_map(|(number, run)| Some((number, run, own(run)?)))
        .collect();
    let (unit, bytes) = unit_of(
        found
            .iter()
            .map(|(.., places)| end_of(places))
            .max()
            .unwrap_or(0),
    );
    let curves = found.iter().map(|(number, run, places)| {
        let ios = (0..).zip(places.reads.iter().zip(&places.writes));
        let points = ios.map(|(part, (reads, writes))| {
            let iops = (reads + writes) as f64 / run.result.duration_s;
            (place(places, part) / bytes, iops, String::new())
        });
        Curve::new(&run.name, points.collect(), Some(*number))
    });
    Figure {
        name: name_of(&["places", name]),
        title: format!("Where on {name} reads and writes go"),
        caption: "IOPS of reads and writes by where on the device they began.".to_owned(),
        plot: Plot::Curves(Curves {
            x: Axis::new("place", unit),
            y: Axis::new("IOPS", "IOPS"),
            curves: curves.collect(),
            levels: Vec::new(),
        }),
        group: String::new(),
    }
}

fn place(places: &Places, part: u64) -> f64 {
    places.from_byte as f64 + part as f64 * places.part_bytes as f64
}

fn end_of(places: &Places) -> u64 {
    let parts = places.reads.len() as u64;
    places
        .from_byte
        .saturating_add(places.part_bytes.saturating_mul(parts))
}

fn unit_of(bytes: u64) -> (&'static str, f64) {
    match bytes >= LARGE {
        true => ("GiB", GIB as f64),
        false => ("MiB", MIB as f64),
    }
}
