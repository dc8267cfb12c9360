//! A device of a scenario, which changes are made of.

use blockyard_catalog::Catalog;
use blockyard_experiment::{Place, places};
use blockyard_scenario::schema::{Device, Scenario, Volume};

use super::lasting::{Now, now};

/// A device of a scenario.
pub(super) struct Of<'a> {
    pub(super) name: &'a str,
    pub(super) device: &'a Device,
    pub(super) scenario: &'a Scenario,
    pub(super) catalog: &'a Catalog,
}

impl Of<'_> {
    pub(super) fn places(&self) -> Vec<Place<'_>> {
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
}
