//! Where a scenario has a device's volumes written.

use blockyard_scenario::schema::{Device, Volume};

/// The volumes of a device that are written in one place of the scenario.
#[derive(Debug)]
pub struct Place<'a> {
    /// The path of that place.
    pub path: String,
    /// The volume as it is written there.
    pub volume: &'a Volume,
    /// How many volumes of the device are written there.
    pub count: u64,
}

/// Adds to `found` the places where the volumes of the device at `path` are written; there are
/// `count` such devices.
pub fn places<'a>(path: String, device: &'a Device, count: u64, found: &mut Vec<Place<'a>>) {
    match device {
        Device::Volume(volume) => found.push(Place {
            path,
            volume,
            count,
        }),
        Device::Stripe(stripe) => {
            let count = count * u64::from(stripe.stripe.width.get());
            places(format!("{path}.of"), &stripe.of, count, found);
        }
        Device::Linear(linear) => {
            for (index, part) in linear.linear.iter().enumerate() {
                places(format!("{path}.linear.{index}"), part, count, found);
            }
        }
        Device::Mirror(mirror) => {
            for (name, leg) in &mirror.mirror.legs {
                places(format!("{path}.mirror.legs.{name}"), leg, count, found);
            }
        }
    }
}
