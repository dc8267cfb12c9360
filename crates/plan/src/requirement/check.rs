//! What no single field of a requirement can show to be wrong: what contradicts something else,
//! and names that the catalog does not have.

use std::sync::{Arc, OnceLock};

use blockyard_catalog::{Catalog, Term};
use blockyard_experiment::chance::PROBABILITIES;
use blockyard_model::units::{Bytes, GIB, MIB};
use blockyard_scenario::demand::steps;
use blockyard_text::hint;
use blockyard_text::units::{Duration, Size};

use crate::load::demand::Demand;
use crate::requirement::check_instance::{check_instance, check_zones};
use crate::requirement::copies::Copies;
use crate::requirement::durability::Durability;
use crate::requirement::needs::Choice;
use crate::requirement::preferences::Preferences;
use crate::requirement::read::{Loaded, QUANTILES, Rates};
use crate::requirement::schema::{Availability, Flow, Requirement};

/// The most bytes a second of a flow, and the largest IO: products stay within 64 bits.
const MOST_BYTES_PER_S: u64 = 1 << 50;
const LARGEST_IO: Bytes = 64 * MIB;

/// Where something is wrong, and what.
pub(crate) type Wrong = (String, String);

pub(crate) fn wrong<T>(path: &str, message: impl std::fmt::Display) -> Result<T, Wrong> {
    Err((path.to_owned(), message.to_string()))
}

pub(crate) fn check(requirement: Requirement, catalog: &Catalog) -> Result<Loaded, Wrong> {
    let it = &requirement;
    blockyard_scenario::check_name(&it.name).or_else(|error| wrong("name", error))?;
    let flows = [("reads", &it.reads), ("writes", &it.writes)];
    let demand = check_demand(it)?;
    if flows.iter().all(|(_, flow)| flow.is_none()) && it.journal.is_none() && demand.is_none() {
        return wrong(
            "",
            "no load; expected `reads`, `writes`, `demand` or `journal`",
        );
    }
    for (name, flow) in flows {
        if let Some(flow) = flow {
            check_flow(name, flow.rates())?;
            check_skew(name, flow)?;
        }
    }
    check_probability(it)?;
    if let Some(journal) = &it.journal {
        check_flow("journal", journal.rates())?;
    }
    check_times(it)?;
    check_goals(it, demand.as_ref())?;
    for (path, share) in [("headroom", it.headroom), ("free_space", it.free_space)] {
        if let Some(share) = share.filter(|share| share.permille() > 900) {
            return wrong(path, format!("{share} is too much; expected at most 90%"));
        }
    }
    if it.horizon.is_some() && it.growth.is_none() {
        return wrong("horizon", "stands without `growth`; expected both");
    }
    let quotas = it.quotas.keys().map(|name| ("quotas", name));
    for (field, name) in quotas.chain(
        it.storage_quotas
            .keys()
            .map(|name| ("storage_quotas", name)),
    ) {
        let known = catalog.volume_type(name);
        known.or_else(|unknown| wrong(&format!("{field}.{name}"), unknown))?;
    }
    if it.volumes.at_most == Some(0) {
        return wrong("volumes.at_most", "`0`; expected 1 or more");
    }
    for (place, name) in it.volumes.types.iter().enumerate() {
        let known = catalog.volume_type(name);
        known.or_else(|unknown| wrong(&format!("volumes.types.{place}"), unknown))?;
    }
    check_rounding(it)?;
    let preferences = Preferences::of(it, catalog, true);
    check_instance(it, catalog, preferences.avoided)?;
    let copies = check_copies(it)?;
    let region = it.region.clone();
    let named = region
        .clone()
        .unwrap_or_else(|| catalog.default_region().to_owned());
    if let Err(unknown) = catalog.prices(&named, it.as_of) {
        return wrong("region", unknown);
    }
    check_zones(it, catalog, &named)?;
    let term = it
        .term
        .as_deref()
        .map_or(Ok(Term::default()), str::parse::<Term>);
    let term = term.or_else(|unknown| wrong("term", unknown))?;
    Ok(Loaded {
        choice: Choice {
            day: it.as_of,
            instance: it.instance.instance_type.clone(),
            architecture: it.instance.architecture.map(|it| it.name()),
            vcpu: it.instance.vcpu.unwrap_or(0),
            memory_mib: it.instance.memory.map_or(0, |it| it.bytes().div_ceil(MIB)),
            families: it.instance.families.clone(),
            volume_types: it.volumes.types.clone(),
            local: it.durability == Some(Durability::Ephemeral),
            region: Some(named.clone()),
            zones: it.zones.clone(),
            fewest_zones: if copies.elsewhere() > 0 { 2 } else { 1 },
            avoided: preferences.avoided,
        },
        preferences,
        region: named,
        region_assumed: region.is_none(),
        term,
        demand: demand.map(Arc::new),
        requirement,
        placed: OnceLock::new(),
    })
}

fn check_flow(name: &str, rates: Rates) -> Result<(), Wrong> {
    let Rates {
        iops,
        throughput,
        io_size,
    } = rates;
    match (iops, throughput, io_size) {
        (None, None, _) => return wrong(name, "no rate; expected `iops` or `throughput`"),
        (Some(_), Some(_), Some(_)) => {
            let path = format!("{name}.io_size");
            return wrong(
                &path,
                "stands beside `iops` and `throughput`; expected two of the three",
            );
        }
        _ => {}
    }
    if let Some(size) = io_size
        && (!size.bytes().is_multiple_of(512) || size.bytes() > LARGEST_IO)
    {
        let message = format!("`{size}`; expected a multiple of 512B, at most 64MiB");
        return wrong(&format!("{name}.io_size"), message);
    }
    if let (Some(iops), Some(throughput)) = (iops, throughput) {
        let size = throughput.mid.bytes_per_s() / iops.mid.0;
        if !(512..=LARGEST_IO).contains(&size) {
            let message = format!(
                "{} for {} IOs a second are {size} bytes for each; expected 512B to 64MiB",
                throughput.mid, iops.mid
            );
            return wrong(&format!("{name}.throughput"), message);
        }
    }
    let most = iops
        .map_or(1, |it| it.high.0)
        .saturating_mul(io_size.map_or(1, Size::bytes));
    if most > MOST_BYTES_PER_S {
        return wrong(
            &format!("{name}.iops"),
            "more than a PiB a second; expected less",
        );
    }
    Ok(())
}

