//! The figure of cost against latency, with the Pareto frontier.

use blockyard_plan::{Answer, Current, Layout};

use super::amounts::money;
use super::layout::{name, p99_ms};
use crate::figure::{Axis, Curve, Curves, Figure, Plot, Scale};
use crate::text::format::{grouped, latency, percent};

/// Where one figure is so many times another, all small ones would lie on one spot.
const FAR_APART: f64 = 10.0;

/// Cost, p99 in milliseconds, and what it is.
type Point = (f64, f64, String);

/// The figure; none without a layout.
pub(super) fn figure(answer: &Answer) -> Option<Figure> {
    let curves = curves(answer);
    if curves.is_empty() {
        return None;
    }
    let points = || curves.iter().flat_map(|curve| &curve.points);
    let x = spread(Axis::new("cost", "$ a month"), points().map(|at| at.0));
    let y = spread(Axis::new("p99 latency", "ms"), points().map(|at| at.1));
    Some(Figure {
        name: "pareto-frontier".to_owned(),
        title: "Cost against p99".to_owned(),
        caption: caption(answer, &curves),
        plot: Plot::Curves(Curves {
            x,
            y,
            curves,
            levels: Vec::new(),
        }),
        group: String::new(),
    })
}

/// The Pareto frontier, and clouds of other layouts.
fn curves(answer: &Answer) -> Vec<Curve> {
    let plan = &answer.plan;
    let of = |on_frontier: bool| -> Vec<Point> {
        let points = plan.pareto_frontier.iter();
        let points = points.filter(|at| at.on_frontier == on_frontier);
        points
            .map(|at| {
                let named = named(&at.name, &at.volume_type);
                (at.usd_per_month, at.p99_us / 1e3, named)
            })
            .collect()
    };
    let frontier = of(true);
    let chosen = answer.bought().map(placed);
    let place = frontier.iter().position(|at| {
        chosen
            .as_ref()
            .is_some_and(|it| (it.0, it.1) == (at.0, at.1))
    });
    let marked = place.map(|place| (place, format!("bought: {}", frontier[place].2)));
    let dropped = plan.dropped.iter().map(|one| placed(&one.layout));
    let today = answer.current.iter().filter(|it| bears(it, answer));
    let today = today.map(|it| placed(&it.layout));
    let apart = chosen.filter(|_| marked.is_none());
    let cloud = |label: &str, points: Vec<Point>, colour, named| Curve {
        named,
        ..Curve::new(label, points, Some(colour)).cloud()
    };
    let all = [
        Curve {
            marked,
            named: true,
            ..Curve::new("on the Pareto frontier", frontier, Some(0))
        },
        cloud("dearer or slower", of(false), 1, true),
        cloud("misses a goal", dropped.collect(), 2, false),
        cloud("today", today.collect(), 3, true),
        cloud("bought", apart.into_iter().collect(), 4, true),
    ];
    let all = all.into_iter();
    all.filter(|curve| !curve.points.is_empty()).collect()
}

/// Whether what there is today bears the load: else its latency is as long as one waits.
fn bears(current: &Current, answer: &Answer) -> bool {
    current.holds >= 1.0 - answer.wanted.headroom
}

/// Where a layout lies; one that was not simulated where profiles say.
fn placed(layout: &Layout) -> Point {
    let estimates = layout.latency.iter().map(|one| one.p99_us / 1e3);
    let estimated = || estimates.reduce(f64::max).unwrap_or(0.0);
    let p99 = p99_ms(layout).filter(|p99| *p99 != 0.0);
    let p99 = p99.unwrap_or_else(estimated);
    (layout.usd_per_month, p99, name(layout))
}

/// `10 x gp3 on a1.4xlarge`, of how many on what.
fn named(name: &str, volume_type: &str) -> String {
    let (number, instance) = name.split_once(" on ").unwrap_or((name, ""));
    format!("{number} x {volume_type} on {instance}")
}

fn caption(answer: &Answer, curves: &[Curve]) -> String {
    let joined = curves.iter().filter(|curve| curve.joined);
    let said = joined
        .flat_map(|curve| &curve.points)
        .map(|(usd, ms, what)| {
            let (usd, p99) = (grouped(*usd, 0), latency(ms * 1e3));
            format!("{what}: ${usd}, {p99}")
        });
    let said = said.collect::<Vec<_>>().join("; ");
    let plan = &answer.plan;
    let simulated = |it: &Layout| it.simulated.as_ref().is_some_and(|jobs| !jobs.is_empty());
    let how = if plan.best.iter().chain(&plan.others).any(simulated) {
        "in the simulation"
    } else {
        "by the profiles of the volume types"
    };
    let mut caption = format!(
        "The highest p99 of reads, writes and journal {how}, against the cost of a month. The line \
         is the Pareto frontier: no layout is both cheaper and faster than one on it. {said}."
    );
    if let Some(current) = answer.current.as_ref().filter(|it| !bears(it, answer)) {
        let (price, holds) = (money(&current.layout), percent(current.holds, 0));
        caption += &format!(
            " The layout of today is not shown: at {price} it holds {holds} of the load with its \
             headroom, so its latency grows for as long as that lasts."
        );
    }
    caption
}

/// A logarithmic axis where the values are far apart.
fn spread(axis: Axis, values: impl Iterator<Item = f64> + Clone) -> Axis {
    let least = values.clone().fold(f64::INFINITY, f64::min);
    let most = values.fold(f64::NEG_INFINITY, f64::max);
    if 0.0 < FAR_APART * least && FAR_APART * least < most {
        axis.on(Scale::Log)
    } else {
        axis
    }
}
