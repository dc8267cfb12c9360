//! How often a layout loses data, by the durability that its volume types are sold with.

use blockyard_catalog::Catalog;
use blockyard_experiment::Opened;
use blockyard_scenario::schema::Device;

/// The share of such layouts that lose data in a year, at most: what a device is striped or
/// joined of fails with any of its volumes, a mirror with both legs in one year. None where a
/// type's durability is not published, as of an instance's own disks.
pub(super) fn yearly_loss(opened: &Opened) -> Option<f64> {
    let catalog = Catalog::get().ok()?;
    let (scenario, resolved) = (opened.scenario(), &opened.resolved);
    let files = resolved.regions();
    let devices = resolved.storage.devices.iter().enumerate();
    let used = devices.filter(|(index, _)| files.iter().any(|file| file.device == *index));
    let losses = used.map(|(_, device)| loss(catalog, scenario.storage.get(&device.name)?));
    any(losses)
}

fn loss(catalog: &Catalog, device: &Device) -> Option<f64> {
    match device {
        Device::Volume(volume) => {
            let known = catalog.volume_type(&volume.volume_type).ok()?;
            Some(known.annual_failures()? as f64 / 1e6)
        }
        Device::Stripe(stripe) => {
            let width = stripe.stripe.width.get();
            Some(1.0 - (1.0 - loss(catalog, &stripe.of)?).powf(width.into()))
        }
        Device::Linear(linear) => any(linear.linear.iter().map(|part| loss(catalog, part))),
        Device::Mirror(mirror) => {
            let legs = mirror.mirror.legs.values().map(|leg| loss(catalog, leg));
            legs.product()
        }
    }
}

/// The share of which at least one loses data; none if that of one is not known.
fn any(losses: impl Iterator<Item = Option<f64>>) -> Option<f64> {
    let mut kept = 1.0;
    for loss in losses {
        kept *= 1.0 - loss?;
    }
    Some(1.0 - kept)
}
