//! Hosts that share disks.

use blockyard_model::cluster::{Step, StepTimes};
use blockyard_model::spec::Layout;
use blockyard_model::units::{Nanos, SECOND};
use blockyard_text::hint;
use indexmap::IndexMap;

use super::{Builder, HostNames};
use crate::check::names;
use crate::resolve::{Invalid, Zones};
use crate::schema::{self, Device};
use crate::units::Duration;

/// A cluster of a scenario.
#[derive(Clone, Debug)]
pub(in crate::resolve) struct Cluster {
    pub(in crate::resolve) name: String,
    /// Its hosts, by their indices.
    pub(in crate::resolve) nodes: Vec<usize>,
    /// The names of its devices.
    pub(in crate::resolve) disks: Vec<String>,
    multi_attach: bool,
    /// How long its steps take.
    pub(in crate::resolve) times: StepTimes,
    /// The steps whose times are assumed.
    pub(in crate::resolve) assumed: Vec<Step>,
}

/// LLT's `peerinact`, 1600 hundredths of a second in InfoScale 7; `docs/model.md` has the source.
const PEERINACT: Nanos = 16 * SECOND;

/// The clusters of a scenario.
///
/// # Errors
/// Nodes or disks that cannot be.
pub(super) fn resolve(
    clusters: &IndexMap<String, schema::Cluster>,
    storage: &IndexMap<String, Device>,
    hosts: &HostNames,
    zones: &Zones,
) -> Result<Vec<Cluster>, Invalid> {
    let mut found: Vec<Cluster> = Vec::with_capacity(clusters.len());
    if !clusters.is_empty() {
        names("clusters", "cluster", clusters.keys())?;
    }
    for (name, cluster) in clusters {
        let path = format!("clusters.{name}");
        let nodes = nodes(&path, cluster, hosts, zones)?;
        let invalid = |place: usize, message: String| {
            Err(Invalid::new(format!("{path}.disks.{place}"), message))
        };
        if cluster.disks.is_empty() {
            let message = "the list is empty; expected at least one of `storage`";
            return Err(Invalid::new(format!("{path}.disks"), message));
        }
        for (place, disk) in cluster.disks.iter().enumerate() {
            match storage.get(disk) {
                None => {
                    let hint = hint(disk, storage.keys().map(String::as_str));
                    return invalid(place, format!("no device is called `{disk}`{hint}"));
                }
                Some(Device::Mirror(_)) => {
                    let message = "is a mirror, which needs no shared disk; expected a volume, a \
                                   stripe or a linear device";
                    return invalid(place, format!("`{disk}` {message}"));
                }
                Some(_) => {}
            }
            let other = found.iter().find(|other| other.disks.contains(disk));
            if let Some(other) = other {
                let other = &other.name;
                return invalid(place, format!("`{disk}` is shared by `{other}` already"));
            }
            if cluster.disks[..place].contains(disk) {
                return invalid(place, format!("`{disk}` twice"));
            }
        }
        let (times, assumed) = times(cluster);
        found.push(Cluster {
            name: name.clone(),
            nodes,
            disks: cluster.disks.clone(),
            multi_attach: cluster.multi_attach,
            times,
            assumed,
        });
    }
    Ok(found)
}

fn nodes(
    path: &str,
    cluster: &schema::Cluster,
    hosts: &HostNames,
    zones: &Zones,
) -> Result<Vec<usize>, Invalid> {
    if cluster.nodes.len() < 2 {
        let message = format!("{} nodes; expected at least two", cluster.nodes.len());
        return Err(Invalid::new(format!("{path}.nodes"), message));
    }
    let mut nodes: Vec<usize> = Vec::with_capacity(cluster.nodes.len());
    for (place, name) in cluster.nodes.iter().enumerate() {
        let path = format!("{path}.nodes.{place}");
        let node = hosts.find(&path, name)?;
        if nodes.contains(&node) {
            return Err(Invalid::new(
                path,
                format!("`{name}` twice; expected each host once"),
            ));
        }
        for (other, &known) in cluster.nodes.iter().zip(&nodes) {
            let both = [known, node].map(|host| zones.of_hosts[host]);
            if let [Some(first), Some(second)] = both
                && first != second
            {
                let [first, second] = [first, second].map(|zone| &zones.names[zone]);
                let message = format!(
                    "`{name}` is in {second} and `{other}` in {first}; an EBS volume can be \
                     attached in its own zone only; expected nodes in one zone, or a mirror"
                );
                return Err(Invalid::new(path, message));
            }
        }
        nodes.push(node);
    }
    Ok(nodes)
}

