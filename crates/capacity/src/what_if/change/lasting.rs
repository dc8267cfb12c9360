//! What a volume has in the long run, by the catalog.

use blockyard_catalog::{Ask, Catalog, Provisioned};
use blockyard_scenario::schema::{Device, Scenario, Volume};
use blockyard_scenario::units::Size;

use super::{GIB, MORE_IOPS};

/// What a volume has now.
pub(super) struct Now {
    /// IOs a second, in the long run.
    pub(super) iops: u64,
    /// Bytes a second, in the long run.
    pub(super) throughput: u64,
    /// How large it is.
    pub(super) size: Size,
    /// Whether its IOPS come with its size.
    pub(super) with_size: bool,
    /// The size that has so many more IOPS; none where that is more than there is.
    pub(super) bigger: Option<Size>,
}

pub(super) fn now(
    scenario: &Scenario,
    catalog: &Catalog,
    device: &Device,
    volume: &Volume,
) -> Option<Now> {
    let get = lasting(scenario, catalog, device, volume)?;
    let (iops, throughput, provisioned) = get(volume.size)?;
    let with_size = provisioned.iops.is_none() && with_size(&get, provisioned.size);
    let bigger = (1..=MORE_IOPS).map(|gib| Size::new(provisioned.size.bytes() + gib * GIB));
    let has_more =
        |size: &Size| get(Some(*size)).is_some_and(|(more, ..)| more >= iops + MORE_IOPS);
    Some(Now {
        iops,
        throughput,
        size: provisioned.size,
        with_size,
        bigger: bigger.filter(|_| with_size).find(has_more),
    })
}

/// IOs and bytes a second that a volume has in the long run, and what it is provisioned with.
pub(super) type Lasting = (u64, u64, Provisioned);

/// What a volume has in the long run with a size; none with one that cannot be had.
pub(super) fn lasting<'a>(
    scenario: &'a Scenario,
    catalog: &'a Catalog,
    device: &Device,
    volume: &'a Volume,
) -> Option<impl Fn(Option<Size>) -> Option<Lasting> + 'a> {
    let volume_type = catalog.volume_type(&volume.volume_type).ok()?;
    let host = instance_of(scenario, device, volume);
    let host = host.and_then(|name| catalog.instance(name).ok());
    Some(move |size: Option<Size>| {
        let ask = Ask {
            size,
            iops: volume.iops,
            throughput: volume.throughput,
        };
        let limits = volume_type.limits(&ask, host, scenario.as_of).ok()?;
        let least = |counts: &str| {
            let own = limits
                .limits
                .iter()
                .filter(|limit| limit.name.contains(counts));
            own.map(|limit| limit.rate).min()
        };
        Some((least("iops")?, least("throughput")?, limits.provisioned))
    })
}

/// Whether twice the size has more IOPS.
pub(super) fn with_size(get: &impl Fn(Option<Size>) -> Option<Lasting>, size: Size) -> bool {
    let iops = |size: Size| get(Some(size)).map(|(iops, ..)| iops);
    iops(Size::new(size.bytes() * 2)) > iops(size)
}

/// The instance that a device's volumes are attached to.
fn instance_of<'a>(scenario: &'a Scenario, device: &Device, volume: &Volume) -> Option<&'a str> {
    let host = match device {
        Device::Stripe(stripe) => stripe.host.as_ref(),
        Device::Linear(linear) => linear.host.as_ref(),
        Device::Mirror(_) | Device::Volume(_) => None,
    };
    let named = volume.host.as_ref().or(host);
    let host = match named {
        Some(name) => scenario.hosts.get(name),
        None => scenario
            .host
            .as_ref()
            .or_else(|| scenario.hosts.values().next()),
    };
    host.map(|host| host.instance.as_str())
}
