//! What a volume has in the long run, by the catalog.

use blockyard_catalog::{Ask, Catalog, Provisioned};
use blockyard_scenario::schema::{Device, Scenario, Volume};
use blockyard_scenario::units::Size;

use super::{GIB, MORE_IOPS, MORE_THROUGHPUT};

/// What a volume has now.
pub(super) struct Now {
    /// IOs a second, in the long run.
    pub(super) iops: u64,
    /// Bytes a second, in the long run.
    pub(super) throughput: u64,
    /// How large it is.
    pub(super) size: Size,
    /// The size that brings the added IOPS; none where IOPS do not come with the size, or not that
    /// many.
    pub(super) for_iops: Option<Size>,
    /// The size that brings the added throughput; none where no size does.
    pub(super) for_throughput: Option<Size>,
}

pub(super) fn now(
    scenario: &Scenario,
    catalog: &Catalog,
    device: &Device,
    volume: &Volume,
) -> Option<Now> {
    let get = lasting(scenario, catalog, device, volume)?;
    let (iops, throughput, provisioned) = get(volume.size)?;
    let size = provisioned.size;
    let larger = |has_more: &dyn Fn(&Lasting) -> bool| least_size(&get, size, has_more);
    let for_iops = || larger(&|(more, ..)| *more >= iops + MORE_IOPS);
    let for_throughput = || larger(&|(_, more, _)| *more >= throughput + MORE_THROUGHPUT);
    Some(Now {
        iops,
        throughput,
        size,
        for_iops: provisioned.iops.map_or_else(for_iops, |_| None),
        for_throughput: provisioned.throughput.map_or_else(for_throughput, |_| None),
    })
}

/// The largest size to be had, in GiB; none that is more than `least`.
pub(super) fn largest(get: &impl Fn(Option<Size>) -> Option<Lasting>, least: u64) -> Option<u64> {
    let powers = (0..=16).rev().map(|power| 1 << power);
    let mut larger = powers.filter(|&gib| gib > least);
    larger.find(|&gib| get(Some(Size::new(gib * GIB))).is_some())
}

/// The least size, in whole GiB above `from`, with which `is_enough`.
pub(super) fn least_size(
    get: &impl Fn(Option<Size>) -> Option<Lasting>,
    from: Size,
    is_enough: &dyn Fn(&Lasting) -> bool,
) -> Option<Size> {
    let enough_with = |gib: u64| get(Some(Size::new(gib * GIB))).is_some_and(|it| is_enough(&it));
    let mut few = from.bytes().div_ceil(GIB);
    let mut enough = largest(get, few).filter(|&gib| enough_with(gib))?;
    while enough - few > 1 {
        let middle = few.midpoint(enough);
        match enough_with(middle) {
            true => enough = middle,
            false => few = middle,
        }
    }
    Some(Size::new(enough * GIB))
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

/// The instance that a device's volumes are attached to.
pub(super) fn instance_of<'a>(
    scenario: &'a Scenario,
    device: &Device,
    volume: &Volume,
) -> Option<&'a str> {
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
