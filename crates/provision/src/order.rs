//! What is to be bought of a layout, and to which hosts it is attached as what.

use indexmap::IndexMap;
use schemars::JsonSchema;
use serde::Serialize;

use blockyard_model::units::{GIB, MIB};

use crate::layout::{Layout, Volume};
use crate::refused::Refused;

/// A volume that is bought.
#[derive(Debug, Serialize, JsonSchema)]
pub struct Order {
    /// The volume's name.
    pub(crate) name: String,
    /// The device that it is of.
    pub(crate) device: String,
    /// Its place among the volumes of its device, from 0.
    pub(crate) index: usize,
    /// What its device is for.
    pub(crate) role: String,
    /// The host that it is of.
    pub(crate) host: String,
    /// Its type.
    #[serde(rename = "type")]
    pub(crate) volume_type: String,
    /// Its size in GiB, in which volumes are sold.
    pub(crate) gib: u64,
    /// Provisioned IOPS; none where the type provisions none.
    pub(crate) iops: Option<u64>,
    /// Provisioned throughput in MiB/s; none likewise.
    pub(crate) mib_per_s: Option<u64>,
    /// Whether several hosts have it at once.
    pub(crate) multi_attach: bool,
    /// The hosts that it is attached to, and as what; none where a cluster does that.
    pub(crate) attached: IndexMap<String, String>,
    /// Whether anyone sells it.
    #[serde(skip)]
    pub(crate) sold: bool,
}

/// The volumes of a layout that do not come with an instance.
///
/// # Errors
/// More volumes on a host than EC2 has names for.
pub(crate) fn orders(layout: &Layout) -> Result<Vec<Order>, Refused> {
    let mut on_hosts: IndexMap<&str, usize> = IndexMap::new();
    let mut of_devices: IndexMap<&str, usize> = IndexMap::new();
    let mut found = Vec::new();
    for volume in &layout.volumes {
        let index = next(&mut of_devices, &volume.device);
        if volume.local {
            continue;
        }
        let hosts = hosts_of(layout, volume);
        let named = hosts.iter().map(|host| {
            let name = device_name(next(&mut on_hosts, host))?;
            Some(((*host).to_owned(), name))
        });
        let attached: Option<_> = named.collect();
        let attached = attached.ok_or_else(|| too_many(&volume.device))?;
        found.push(order(layout, volume, index, hosts.len() > 1, attached));
    }
    Ok(found)
}

/// The names under which EC2 attaches volumes to a host, by the volume's name.
///
/// # Errors
/// More volumes on a host than EC2 has names for.
pub fn attached_as(layout: &Layout, host: &str) -> Result<Vec<(String, String)>, Refused> {
    let on_host = |mut order: Order| Some((order.name, order.attached.swap_remove(host)?));
    Ok(orders(layout)?.into_iter().filter_map(on_host).collect())
}

fn order(
    layout: &Layout,
    volume: &Volume,
    index: usize,
    multi_attach: bool,
    attached: IndexMap<String, String>,
) -> Order {
    Order {
        name: volume.name.clone(),
        device: volume.device.clone(),
        index,
        role: layout.roles(&volume.device).join("+"),
        host: volume.host.clone(),
        volume_type: volume.volume_type.clone(),
        gib: volume.size / GIB,
        iops: volume.iops,
        mib_per_s: volume.throughput.map(|rate| rate / MIB),
        multi_attach,
        attached,
        sold: volume.sold,
    }
}

/// The hosts that a volume is attached to; none where a cluster does that.
fn hosts_of<'a>(layout: &'a Layout, volume: &'a Volume) -> Vec<&'a str> {
    match layout.cluster(&volume.device) {
        None => vec![&volume.host],
        Some(cluster) if cluster.multi_attach => cluster.nodes.iter().map(String::as_str).collect(),
        Some(_) => Vec::new(),
    }
}

/// How many of `of` there were before this one.
fn next<'a>(counts: &mut IndexMap<&'a str, usize>, of: &'a str) -> usize {
    let count = counts.entry(of).or_default();
    *count += 1;
    *count - 1
}

/// How many names EC2 has.
const DEVICE_NAMES: usize = 11 + 2 * 26;

/// A name under which EC2 attaches a volume on Linux: first those that it recommends, `/dev/sdf` to
/// `/dev/sdp`, then the others that it takes on every hypervisor ("Device names for volumes" in
/// its user guide).
fn device_name(number: usize) -> Option<String> {
    let recommended = ('f'..='p').map(|letter| format!("/dev/sd{letter}"));
    let others = ['b', 'c'].into_iter();
    let others =
        others.flat_map(|first| ('a'..='z').map(move |next| format!("/dev/xvd{first}{next}")));
    recommended.chain(others).nth(number)
}

fn too_many(device: &str) -> Refused {
    Refused::new(
        format!("storage.{device}"),
        format!("more than {DEVICE_NAMES} volumes on a host, for which EC2 has no names"),
    )
}
