//! The next size of an instance.

use blockyard_catalog::{Catalog, Instance};
use blockyard_experiment::Edit;
use blockyard_scenario::schema::{Host, Scenario};

use super::{Change, Proposal};

/// The hosts of a scenario: each with its name, if it has one, and its path.
pub(super) fn hosts(scenario: &Scenario) -> Vec<(Option<&String>, String, &Host)> {
    let named = scenario.hosts.iter();
    let named = named.map(|(name, host)| (Some(name), format!("hosts.{name}"), host));
    let only = scenario.host.iter();
    let only = only.map(|host| (None, "host".to_owned(), host));
    named.chain(only).collect()
}

/// The next size of each host's instance.
pub(super) fn proposals(scenario: &Scenario, catalog: &Catalog) -> Vec<Proposal> {
    let proposal = |(name, path, host): (Option<&String>, String, &Host)| {
        let from = catalog.instance(&host.instance).ok()?;
        let larger = catalog.instances().iter().filter(|other| {
            other.family() == from.family()
                && other.vcpu() > from.vcpu()
                && !other.name().contains("metal")
        });
        let next = larger.min_by_key(|other| other.vcpu());
        let edit = |next: &Instance| Edit::set(format!("{path}.instance"), next.name());
        let change = Change::Instance {
            host: name.cloned(),
            from: host.instance.clone(),
            to: next.map(|next| next.name().to_owned()),
        };
        let edits = next.map(edit).into_iter().collect();
        Some(Proposal {
            refused: match next {
                Some(_) => None,
                None => Some(format!("{} is the largest of its family", from.name())),
            },
            ..Proposal::of(change, edits)
        })
    };
    hosts(scenario).into_iter().filter_map(proposal).collect()
}
