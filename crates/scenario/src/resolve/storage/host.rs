//! Hosts, and the limits of an instance on all its volumes together.

use blockyard_catalog::{Catalog, Factor, HostLimits, Instance, Source};
use blockyard_model::spec::{Applies, Discipline, HostSpec, LimitSpec, Unit};

use super::discipline;
use super::limit::{Owner, ResolvedLimit};
use super::rests_on::assumed_of;
use crate::resolve::Invalid;
use crate::schema::{self, Scenario};
use crate::units::{Bandwidth, Date, Percent};

/// How full a host's short buckets are at the start: it has rested.
const FULL: Percent = Percent::new(1000);

/// A host of a scenario.
pub(super) struct Host<'a> {
    /// Its instance; none where that is not stated.
    pub(super) instance: Option<&'a Instance>,
    /// The host for the model.
    pub(super) spec: HostSpec,
    /// What is assumed of its limits, each thing once.
    pub(super) assumed: Vec<String>,
    /// How many of its own disks are in use.
    pub(super) local_disks: u64,
}

/// The scenario's hosts, at least one, and their limits for results. Without `host` and
/// `hosts` there are none; for an instance without published figures there are no limits, and
/// one entry for results that says so.
pub(super) fn resolve<'a>(
    scenario: &Scenario,
    catalog: &'a Catalog,
) -> Result<(Vec<Host<'a>>, Vec<ResolvedLimit>), Invalid> {
    let mut limits = Vec::new();
    let mut hosts = Vec::with_capacity(scenario.hosts.len().max(1));
    for (name, host) in &scenario.hosts {
        let path = format!("hosts.{name}");
        hosts.push(one(
            catalog,
            scenario.as_of,
            (name, &path),
            host,
            &mut limits,
        )?);
    }
    let unnamed = HostSpec::unnamed();
    if let Some(host) = &scenario.host {
        let name = (unnamed.name.as_str(), "host");
        hosts.push(one(catalog, scenario.as_of, name, host, &mut limits)?);
    }
    if hosts.is_empty() {
        hosts.push(Host {
            instance: None,
            spec: unnamed,
            assumed: Vec::new(),
            local_disks: 0,
        });
    }
    Ok((hosts, limits))
}

/// The host at `path` that results call `name`; adds its limits for results to `found`.
fn one<'a>(
    catalog: &'a Catalog,
    day: Option<Date>,
    (name, path): (&str, &str),
    host: &schema::Host,
    found: &mut Vec<ResolvedLimit>,
) -> Result<Host<'a>, Invalid> {
    let instance = catalog
        .instance(&host.instance)
        .map_err(|unknown| Invalid::new(format!("{path}.instance"), unknown))?;
    let published = catalog.host_limits(instance, day);
    let stated = host.network.map(Bandwidth::bits_per_s);
    let network = stated.unwrap_or(instance.network().peak_mbps * 1_000_000);
    let mut spec = HostSpec {
        name: name.to_owned(),
        limits: Vec::new(),
        discipline: host.discipline.map_or(Discipline::Fifo, discipline),
        latency_permille: host.latency_factor.map(Factor::permille),
        network: Some(network.max(1)),
    };
    let assumed = match (&published.limits, stated) {
        (None, Some(network)) => {
            let (limit, resolved) = shared_network(name, network);
            let assumed = vec![resolved.note.clone()];
            spec.limits.push(limit);
            found.push(resolved);
            assumed
        }
        (None, None) => {
            let limit = unpublished(name, &published);
            let assumed = vec![limit.note.clone()];
            found.push(limit);
            assumed
        }
        (Some(limits), _) => {
            let owner = Owner {
                name,
                source: published.source,
                stated_in: published.stated_in,
            };
            for limit in limits {
                let full = if limit.credits {
                    host.burst_balance
                } else {
                    FULL
                };
                let (limit, resolved) = owner.resolve(limit, full);
                spec.limits.push(limit);
                found.push(resolved);
            }
            assumed_of(limits, &[])
        }
    };
    Ok(Host {
        instance: Some(instance),
        spec,
        assumed,
        local_disks: 0,
    })
}

/// The network of an instance that is not EBS-optimised. That storage and links have one budget,
/// and that it holds as long at once as other limits of hosts, is inferred.
fn shared_network(owner: &str, bits_per_s: u64) -> (LimitSpec, ResolvedLimit) {
    let rate = (bits_per_s / 8).max(1);
    let limit = LimitSpec {
        name: HostSpec::NETWORK.to_owned(),
        unit: Unit::Byte,
        applies: Applies::Both,
        rate,
        depth: rate,
        level: rate,
        credits: false,
        top_up: None,
    };
    let resolved = ResolvedLimit {
        owner: owner.to_owned(),
        limit: limit.name.clone(),
        value: Some(rate as f64 / 1e6),
        unit: "MB/s".to_owned(),
        depth: Some(rate as f64 / 1e6),
        source: "the scenario".to_owned(),
        assumed: true,
        note: "the instance is not EBS-optimised: that its volumes share its network with its \
               links, reads and writes together, is inferred"
            .to_owned(),
    };
    (limit, resolved)
}

fn unpublished(owner: &str, found: &HostLimits<'_>) -> ResolvedLimit {
    ResolvedLimit {
        owner: owner.to_owned(),
        limit: "iops and throughput".to_owned(),
        value: None,
        unit: String::new(),
        depth: None,
        source: found.source.map_or_else(String::new, Source::to_string),
        assumed: true,
        note: format!(
            "no published limit for {}; none is applied",
            found.instance.name()
        ),
    }
}
