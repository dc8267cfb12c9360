//! Larger instances: the next size, and one that lets all through that is due.

use blockyard_catalog::{Catalog, Instance};
use blockyard_experiment::Edit;
use blockyard_explain::{Facts, LimitId, Owner};
use blockyard_record::thresholds::FELT;
use blockyard_scenario::schema::{Host, Scenario};

use super::super::need::{Need, Rates};
use super::sustained::spends_credits;
use super::{Change, Proposal};

/// The hosts of a scenario: each with its name, if it has one, and its path.
pub(super) fn hosts(scenario: &Scenario) -> Vec<(Option<&String>, String, &Host)> {
    let named = scenario.hosts.iter();
    let named = named.map(|(name, host)| (Some(name), format!("hosts.{name}"), host));
    let only = scenario.host.iter();
    let only = only.map(|host| (None, "host".to_owned(), host));
    named.chain(only).collect()
}

/// The next size of each host's instance; and, where its limits are felt or credits carry its load,
/// the least size that lets through in the long run what it takes.
pub(super) fn proposals(
    scenario: &Scenario,
    catalog: &Catalog,
    need: &Need,
    facts: &Facts,
) -> Vec<Proposal> {
    let mut found = Vec::new();
    for (name, path, host) in hosts(scenario) {
        let Ok(from) = catalog.instance(&host.instance) else {
            continue;
        };
        let larger = catalog.instances().iter().filter(|other| {
            other.family() == from.family()
                && other.vcpu() > from.vcpu()
                && !other.name().contains("metal")
        });
        let mut larger: Vec<&Instance> = larger.collect();
        larger.sort_by_key(|other| other.vcpu());
        let to = |next: Option<&Instance>| Change::Instance {
            host: name.cloned(),
            from: host.instance.clone(),
            to: next.map(|next| next.name().to_owned()),
        };
        let called = name.map_or("host", String::as_str);
        let takes = need.takes_of(called);
        let is_enough = |it: &Instance| takes.is_none_or(|takes| holds(it, takes));
        let enough = larger.iter().copied().filter(|it| is_enough(it));
        let chosen = larger.iter().copied().take(1);
        let is_bound = binds(called, facts) && !is_enough(from);
        let chosen = chosen.chain(enough.take(1).filter(|_| is_bound));
        found.extend(chosen.map(|next| {
            let edit = Edit::set(format!("{path}.instance"), next.name());
            Proposal::of(to(Some(next)), vec![edit])
        }));
        if larger.is_empty() {
            let refused = format!("{} is the largest of its family", from.name());
            found.push(Proposal {
                refused: Some(refused),
                ..Proposal::of(to(None), Vec::new())
            });
        }
    }
    found
}

/// Whether IOs wait for a host's limits, or it spends credits faster than they come.
fn binds(host: &str, facts: &Facts) -> bool {
    let is_own = |limit: &LimitId| matches!(&limit.owner, Owner::Host(name) if name == host);
    let mut waits = facts.modelled.iter().flat_map(|it| &it.waits);
    let mut limits = facts.limits.iter();
    waits.any(|it| is_own(&it.limit) && it.share >= FELT)
        || limits.any(|it| is_own(&it.limit) && spends_credits(it))
}

/// Whether an instance lets as much through in the long run, and a tenth more.
pub(super) fn holds(instance: &Instance, takes: Rates) -> bool {
    let baseline = instance.baseline();
    baseline.is_some_and(|rate| {
        let takes = takes.with_headroom();
        takes.is_held_by(rate.iops, rate.throughput)
    })
}
