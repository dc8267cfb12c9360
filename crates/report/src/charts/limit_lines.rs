//! The limits in force over a device, as levels and lines of a chart.

use blockyard_explain::{Device, InForce, Owner};
use blockyard_model::spec::Unit;

use crate::Run;
use crate::figure::{Dash, Level, Series};
use crate::text::format::grouped;
use crate::text::limit_names::{host, qualifier};

/// Limits above this many times the highest point would flatten the chart.
const HEADROOM: f64 = 2.0;

/// The unit of a chart of what is counted, and how many IOs or bytes a second it is.
pub(crate) fn unit_of(counted: Unit) -> (&'static str, f64) {
    match counted {
        Unit::Io => ("IOPS", 1.0),
        Unit::Byte => ("MiB/s", f64::from(1 << 20)),
    }
}

/// What to draw of the limits over a device, and in words what lies beyond.
#[derive(Debug)]
pub(crate) struct Drawn {
    pub(crate) levels: Vec<Level>,
    pub(crate) series: Vec<Series>,
    pub(crate) beyond: String,
}

/// A limit in the chart's unit.
struct Limit {
    label: String,
    /// One value, or one for each interval where it changed; none while it does not hold.
    values: Vec<Option<f64>>,
    least: f64,
}

/// The limits over a device whose chart's highest point is given.
///
/// A limit that changed while the run went on is a line over the first `count` intervals.
pub(crate) fn over(run: &Run, device: &str, counted: Unit, highest: f64, count: usize) -> Drawn {
    let (unit, _) = unit_of(counted);
    let (shown, beyond): (Vec<_>, Vec<_>) = limits(run, device, counted)
        .into_iter()
        .partition(|limit| limit.least <= HEADROOM * highest);
    let (steady, changed): (Vec<_>, Vec<_>) =
        shown.into_iter().partition(|limit| limit.values.len() == 1);
    let beyond = beyond.iter().map(|limit| {
        let least = grouped(limit.least, 0);
        format!("{} {least} {unit}", limit.label)
    });
    Drawn {
        levels: levels(steady, unit),
        series: changed
            .into_iter()
            .map(|limit| line(limit, count))
            .collect(),
        beyond: beyond.collect::<Vec<_>>().join(", "),
    }
}

/// The values that limits hold, rising, each once.
fn levels(mut steady: Vec<Limit>, unit: &str) -> Vec<Level> {
    steady.sort_by(|one, other| one.least.total_cmp(&other.least));
    let equal = steady.chunk_by(|one, other| one.least == other.least);
    equal
        .map(|limits| {
            let labels: Vec<_> = limits.iter().map(|limit| limit.label.as_str()).collect();
            let value = limits.first().map_or(0.0, |limit| limit.least);
            Level {
                label: format!("{}: {} {unit}", labels.join(", "), grouped(value, 0)),
                value,
            }
        })
        .collect()
}

fn line(mut limit: Limit, count: usize) -> Series {
    limit.values.truncate(count);
    let label = format!("limit of {}", limit.label);
    Series {
        stepped: true,
        ..Series::new(&label, limit.values, None, Dash::Dashed)
    }
}

/// The limits of a device's volumes, summed, of each leg of a mirror, and of their hosts.
fn limits(run: &Run, device: &str, counted: Unit) -> Vec<Limit> {
    let devices = run.facts.iter().flat_map(|facts| &facts.devices);
    let here = devices.filter(|one| one.name == device);
    let in_force = here.flat_map(|one| one.in_force.iter().map(move |limit| (one, limit)));
    in_force
        .filter(|(_, limit)| limit.limit.kind.counts == counted)
        .filter_map(|(device, limit)| in_unit(device, limit, counted))
        .collect()
}

/// A limit in the chart's unit; none of one that never held.
fn in_unit(device: &Device, in_force: &InForce, counted: Unit) -> Option<Limit> {
    let (_, worth) = unit_of(counted);
    let alike = alike(device, in_force) as f64;
    let values: Vec<_> = in_force
        .per_s
        .iter()
        .map(|value| value.map(|value| value / worth / alike))
        .collect();
    let least = values.iter().flatten().copied().reduce(f64::min)?;
    Some(Limit {
        label: label(device, in_force),
        values,
        least,
    })
}

/// How many legs have a limit each: what is written comes to both.
///
/// One that changed may have changed on one leg alone.
fn alike(device: &Device, in_force: &InForce) -> usize {
    match in_force.limit.owner {
        Owner::Device(_) if in_force.per_s.len() == 1 => device.legs.len(),
        Owner::Device(_) | Owner::Leg { .. } | Owner::Host(_) => 1,
    }
}

fn label(device: &Device, in_force: &InForce) -> String {
    let volumes: usize = device.legs.iter().map(|leg| leg.volumes.len()).sum();
    let whose = match &in_force.limit.owner {
        Owner::Host(name) => host(Some(name)).to_owned(),
        Owner::Leg { leg, .. } => format!("leg {leg}"),
        Owner::Device(_) if alike(device, in_force) > 1 => "each leg".to_owned(),
        Owner::Device(_) if volumes == 1 => "volume".to_owned(),
        Owner::Device(_) => format!("{volumes} volumes"),
    };
    format!("{whose} {}", qualifier(&in_force.limit))
        .trim_end()
        .to_owned()
}
