//! Which limits throttled a run.

use std::collections::BTreeSet;

use blockyard_explain::{Facts, LimitWaits, Modelled, Owner};
use blockyard_model::spec::Applies;
use blockyard_record::result::{Mode, RunResult};
use blockyard_record::thresholds::{CARRIED, NOTEWORTHY};

use super::balances::balances;
use super::network::others_held;
use super::phrases::{amount, listed, loads, share, unit_name};
use super::steps::steps_of;
use crate::Run;
use crate::text::format::{duration, number, sentence, significant};
use crate::text::limit_names::{in_words, owner_of, the_host, volumes_of};

/// From this share on, something is the rule.
const MOSTLY: f64 = 0.8;

/// Which limits throttled IOs, when, and whose; of real storage, what it was meant to give.
pub(crate) fn throttling(run: &Run) -> Vec<String> {
    let Some(facts) = &run.facts else {
        let said = match run.is(Mode::Observe) {
            // The verdict is on those that the user named.
            _ if run.storage.is_some() => return Vec::new(),
            true => "The kernel does not know what limits a volume.",
            false => "The file does not record limits.",
        };
        return vec![said.to_owned()];
    };
    let Some(modelled) = &facts.modelled else {
        let seen = "On real storage no limit is seen from outside.".to_owned();
        return std::iter::once(seen).chain(meant(facts)).collect();
    };
    let others = others_held(&run.result, facts);
    let others = others.iter().map(|said| sentence(said));
    let mut said = Vec::new();
    if let Some(most) = modelled.waits.first() {
        let part = match share(modelled.waited).as_str() {
            "all" => "nearly all".to_owned(),
            part => format!("{part} of all"),
        };
        said.push(format!("Waiting for limits made up {part} latency."));
        let told = modelled.waits.iter().filter(|one| one.share >= NOTEWORTHY);
        said.extend(told.map(|one| limit(run, facts, one)));
        said.extend(each(modelled));
        said.extend(others);
        said.extend(database(most));
    } else {
        said.push(format!(
            "No IO waited for a limit{}.",
            nearest(&run.result, facts)
        ));
        said.extend(others);
    }
    said.extend(used_up(facts, modelled));
    said.extend(balances(facts));
    said
}

/// Of limits that nothing waited for the one of which most was used, after a sentence.
pub(crate) fn nearest(result: &RunResult, facts: &Facts) -> String {
    let place = facts
        .modelled
        .as_ref()
        .and_then(|modelled| modelled.nearest);
    let Some(limit) = place.and_then(|place| facts.limits.get(place)) else {
        return String::new();
    };
    let used = limit.used.map_or(0.0, |used| used.telling(result));
    let used = used / limit.value;
    let when = match result.by_interval_s {
        Some(_) => " in the busiest interval",
        None => "",
    };
    let value = amount((limit.value, limit.unit));
    let name = in_words(&limit.limit);
    let carrier = match limit.limit.kind.credits {
        true => (used > 1.0).then_some("burst credits"),
        false => (used > 1.0 + CARRIED).then_some("tokens saved before the start"),
    };
    if let Some(carrier) = carrier {
        let times = number(used);
        return format!("; on {carrier}, at {times} times the {name} of {value}{when}");
    }
    let part = significant(100.0 * used, 3);
    format!("; the nearest is {name}, {part}% of {value} used{when}")
}

/// The share of each job's own latency, where there are several jobs.
fn each(modelled: &Modelled) -> Vec<String> {
    if modelled.held.len() < 2 {
        return Vec::new();
    }
    let said = modelled.held.iter().map(|held| {
        let job = &held.job;
        if held.limits.is_empty() {
            return format!("{job} waited for no limit.");
        }
        let limits = held.limits.iter().filter(|one| one.share >= NOTEWORTHY);
        let limits: Vec<_> = limits.map(|one| in_words(&one.limit)).collect();
        let (part, limits) = (share(held.waited), listed(&limits));
        format!("Of the latency of {job}, {part} was waiting for {limits}.")
    });
    said.collect()
}

fn limit(run: &Run, facts: &Facts, waits: &LimitWaits) -> String {
    let named = named(facts, waits);
    let (part, steps, jobs) = (share(waits.share), steps(run, waits), jobs(waits));
    format!("{named}: {part} of this waiting{steps}{jobs}.")
}

/// A limit that IOs waited for, with its value if known: `data IOPS (3,000 IOPS)`.
pub(crate) fn named(facts: &Facts, waits: &LimitWaits) -> String {
    let (name, value) = (in_words(&waits.limit), value_of(facts, waits));
    if value.is_empty() {
        return name;
    }
    format!("{name} ({value})")
}

