//! That nothing meets a requirement, and what comes nearest.

use blockyard_plan::{Answer, Reason};

use super::amounts::{money, ms};
use super::layout::what;
use crate::text::format::{count, significant};
use crate::words::phrases::listed;

/// That nothing meets the requirement, and what comes nearest.
pub(super) fn impossible(answer: &Answer) -> Vec<String> {
    let unpriced = unpriced_types(answer);
    if !unpriced.is_empty() {
        // Whether these meet it is not known, and so neither is what comes nearest.
        return vec![format!(
            "nothing that has a price in {} meets it; no price is known there of {}: `blockyard \
             prices import` reads AWS's price list, --price-file states yours",
            answer.region,
            listed(&unpriced)
        )];
    }
    let (plan, nearest) = (&answer.plan, nearest(answer));
    let nothing = nothing(plan.instances, plan.dropped.len());
    [nothing].into_iter().chain(nearest).collect()
}

/// That nothing of so many instance types meets it.
///
/// In place of a layout that its simulation dropped, a few others were tried, not all.
fn nothing(instances: usize, dropped: usize) -> String {
    let nothing = match dropped {
        0 => "nothing",
        _ => "nothing that was tried",
    };
    let instances = count(instances as u64);
    format!("{nothing} meets it; instance types: {instances}")
}

/// How much of the load could be met, or the shortest possible latency.
fn nearest(answer: &Answer) -> Option<String> {
    let nearest = answer.plan.nearest.as_ref()?;
    Some(match &nearest.layout {
        None => format!("less load would not help{}", least_latency(answer)),
        Some(layout) => format!(
            "nearest possible: {}% of the load, with {}, {} a month",
            significant(nearest.permille as f64 / 10.0, 6),
            what(layout),
            money(layout)
        ),
    })
}

/// The volume types that were left out for nothing but their price.
fn unpriced_types(answer: &Answer) -> Vec<&str> {
    let rejected = answer.plan.rejected.iter().filter(|one| {
        let unpriced = |reason: &Reason| matches!(reason, Reason::PriceUnknown { .. });
        !one.reasons.is_empty() && one.reasons.iter().all(unpriced)
    });
    rejected.map(|one| one.volume_type.as_str()).collect()
}

/// The shortest possible latency, if types miss the latency goal.
fn least_latency(answer: &Answer) -> String {
    let rejected = answer.plan.rejected.iter();
    let all = rejected.flat_map(|one| one.reasons.iter().map(move |it| (&one.volume_type, it)));
    let missed = all.filter_map(|(name, reason)| match reason {
        Reason::Latency {
            of,
            quantile,
            goal_us,
            estimate_us,
        } => Some((estimate_us / goal_us, name, of, quantile, estimate_us)),
        _ => None,
    });
    let least = missed.min_by(|a, b| a.0.total_cmp(&b.0));
    least.map_or_else(String::new, |(_, name, of, quantile, estimate_us)| {
        let least = ms(estimate_us / 1e3);
        format!("; nearest possible: {quantile} of {of} of {least}, on {name}")
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_is_like_a_dropped_layout_may_meet_it() {
        let sure = "nothing meets it; instance types: 1,126";
        assert_eq!(nothing(1_126, 0), sure);
        let unsure = "nothing that was tried meets it; instance types: 1,126";
        assert_eq!(nothing(1_126, 2), unsure);
    }
}
