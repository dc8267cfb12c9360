//! Why volume types and families of instances are not it: what their nearest candidates lack.

use crate::answer::plan::{Family, Rejected, dollars};
use crate::market::{Host, Market};
use crate::reason::Reason;
use crate::search::Search;
use crate::search::candidates::{Combination, Placed, Stored};
use crate::search::joint_limits::attachable;
use crate::search::loss::Loss;

/// Where nothing does: the type whose shortfall is the smallest.
pub(crate) fn nearest_type(rejected: &[Rejected], market: &Market<'_>) -> Option<usize> {
    let share = |it: &Rejected| it.reasons.iter().map(Reason::share).fold(1.0, f64::min);
    let offered = |it: &&Rejected| market.types.iter().any(|of| of.name() == it.volume_type);
    let nearest = rejected
        .iter()
        .filter(offered)
        .max_by(|a, b| share(a).total_cmp(&share(b)))?;
    market
        .types
        .iter()
        .position(|it| it.name() == nearest.volume_type)
}

/// Why no layout has its data on a volume type: what the nearest lacks.
pub(crate) fn why_not(search: &Search<'_, '_>, volume_type: usize) -> Vec<Reason> {
    let (market, needs) = (search.market, search.needs);
    let of_class: Vec<_> = market
        .classes
        .iter()
        .map(|class| &class[volume_type])
        .collect();
    let variants: Vec<usize> = of_class
        .iter()
        .filter_map(|it| it.as_ref().ok().copied())
        .collect();
    if variants.is_empty() {
        let refused = of_class.first().and_then(|it| it.as_ref().err().cloned());
        return refused.into_iter().collect();
    }
    let late = variants.iter().map(|it| search.late[*it][0].clone());
    if let Some(late) = nearest_of(late.collect::<Option<Vec<_>>>().unwrap_or_default()) {
        return vec![late];
    }
    let tables = match search.tables.both.iter().all(Vec::is_empty) {
        true => &search.tables.data,
        false => &search.tables.both,
    };
    let widths = || variants.iter().flat_map(|it| &tables[*it]);
    if !widths().any(Result::is_ok) {
        let short = || widths().filter_map(|it| it.as_ref().err());
        // What lacks nothing but a price comes before what falls short, which the most volumes
        // do least.
        let unpriced = |it: &&Vec<Reason>| matches!(&it[..], [Reason::PriceUnknown { .. }]);
        let widest = variants
            .iter()
            .filter_map(|it| tables[*it].last()?.as_ref().err());
        let share = |it: &&Vec<Reason>| it.iter().map(Reason::share).fold(1.0, f64::min);
        let nearest = widest.max_by(|a, b| share(a).total_cmp(&share(b)));
        return short()
            .find(unpriced)
            .or(nearest)
            .cloned()
            .unwrap_or_default();
    }
    let stored = |class: usize| search.stored_of(class, volume_type);
    let possible: Vec<_> = (0..market.classes.len()).map(stored).collect();
    if possible.iter().all(Vec::is_empty) {
        return beyond_volumes(search, &variants);
    }
    let hosts = market
        .instances
        .iter()
        .filter(|host| !possible[host.class].is_empty());
    let lacks = hosts.map(|host| host_lacks(search, host, &possible[host.class]));
    let share = |it: &Vec<Reason>| it.iter().map(Reason::share).fold(1.0, f64::min);
    let nearest = lacks.max_by(|a, b| share(a).total_cmp(&share(b)));
    nearest.unwrap_or_else(|| {
        let families = needs.at_most.is_none().then(|| "instance".to_owned());
        vec![Reason::Excluded {
            by: families.unwrap_or_else(|| "volumes.at_most".into()),
        }]
    })
}

fn nearest_of(reasons: Vec<Reason>) -> Option<Reason> {
    reasons
        .into_iter()
        .max_by(|a, b| a.share().total_cmp(&b.share()))
}

