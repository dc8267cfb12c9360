//! Which host a job runs on: the one that its devices are attached to.

use blockyard_model::spec::StorageSpec;
use blockyard_model::workload::spec::JobSpec;

use crate::resolve::{HostNames, Invalid};
use crate::schema::Scenario;

/// Checks that each job of a scenario, as resolved, runs where its devices are: no IO goes from
/// one host to another.
///
/// # Errors
/// A job on another host than a device of its, or with devices of several hosts.
pub(in crate::resolve) fn check(
    scenario: &Scenario,
    storage: &StorageSpec,
    jobs: &[JobSpec],
) -> Result<(), Invalid> {
    let cluster_of = |device: usize| {
        let name = &storage.devices[device].name;
        let mut clusters = scenario.clusters.iter();
        clusters
            .find(|(_, it)| it.disks.contains(name))
            .map(|(cluster, _)| cluster)
    };
    let names = HostNames::new(scenario.hosts.keys());
    for ((name, stated), job) in scenario.workload.iter().zip(jobs) {
        let path = format!("workload.{name}");
        // The first files are its own; those of the other nodes of its group, as many each, with
        // one more of replicas, are where these are.
        let group = job.transactions().and_then(|engine| engine.group.as_ref());
        let nodes = 1 + group.map_or(0, |group| group.nodes.len());
        let devices = || {
            let files = job.files();
            let own = files.len() / nodes;
            files.into_iter().take(own).map(|file| file.region.device)
        };
        let on = |device: usize| {
            (
                storage.devices[device].name.as_str(),
                host_of(storage, device),
            )
        };
        let called = |host: usize| &storage.hosts[host].name;
        if let Some(stated) = stated.host() {
            let path = format!("{path}.host");
            let host = names.find(&path, stated)?;
            if let Some((device, other)) = devices().map(on).find(|(_, other)| *other != host) {
                let there = called(other);
                let message = format!(
                    "`{stated}`, but its device `{device}` is attached to `{there}`; expected \
                     `{there}`, or a device of `{stated}`"
                );
                return Err(Invalid::new(path, message));
            }
        }
        let Some((first, host)) = devices().next().map(on) else {
            continue;
        };
        if let Some((device, other)) = devices().map(on).find(|(_, other)| *other != host) {
            let (here, there) = (called(host), called(other));
            let message = format!(
                "`{first}` is attached to `{here}` and `{device}` to `{there}`; expected devices \
                 of one host"
            );
            return Err(Invalid::new(format!("{path}.on"), message));
        }
        let shared = || devices().map(|device| (&storage.devices[device].name, cluster_of(device)));
        let failing = shared().find_map(|(device, cluster)| Some((device, cluster?)));
        if let Some((device, cluster)) = failing
            && let Some((other, _)) = shared().find(|(_, of)| *of != Some(cluster))
        {
            let message = format!(
                "`{device}` fails over with `{cluster}`, and `{other}` does not; expected devices \
                 of one cluster"
            );
            return Err(Invalid::new(format!("{path}.on"), message));
        }
    }
    Ok(())
}

/// The host of a device, all of whose volumes are attached to the same; that of its first leg
/// for a mirror.
pub(super) fn host_of(storage: &StorageSpec, device: usize) -> usize {
    let mut host = None;
    let layout = &storage.devices[device].layout;
    layout.volumes(&mut |volume| host = host.or(Some(storage.volumes[volume].host)));
    host.unwrap_or(0)
}
