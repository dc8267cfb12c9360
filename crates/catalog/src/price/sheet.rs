//! Sheets of prices: what one source said on one day of one region.

use blockyard_text::tree::{Node, from_node, parse};
use blockyard_text::units::{Date, Money, Throughput};
use blockyard_text::{Error, hint};
use indexmap::IndexMap;
use serde::Deserialize;

use super::list::Charge;
use super::term::Term;
use crate::Catalog;
use crate::instance::Instance;
use crate::source::Sources;
use crate::volume::Volumes;

/// `prices.yaml`.
#[derive(Clone, Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub(crate) struct PriceData {
    pub(super) default_region: String,
    pub(super) regions: Regions,
    pub(super) tables: IndexMap<String, TableOf>,
    pub(super) cross_zone: CrossZone,
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

/// What one source said on one day of one region.
#[derive(Clone, Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub(super) struct Sheet {
    pub(super) region: String,
    pub(super) observed: Date,
    /// Key of the source; of a user's sheet, the source in words.
    pub(super) source: String,
    pub(super) assumed: Option<String>,
    #[serde(default)]
    pub(super) volumes: Vec<VolumePrice>,
    #[serde(default)]
    pub(super) instances: Vec<InstancePrice>,
    /// For a GiB and month.
    pub(super) snapshots: Option<Money>,
    /// For a GiB that crosses from one zone to another, in and out together.
    pub(super) cross_zone: Option<Money>,
}

/// What a volume type costs in a month.
#[derive(Clone, Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub(super) struct VolumePrice {
    #[serde(rename = "type")]
    pub(super) name: String,
    /// For a GiB.
    pub(super) capacity: Option<Money>,
    /// For an IO a second; each price for what lies above its bound.
    #[serde(default)]
    pub(super) iops: Vec<IopsTier>,
    /// For a MiB a second.
    #[serde(default)]
    pub(super) throughput: Vec<ThroughputTier>,
    /// For a million IO requests.
    pub(super) requests: Option<Money>,
}

/// What an IO a second above a bound costs in a month.
#[derive(Clone, Copy, Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub(super) struct IopsTier {
    #[serde(default)]
    pub(super) above: u64,
    pub(super) price: Money,
}

/// What a MiB a second above a bound costs in a month.
#[derive(Clone, Copy, Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub(super) struct ThroughputTier {
    pub(super) above: Option<Throughput>,
    pub(super) price: Money,
}

/// What an hour of an instance type costs. Reserved prices are for one year, with what is
/// paid in advance spread over its hours.
#[derive(Clone, Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub(super) struct InstancePrice {
    #[serde(rename = "type")]
    pub(super) name: String,
    pub(super) on_demand: Option<Money>,
    pub(super) no_upfront: Option<Money>,
    pub(super) partial_upfront: Option<Money>,
    pub(super) all_upfront: Option<Money>,
}

impl InstancePrice {
    pub(super) fn of(&self, term: Term) -> Option<Money> {
        match term {
            Term::OnDemand => self.on_demand,
            Term::NoUpfront => self.no_upfront,
            Term::PartialUpfront => self.partial_upfront,
            Term::AllUpfront => self.all_upfront,
        }
    }
}

/// The sheets of one region.
#[derive(Clone, Debug, Default)]
pub(super) struct OfRegion {
    pub(super) sheets: Vec<Sheet>,
    /// For each sheet, its instances by type.
    pub(super) instances: Vec<IndexMap<String, usize>>,
}

/// Prices by region.
#[derive(Clone, Debug, Default)]
pub(crate) struct Prices {
    pub(super) default_region: String,
    pub(super) regions: IndexMap<String, OfRegion>,
}

impl Prices {
    /// The prices of the catalog: its file and the `rows` of its tables.
    pub(super) fn new(data: PriceData, rows: Vec<Sheet>) -> Self {
        let mut prices = Self::default();
        for name in data.regions.names {
            prices.regions.insert(name, OfRegion::default());
        }
        let crossing = &data.cross_zone;
        let crossings = crossing.regions.iter().map(|region| Sheet {
            region: region.clone(),
            observed: crossing.observed,
            source: crossing.source.clone(),
            assumed: None,
            volumes: Vec::new(),
            instances: Vec::new(),
            snapshots: None,
            cross_zone: Some(crossing.price.times(crossing.charged, 1)),
        });
        for sheet in data.prices.into_iter().chain(crossings).chain(rows) {
            prices.add(sheet);
        }
        prices.default_region = data.default_region;
        prices
    }

    fn add(&mut self, sheet: Sheet) {
        let region = self.regions.entry(sheet.region.clone()).or_default();
        let places = sheet.instances.iter().enumerate();
        let places = places.map(|(at, instance)| (instance.name.clone(), at));
        region.instances.push(places.collect());
        region.sheets.push(sheet);
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
        for (key, _) in &self.tables {
            sources.check(key).map_err(at(&format!("tables.{key}")))?;
        }
        for (index, name) in self.cross_zone.regions.iter().enumerate() {
            region(name).map_err(at(&format!("cross_zone.regions.{index}")))?;
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

/// The names that sheets may use.
pub(crate) struct Known<'a> {
    volume_types: Vec<&'a str>,
    instances: Vec<&'a str>,
}

impl<'a> Known<'a> {
    pub(crate) fn new(volumes: &'a Volumes, instances: &'a [Instance]) -> Self {
        Self {
            volume_types: volumes.types.keys().map(String::as_str).collect(),
            instances: instances.iter().map(Instance::name).collect(),
        }
    }

    fn region<'n>(
        &self,
        name: &str,
        names: impl Iterator<Item = &'n String> + Clone,
    ) -> Result<(), String> {
        one_of("region", name, names.map(String::as_str))
    }
}

fn one_of<'n>(
    what: &str,
    name: &str,
    mut names: impl Iterator<Item = &'n str> + Clone,
) -> Result<(), String> {
    let all = names.clone();
    match names.any(|known| known == name) {
        true => Ok(()),
        false => Err(format!("no {what} is called `{name}`{}", hint(name, all))),
    }
}

