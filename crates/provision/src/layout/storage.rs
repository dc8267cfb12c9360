//! Devices as trees of volumes, and volumes as they are ordered.

use blockyard_catalog::Catalog;
use blockyard_model::spec::{LimitSpec, Unit};
use blockyard_model::units::SECOND;
use blockyard_scenario::{Resolved, schema};
use blockyard_text::units::{Duration, Size};

use super::{Tree, Volume};

/// A device as a tree; its volumes are added to those found so far, and named by their indices.
pub(super) fn tree(
    device: &schema::Device,
    name: &str,
    resolved: &Resolved,
    found: &mut Vec<Volume>,
) -> Tree {
    match device {
        schema::Device::Volume(_) => {
            let index = found.len();
            found.push(volume(index, name, resolved));
            Tree::Volume { volume: index }
        }
        schema::Device::Stripe(stripe) => {
            let width = stripe.stripe.width.get();
            let parts = (0..width).map(|_| tree(&stripe.of, name, resolved, found));
            Tree::Stripe {
                stripe: parts.collect(),
                chunk: stripe.stripe.chunk.bytes(),
            }
        }
        schema::Device::Linear(linear) => {
            let parts = linear.linear.iter();
            let parts = parts.map(|part| tree(part, name, resolved, found));
            Tree::Linear {
                linear: parts.collect(),
            }
        }
        schema::Device::Mirror(mirror) => {
            let legs = mirror.mirror.legs.iter();
            let legs = legs.map(|(leg, of)| (leg.clone(), tree(of, name, resolved, found)));
            Tree::Mirror {
                mirror: legs.collect(),
            }
        }
    }
}

/// Volume number `index`, of the device called `device`.
fn volume(index: usize, device: &str, resolved: &Resolved) -> Volume {
    let spec = &resolved.storage.volumes[index];
    let bought = &resolved.bought.volumes[index];
    let throughput = bought.provisioned.throughput;
    Volume {
        name: spec.name.clone(),
        device: device.to_owned(),
        host: resolved.storage.hosts[spec.host].name.clone(),
        volume_type: bought.volume_type.clone(),
        size: bought.provisioned.size.bytes(),
        iops: bought.provisioned.iops,
        throughput: throughput.map(|rate| rate.bytes_per_s()),
        sustained: sustained(&spec.limits, spec.io_unit),
        optimising_s: optimising(bought.provisioned.size),
        local: bought.local,
        sold: bought.sold,
    }
}

/// Seconds for which a volume of this size is optimised.
fn optimising(size: Size) -> u64 {
    Catalog::get().map_or(0, |catalog| seconds(catalog.optimising(size).0))
}

/// A time in whole seconds, the last one begun.
pub(super) fn seconds(time: Duration) -> u64 {
    time.nanos().div_ceil(SECOND)
}

/// Bytes a second that all limits sustain, if each IO has `io_unit` bytes.
pub(super) fn sustained(limits: &[LimitSpec], io_unit: u64) -> Option<u64> {
    let rates = limits.iter().map(|limit| match limit.unit {
        Unit::Io => limit.rate.saturating_mul(io_unit),
        Unit::Byte => limit.rate,
    });
    rates.min()
}
