//! What links carry: those of clusters are theirs alone, and not every event makes a difference.

use blockyard_model::fault::{Does, Schedule};
use blockyard_model::spec::{Layout, StorageSpec};
use blockyard_model::workload::spec::{GroupNode, GroupSpec, JobSpec};

use crate::resolve::Invalid;
use crate::resolve::events::Events;

/// Checks that the links of clusters carry nothing else, and that no event cuts one while another
/// way round it stays: a Galera node relays write sets then, which is not modelled. Nor does an
/// event degrade a link that carries nothing, or what an arbiter is asked, which takes no time.
///
/// # Errors
/// A link that a mirror or another cluster has, that an event cuts alone or degrades in vain.
pub(in crate::resolve) fn check_links(
    storage: &StorageSpec,
    jobs: &[JobSpec],
    events: &Events,
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
        if let Some(group) = group.filter(|_| !is_shipped)
            && let Some((cut, round)) = relayed(group, &events.schedule)
        {
            let [cut, round] = [cut, round].map(|link| &storage.links[link].name);
            let message = format!(
                "an event has the link `{cut}` go down and not `{round}`, over which Galera would \
                 relay write sets, which is not modelled; expected both"
            );
            let path = format!("workload.{}.galera", job.name());
            return Err(Invalid::new(path, message));
        }
    }
    events.degraded.iter().try_for_each(|(link, path)| {
        let name = &storage.links[*link].name;
        let message = format!("`{name}` carries no data; expected a link of a mirror or a cluster");
        let carries = taken.contains(link).then_some(());
        carries.ok_or_else(|| Invalid::new(path, message))
    })
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

/// A link of the group that is down at some time, and one of another way round it.
fn relayed(group: &GroupSpec, schedule: &Schedule) -> Option<(usize, usize)> {
    let own = (1..).zip(&group.nodes);
    let own = own.map(|(number, node)| (node.link_end.0, [0, number]));
    let between = group.between.iter().map(|wire| (wire.number, wire.nodes));
    let links: Vec<_> = own.chain(between).collect();
    let faults = schedule.faults.iter().map(|planned| &planned.fault);
    let faults = faults.filter(|fault| !matches!(fault.does, Does::Impair(_)));
    let turns = faults
        .clone()
        .flat_map(|fault| [Some(fault.from), fault.until]);
    turns.flatten().find_map(|at| {
        let on = faults.clone().filter(|fault| fault.is_on(at));
        let down: Vec<_> = on.flat_map(|fault| &fault.links).collect();
        let (cut, up): (Vec<_>, Vec<_>) = links.iter().partition(|it| down.contains(&&it.0));
        cut.iter().find_map(|&&(number, [one, other])| {
            let first = up.iter().find(|it| it.1.contains(&one))?;
            are_joined(one, other, &up).then_some((number, first.0))
        })
    })
}

/// Whether links join two nodes, perhaps by others.
fn are_joined(one: usize, other: usize, links: &[&(usize, [usize; 2])]) -> bool {
    let mut reached = vec![one];
    let mut place = 0;
    while let Some(&node) = reached.get(place) {
        for (_, ends) in links.iter().filter(|it| it.1.contains(&node)) {
            let next = ends.iter().find(|it| !reached.contains(it));
            reached.extend(next);
        }
        place += 1;
    }
    reached.contains(&other)
}
