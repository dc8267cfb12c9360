//! Latency against throughput, load step by load step, with the knee.

use blockyard_record::result::{LatencyUs, Step};

use super::axes::name_of;
use super::overlay::{Place, places};
use super::series::{SeriesKey, movers};
use crate::Run;
use crate::figure::{Axis, Curve, Curves, Dash, Figure, Plot};
use crate::text::format::{grouped, latency};
use crate::words::steps::load_of;

const FEWEST_STEPS: usize = 3;

/// Latency that rises by less than this factor over all steps has no knee.
const RISE: f64 = 1.2;

const KNEE: &str = "The knee is the step that lies furthest below the straight line from the \
                    lightest to the heaviest load, with both axes scaled to their range";

/// Throughput, latency, and the load that these are of.
type Point = (f64, f64, String);

/// A series with at least three load steps.
pub(crate) fn needs(run: &Run) -> bool {
    movers(run).iter().any(|key| steps(run, key).is_some())
}

/// Mean and p99 of each series; of several runs the means over each other.
pub(crate) fn figures(runs: &[&Run], _bin_s: f64) -> Vec<Figure> {
    let [run] = runs else {
        let places = places(runs);
        let drawn = places.iter().filter_map(|place| overlay(runs, place));
        return drawn.collect();
    };
    let keys = movers(run);
    let drawn = keys
        .iter()
        .filter_map(|key| Some(alone(key, &steps(run, key)?)));
    drawn.collect()
}

fn alone(key: &SeriesKey<'_>, steps: &[(&Step, LatencyUs)]) -> Figure {
    let mean = means("mean", steps, 0);
    let slow = steps.iter().map(|(step, us)| point(step, us.p99));
    let slow = Curve {
        dash: Dash::Dashed,
        ..Curve::new("p99", slow.collect(), Some(1))
    };
    Figure {
        name: name_of(&["load", key.job, key.device, key.op]),
        title: format!("Latency against IOPS: {} on {}", key.label(), key.device),
        caption: said(&mean),
        plot: plot(vec![mean, slow]),
        group: String::new(),
    }
}

fn overlay(runs: &[&Run], place: &Place<'_>) -> Option<Figure> {
    let curves = runs.iter().enumerate().filter_map(|(number, run)| {
        let keys = movers(run);
        let here = keys.iter().filter(|key| place.holds(key));
        let stepped: Vec<_> = here.filter_map(|key| steps(run, key)).collect();
        // Jobs that step at different times have no load in common.
        let [only] = &stepped[..] else { return None };
        Some(means(&run.name, only, number))
    });
    let curves: Vec<_> = curves.collect();
    (!curves.is_empty()).then(|| Figure {
        name: format!("load-{}", place.name()),
        title: format!("Mean latency against IOPS: {}", place.title()),
        caption: format!("A point for each load step. {KNEE}."),
        plot: plot(curves),
        group: String::new(),
    })
}

fn plot(curves: Vec<Curve>) -> Plot {
    Plot::Curves(Curves {
        x: Axis::new("IOPS", "IOPS"),
        y: Axis::new("latency", "ms"),
        curves,
        levels: Vec::new(),
    })
}

/// The steps of a series that had IO, by load, with their latencies; none of too few.
fn steps<'a>(run: &'a Run, key: &SeriesKey<'_>) -> Option<Vec<(&'a Step, LatencyUs)>> {
    let of_series = |step: &Step| {
        let total = &step.total;
        (total.job.as_str(), total.device.as_str(), total.op.as_str())
            == (key.job, key.device, key.op)
    };
    let own = run.result.steps.iter().filter(|step| of_series(step));
    let mut found: Vec<_> = own
        .filter_map(|step| Some((step, step.total.latency_us?)))
        .collect();
    found.sort_by_key(|(step, _)| {
        let processes = step.processes.filter(|&processes| processes > 0);
        processes.or(step.rate).unwrap_or(0)
    });
    (found.len() >= FEWEST_STEPS).then_some(found)
}

fn point(step: &Step, us: f64) -> Point {
    (step.total.iops, us / 1000.0, load_of(step))
}

/// The curve of means, marked at its knee.
fn means(label: &str, steps: &[(&Step, LatencyUs)], colour: usize) -> Curve {
    let points: Vec<_> = steps
        .iter()
        .map(|(step, us)| point(step, us.mean))
        .collect();
    let marked = knee(&points).map(|place| (place, format!("knee: {}", points[place].2)));
    Curve {
        marked,
        ..Curve::new(label, points, Some(colour))
    }
}

fn said(mean: &Curve) -> String {
    let knee = mean.marked.as_ref();
    let Some((iops, ms, load)) = knee.and_then(|(place, _)| mean.points.get(*place)) else {
        return "A point for each load step. The mean rises too little over them to have a knee."
            .to_owned();
    };
    let (iops, latency) = (grouped(*iops, 0), latency(1000.0 * ms));
    format!("A point for each load step. {KNEE}: {load}, {iops} IOPS at a mean of {latency}.")
}

/// The number of the point furthest below the chord; none if the curve does not turn up.
fn knee(points: &[Point]) -> Option<usize> {
    let iops = Range::of(points.iter().map(|point| point.0));
    let latencies = Range::of(points.iter().map(|point| point.1));
    if latencies.most < RISE * latencies.least || iops.most == iops.least {
        return None;
    }
    let scaled = points
        .iter()
        .map(|(x, y, _)| (iops.scaled(*x), latencies.scaled(*y)));
    let scaled: Vec<_> = scaled.collect();
    let [(x0, y0), .., (x1, y1)] = scaled[..] else {
        return None;
    };
    let below = |(x, y): &(f64, f64)| (x1 - x0) * (y0 - y) - (x0 - x) * (y1 - y0);
    let below = scaled.iter().map(below).enumerate();
    // Of equals the first.
    let best = below.reduce(|best, next| if next.1 > best.1 { next } else { best });
    let (place, depth) = best?;
    (0 < place && place + 1 < points.len() && depth > 0.0).then_some(place)
}

/// The range of values along an axis.
struct Range {
    least: f64,
    most: f64,
}

impl Range {
    fn of(values: impl Iterator<Item = f64>) -> Self {
        let none = Self {
            least: f64::INFINITY,
            most: f64::NEG_INFINITY,
        };
        values.fold(none, |range, value| Self {
            least: range.least.min(value),
            most: range.most.max(value),
        })
    }

    /// Where a value lies in it, from 0 to 1.
    fn scaled(&self, value: f64) -> f64 {
        (value - self.least) / (self.most - self.least)
    }
}

#[cfg(test)]
mod tests {
    use super::knee;

    #[test]
    fn the_knee_is_where_the_curve_turns_up() {
        let curve = |points: &[(f64, f64)]| {
            let points = points.iter().map(|&(x, y)| (x, y, String::new()));
            knee(&points.collect::<Vec<_>>())
        };
        let turns = [(1000.0, 1.0), (2000.0, 1.1), (2900.0, 1.4), (3000.0, 5.0)];
        assert_eq!(curve(&turns), Some(2));
        // It rises too little, it rises evenly, and it falls.
        assert_eq!(curve(&[(1.0, 1.0), (2.0, 1.1), (3.0, 1.15)]), None);
        assert_eq!(curve(&[(1.0, 1.0), (2.0, 2.0), (3.0, 3.0)]), None);
        assert_eq!(curve(&[(1.0, 3.0), (2.0, 2.9), (3.0, 1.0)]), None);
    }
}
