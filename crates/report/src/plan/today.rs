//! What there is today, and what the plan changes of it.

use blockyard_plan::{Current, Layout, Use, Volumes};

use super::amounts::{dollars, lasting, money, ms};
use super::layout::{instance, p99_ms, volumes, what};
use super::replication::nodes;

/// What there is today, and whether it holds the load, and has the copies that are wanted.
pub(super) fn today(current: &Current, best: Option<&Layout>) -> String {
    let layout = &current.layout;
    // Rounded down: 99.9 % of it is not all.
    let percent = |share: f64| (100.0 * share).floor();
    let mut said = match current.holds {
        all if all >= 1.0 => "holds it".to_owned(),
        part => format!("holds {}% of it with its headroom", percent(part)),
    };
    if best.is_some_and(|best| best.copies > layout.copies) {
        said += " without a second copy";
    }
    if current.room < 1.0 {
        let room = percent(current.room);
        said += &format!(", and has {room}% of the space with what is to stay free");
    }
    let (what, price) = (what(layout), money(layout));
    let p99 = p99_ms(layout).map_or_else(String::new, |p99| {
        format!(", p99 {}{}", ms(p99), until(&layout.limits))
    });
    format!("today: {what}, {price} a month; it {said}{p99}")
}

/// That a p99 is of the time when burst credits are used up, and when that is; else nothing.
///
/// What another limit holds up does not spend them as fast as the load would, if at all.
fn until(limits: &[Use]) -> String {
    let exceeded = |it: &Use| it.left < 0.0 && !it.limit.contains("credits");
    if limits.iter().any(exceeded) {
        return String::new();
    }
    let ends = limits.iter().filter_map(|it| it.credits_last_s);
    ends.reduce(f64::min).map_or_else(String::new, |end| {
        let after = lasting(end);
        format!(" once burst credits are used up, after {after}")
    })
}

/// The change in cost and p99 from the current layout to the plan.
pub(super) fn change(layout: &Layout, best: &Layout) -> String {
    let saved = best.usd_per_month - layout.usd_per_month;
    let word = if saved >= 0.0 { "more" } else { "less" };
    let mut said = format!("the plan costs {} a month {word}", dollars(saved.abs()));
    let measured = |layout: &Layout| p99_ms(layout).filter(|p99| *p99 != 0.0);
    if let (Some(before), Some(after)) = (measured(layout), measured(best)) {
        said += &format!(", and p99 goes from {} to {}", ms(before), ms(after));
    }
    said
}

/// What of a layout is to be changed, from what, to what.
pub(super) struct Difference {
    pub(super) what: &'static str,
    pub(super) from: String,
    pub(super) to: String,
}

/// What to change: copies, instance, data or journal.
pub(super) fn differences(before: &Layout, best: &Layout) -> Vec<Difference> {
    let copies = (before.copies != best.copies).then(|| Difference {
        what: "copies",
        from: before.copies.to_string(),
        to: match nodes(best) {
            None => best.copies.to_string(),
            Some(nodes) => format!("{}, {nodes}", best.copies),
        },
    });
    let host = (before.instance != best.instance).then(|| Difference {
        what: "instance",
        from: instance(before),
        to: instance(best),
    });
    let role = |what, was: Option<&Volumes>, will: Option<&Volumes>| {
        (was != will).then(|| Difference {
            what,
            from: own(was),
            to: own(will),
        })
    };
    let data = role("data", Some(&before.data), Some(&best.data));
    let journal = role("journal", before.journal.as_ref(), best.journal.as_ref());
    [copies, host, data, journal]
        .into_iter()
        .flatten()
        .collect()
}

fn own(them: Option<&Volumes>) -> String {
    them.map_or_else(|| "none of its own".to_owned(), volumes)
}

#[cfg(test)]
mod tests {
    use super::*;

    /// A limit of which a load takes 16,000 IOPS.
    fn taken(owner: &str, limit: &str, has: u64, credits_last_s: Option<f64>) -> Use {
        Use {
            owner: owner.to_owned(),
            limit: limit.to_owned(),
            unit: "io".to_owned(),
            used: 16_000,
            has,
            credits_last_s,
            left: 1.0 - 16_000.0 / has as f64,
        }
    }

    #[test]
    fn credits_are_not_spent_by_what_another_limit_holds_up() {
        let host = taken("instance", "iops_credits", 13_333, Some(3_037.0));
        let all = [taken("data", "iops", 20_000, None), host.clone()];
        assert_eq!(until(&all), " once burst credits are used up, after 50.6m");
        let all = [taken("data", "iops", 10_002, None), host];
        assert_eq!(until(&all), "");
    }
}
