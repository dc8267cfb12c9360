//! What links carry: those of clusters are theirs alone, and not every event makes a difference.

use std::mem::replace;

use blockyard_model::spec::{Layout, LinkSpec, ProcessorCost, StorageSpec};
use blockyard_model::workload::spec::{GroupNode, GroupSpec, JobSpec, Wire};

use crate::resolve::Invalid;
use crate::resolve::events::Events;

/// Gives each cluster links that carry nothing else, and checks that no event degrades a link that
/// carries nothing, or what an arbiter is asked, which takes no time, or a host that neither runs
/// an engine nor handles packets.
///
/// # Errors
/// Two hosts between which a mirror or another cluster has all links; a link or host that an event
/// degrades in vain.
pub(in crate::resolve) fn lay_links(
    storage: &StorageSpec,
    jobs: &mut [JobSpec],
    events: &mut Events,
) -> Result<(), Invalid> {
    let mut carrying = links_of_mirrors(storage, jobs);
    let arbiters = jobs.iter().filter_map(JobSpec::journal_mirror);
    let arbiters = arbiters.flat_map(|(_, mirror)| mirror.arbiter.into_iter().flatten());
    let arbiters: Vec<usize> = arbiters.collect();
    for job in jobs.iter_mut() {
        let JobSpec::Oltp(engine) = job else { continue };
        let Some(group) = &mut engine.group else {
            continue;
        };
        let path = format!("workload.{}", engine.name);
        lay(storage, (&path, group), |link| {
            let is_free = |link: &usize| !carrying.contains(link) && !arbiters.contains(link);
            let found = beside(storage, link).find(is_free)?;
            carrying.push(found);
            Some(found)
        })?;
    }
    check_slowed(storage, jobs, &carrying, events)?;
    events.degraded.iter().try_for_each(|(link, path)| {
        let name = &storage.links[*link].name;
        let message = format!("`{name}` carries no data; expected a link of a mirror or a cluster");
        let carries = carrying.contains(link).then_some(());
        carries.ok_or_else(|| Invalid::new(path, message))
    })
}

/// Gives the nodes of a group the links that `free` finds beside those that they have.
fn lay(
    storage: &StorageSpec,
    (path, group): (&str, &mut GroupSpec),
    mut free: impl FnMut(usize) -> Option<usize>,
) -> Result<(), Invalid> {
    let (key, asks) = match group.shipping {
        Some(_) => ("standbys", "failover"),
        None => ("galera", "nodes"),
    };
    let mut free = |place: &str, link: usize| {
        let found = free(link).ok_or_else(|| {
            let taken = &storage.links[link];
            let [one, other] = taken.ends.map(|end| &storage.hosts[end].name);
            let message = format!(
                "`{}` carries a mirror or another cluster; expected one more of `links` between \
                 `{one}` and `{other}`",
                taken.name
            );
            Invalid::new(format!("{path}.{key}.{place}"), message)
        })?;
        Ok((found, storage.links[found].clone()))
    };
    for node in &mut group.nodes {
        let place = format!("nodes.{}", storage.hosts[node.host].name);
        let (number, link) = free(&place, node.link_end.0)?;
        take_link(node, number, link);
    }
    for wire in &mut group.between {
        let (number, link) = free(asks, wire.number)?;
        take_wire(wire, number, link);
    }
    Ok(())
}

