//! Prices of a region as a row to print.

use blockyard_catalog::{Catalog, Charge, Price, PriceFile, PriceList, PriceSource, Term};
use blockyard_text::units::{Date, Money};
use indexmap::IndexMap;
use schemars::JsonSchema;
use serde::Serialize;

use super::matches;

/// The prices that are known of a region.
#[derive(Debug, Serialize, JsonSchema)]
#[schemars(rename = "RegionPrices")]
pub(crate) struct Row<'a> {
    /// The region.
    region: &'a str,
    /// The volume types that have a price of their capacity.
    volumes: Vec<VolumePrices<'a>>,
    /// How many instance types have a price, by term and source; terms without any are left out.
    instances: Vec<InstancePrices>,
    /// A GiB of snapshots in a month; none if it is not known.
    snapshots: Option<Figure>,
    /// A GiB that crosses once from zone to zone; none if it is not known.
    cross_zone: Option<Figure>,
}

/// What a volume type costs in a month.
#[derive(Debug, Serialize, JsonSchema)]
struct VolumePrices<'a> {
    /// The volume type.
    #[serde(rename = "type")]
    volume_type: &'a str,
    /// A GiB.
    capacity: Figure,
    /// A provisioned IO a second, by tier; empty if it is not charged or not known.
    iops: Vec<TierPrice>,
    /// A provisioned MiB/s, by tier; empty if it is not charged or not known.
    throughput: Vec<TierPrice>,
    /// A million IO requests; none if they are not charged or the price is not known.
    requests: Option<Figure>,
}

/// A price for what lies above a bound.
#[derive(Debug, Serialize, JsonSchema)]
struct TierPrice {
    /// IOs a second or MiB/s that this price is not for.
    above: f64,
    /// Dollars.
    price: Money,
}

/// Instance types with a price from one source.
#[derive(Debug, Serialize, JsonSchema)]
struct InstancePrices {
    /// How they are paid for, as `--term`.
    term: &'static str,
    /// Number of types.
    types: u64,
    /// Who says so.
    source: String,
    /// The day on which the prices were seen.
    observed: Date,
    /// Whether they are the user's.
    users: bool,
}

/// A price, and where it stands.
#[derive(Debug, Serialize, JsonSchema)]
struct Figure {
    /// Dollars.
    price: Money,
    /// Who says so.
    source: String,
    /// The day on which it was seen.
    observed: Date,
    /// Whether it is the user's.
    users: bool,
}

/// The regions whose name contains `filter`, with the newest prices or those of a day, and the
/// user's before the catalog's.
///
/// # Errors
/// Nothing matches; names the nearest region.
pub(super) fn rows<'a>(
    catalog: &'a Catalog,
    day: Option<Date>,
    filter: Option<&str>,
    file: Option<&'a PriceFile>,
) -> Result<Vec<Row<'a>>, String> {
    let named = catalog.regions().filter(|name| matches(name, filter));
    let rows: Vec<Row<'_>> = named
        .filter_map(|region| {
            let list = catalog.prices(region, day).ok()?;
            Some(row(catalog, &file.map_or(list, |file| list.with(file))))
        })
        .collect();
    match (rows.is_empty(), filter) {
        (true, Some(filter)) => match catalog.prices(filter, day) {
            Err(unknown) => Err(unknown.to_string()),
            Ok(_) => Ok(rows),
        },
        _ => Ok(rows),
    }
}

fn row<'a>(catalog: &'a Catalog, list: &PriceList<'a>) -> Row<'a> {
    let volumes = catalog
        .volume_types()
        .filter_map(|it| volume(list, it.name()));
    Row {
        region: list.region(),
        volumes: volumes.collect(),
        instances: Term::ALL
            .into_iter()
            .flat_map(|term| instances(list, term))
            .collect(),
        snapshots: list.snapshots().ok().map(Figure::from),
        cross_zone: list.cross_zone().ok().map(Figure::from),
    }
}

fn volume<'a>(list: &PriceList<'a>, name: &'a str) -> Option<VolumePrices<'a>> {
    let tiers = |charge: Charge| {
        let per = if charge == Charge::Throughput {
            charge.unit()
        } else {
            1
        };
        let tiers = list.tiers(name, charge).into_iter();
        let tiers = tiers.map(|(above, price)| TierPrice {
            above: above as f64 / per as f64,
            price: price.amount,
        });
        tiers.collect()
    };
    Some(VolumePrices {
        volume_type: name,
        capacity: list.capacity(name)?.into(),
        iops: tiers(Charge::Iops),
        throughput: tiers(Charge::Throughput),
        requests: list.requests(name).map(Figure::from),
    })
}

/// The types that have a price, counted by where it is from.
fn instances(list: &PriceList<'_>, term: Term) -> Vec<InstancePrices> {
    let mut counts: IndexMap<(String, Date, bool), u64> = IndexMap::new();
    for (_, price) in list.priced_instances(term) {
        let Figure {
            source,
            observed,
            users,
            ..
        } = price.into();
        *counts.entry((source, observed, users)).or_default() += 1;
    }
    let rows = counts.into_iter();
    let rows = rows.map(|((source, observed, users), types)| InstancePrices {
        term: term.name(),
        types,
        source,
        observed,
        users,
    });
    rows.collect()
}

impl From<Price<'_>> for Figure {
    fn from(price: Price<'_>) -> Self {
        let (source, users) = match price.source {
            PriceSource::Catalog(source) => (source.title.clone(), false),
            PriceSource::User(words) => (words.to_owned(), true),
        };
        Self {
            price: price.amount,
            source,
            observed: price.observed,
            users,
        }
    }
}