fn check_skew(name: &str, flow: &Flow) -> Result<(), Wrong> {
    let Some(skew) = flow.skew else {
        return Ok(());
    };
    skew.resolve(name)?;
    match flow.sequential.permille() {
        1000 => wrong(
            &format!("{name}.skew"),
            "stands beside `sequential: 100%`; expected some random IOs",
        ),
        _ => Ok(()),
    }
}

/// The demand by interval, in place of everything else that says when there is which load.
fn check_demand(it: &Requirement) -> Result<Option<Demand>, Wrong> {
    let Some(text) = &it.demand else {
        return Ok(None);
    };
    let beside = [
        ("reads", it.reads.is_some()),
        ("writes", it.writes.is_some()),
        ("duration", it.duration.is_some()),
        ("peak", it.peak.is_some()),
    ];
    if let Some((other, _)) = beside.iter().find(|(_, stated)| *stated) {
        return wrong(
            "demand",
            format!("stands beside `{other}`; expected one of them"),
        );
    }
    if it.availability == Availability::Mirror {
        let message = "stands beside `availability: mirror`, which no day can be simulated of; \
                       expected `reads` and `writes`";
        return wrong("demand", message);
    }
    let steps = steps(text).or_else(|error| wrong("demand", error))?;
    match Demand::of(&steps) {
        Some(demand) => Ok(Some(demand)),
        None => wrong("demand", "no IO in any interval; expected some"),
    }
}

/// A mirror or replicas, of which something must come.
fn check_copies(it: &Requirement) -> Result<Copies, Wrong> {
    let writes = it.writes.is_some() || it.journal.is_some() || it.demand.is_some();
    match &it.replicas {
        Some(_) if it.availability == Availability::Mirror => {
            let message = "stands beside `availability: mirror`; expected one of them";
            wrong("replicas", message)
        }
        Some(of) if of.log.is_none() && !writes => {
            let message = "no log, as nothing is written; expected `log`, `writes` or `journal`";
            wrong("replicas", message)
        }
        _ => Ok(Copies::of(it)),
    }
}

fn check_probability(it: &Requirement) -> Result<(), Wrong> {
    match PROBABILITIES.contains(&it.probability.permille()) {
        true => Ok(()),
        false => {
            let message = format!("`{}`; expected from 50% to 99%", it.probability);
            wrong("probability", message)
        }
    }
}

fn check_times(it: &Requirement) -> Result<(), Wrong> {
    if it.duration.is_some_and(|duration| duration.nanos() == 0) {
        return wrong("duration", "`0s`; expected a time above 0");
    }
    let Some(peak) = &it.peak else { return Ok(()) };
    let (lasts, every) = (peak.lasts, peak.every);
    if lasts.nanos() == 0 {
        return wrong("peak.for", "`0s`; expected a time above 0");
    }
    if lasts > every {
        let message = format!("{lasts} is longer than the {every} after which it comes back");
        return wrong("peak.for", message);
    }
    match it.duration {
        Some(duration) if lasts > duration => {
            let message = format!("{lasts} is longer than the load, which lasts {duration}");
            wrong("peak.for", message)
        }
        _ => Ok(()),
    }
}

fn check_goals(it: &Requirement, demand: Option<&Demand>) -> Result<(), Wrong> {
    let due = |write| demand.is_some_and(|demand| demand.has(write));
    let (reads, writes) = (it.reads.is_some(), it.writes.is_some());
    let of = [
        ("read", &it.latency.read, reads || due(false), "reads"),
        ("write", &it.latency.write, writes || due(true), "writes"),
        (
            "journal",
            &it.latency.journal,
            it.journal.is_some(),
            "journal",
        ),
    ];
    for (name, goals, there, field) in of {
        if !goals.is_empty() && !there {
            return wrong(&format!("latency.{name}"), format!("there is no `{field}`"));
        }
        let mut last: Option<(&str, f64, Duration)> = None;
        for (quantile, goal) in goals {
            let path = format!("latency.{name}.{quantile}");
            let known = QUANTILES.iter().find(|(known, _)| known == quantile);
            let Some((quantile, at)) = known else {
                let hint = hint(quantile, QUANTILES.map(|(name, _)| name));
                return wrong(&path, format!("no such quantile{hint}"));
            };
            if goal.nanos() == 0 {
                return wrong(&path, "`0s`; expected a time above 0");
            }
            if let Some((before, lower, shorter)) = last
                && (*at > lower) != (*goal >= shorter)
            {
                let message = format!("{goal} contradicts {before} of {shorter}; expected rising");
                return wrong(&path, message);
            }
            last = Some((quantile, *at, *goal));
        }
    }
    Ok(())
}

fn check_rounding(it: &Requirement) -> Result<(), Wrong> {
    if it
        .round_to
        .size
        .is_some_and(|size| !size.bytes().is_multiple_of(GIB))
    {
        return wrong("round_to.size", "expected whole GiB");
    }
    if it.round_to.iops == Some(0) {
        return wrong("round_to.iops", "`0`; expected 1 or more");
    }
    Ok(())
}