/// A limit's value over the volumes that it throttled IOs of: `3,000 IOPS`; empty if unknown.
pub(crate) fn value_of(facts: &Facts, waits: &LimitWaits) -> String {
    let Some(value) = waits.value else {
        return String::new();
    };
    let value = amount(value);
    if let Some(leg) = leg_of(facts, waits) {
        return format!("{value} of leg {leg}");
    }
    let every = volumes_of(facts, &waits.limit.owner);
    let some = waits.volumes.len();
    if some < every {
        return format!("{value} of {some} of {every} volumes");
    }
    value
}

/// The leg of a mirror of which a limit of the whole mirror throttled just the volumes.
fn leg_of<'a>(facts: &'a Facts, waits: &LimitWaits) -> Option<&'a str> {
    let Owner::Device(name) = &waits.limit.owner else {
        return None;
    };
    let mut devices = facts.devices.iter();
    let legs = &devices.find(|device| device.name == *name)?.legs;
    if legs.len() < 2 {
        return None;
    }
    let waiting: BTreeSet<_> = waits.volumes.iter().collect();
    let own = |volumes: &[String]| volumes.iter().collect::<BTreeSet<_>>() == waiting;
    let leg = legs.iter().find(|leg| own(&leg.volumes))?;
    leg.name.as_deref()
}

/// In which load steps a limit was felt, where one job has the storage to itself.
fn steps(run: &Run, waits: &LimitWaits) -> String {
    let steps = steps_of(&run.result);
    let (Some(numbers), Some(steps)) = (&waits.felt_in, steps.values().next()) else {
        return String::new();
    };
    let felt = steps.iter().filter(|step| numbers.contains(&step.step));
    let felt: Vec<_> = felt.copied().collect();
    if felt.len() == steps.len() {
        return ", in every load step".to_owned();
    }
    if felt.is_empty() {
        return String::new();
    }
    format!(", with {}", loads(&felt))
}

/// Who waited and who took the tokens, where jobs share a limit.
fn jobs(waits: &LimitWaits) -> String {
    let jobs = &waits.jobs;
    let taking = jobs.iter().filter(|job| job.took >= NOTEWORTHY);
    let mut took: Vec<_> = taking
        .map(|job| format!("{} ({})", job.job, share(job.took)))
        .collect();
    if waits.resync_took >= NOTEWORTHY {
        took.push(format!("a mirror's resync ({})", share(waits.resync_took)));
    }
    if took.len() < 2 {
        return String::new();
    }
    let whole: f64 = jobs.iter().map(|job| job.waited_s).sum();
    let waiting = jobs.iter().filter(|job| job.waited_s != 0.0);
    let waited: Vec<_> = waiting
        .map(|job| format!("{} {}", job.job, share(job.waited_s / whole)))
        .collect();
    let (waited, took) = (listed(&waited), listed(&took));
    format!(" ({waited}); the tokens went to {took}")
}

/// Whether others' waiting came with the write daemons' writing of the database.
fn database(waits: &LimitWaits) -> Option<String> {
    let during = waits.while_database_written?;
    (during >= MOSTLY).then(|| {
        let (limit, part) = (in_words(&waits.limit), share(during));
        format!(
            "Of the waiting for {limit}, {part} fell into intervals in which the write daemons \
             wrote the database."
        )
    })
}

/// When the first volume of each device had used up its credits.
fn used_up(facts: &Facts, modelled: &Modelled) -> Vec<String> {
    let said = modelled.used_up.iter().map(|used_up| {
        let which = match &used_up.owner {
            Owner::Host(name) => the_host(Some(name)),
            owner if volumes_of(facts, owner) == 1 => owner_of(used_up),
            _ => format!("a volume of {}", owner_of(used_up)),
        };
        let by = duration(used_up.by_s);
        format!("The burst balance of {which} was used up within {by}.")
    });
    said.collect()
}

/// The means of real storage beside what the scenario's volumes would give.
fn meant(facts: &Facts) -> Vec<String> {
    let said = facts.limits.iter().filter_map(|limit| {
        let (kind, used) = (limit.limit.kind, limit.used?);
        let part = used.mean / limit.value;
        if kind.credits || kind.applies != Applies::Both || part == 0.0 {
            return None;
        }
        let (Owner::Device(device) | Owner::Leg { device, .. }) = &limit.limit.owner else {
            return None;
        };
        let compared = if part < 1.0 {
            format!("{} of", share(part))
        } else {
            format!("{} times", number(part))
        };
        let (mean, unit) = (number(used.mean), unit_name(limit.unit));
        let value = amount((limit.value, limit.unit));
        Some(format!(
            "{device} gave {mean} {unit} on average, {compared} the {value} of the scenario's \
             volumes."
        ))
    });
    said.collect()
}
