//! The links of clusters, which are theirs alone.

use blockyard_model::fault::Schedule;
use blockyard_model::spec::{Layout, StorageSpec};
use blockyard_model::workload::spec::JobSpec;

use crate::resolve::Invalid;

/// Checks that the links of clusters carry nothing else, and stay up: a node that is lost is not
/// modelled.
///
/// # Errors
/// A link that a mirror or another cluster has, or that an event cuts.
pub(in crate::resolve) fn check_links(
    storage: &StorageSpec,
    jobs: &[JobSpec],
    schedule: &Schedule,
) -> Result<(), Invalid> {
    let legs = storage
        .devices
        .iter()
        .flat_map(|device| match &device.layout {
            Layout::Mirror(mirror) => mirror.legs.iter().filter_map(|leg| leg.link).collect(),
            _ => Vec::new(),
        });
    let journals = jobs.iter().filter_map(JobSpec::journal_mirror);
    let journals = journals.flat_map(|(_, mirror)| {
        let arbiter = mirror.arbiter.into_iter().flatten();
        mirror.members().map(|member| member.link.0).chain(arbiter)
    });
    let mut taken: Vec<usize> = legs.map(|link| link.0).chain(journals).collect();
    let faults = || schedule.faults.iter();
    for job in jobs {
        let group = job.transactions().and_then(|engine| engine.group.as_ref());
        let is_shipped = group.is_some_and(|group| group.shipping.is_some());
        for node in group.iter().flat_map(|group| &group.nodes) {
            let (link, host) = (node.link_end.0, &storage.hosts[node.host].name);
            let name = &node.link.name;
            let key = if is_shipped { "standbys" } else { "galera" };
            let path = format!("workload.{}.{key}.nodes.{host}", job.name());
            if taken.contains(&link) {
                let message = format!(
                    "the link `{name}` carries a mirror or another cluster, too; expected one of \
                     its own"
                );
                return Err(Invalid::new(path, message));
            }
            if faults().any(|drawn| drawn.fault.links.contains(&link)) {
                let message = format!(
                    "an event has the link `{name}` go down; expected none, as a node that is \
                     lost is not modelled"
                );
                return Err(Invalid::new(path, message));
            }
            taken.push(link);
        }
    }
    Ok(())
}
