//! Burst balances that fell: how long they last, and what is left then.

use blockyard_explain::{Credits, Facts, Owner};
use blockyard_scenario::Carrier;

use super::phrases::amount;
use crate::text::format::{count, duration};
use crate::text::limit_names::{counted, owner, possessive, the_host, volumes_of};

/// What lasts longer is no news.
const LONG_S: f64 = 365.0 * 86_400.0;

/// A sentence for each balance that fell or is used up.
pub(crate) fn balances(facts: &Facts) -> Vec<String> {
    let found = falling(facts);
    found
        .map(|(balance, last_s)| one(facts, balance, last_s))
        .collect()
}

/// The balances that fell or are used up, the one that lasts shortest first.
pub(crate) fn running_out(facts: &Facts) -> Vec<&Credits> {
    let mut found: Vec<_> = falling(facts).collect();
    found.sort_by(|(_, one), (_, other)| one.total_cmp(other));
    found.into_iter().map(|(balance, _)| balance).collect()
}

/// Each with the seconds that it lasts.
fn falling(facts: &Facts) -> impl Iterator<Item = (&Credits, f64)> {
    let modelled = facts.modelled.iter();
    let credits = modelled.flat_map(|modelled| &modelled.credits);
    credits.filter_map(|balance| {
        let last_s = balance.last_s.filter(|&last_s| last_s <= LONG_S)?;
        Some((balance, last_s))
    })
}

fn one(facts: &Facts, balance: &Credits, last_s: f64) -> String {
    let whose = whose(facts, balance);
    let then = balance
        .then
        .map_or_else(|| "the baseline".to_owned(), amount);
    let back_s = balance.back_s.filter(|&back_s| back_s != 0.0);
    if last_s == 0.0 {
        let until = back_s.map_or_else(String::new, |back| format!(" for {} more", duration(back)));
        return format!("The burst balance of {whose} is used up, which leaves {then}{until}.");
    }
    let until = match back_s {
        Some(back_s) if last_s < back_s => {
            let rest = duration(back_s - last_s);
            format!(" for {rest}, until it is full again")
        }
        _ => String::new(),
    };
    let (lasts, carried) = (duration(last_s), carried(balance));
    format!("At this rate the burst balance of {whose} lasts {lasts}, then {then}{until}.{carried}")
}

/// What would carry the load without a burst balance: ` 334 GiB of gp2, or gp3, …`.
fn carried(balance: &Credits) -> String {
    let found: Vec<_> = balance.carried_by.iter().map(carrier).collect();
    if found.is_empty() {
        return String::new();
    }
    format!(" Sustained, this rate takes {}.", found.join(", or "))
}

/// `334 GiB of gp2`, `gp3 with 5,000 IOPS`, `3 volumes of gp3 with 4,000 IOPS each`.
fn carrier(one: &Carrier) -> String {
    let amounts = [(one.iops, "IOPS"), (one.mib_per_s, "MiB/s")];
    let given = amounts.into_iter();
    let given: Vec<_> = given
        .filter_map(|(value, unit)| Some(format!("{} {unit}", count(value?))))
        .collect();
    let size = one.gib.filter(|&gib| gib > 0);
    let sized = size.map_or_else(String::new, |gib| format!("{} GiB of ", count(gib)));
    let mut what = format!("{sized}{}", one.volume_type);
    if !given.is_empty() {
        what += &format!(" with {}", given.join(" and "));
    }
    let several = one.volumes > 1;
    if !several {
        return what;
    }
    let times = if size.is_some() {
        "times"
    } else {
        "volumes of"
    };
    let each = if given.is_empty() { "" } else { " each" };
    format!("{} {times} {what}{each}", one.volumes)
}

/// `data`, `data.1`, `2 of 3 volumes of data`, `the instance's IOPS`, `primary's IOPS`.
fn whose(facts: &Facts, balance: &Credits) -> String {
    let limit = &balance.limit;
    if let Owner::Host(host) = &limit.owner {
        return whose_host(host, counted(limit.kind.counts));
    }
    let (name, every) = (owner(&limit.owner), volumes_of(facts, &limit.owner));
    match &balance.volumes[..] {
        own if own.len() == every => name,
        [own] => own.clone(),
        own => format!("{} of {every} volumes of {name}", own.len()),
    }
}

/// `the instance's IOPS`, `primary's IOPS`.
pub(crate) fn whose_host(host: &str, counted: &str) -> String {
    format!("{} {counted}", possessive(&the_host(Some(host))))
}
