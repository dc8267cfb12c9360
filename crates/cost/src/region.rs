//! Which region's prices hold.

use blockyard_catalog::Catalog;
use blockyard_scenario::Zones;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

/// Who named the region.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "lowercase")]
pub enum RegionFrom {
    /// Whoever asked for the bill.
    Asked,
    /// The scenario's `region`.
    Scenario,
    /// The zones of its hosts.
    Zones,
    /// Nobody; it is the catalog's default.
    Assumed,
}

/// The region whose prices hold, and who named it.
pub(crate) fn region(
    asked: Option<&str>,
    stated: Option<&str>,
    zones: &Zones,
    catalog: &Catalog,
) -> (String, RegionFrom) {
    let of_zones = || {
        let mut regions = zones.names.iter().map(|zone| of_zone(zone, catalog));
        let first = regions.next()??;
        regions
            .all(|other| other == Some(first))
            .then_some((first, RegionFrom::Zones))
    };
    let (name, from) = (asked.map(|name| (name, RegionFrom::Asked)))
        .or_else(|| stated.map(|name| (name, RegionFrom::Scenario)))
        .or_else(of_zones)
        .unwrap_or((catalog.default_region(), RegionFrom::Assumed));
    (name.to_owned(), from)
}

/// `us-east-1` of `us-east-1a`, if there is such a region.
fn of_zone<'z>(zone: &'z str, catalog: &Catalog) -> Option<&'z str> {
    let region = zone.strip_suffix(|letter: char| letter.is_ascii_lowercase())?;
    catalog.prices(region, None).is_ok().then_some(region)
}
