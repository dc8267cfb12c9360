//! What an engine replicates to: the hosts, links and files of a cluster's nodes, or of standbys.

mod links;

use blockyard_model::spec::{LinkSpec, StorageSpec};
use blockyard_model::units::{Bytes, SECOND};
use blockyard_model::workload::spec::{GroupNode, GroupSpec, OltpSpec, Region, TakeOver, Wire};
use blockyard_text::hint;
use indexmap::IndexMap;

use super::files::Files;
use super::hosts::host_of;
use super::oltp::{Around, check_memory};
use super::ranwrite::LOG_BLOCK;
use super::{galera, standbys};
use crate::resolve::Invalid;
use crate::schema::{EngineNode, Oltp};
use crate::units::{Duration, Size};

pub(in crate::resolve) use self::links::lay_links;

/// Most nodes beside the first: gcomm takes more, nobody runs them.
const MOST_NODES: usize = 15;

/// What the nodes of a cluster, or standbys, are resolved with.
pub(super) struct Cluster<'a> {
    /// The path of the job, and its key that has them.
    pub(super) job_path: &'a str,
    key: &'static str,
    pub(super) job: &'a Oltp,
    pub(super) engine: &'a OltpSpec,
    /// The host of the first node.
    own: usize,
    pub(super) around: Around<'a>,
}

/// What the job at `path`, resolved as `engine` on host `own`, replicates to, if to anything.
///
/// # Errors
/// A node on a host that is not known, or is another's; devices of another host; no link; a pool
/// that a node's memory does not hold; what is wrong with a cluster or with standbys.
pub(super) fn resolve(
    path: &str,
    (job, engine): (&Oltp, &OltpSpec),
    own: usize,
    around: Around<'_>,
    files: &mut Files<'_>,
) -> Result<Option<GroupSpec>, Invalid> {
    let of = |key| Cluster {
        job_path: path,
        key,
        job,
        engine,
        own,
        around,
    };
    match (&job.standbys, &job.galera) {
        (Some(standbys), _) => standbys::resolve(&of("standbys"), standbys, files).map(Some),
        (None, Some(galera)) => galera::resolve(&of("galera"), galera, files).map(Some),
        (None, None) => Ok(None),
    }
}

impl Cluster<'_> {
    fn path(&self) -> String {
        format!("{}.{}", self.job_path, self.key)
    }

    pub(super) fn invalid(&self, key: &str, message: impl Into<String>) -> Invalid {
        Invalid::new(format!("{}.{key}", self.path()), message.into())
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
        if !self.job.replicas.is_empty() {
            let message = format!(
                "`{}` says what replicates; expected one of the two",
                self.key
            );
            return Err(Invalid::new(format!("{}.replicas", self.job_path), message));
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
        check_memory(&format!("{}.{place}", self.path()), self.job, instance)?;
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
            relay_log: None,
            cores: node.cores.map(Into::into).or(cores).unwrap_or(own.cores),
            link: self.storage().links[link_end.0].clone(),
            link_end,
            weight: node.weight.unwrap_or(1).into(),
        })
    }

    fn storage(&self) -> &StorageSpec {
        self.around.storage
    }

    /// Places a further log of the node on `host`, which is called `name`.
    pub(super) fn log_file(
        &self,
        (name, host): (&str, usize),
        (on, device): (&str, &str),
        size: Bytes,
        files: &mut Files<'_>,
    ) -> Result<Region, Invalid> {
        let place = format!("nodes.{name}");
        self.file((&place, on), (name, host), device, (size, LOG_BLOCK), files)
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
        let path = format!("{}.{place}", self.path());
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
        self.link_between(place, self.own, host)
    }

    /// The link between two hosts, and the end of it at which the first is.
    fn link_between(
        &self,
        place: &str,
        one: usize,
        other: usize,
    ) -> Result<(usize, usize), Invalid> {
        let storage = self.storage();
        let called = |host: usize| storage.hosts[host].name.as_str();
        let mut links = storage.links.iter().enumerate();
        let between = |link: &LinkSpec| {
            let ends = link.ends;
            (ends == [one, other] || ends == [other, one]).then(|| usize::from(ends[1] == one))
        };
        let found = links.find_map(|(number, link)| Some((number, between(link)?)));
        let Some((number, end)) = found else {
            let (here, there) = (called(one), called(other));
            let message =
                format!("no link is between `{here}` and `{there}`; expected one of `links`");
            return Err(self.invalid(place, message));
        };
        Ok((number, end))
    }

    /// How another node takes the load over, if that is stated.
    ///
    /// # Errors
    /// A time out of range.
    pub(super) fn take_over(
        &self,
        failover: Option<Duration>,
    ) -> Result<Option<TakeOver>, Invalid> {
        let Some(after) = failover else {
            return Ok(None);
        };
        if !(SECOND / 10..=3600 * SECOND).contains(&after.nanos()) {
            let message = format!("`{after}`; expected 100ms to 1h");
            return Err(self.invalid("failover", message));
        }
        let after = after.nanos();
        Ok(Some(TakeOver { after }))
    }

    /// The links between the other `nodes`, which the key `place` asks for.
    ///
    /// # Errors
    /// Two nodes without a link.
    pub(super) fn wires(&self, place: &str, nodes: &[GroupNode]) -> Result<Vec<Wire>, Invalid> {
        let numbered = || (1..).zip(nodes);
        let pairs = numbered().flat_map(|one| {
            let later = numbered().skip(one.0);
            later.map(move |other| (one, other))
        });
        let wire = |((one, here), (other, there)): ((usize, &GroupNode), (usize, &GroupNode))| {
            let (number, end) = self.link_between(place, here.host, there.host)?;
            Ok(Wire {
                link: self.storage().links[number].clone(),
                number,
                nodes: if end == 0 { [one, other] } else { [other, one] },
            })
        };
        pairs.map(wire).collect()
    }
}

#[cfg(test)]
pub(super) mod tests;