impl Sheet {
    /// Whether types exist, tiers rise and something is priced. An error has its path.
    fn check(&self, path: &str, known: &Known<'_>) -> Result<(), (String, String)> {
        for (index, volume) in self.volumes.iter().enumerate() {
            let path = format!("{path}.volumes.{index}");
            let names = known.volume_types.iter().copied();
            one_of("volume type", &volume.name, names).map_err(|m| (format!("{path}.type"), m))?;
            let iops: Vec<u64> = volume.iops.iter().map(|tier| tier.above).collect();
            rising(&iops).map_err(|(at, m)| (format!("{path}.iops.{at}"), m))?;
            let tiers = volume.throughput.iter();
            let throughput: Vec<u64> = tiers.map(ThroughputTier::above).collect();
            rising(&throughput).map_err(|(at, m)| (format!("{path}.throughput.{at}"), m))?;
            let none = iops.is_empty() && throughput.is_empty();
            if none && volume.capacity.is_none() && volume.requests.is_none() {
                let expected = "`capacity`, `iops`, `throughput` or `requests`";
                return Err((path, format!("has no price; expected {expected}")));
            }
        }
        for (index, instance) in self.instances.iter().enumerate() {
            let path = format!("{path}.instances.{index}");
            let names = known.instances.iter().copied();
            one_of("instance type", &instance.name, names)
                .map_err(|m| (format!("{path}.type"), m))?;
            if Term::ALL.iter().all(|term| instance.of(*term).is_none()) {
                let keys = Term::ALL.map(|term| format!("`{}`", term.key())).join(", ");
                return Err((path, format!("has no price; expected one of {keys}")));
            }
        }
        let nothing = self.volumes.is_empty() && self.instances.is_empty();
        if nothing && self.snapshots.is_none() && self.cross_zone.is_none() {
            let expected = "expected `volumes`, `instances`, `snapshots` or `cross_zone`";
            return Err((path.to_owned(), format!("has no price; {expected}")));
        }
        Ok(())
    }
}

impl Sheet {
    /// What it states of a volume type.
    pub(super) fn volume(&self, name: &str) -> Option<&VolumePrice> {
        self.volumes.iter().find(|volume| volume.name == name)
    }

    /// That, if it says what a charge costs.
    pub(super) fn stating(&self, name: &str, charge: Charge) -> Option<&VolumePrice> {
        self.volume(name).filter(|prices| prices.states(charge))
    }
}

impl VolumePrice {
    /// What a charge costs, tier by tier; nothing where that is not stated.
    pub(super) fn tiers(&self, charge: Charge) -> Vec<Tier> {
        let tier = |above, price| Tier { above, price };
        match charge {
            Charge::Capacity => self
                .capacity
                .map(|price| tier(0, price))
                .into_iter()
                .collect(),
            Charge::Iops => self
                .iops
                .iter()
                .map(|it| tier(it.above, it.price))
                .collect(),
            Charge::Throughput => {
                let tiers = self.throughput.iter();
                tiers.map(|it| tier(it.above(), it.price)).collect()
            }
        }
    }

    /// Whether it says what a charge costs.
    pub(super) fn states(&self, charge: Charge) -> bool {
        match charge {
            Charge::Capacity => self.capacity.is_some(),
            Charge::Iops => !self.iops.is_empty(),
            Charge::Throughput => !self.throughput.is_empty(),
        }
    }
}

/// A price of a charge for what lies above a bound.
pub(super) struct Tier {
    /// Bytes, IOs a second or bytes a second.
    pub(super) above: u64,
    pub(super) price: Money,
}

impl ThroughputTier {
    /// Bytes a second that it does not price.
    pub(super) fn above(&self) -> u64 {
        self.above.map_or(0, Throughput::bytes_per_s)
    }
}

/// Whether bounds rise; otherwise where they do not.
fn rising(bounds: &[u64]) -> Result<(), (usize, String)> {
    match bounds.windows(2).position(|two| two[0] >= two[1]) {
        Some(at) => Err((
            at + 1,
            "`above` must rise from one price to the next".into(),
        )),
        None => Ok(()),
    }
}

/// A user's prices, which come before the catalog's.
#[derive(Clone, Debug)]
pub struct PriceFile {
    pub(super) prices: Prices,
}

/// A price file as it is written.
#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
struct Written {
    prices: Vec<Sheet>,
}

impl PriceFile {
    /// Reads a price file's `text`; `file` is the name that errors print.
    ///
    /// # Errors
    /// Malformed YAML, an unknown key, region, volume or instance type, an amount that is no
    /// price, with the line and the nearest known name.
    pub fn parse(catalog: &Catalog, text: &str, file: &str) -> Result<Self, Error> {
        let tree: Node = parse(text, file)?;
        let written: Written = from_node(&tree)?;
        let known = Known::new(&catalog.volumes, &catalog.instances);
        let error =
            |(path, message): (String, String)| Error::new(tree.locate(&path), &path, message);
        let mut prices = Prices::default();
        for (index, sheet) in written.prices.into_iter().enumerate() {
            let path = format!("prices.{index}");
            let names = catalog.prices.regions.keys();
            (known.region(&sheet.region, names))
                .map_err(|message| error((format!("{path}.region"), message)))?;
            sheet.check(&path, &known).map_err(error)?;
            prices.add(sheet);
        }
        Ok(Self { prices })
    }
}
