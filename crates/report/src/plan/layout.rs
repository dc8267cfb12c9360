//! A layout in words: what it is, what it loses, when it is outgrown.

use blockyard_plan::{Answer, Layout, Volumes};

use super::amounts::{money, ms, share, size, years};
use super::limits::limit_name;
use super::replication::nodes;
use crate::text::format::{count, percent, significant};

/// What needs no saying of an instance.
pub(super) const USUAL: &str = "x86_64";

/// What to buy, and for how much, where.
pub(super) fn buy(answer: &Answer, best: &Layout) -> String {
    let assumed = if answer.region_assumed {
        ", which is assumed"
    } else {
        ""
    };
    let (region, term) = (&answer.region, &answer.term);
    let (what, price) = (what(best), money(best));
    format!("buy {what}: {price} a month in {region}{assumed}, {term}")
}

/// Volumes and instance.
pub(super) fn what(layout: &Layout) -> String {
    let mut said = volumes(&layout.data);
    if let Some(journal) = &layout.journal {
        said += &format!(" and for the journal {}", volumes(journal));
    }
    said += &format!(" on {}", instance(layout));
    match nodes(layout) {
        None => said,
        Some(nodes) => format!("{} times {said}, {nodes}", layout.copies),
    }
}

/// Its price, what it is, its p99 and what it loses.
pub(super) fn in_short(layout: &Layout) -> String {
    let p99 = p99_ms(layout).map_or_else(String::new, |p99| format!(", p99 {}", ms(p99)));
    let loss = layout.yearly_loss.map(share);
    let loss = loss.map_or_else(String::new, |loss| format!(", yearly loss {loss}"));
    format!("{}, {}{p99}{loss}", money(layout), what(layout))
}

/// Its data volumes and its instance alone: `10 x gp3 on r6i.large`.
pub(super) fn name(layout: &Layout) -> String {
    let data = &layout.data;
    format!(
        "{} x {} on {}",
        data.count, data.volume_type, layout.instance
    )
}

/// Its instance, and what its processors are built for unless that is the usual.
pub(super) fn instance(layout: &Layout) -> String {
    match layout.architecture.as_str() {
        USUAL => layout.instance.clone(),
        built_for => format!("{} ({built_for})", layout.instance),
    }
}

/// How many volumes, and what is provisioned of each.
pub(super) fn volumes(them: &Volumes) -> String {
    let (number, each) = (them.count, size(them.size));
    let mut said = format!("{number} x {} of {each}", them.volume_type);
    if let Some(iops) = them.iops {
        said += &format!(", {} IOPS", count(iops));
    }
    if let Some(throughput) = them.throughput {
        said += &format!(", {}/s", size(throughput));
    }
    said
}

/// How often the layout loses data, and with what.
pub(super) fn durability(layout: &Layout) -> String {
    if layout.data.local {
        return "data is lost when the instance stops".to_owned();
    }
    let Some(loss) = layout.yearly_loss else {
        return "no failure rate of its volumes is published".to_owned();
    };
    let stripe = match layout.volumes() {
        1 => "the volume".to_owned(),
        several => format!("any of {several} volumes"),
    };
    let copies = match layout.copies {
        1 => String::new(),
        2 => " of both copies".to_owned(),
        copies => format!(" of all {copies} copies"),
    };
    format!(
        "data is lost with {stripe}{copies}: in {} of years",
        share(loss)
    )
}

/// When growing data and load outgrow a layout; none where nothing is said of growth.
pub(super) fn outgrown(layout: &Layout) -> Option<String> {
    let found = layout.outgrown.as_ref()?;
    let full = years(found.data_years);
    let said = format!("outgrown: the data fills its file system after {full}");
    Some(match (found.load_years, &found.limit) {
        (Some(load), Some((owner, limit))) => {
            let limit = limit_name(limit);
            let after = years(load);
            format!("{said}; a load that grows alike reaches {owner} {limit} after {after}")
        }
        _ => said,
    })
}

/// In how many seeds all goals hold; none if it was not simulated.
pub(super) fn held(layout: &Layout) -> Option<String> {
    let held = layout.held?;
    let bound = significant((1000.0 * held.at_least).floor() / 10.0, 6);
    let (met, seeds) = (held.met, held.seeds);
    Some(format!(
        "goals hold in {met} of {seeds} seeds (at least {bound}% with 95% confidence)"
    ))
}

/// What is taken of the places of IOs; none of one volume, on which they do not matter.
pub(super) fn places(layout: &Layout) -> Option<String> {
    let number = layout.data.count;
    if number == 1 {
        return None;
    }
    let Some(hottest) = layout.hottest else {
        return Some("places are taken to be uniform; --skew states otherwise".to_owned());
    };
    let (hottest, equal) = (percent(hottest, 1), percent(1.0 / f64::from(number), 1));
    Some(format!(
        "the hottest of {number} volumes takes {hottest} of the IOs, of which the headroom is; \
         an equal share is {equal}"
    ))
}

/// The highest p99 of its simulated IO; none if it was not simulated.
pub(super) fn p99_ms(layout: &Layout) -> Option<f64> {
    let jobs = layout.simulated.iter().flatten();
    jobs.map(|job| job.p99_us / 1e3).reduce(f64::max)
}

/// What is assumed for the bill.
pub(super) fn assumed(layout: &Layout) -> impl Iterator<Item = String> {
    let assumed = layout.bill.iter().filter_map(|one| one.assumed.as_deref());
    assumed.map(|it| format!("its traffic assumes that {it}"))
}
