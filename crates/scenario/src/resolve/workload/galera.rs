//! The nodes of a cluster: their hosts, links and files, and flow control's limits.

use blockyard_model::fault::Schedule;
use blockyard_model::spec::{Layout, LinkSpec, StorageSpec};
use blockyard_model::units::Bytes;
use blockyard_model::workload::spec::{GroupNode, GroupSpec, JobSpec, OltpSpec, Region};
use blockyard_text::hint;
use indexmap::IndexMap;

use super::files::Files;
use super::hosts::host_of;
use super::oltp::{Around, check_memory};
use super::ranwrite::LOG_BLOCK;
use crate::resolve::Invalid;
use crate::schema::{EngineNode, Galera, Oltp};
use crate::units::Size;

/// Most nodes beside the first: gcomm takes more, nobody runs them.
const MOST_NODES: usize = 15;

/// Most threads that apply write sets (`wsrep_slave_threads` takes up to 512).
const MOST_APPLIERS: u32 = 512;

/// What the nodes of a cluster, or standbys, are resolved with.
pub(super) struct Cluster<'a> {
    /// The path of the key that has them.
    pub(super) path: String,
    pub(super) job: &'a Oltp,
    pub(super) engine: &'a OltpSpec,
    /// The host of the first node.
    pub(super) own: usize,
    pub(super) around: Around<'a>,
}

/// The group of the job at `path`, resolved as `engine` on host `own`.
///
/// # Errors
/// A node on a host that is not known, or is another's; devices of another host; no link, or one
/// that is not the cluster's alone; a pool that a node's memory does not hold; figures out of
/// range.
pub(super) fn resolve(
    path: &str,
    (job, engine): (&Oltp, &OltpSpec),
    own: usize,
    around: Around<'_>,
    files: &mut Files<'_>,
) -> Result<Option<GroupSpec>, Invalid> {
    let Some(galera) = &job.galera else {
        return Ok(None);
    };
    let cluster = Cluster {
        path: format!("{path}.galera"),
        job,
        engine,
        own,
        around,
    };
    cluster.check_appliers(galera)?;
    let nodes = cluster.nodes(&galera.nodes, files)?;
    // As Galera has it (gcs/src/gcs.cpp, `_set_fc_limits`).
    let scale = match galera.fc_master_slave {
        true => 1.0,
        false => (1.0 + nodes.len() as f64).sqrt(),
    };
    let upper = (f64::from(galera.fc_limit.get()) * scale + 0.5) as u64;
    let factor = galera.fc_factor.permille() as f64 / 1000.0;
    Ok(Some(GroupSpec {
        nodes,
        appliers: galera.appliers.get(),
        upper,
        lower: (upper as f64 * factor + 0.5) as u64,
        shipping: None,
    }))
}

impl Cluster<'_> {
    pub(super) fn invalid(&self, key: &str, message: impl Into<String>) -> Invalid {
        Invalid::new(format!("{}.{key}", self.path), message.into())
    }

    fn check_appliers(&self, galera: &Galera) -> Result<(), Invalid> {
        if galera.appliers.get() > MOST_APPLIERS {
            let count = galera.appliers;
            let message = format!("`{count}` are too many; expected at most {MOST_APPLIERS}");
            return Err(self.invalid("appliers", message));
        }
        Ok(())
    }

    /// The nodes beside that of the job, as stated.
    pub(super) fn nodes(
        &self,
        nodes: &IndexMap<String, EngineNode>,
        files: &mut Files<'_>,
    ) -> Result<Vec<GroupNode>, Invalid> {
        if nodes.is_empty() {
            let message = "no other node; expected at least one, as `b: {on: data_b}`";
            return Err(self.invalid("nodes", message));
        }
        if nodes.len() > MOST_NODES {
            let count = nodes.len();
            let message = format!("{count} nodes; expected at most {MOST_NODES}");
            return Err(self.invalid("nodes", message));
        }
        if !self.job.replicas.is_empty()
            && let Some((job, key)) = self.path.rsplit_once('.')
        {
            let message = format!("`{key}` says what replicates; expected one of the two");
            return Err(Invalid::new(format!("{job}.replicas"), message));
        }
        let nodes = nodes.iter();
        let nodes = nodes.map(|(host, node)| self.node(host, node, files));
        nodes.collect()
    }

    fn node(
        &self,
        name: &str,
        node: &EngineNode,
        files: &mut Files<'_>,
    ) -> Result<GroupNode, Invalid> {
        let place = format!("nodes.{name}");
        let hosts = &self.around.scenario.hosts;
        let Some(host) = hosts.get_index_of(name) else {
            let known = hint(name, hosts.keys().map(String::as_str));
            return Err(self.invalid(&place, format!("no host is called `{name}`{known}")));
        };
        if host == self.own {
            let message = format!("`{name}` is the job's own host; expected another");
            return Err(self.invalid(&place, message));
        }
        let instance = self.around.instance(host);
        check_memory(&format!("{}.{place}", self.path), self.job, instance)?;
        let link_end = self.link(&place, host)?;
        let [data, log, area, binlog] = node.roles();
        let mut file = |(on, device): (&str, &str), size: Bytes, block: Bytes| {
            self.file((&place, on), (name, host), device, (size, block), files)
        };
        let own = self.engine;
        let optional = |of: Option<Region>| of.map(|of| of.size);
        let cores = instance.and_then(|it| u32::try_from(it.vcpu()).ok());
        Ok(GroupNode {
            host,
            data: file(data, own.data.size, own.page)?,
            log: file(log, own.log.region.size, LOG_BLOCK)?,
            binlog: optional(own.binlog)
                .map(|size| file(binlog, size, LOG_BLOCK))
                .transpose()?,
            doublewrite: optional(own.doublewrite)
                .map(|size| file(area, size, LOG_BLOCK))
                .transpose()?,
            cores: node.cores.map(Into::into).or(cores).unwrap_or(own.cores),
            link: self.storage().links[link_end.0].clone(),
            link_end,
        })
    }

    fn storage(&self) -> &StorageSpec {
        self.around.storage
    }

    /// Places a file of the node on `host`, which is called `name`.
    fn file(
        &self,
        (place, on): (&str, &str),
        (name, host): (&str, usize),
        device: &str,
        (size, block): (Bytes, Bytes),
        files: &mut Files<'_>,
    ) -> Result<Region, Invalid> {
        let path = format!("{}.{place}", self.path);
        let region = files.place(&path, on, device, on, Size::new(size), block)?;
        let there = host_of(self.storage(), region.device);
        if there != host {
            let there = &self.storage().hosts[there].name;
            let message =
                format!("`{device}` is attached to `{there}`; expected a device of `{name}`");
            return Err(self.invalid(&format!("{place}.{on}"), message));
        }
        Ok(region)
    }

    /// The link to the node on `host`, and the end of it at which the job is.
    fn link(&self, place: &str, host: usize) -> Result<(usize, usize), Invalid> {
        let storage = self.storage();
        let called = |host: usize| storage.hosts[host].name.as_str();
        let mut links = storage.links.iter().enumerate();
        let between = |link: &LinkSpec| {
            let ends = link.ends;
            (ends == [self.own, host] || ends == [host, self.own])
                .then(|| usize::from(ends[1] == self.own))
        };
        let found = links.find_map(|(number, link)| Some((number, between(link)?)));
        let Some((number, end)) = found else {
            let (here, there) = (called(self.own), called(host));
            let message =
                format!("no link is between `{here}` and `{there}`; expected one of `links`");
            return Err(self.invalid(place, message));
        };
        Ok((number, end))
    }
}

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

#[cfg(test)]
mod tests;
