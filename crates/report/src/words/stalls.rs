//! Stalls that the percentiles of a run hide, as few IOs complete in them.

use blockyard_record::result::{RunResult, Total, WorstSecond};

use super::phrases::share;
use crate::text::format::{clock, latency, quantity};

/// In a stall p99 is this many times the run's.
const TIMES: f64 = 3.0;

/// What is above the run's p99 is this many times as long.
const ABOVE: f64 = 2.0;

/// A second with fewer IOs says no more than that one of them was slow.
const FEW_IOS: f64 = 10.0;

/// For each total whose p99 hides its worst second, what that was, without a full stop.
pub(crate) fn stalls(result: &RunResult) -> Vec<String> {
    let of = |total| {
        let worst = worst(hidden(total)?);
        Some(format!(
            "{}: {worst}{}",
            name(result, total),
            for_how_long(total)
        ))
    };
    result.totals.iter().filter_map(of).collect()
}

/// The worst second, if the figures of the whole run do not show it: its IOs took longer in the
/// mean than 99 in 100 of all IOs.
pub(crate) fn hidden(total: &Total) -> Option<&WorstSecond> {
    let (us, worst) = (total.latency_us?, total.worst_second.as_ref()?);
    if 0.0 < worst.iops && worst.iops < FEW_IOS {
        return None;
    }
    let second = worst.latency_us;
    let shown = second.p99 < TIMES * us.p99 || second.mean < us.p99;
    (!shown && us.p99 != 0.0).then_some(worst)
}

fn name(result: &RunResult, total: &Total) -> String {
    let mut own = result.totals.iter().filter(|one| one.job == total.job);
    let several = own.any(|one| one.device != total.device);
    let name = format!("{} {}", total.job, total.op);
    if several {
        format!("{name} {}", total.device)
    } else {
        name
    }
}

fn worst(worst: &WorstSecond) -> String {
    let (at, p99) = (clock(worst.t_s), latency(worst.latency_us.p99));
    if worst.iops == 0.0 {
        format!("worst second without any completion, at {at}; those in flight then took {p99}")
    } else {
        format!("worst second p99 {p99}, at {at}")
    }
}

fn for_how_long(total: &Total) -> String {
    let Some(us) = total.latency_us else {
        return String::new();
    };
    let mut ladder = total.time_above.iter();
    let Some(above) = ladder.find(|one| one.us >= ABOVE * us.p99) else {
        return String::new();
    };
    let value = quantity(above.us / 1e3, "ms");
    format!("; above {value} for {} of the time", share(above.share))
}
