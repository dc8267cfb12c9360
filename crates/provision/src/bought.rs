//! What is bought for one host or for all, which instances that needs, and what must be said of it.

use indexmap::{IndexMap, IndexSet};
use schemars::JsonSchema;
use serde::Serialize;

use crate::Asked;
use crate::layout::{Host, Layout};
use crate::order::{Order, orders};
use crate::refused::Refused;
use crate::region::region_of;
use crate::watch::Watch;

/// What is bought of a layout, and how it is watched.
#[derive(Debug, Serialize, JsonSchema)]
pub struct Bought {
    /// The volumes.
    orders: Vec<Order>,
    /// The names of the hosts that need to be known to attach these or to place them.
    hosts: Vec<String>,
    /// Of which devices something is not bought or not attached, and why.
    remarks: Vec<String>,
    /// What is watched.
    watch: Watch,
}

/// What is bought for what is `asked`.
///
/// # Errors
/// Nothing to buy, a volume that is not sold, more of them than a host takes, hosts in several
/// regions. With an instance there may be only its own disks, and its type must be known.
pub fn bought(layout: &Layout, asked: Asked<'_>) -> Result<Bought, Refused> {
    let (orders, hosts) = ordered(layout, asked)?;
    Ok(Bought {
        orders,
        hosts: hosts.iter().map(|host| host.name.clone()).collect(),
        remarks: remarks(layout),
        watch: Watch::of(layout),
    })
}

/// The volumes, and the hosts that need to be known for them.
pub(crate) fn ordered<'a>(
    layout: &'a Layout,
    asked: Asked<'_>,
) -> Result<(Vec<Order>, Vec<&'a Host>), Refused> {
    let mut found = orders(layout)?;
    found.retain(|order| asked.host.is_none_or(|host| host == order.host));
    if let Some(order) = found.iter().find(|order| !order.sold) {
        let why = format!(
            "`{}` is only for tests; expected a volume type that is sold",
            order.volume_type
        );
        return Err(Refused::new(format!("storage.{}", order.device), why));
    }
    let hosts = hosts_of(layout, &found, asked);
    if found.is_empty() && (hosts.is_empty() || !asked.with_instance) {
        let on = asked.host.map(|host| format!(" for {host}"));
        let on = on.unwrap_or_default();
        let why = format!("nothing to buy{on}: there are only disks of the instance");
        return Err(Refused::new("storage", why));
    }
    for host in &hosts {
        check(host, &found, asked)?;
    }
    check_region(&hosts)?;
    Ok((found, hosts))
}

/// The hosts of volumes, and of instances that are made for their own disks.
fn hosts_of<'a>(layout: &'a Layout, found: &[Order], asked: Asked<'_>) -> Vec<&'a Host> {
    let is_made = |name: &str| asked.with_instance && asked.host.is_none_or(|host| host == name);
    let disks = layout.volumes.iter().filter(|volume| volume.local);
    let has_disk = |name: &str| disks.clone().any(|disk| disk.host == name);
    let is_used = |host: &&Host| {
        let name = host.name.as_str();
        let has = |order: &Order| order.host == name || order.attached.contains_key(name);
        found.iter().any(has) || (is_made(name) && has_disk(name))
    };
    layout.hosts.iter().filter(is_used).collect()
}

/// Whether a host takes its volumes, and is known well enough to be made.
fn check(host: &Host, found: &[Order], asked: Asked<'_>) -> Result<(), Refused> {
    let Some(instance) = &host.instance else {
        let why = "which instance is made? Expected `host: {instance: TYPE}`, such as r6i.4xlarge";
        return match asked.with_instance {
            true => Err(Refused::new("host", why)),
            false => Ok(()),
        };
    };
    let attached = found
        .iter()
        .filter(|order| order.attached.contains_key(&host.name));
    let count = attached.count();
    match host.attachments {
        Some(most) if count as u64 > most => Err(Refused::new(
            "storage",
            format!(
                "{count} volumes on {}; {instance} takes {most} beside its root volume",
                host.name
            ),
        )),
        _ => Ok(()),
    }
}

/// Whether all zones that are of AWS are in one region, which a provider is for.
fn check_region(hosts: &[&Host]) -> Result<(), Refused> {
    let mut regions: IndexMap<&str, &str> = IndexMap::new();
    for host in hosts {
        if let Some(region) = host.zone.as_deref().and_then(region_of) {
            regions.entry(region).or_insert(&host.name);
        }
    }
    if regions.len() < 2 {
        return Ok(());
    }
    let places = regions
        .iter()
        .map(|(region, host)| format!("{host} in {region}"));
    let places = places.collect::<Vec<_>>().join(" and ");
    let why = format!("{places}; expected one region, or one of the hosts alone");
    Err(Refused::new("hosts", why))
}

/// Of which devices something is not bought or not attached, and why.
pub(crate) fn remarks(layout: &Layout) -> Vec<String> {
    let disks = layout.volumes.iter().filter(|volume| volume.local);
    let devices: IndexSet<_> = disks.map(|disk| &disk.device).collect();
    let disks = devices.into_iter();
    let disks = disks.map(|device| format!("{device}: disks of the instance, which come with it."));
    let clusters = layout
        .clusters
        .iter()
        .filter(|cluster| !cluster.multi_attach);
    let clusters = clusters.map(|cluster| {
        format!(
            "{}: not attached here, as the cluster {} attaches them to the node that is active.",
            cluster.disks.join(", "),
            cluster.name
        )
    });
    disks.chain(clusters).collect()
}
