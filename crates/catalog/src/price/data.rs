//! The catalog's own file of prices, and the prices of each region.

use std::sync::{Arc, OnceLock};

use blockyard_text::units::{Date, Money};
use indexmap::IndexMap;
use serde::Deserialize;

use super::by_region::{RegionTable, TABLES};
use super::check::Known;
use super::managed::ManagedStorage;
use super::sheet::{InstancePrice, Sheet};
use crate::source::Sources;

/// `prices.yaml`.
#[derive(Clone, Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub(crate) struct PriceData {
    pub(super) default_region: String,
    pub(super) regions: Regions,
    pub(super) tables: IndexMap<String, TableOf>,
    pub(super) cross_zone: CrossZone,
    ebs_optimized: EbsOptimized,
    managed: Vec<ManagedStorage>,
    prices: Vec<Sheet>,
}

/// The regions that can be named.
#[derive(Clone, Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub(super) struct Regions {
    source: String,
    pub(super) names: Vec<String>,
}

/// When a table of instances' prices was seen, and what is assumed of it.
#[derive(Clone, Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub(super) struct TableOf {
    pub(super) observed: Date,
    pub(super) assumed: Option<String>,
}

/// The price of traffic between the zones of a region, which is the same in many regions.
#[derive(Clone, Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub(super) struct CrossZone {
    source: String,
    observed: Date,
    /// How often a byte is charged that crosses once.
    charged: u64,
    price: Money,
    regions: Vec<String>,
}

/// The hourly price of EBS optimization of the types that do not include it, the same in all
/// regions.
#[derive(Clone, Debug, Deserialize)]
#[serde(deny_unknown_fields)]
struct EbsOptimized {
    source: String,
    observed: Date,
    assumed: String,
    prices: IndexMap<String, Money>,
}

impl EbsOptimized {
    fn sheet(self) -> Sheet {
        let prices = self.prices.into_iter();
        let instances = prices.map(|(name, price)| InstancePrice {
            name,
            ebs_optimized: Some(price),
            ..InstancePrice::default()
        });
        Sheet {
            assumed: Some(self.assumed),
            instances: instances.collect(),
            ..Sheet::empty("", self.observed, &self.source)
        }
    }
}

impl PriceData {
    /// Whether sources, regions and types exist. An error has its path.
    pub(crate) fn check(
        &self,
        sources: &Sources,
        known: &Known<'_>,
    ) -> Result<(), (String, String)> {
        let at = |path: &str| {
            let path = path.to_owned();
            move |message| (path, message)
        };
        let region = |name: &str| known.region(name, self.regions.names.iter());
        region(&self.default_region).map_err(at("default_region"))?;
        (sources.check(&self.regions.source)).map_err(at("regions.source"))?;
        (sources.check(&self.cross_zone.source)).map_err(at("cross_zone.source"))?;
        (sources.check(&self.ebs_optimized.source)).map_err(at("ebs_optimized.source"))?;
        for name in self.ebs_optimized.prices.keys() {
            let path = format!("ebs_optimized.prices.{name}");
            known.instance(name).map_err(at(&path))?;
        }
        for (source, _) in TABLES {
            if !self.tables.contains_key(source) {
                return Err(("tables".into(), format!("has no `{source}`")));
            }
        }
        for (key, _) in &self.tables {
            sources.check(key).map_err(at(&format!("tables.{key}")))?;
        }
        for (index, name) in self.cross_zone.regions.iter().enumerate() {
            region(name).map_err(at(&format!("cross_zone.regions.{index}")))?;
        }
        for (index, one) in self.managed.iter().enumerate() {
            let path = format!("managed.{index}");
            (sources.check(&one.source)).map_err(at(&format!("{path}.source")))?;
            region(&one.region).map_err(at(&format!("{path}.region")))?;
        }
        for (index, sheet) in self.prices.iter().enumerate() {
            let path = format!("prices.{index}");
            sources
                .check(&sheet.source)
                .map_err(at(&format!("{path}.source")))?;
            region(&sheet.region).map_err(at(&format!("{path}.region")))?;
            sheet.check(&path, known)?;
        }
        Ok(())
    }
}

/// A sheet whose instances are found by their types.
#[derive(Clone, Debug)]
pub(super) struct Stated {
    pub(super) sheet: Sheet,
    /// The place of each type among the sheet's instances.
    places: IndexMap<String, usize>,
}

impl Stated {
    fn new(sheet: Sheet) -> Self {
        let places = sheet.instances.iter().enumerate();
        let places = places.map(|(at, instance)| (instance.name.clone(), at));
        Self {
            places: places.collect(),
            sheet,
        }
    }

    /// What it states of an instance type.
    pub(super) fn instance(&self, name: &str) -> Option<&InstancePrice> {
        self.sheet.instances.get(*self.places.get(name)?)
    }
}

/// The sheets of one region.
#[derive(Clone, Debug, Default)]
pub(super) struct OfRegion {
    stated: Vec<Stated>,
    /// The tables with a column for each region, of which few are ever wanted.
    tables: Arc<[RegionTable]>,
    /// What they say of this one, read when it is first asked for.
    read: OnceLock<Vec<Stated>>,
}

impl OfRegion {
    /// All sheets of the region `name`.
    pub(super) fn sheets(&self, name: &str) -> impl Iterator<Item = &Stated> {
        let read = self.read.get_or_init(|| {
            let sheets = self.tables.iter().filter_map(|table| table.sheet(name));
            sheets.map(Stated::new).collect()
        });
        self.stated.iter().chain(read)
    }

    /// Those that have prices of volumes, which no table has.
    pub(super) fn of_volumes(&self) -> impl Iterator<Item = &Sheet> {
        self.stated.iter().map(|stated| &stated.sheet)
    }
}

/// Prices by region.
#[derive(Clone, Debug, Default)]
pub(crate) struct Prices {
    pub(super) default_region: String,
    pub(super) regions: IndexMap<String, OfRegion>,
    /// What EBS optimization costs in all regions.
    pub(super) ebs_optimized: Option<Box<Stated>>,
    /// What services charge for storage, in whichever region.
    pub(super) managed: Vec<ManagedStorage>,
}

impl Prices {
    /// The prices of the catalog: its file, the `rows` of its tables, and its tables by region.
    pub(super) fn new(data: PriceData, rows: Vec<Sheet>, tables: Vec<RegionTable>) -> Self {
        let tables: Arc<[RegionTable]> = tables.into();
        let mut prices = Self::default();
        for name in data.regions.names {
            let region = OfRegion {
                tables: Arc::clone(&tables),
                ..OfRegion::default()
            };
            prices.regions.insert(name, region);
        }
        let crossing = &data.cross_zone;
        let crossings = crossing.regions.iter().map(|region| Sheet {
            cross_zone: Some(crossing.price.times(crossing.charged, 1)),
            ..Sheet::empty(region, crossing.observed, &crossing.source)
        });
        for sheet in data.prices.into_iter().chain(crossings).chain(rows) {
            prices.add(sheet);
        }
        prices.ebs_optimized = Some(Box::new(Stated::new(data.ebs_optimized.sheet())));
        prices.managed = data.managed;
        prices.default_region = data.default_region;
        prices
    }

    pub(super) fn add(&mut self, sheet: Sheet) {
        let region = self.regions.entry(sheet.region.clone()).or_default();
        region.stated.push(Stated::new(sheet));
    }
}
