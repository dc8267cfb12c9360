//! Where a scenario has a device's volumes written.

use blockyard_scenario::schema::{Device, Volume};

/// The volumes of a device that are written in one place of the scenario.
pub(crate) struct Spot<'a> {
    pub(crate) path: String,
    pub(crate) volume: &'a Volume,
    pub(crate) count: u64,
}

/// The places where a device's volumes are written.
pub(crate) fn spots<'a>(path: String, device: &'a Device, count: u64, found: &mut Vec<Spot<'a>>) {
    match device {
        Device::Volume(volume) => found.push(Spot {
            path,
            volume,
            count,
        }),
        Device::Stripe(stripe) => {
            let count = count * u64::from(stripe.stripe.width.get());
            spots(format!("{path}.of"), &stripe.of, count, found);
        }
        Device::Linear(linear) => {
            for (index, part) in linear.linear.iter().enumerate() {
                spots(format!("{path}.linear.{index}"), part, count, found);
            }
        }
        Device::Mirror(mirror) => {
            for (name, leg) in &mirror.mirror.legs {
                spots(format!("{path}.mirror.legs.{name}"), leg, count, found);
            }
        }
    }
}