/// Checks that each host that an event slows down runs an engine or handles packets of the links
/// that carry data; notes those whose packets cost nothing at any speed.
fn check_slowed(
    storage: &StorageSpec,
    jobs: &[JobSpec],
    carrying: &[usize],
    events: &mut Events,
) -> Result<(), Invalid> {
    let engines = jobs.iter().filter_map(JobSpec::transactions);
    let nodes = engines.flat_map(|it| it.group.iter().flat_map(GroupSpec::hosts).chain([it.host]));
    let nodes: Vec<usize> = nodes.collect();
    for (host, path) in &events.slowed {
        let name = &storage.hosts[*host].name;
        let links = carrying.iter().map(|&link| &storage.links[link]);
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

/// The links that legs of mirrors and members of journal mirrors have.
fn links_of_mirrors(storage: &StorageSpec, jobs: &[JobSpec]) -> Vec<usize> {
    let legs = storage
        .devices
        .iter()
        .flat_map(|device| match &device.layout {
            Layout::Mirror(mirror) => mirror.legs.iter().filter_map(|leg| leg.link).collect(),
            _ => Vec::new(),
        });
    let journals = jobs.iter().filter_map(JobSpec::journal_mirror);
    let journals = journals.flat_map(|(_, mirror)| mirror.members().map(|member| member.link.0));
    legs.map(|link| link.0).chain(journals).collect()
}

/// The links between the hosts that `link` joins, in their order.
fn beside(storage: &StorageSpec, link: usize) -> impl Iterator<Item = usize> + '_ {
    let ends = storage.links[link].ends;
    let joins = move |it: &LinkSpec| it.ends == ends || it.ends == [ends[1], ends[0]];
    let links = storage.links.iter().enumerate();
    links.filter_map(move |(number, it)| joins(it).then_some(number))
}

/// A node reaches the first one by this link, whichever end of it has which host.
fn take_link(node: &mut GroupNode, number: usize, link: LinkSpec) {
    let is_turned = link.ends != node.link.ends;
    node.link_end = (number, node.link_end.1 ^ usize::from(is_turned));
    node.link = link;
}

/// Two nodes reach each other by this link, whichever end of it has which of them.
fn take_wire(wire: &mut Wire, number: usize, link: LinkSpec) {
    wire.number = number;
    if replace(&mut wire.link, link).ends != wire.link.ends {
        wire.nodes.reverse();
    }
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used, reason = "a test fails by panicking")]

    use blockyard_model::workload::spec::{GroupSpec, JobSpec};

    use super::super::tests::on_three_hosts;
    use crate::load;

    const OWN: &str = "\
links:
  ab-2: {between: [a, b], bandwidth: 2Gbit/s}
  ca-2: {between: [c, a], bandwidth: 2Gbit/s}
  cb-2: {between: [c, b], bandwidth: 2Gbit/s, round_trip: 1ms}
";

    /// Two clusters of the same three hosts, with further `links`.
    fn two(links: &str) -> Result<Vec<GroupSpec>, String> {
        let one = on_three_hosts("innodb", "galera");
        let (start, job) = one.split_once("workload:\n").unwrap();
        let text = start.replace("links:\n", links);
        let text = format!("{text}workload:\n{job}{}", job.replace("shop", "more"));
        let loaded = load(&text, "c.yaml", &[]).map_err(|error| error.to_string())?;
        let resolved = loaded.resolve().map_err(|error| error.to_string())?;
        let jobs = resolved.jobs.iter().filter_map(JobSpec::transactions);
        Ok(jobs.filter_map(|job| job.group.clone()).collect())
    }

    #[test]
    fn clusters_of_the_same_hosts_have_links_of_their_own() {
        let groups = two(OWN).unwrap();
        let links = groups.iter().map(|group| {
            let nodes = group.nodes.iter();
            let to = nodes.map(|it| (it.link.name.as_str(), it.link_end, it.link.ends));
            let wire = &group.between[0];
            (
                to.collect(),
                (wire.link.name.as_str(), wire.number, wire.nodes),
            )
        });
        let links: Vec<(Vec<_>, _)> = links.collect();
        // Hosts a, b, c are 0, 1, 2; the job, at the end that is stated, is on a.
        assert_eq!(
            links,
            [
                (
                    vec![("ab-2", (0, 0), [0, 1]), ("ca-2", (1, 1), [2, 0])],
                    ("cb-2", 2, [2, 1])
                ),
                (
                    vec![("ba", (3, 1), [1, 0]), ("ac", (4, 0), [0, 2])],
                    ("bc", 5, [1, 2])
                ),
            ]
        );
    }

    #[test]
    fn a_link_that_is_missing_is_named_by_its_hosts() {
        let said = two("links:\n").unwrap_err();
        let expected = "workload.more.galera.nodes.b: `ba` carries a mirror or another cluster; \
                        expected one more of `links` between `b` and `a`";
        assert!(said.contains(expected), "{said}");
    }
}
