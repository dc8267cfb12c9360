//! What links carry: those of clusters are theirs alone, and not every event makes a difference.

use blockyard_model::spec::{Layout, ProcessorCost, StorageSpec};
use blockyard_model::workload::spec::{GroupNode, GroupSpec, JobSpec};

use crate::resolve::Invalid;
use crate::resolve::events::Events;

/// Checks that the links of clusters carry nothing else, and that no event degrades a link that
/// carries nothing, or what an arbiter is asked, which takes no time, or a host that neither runs
/// an engine nor handles packets.
///
/// # Errors
/// A link that a mirror or another cluster has, too; a link or host that an event degrades in vain.
pub(in crate::resolve) fn check_links(
    storage: &StorageSpec,
    jobs: &[JobSpec],
    events: &mut Events,
) -> Result<(), Invalid> {
    let legs = storage
        .devices
        .iter()
        .flat_map(|device| match &device.layout {
            Layout::Mirror(mirror) => mirror.legs.iter().filter_map(|leg| leg.link).collect(),
            _ => Vec::new(),
        });
    let journals = jobs.iter().filter_map(JobSpec::journal_mirror);
    let journals = journals.flat_map(|(_, mirror)| mirror.members().map(|member| member.link.0));
    let mut taken: Vec<usize> = legs.map(|link| link.0).chain(journals).collect();
    let arbiters = jobs.iter().filter_map(JobSpec::journal_mirror);
    let arbiters = arbiters.flat_map(|(_, mirror)| mirror.arbiter.into_iter().flatten());
    let arbiters: Vec<usize> = arbiters.collect();
    for job in jobs {
        let group = job.transactions().and_then(|engine| engine.group.as_ref());
        let is_shipped = group.is_some_and(|group| group.shipping.is_some());
        let key = if is_shipped { "standbys" } else { "galera" };
        let path = format!("workload.{}.{key}", job.name());
        for (link, place) in group.into_iter().flat_map(|group| links(storage, group)) {
            let name = &storage.links[link].name;
            let path = format!("{path}.{place}");
            if taken.contains(&link) || arbiters.contains(&link) {
                let message = format!(
                    "the link `{name}` carries a mirror or another cluster, too; expected one of \
                     its own"
                );
                return Err(Invalid::new(path, message));
            }
            taken.push(link);
        }
    }
    check_slowed(storage, jobs, &taken, events)?;
    events.degraded.iter().try_for_each(|(link, path)| {
        let name = &storage.links[*link].name;
        let message = format!("`{name}` carries no data; expected a link of a mirror or a cluster");
        let carries = taken.contains(link).then_some(());
        carries.ok_or_else(|| Invalid::new(path, message))
    })
}

/// Checks that each host that an event slows down runs an engine or handles packets of the links
/// that are `taken`; notes those whose packets cost nothing at any speed.
fn check_slowed(
    storage: &StorageSpec,
    jobs: &[JobSpec],
    taken: &[usize],
    events: &mut Events,
) -> Result<(), Invalid> {
    let engines = jobs.iter().filter_map(JobSpec::transactions);
    let nodes = engines.flat_map(|it| it.group.iter().flat_map(GroupSpec::hosts).chain([it.host]));
    let nodes: Vec<usize> = nodes.collect();
    for (host, path) in &events.slowed {
        let name = &storage.hosts[*host].name;
        let links = taken.iter().map(|&link| &storage.links[link]);
        let links = links.filter(|link| link.ends.contains(host));
        let mut costs = links.map(|link| link.processor).peekable();
        if nodes.contains(host) {
            continue;
        }
        if costs.peek().is_none() {
            let message = format!(
                "`{name}` has nothing to do that is slow then; expected a host of an `oltp` job, \
                 or one that a link of a mirror or a cluster ends at"
            );
            return Err(Invalid::new(path, message));
        }
        if costs.all(|cost| cost == ProcessorCost::default()) {
            events.notices.push(format!(
                "{path}: packets cost `{name}` no time at any speed, as its links have no `cpu`"
            ));
        }
    }
    Ok(())
}

/// The links of a group by number, each with the key that asks for it.
fn links(storage: &StorageSpec, group: &GroupSpec) -> Vec<(usize, String)> {
    let node = |node: &GroupNode| {
        let host = &storage.hosts[node.host].name;
        (node.link_end.0, format!("nodes.{host}"))
    };
    let asks = match group.shipping {
        Some(_) => "failover",
        None => "nodes",
    };
    let between = group.between.iter();
    let between = between.map(|wire| (wire.number, asks.to_owned()));
    group.nodes.iter().map(node).chain(between).collect()
}
