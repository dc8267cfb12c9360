//! What a plan is wanted for.

use blockyard_plan::Load;

use super::amounts::{lasting, size, years};
use crate::text::format::{count, percent, significant};
use crate::words::phrases::listed;

/// What goals hold with, if nothing else is asked for.
const USUAL_PROBABILITY: f64 = 0.95;

const DAY_S: f64 = 86_400.0;

/// How much data, which IO, for how long.
pub(super) fn load(wanted: &Load) -> String {
    let streams = wanted.streams.iter().map(|(name, iops, each)| {
        let skewed = if wanted.skewed.contains(name) {
            " (skewed)"
        } else {
            ""
        };
        let what = stream(name);
        format!("{} {what} of {}{skewed}", count(*iops), size(*each))
    });
    let streams = listed(&streams.collect::<Vec<_>>());
    let lasts = match (&wanted.by_interval, wanted.lasts_s) {
        (Some(it), _) => {
            let mean = count(it.mean_iops.round() as u64);
            let again = match it.every_s {
                DAY_S => "each day".to_owned(),
                every => format!("every {}", lasting(every)),
            };
            format!(" at its busiest, {mean} IOs a second on average, again {again}")
        }
        (None, Some(lasts)) => format!(" for {}", lasting(lasts)),
        (None, None) => ", sustained".to_owned(),
    };
    let mut said = format!("{}, {streams} a second{lasts}", growing(wanted));
    if wanted.highest > 1.0 {
        let times = significant(wanted.highest, 6);
        said += &format!(", at times {times} times that");
    }
    let (headroom, free) = (percent(wanted.headroom, 0), percent(wanted.free_space, 0));
    said += &format!(", {headroom} headroom, {free} free space");
    if wanted.probability != USUAL_PROBABILITY {
        let probability = percent(wanted.probability, 1);
        said += &format!(", goals with {probability} probability");
    }
    said
}

/// What a stream of a load is called in a sentence.
fn stream(name: &str) -> &str {
    match name {
        "journal" => "journal writes",
        _ => name,
    }
}

/// The size of the data, today and at the horizon.
fn growing(wanted: &Load) -> String {
    let today = size(wanted.size);
    match wanted.horizon_years {
        None => today,
        Some(horizon) => {
            let then = whole(wanted.size_at_horizon);
            format!("{today} growing to {then} in {}", years(horizon))
        }
    }
}

/// A size that was worked out, in whole GiB.
fn whole(of: u64) -> String {
    size(of.div_ceil(1 << 30) << 30)
}
