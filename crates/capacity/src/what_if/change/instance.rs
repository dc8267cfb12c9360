//! The next size of an instance.

use blockyard_catalog::{Catalog, Instance};
use blockyard_experiment::Edit;
use blockyard_scenario::schema::{Host, Scenario};

use super::{Change, Proposal};

/// The next size of each host's instance.
pub(super) fn proposals(scenario: &Scenario, catalog: &Catalog) -> Vec<Proposal> {
    let named = scenario.hosts.iter().map(|(name, host)| (Some(name), host));
    let all = named.chain(scenario.host.iter().map(|host| (None, host)));
    let proposal = |(name, host): (Option<&String>, &Host)| {
        let from = catalog.instance(&host.instance).ok()?;
        let larger = catalog.instances().iter().filter(|other| {
            other.family() == from.family()
                && other.vcpu() > from.vcpu()
                && !other.name().contains("metal")
        });
        let next = larger.min_by_key(|other| other.vcpu());
        let path = name.map_or("host".to_owned(), |name| format!("hosts.{name}"));
        let edit = |next: &Instance| Edit::set(format!("{path}.instance"), next.name());
        Some(Proposal {
            change: Change::Instance {
                host: name.cloned(),
                from: host.instance.clone(),
                to: next.map(|next| next.name().to_owned()),
            },
            edits: next.map(edit).into_iter().collect(),
        })
    };
    all.filter_map(proposal).collect()
}
