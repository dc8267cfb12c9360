//! The Pareto frontier: layouts that no other beats in both cost and latency.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use crate::answer::plan::Plan;

/// A layout on the plane of cost and latency.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct Point {
    /// The volume type of the data.
    #[serde(rename = "type")]
    pub volume_type: String,
    /// How many volumes, and on what.
    pub name: String,
    /// Dollars a month.
    pub usd_per_month: f64,
    /// The worst p99 of its IO, simulated or else estimated, in microseconds.
    pub p99_us: f64,
    /// Whether it is on the Pareto frontier: no other layout is both cheaper and faster.
    pub on_frontier: bool,
}

/// The layouts of a plan, cheapest first.
pub(crate) fn pareto_frontier(plan: &Plan) -> Vec<Point> {
    let layouts = plan.best.iter().chain(&plan.others).chain(&plan.fewest);
    let mut points: Vec<Point> = layouts
        .map(|layout| Point {
            volume_type: layout.data.volume_type.clone(),
            name: format!("{} on {}", layout.data.count, layout.instance),
            usd_per_month: layout.usd_per_month,
            p99_us: layout.p99_us(),
            on_frontier: true,
        })
        .collect();
    let beaten = |one: &Point| {
        points.iter().any(|other| {
            (other.usd_per_month < one.usd_per_month && other.p99_us <= one.p99_us)
                || (other.usd_per_month <= one.usd_per_month && other.p99_us < one.p99_us)
        })
    };
    let on_frontier: Vec<bool> = points.iter().map(|point| !beaten(point)).collect();
    for (point, on_frontier) in points.iter_mut().zip(on_frontier) {
        point.on_frontier = on_frontier;
    }
    points.sort_by(|a, b| a.usd_per_month.total_cmp(&b.usd_per_month));
    points
}