/// Volumes hold the load, but quota, durability, the journal's latency or the number of volumes
/// stands against all of them.
fn beyond_volumes(search: &Search<'_, '_>, variants: &[usize]) -> Vec<Reason> {
    let late = variants.iter().map(|it| search.late[*it][1].clone());
    if let Some(late) = nearest_of(late.flatten().collect()) {
        return vec![late];
    }
    let tables = [&search.tables.both, &search.tables.data];
    let mut reasons = Vec::new();
    for variant in variants {
        for sized in tables
            .iter()
            .filter_map(|table| table.get(*variant))
            .flatten()
            .flatten()
        {
            let variant = *variant;
            let stored = Stored::new(Placed { variant, sized }, None);
            if search.tables.both[variant].is_empty() {
                continue;
            }
            reasons.extend(search.quota_lacks(&stored));
            reasons.extend(search.fails_too_often(&stored));
        }
    }
    nearest_of(reasons).into_iter().collect()
}

/// What an instance lacks, of all that volumes would allow: the nearest.
fn host_lacks(
    search: &Search<'_, '_>,
    host: &Host<'_>,
    possible: &[(Combination, Stored<'_>)],
) -> Vec<Reason> {
    if let Err(message) = &host.price {
        return vec![Reason::PriceUnknown {
            message: message.clone(),
        }];
    }
    let fewest = possible
        .iter()
        .map(|(_, stored)| stored.volumes())
        .min()
        .unwrap_or(0);
    let most = attachable(host, search.needs);
    let mut counted: Vec<Combination> = Vec::new();
    for (combination, _) in possible {
        if !counted.contains(combination) {
            counted.push(*combination);
        }
    }
    let lacks = counted.into_iter().map(|it| search.host_lacks(host, it));
    let share = |it: &Vec<Reason>| it.iter().map(Reason::share).fold(1.0, f64::min);
    let mut nearest = lacks
        .max_by(|a, b| share(a).total_cmp(&share(b)))
        .unwrap_or_default();
    if fewest > most {
        nearest.push(Reason::Attachments {
            instance: host.instance.name().to_owned(),
            needed: u64::from(fewest + 1 + search.needs.spare_attachments),
            has: host.instance.attachments(),
        });
    }
    nearest
}

pub(crate) fn families(search: &Search<'_, '_>, volume_type: usize) -> Vec<Family> {
    let market = search.market;
    let possible: Vec<_> = (0..market.classes.len())
        .map(|class| search.stored_of(class, volume_type))
        .collect();
    let mut all: Vec<Family> = Vec::new();
    for family in market.families() {
        let hosts = market
            .instances
            .iter()
            .filter(|it| it.instance.family() == family);
        let mut cheapest: Option<(i64, Loss, &Host<'_>)> = None;
        let mut nearest: Option<(f64, &Host<'_>, Vec<Reason>)> = None;
        for host in hosts {
            let stored = &possible[host.class];
            let lacks = host_lacks(search, host, stored);
            let most = attachable(host, search.needs);
            let fitting = stored.iter().filter(|(counted, it)| {
                it.volumes() <= most && search.host_lacks(host, *counted).is_empty()
            });
            let least = match lacks.is_empty() {
                true => fitting.map(|(_, it)| (it.price, it.loss)).min(),
                false => None,
            };
            match (least, &host.price) {
                (Some((stored, loss)), Ok(price)) => {
                    let sum = i64::from(search.copies()) * (price + stored);
                    if cheapest.is_none_or(|(known, ..)| sum < known) {
                        cheapest = Some((sum, loss, host));
                    }
                }
                _ => {
                    let share = lacks.iter().map(Reason::share).fold(1.0, f64::min);
                    if nearest.as_ref().is_none_or(|(known, ..)| share > *known) {
                        nearest = Some((share, host, lacks));
                    }
                }
            }
        }
        let inter_zone = search.inter_zone.as_ref().map_or(0, |it| it.micros);
        let found = match (cheapest, nearest) {
            (Some((sum, loss, host)), _) => {
                let loss = loss.share(search.copies());
                Some((Some(dollars(sum + inter_zone)), loss, host, Vec::new()))
            }
            (None, Some((_, host, reasons))) => Some((None, None, host, reasons)),
            (None, None) => None,
        };
        all.extend(
            found.map(|(usd_per_month, yearly_loss, host, reasons)| Family {
                family: family.to_owned(),
                instance: host.instance.name().to_owned(),
                architecture: host.instance.architecture().to_owned(),
                usd_per_month,
                yearly_loss,
                reasons,
            }),
        );
    }
    let key = |it: &Family| it.usd_per_month.unwrap_or(f64::INFINITY);
    all.sort_by(|a, b| key(a).total_cmp(&key(b)));
    all
}