/// How long the steps take, and which of that is assumed.
fn times(of: &schema::Cluster) -> (StepTimes, Vec<Step>) {
    let mut assumed = Vec::new();
    let mut time = |step: Step, stated: Option<Duration>, usual: u64| {
        if stated.is_none() {
            assumed.push(step);
        }
        stated.map_or(usual * SECOND, Duration::nanos)
    };
    let mut times = StepTimes {
        detection: of.detection.map_or(PEERINACT, Duration::nanos),
        fencing: time(Step::Fencing, of.fencing, 5),
        stop: time(Step::Stop, of.stop, 5),
        detach: time(Step::Detach, of.detach, 10),
        attach: time(Step::Attach, of.attach, 5),
        import: time(Step::Import, of.import, 5),
        recovery: time(Step::Recovery, of.recovery, 10),
        start: time(Step::Start, of.start, 5),
    };
    if of.multi_attach {
        (times.detach, times.attach) = (0, 0);
    }
    (times, assumed)
}

impl Cluster {
    /// Checks what a scenario states beside `multi_attach`.
    fn check_times(path: &str, of: &schema::Cluster) -> Result<(), Invalid> {
        let stated = [("detach", of.detach), ("attach", of.attach)];
        match stated.into_iter().find(|(_, time)| time.is_some()) {
            Some((key, Some(time))) if of.multi_attach => Err(Invalid::new(
                format!("{path}.{key}"),
                format!("`{time}` beside `multi_attach`, with which nothing is detached"),
            )),
            _ => Ok(()),
        }
    }
}

impl Builder<'_> {
    /// Takes the clusters of a scenario.
    pub(super) fn take_clusters(
        &mut self,
        scenario: &schema::Scenario,
        hosts: &HostNames,
        zones: &Zones,
    ) -> Result<(), Invalid> {
        for (name, cluster) in &scenario.clusters {
            Cluster::check_times(&format!("clusters.{name}"), cluster)?;
        }
        self.clusters = resolve(&scenario.clusters, &scenario.storage, hosts, zones)?;
        Ok(())
    }

    /// What is built next is the device `name` at `path`, attached to its host, or to the first
    /// node of its cluster.
    pub(super) fn place(
        &mut self,
        name: &str,
        path: &str,
        device: &Device,
        hosts: &HostNames,
    ) -> Result<(), Invalid> {
        let stated = hosts.stated(path, device)?;
        let clusters = self.clusters.iter();
        let cluster = clusters
            .clone()
            .find(|it| it.disks.iter().any(|disk| disk == name));
        self.standby.clear();
        let Some(cluster) = cluster else {
            self.host = stated.unwrap_or(0);
            return Ok(());
        };
        self.host = cluster.nodes[0];
        self.standby.extend(&cluster.nodes[1..]);
        match stated.filter(|&host| host != self.host) {
            None => Ok(()),
            Some(host) => {
                let (given, cluster) = (&self.hosts[host].spec.name, &cluster.name);
                let first = &self.hosts[self.host].spec.name;
                Err(Invalid::new(
                    format!("{path}.host"),
                    format!(
                        "`{given}`, but `{cluster}` shares the device; expected none, as it is \
                         attached to the active node, first `{first}`"
                    ),
                ))
            }
        }
    }

    /// Checks that all nodes can have the device of a cluster that was built last.
    pub(in crate::resolve) fn check_shared(
        &self,
        path: &str,
        layout: &Layout,
    ) -> Result<(), Invalid> {
        let mut volumes = Vec::new();
        layout.volumes(&mut |volume| volumes.push(volume));
        for volume in volumes {
            let spec = &self.volumes[volume];
            let Some(cluster) = self.cluster_of(volume).filter(|_| !spec.standby.is_empty()) else {
                continue;
            };
            let (asked, _) = &self.asked[volume];
            if !spec.behind_host {
                let message = format!("`{}` is a disk of its host; it cannot be shared", spec.name);
                return Err(Invalid::new(path, message));
            }
            for &node in &cluster.nodes {
                let instance = self.hosts[node].instance;
                if cluster.multi_attach {
                    self.catalog
                        .multi_attach(&asked.volume_type, instance)
                        .map_err(|no| {
                            let path = format!("clusters.{}.multi_attach", cluster.name);
                            Invalid::new(path, no)
                        })?;
                }
                let there = self.terms(&spec.name, path, asked, node)?;
                if there.limits != spec.limits {
                    let [here, other] =
                        [cluster.nodes[0], node].map(|it| &self.hosts[it].spec.name);
                    let message = format!(
                        "`{}` would have other limits on `{other}` than on `{here}`; expected \
                         instances on which they are equal",
                        spec.name
                    );
                    return Err(Invalid::new(path, message));
                }
            }
        }
        Ok(())
    }

    /// The cluster whose disk a volume is of.
    fn cluster_of(&self, volume: usize) -> Option<&Cluster> {
        let name = &self.volumes[volume].name;
        let device = name
            .split_once('.')
            .map_or(name.as_str(), |(device, _)| device);
        let mut clusters = self.clusters.iter();
        clusters.find(|it| it.disks.iter().any(|disk| disk == device))
    }
}
