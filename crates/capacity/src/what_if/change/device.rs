//! A device of a scenario, which changes are made of.

use blockyard_catalog::{Catalog, Instance, VolumeRow};
use blockyard_experiment::{Place, places};
use blockyard_scenario::schema::{Device, Scenario, Volume};
use blockyard_scenario::units::Size;

use super::super::need::{Need, Rates};
use super::GIB;
use super::lasting::{Lasting, Now, instance_of, lasting, now};

/// The share of a device that stays free beside its files where it is made smaller.
const FREE_SPACE: f64 = 0.2;

/// A device of a scenario.
pub(super) struct Of<'a> {
    pub(super) name: &'a str,
    pub(super) device: &'a Device,
    pub(super) scenario: &'a Scenario,
    pub(super) catalog: &'a Catalog,
    /// What the load takes of the layout as it is.
    pub(super) need: &'a Need,
    /// Where the last of its files ends, in bytes.
    pub(super) files: u64,
}

impl<'a> Of<'a> {
    pub(super) fn places(&self) -> Vec<Place<'a>> {
        let mut found = Vec::new();
        places(format!("storage.{}", self.name), self.device, 1, &mut found);
        found
    }

    pub(super) fn volumes(&self) -> u64 {
        self.places().iter().map(|spot| spot.count).sum()
    }

    pub(super) fn now(&self, volume: &Volume) -> Option<Now> {
        now(self.scenario, self.catalog, self.device, volume)
    }

    /// What a volume has in the long run as it is written; none if it cannot be had.
    pub(super) fn has(&self, volume: &Volume) -> Option<Lasting> {
        lasting(self.scenario, self.catalog, self.device, volume)?(volume.size)
    }

    /// Whether a volume can be had and lets this through in the long run.
    pub(super) fn holds(&self, volume: &Volume, rates: Rates) -> bool {
        let has = self.has(volume);
        has.is_some_and(|(iops, throughput, _)| rates.is_held_by(iops, throughput))
    }

    /// The instance that a volume is attached to.
    pub(super) fn host(&self, volume: &Volume) -> Option<&'a Instance> {
        let name = instance_of(self.scenario, self.device, volume)?;
        self.catalog.instance(name).ok()
    }

    /// The rule by which a volume of a type is sold to the host of `volume`.
    pub(super) fn row(&self, volume: &Volume, volume_type: &str) -> Option<&'a VolumeRow> {
        let known = self.catalog.volume_type(volume_type).ok()?;
        let offer = known.offer(self.host(volume), self.scenario.as_of).ok()?;
        Some(offer.row())
    }

    /// What the load would take of each volume of a place if it were of type `to`, headroom
    /// excluded; none where no IO went there.
    pub(super) fn takes(&self, spot: &Place<'_>, to: &str) -> Option<Rates> {
        let places = self.places();
        let beside = places
            .iter()
            .filter(|other| self.leg(other) == self.leg(spot));
        let count = beside.map(|other| other.count).sum();
        let rates = self.need.of_each(self.name, count);
        let (from, to) = (
            self.row(spot.volume, &spot.volume.volume_type)?,
            self.row(spot.volume, to)?,
        );
        let (unit, larger) = (
            to.counted_in.bytes() as f64,
            to.counted_in >= from.counted_in,
        );
        let counted = Rates {
            iops: match larger {
                true => rates.iops,
                false => rates.iops.max(rates.bytes / unit),
            },
            bytes: match to.whole_units {
                true => rates.bytes.max(rates.iops * unit),
                false => rates.bytes,
            },
        };
        (rates.iops > 0.0).then_some(counted)
    }

    /// The leg of a mirror that a place is in.
    fn leg<'b>(&self, spot: &'b Place<'_>) -> Option<&'b str> {
        let legs = format!("storage.{}.mirror.legs.", self.name);
        spot.path.strip_prefix(&legs)?.split('.').next()
    }

    /// The least size of each of `count` equal volumes that leaves a fifth free beside the
    /// device's files; none where these are not striped over equal volumes.
    pub(super) fn size_for_files(&self, count: u64) -> Option<Size> {
        let is_even = |device: &Device| match device {
            Device::Volume(_) => true,
            Device::Stripe(stripe) => matches!(*stripe.of, Device::Volume(_)),
            Device::Linear(_) | Device::Mirror(_) => false,
        };
        let even = match self.device {
            Device::Mirror(mirror) => mirror.mirror.legs.values().all(is_even),
            other => is_even(other),
        };
        let bytes = self.files as f64 / (1.0 - FREE_SPACE) / count.max(1) as f64;
        even.then(|| Size::new((bytes as u64).div_ceil(GIB).max(1) * GIB))
    }
}
