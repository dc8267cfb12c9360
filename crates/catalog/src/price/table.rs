//! Reads the tables of instances' prices.

use blockyard_text::Error;
use blockyard_text::units::Money;

use super::by_region::RegionTable;
use super::data::{PriceData, Prices};
use super::sheet::{InstancePrice, Sheet};
use crate::table::Table;

const COLUMNS: &str = "source,region,type,on_demand,no_upfront,partial_upfront,all_upfront";

/// The generated table and the one that was transcribed by hand.
const FILES: [&str; 2] = [
    "catalog/instance-prices.csv",
    "catalog/instance-prices-transcribed.csv",
];

impl Prices {
    /// The prices of `data`, of both tables, and of those `by_region`, which are read later. An
    /// error names the offending line.
    pub(crate) fn read(
        data: PriceData,
        texts: [&str; 2],
        by_region: [&str; 2],
    ) -> Result<Self, Error> {
        let mut sheets: Vec<Sheet> = Vec::new();
        for (file, text) in FILES.into_iter().zip(texts) {
            let rows = Table::new(file, COLUMNS, text).keyed(3, |cells| row(&data, cells))?;
            for ((source, region), price) in rows {
                let same = |sheet: &&mut Sheet| sheet.source == source && sheet.region == region;
                match sheets.iter_mut().rev().find(same) {
                    Some(sheet) => sheet.instances.push(price),
                    None => sheets.push(sheet(&data, source, region, price)),
                }
            }
        }
        let tables = RegionTable::all(&data, by_region);
        Ok(Self::new(data, sheets, tables))
    }
}

fn sheet(data: &PriceData, source: &str, region: &str, price: InstancePrice) -> Sheet {
    // `row` has looked the source up.
    let table = &data.tables[source];
    Sheet {
        assumed: table.assumed.clone(),
        instances: vec![price],
        ..Sheet::empty(region, table.observed, source)
    }
}

type Row<'a> = ((&'a str, &'a str), InstancePrice);

fn row<'a>(data: &PriceData, cells: &[&'a str]) -> Result<Row<'a>, String> {
    let [source, region, name, on_demand, none, partial, all] = cells else {
        return Err("expected 7 cells".into());
    };
    if !data.tables.contains_key(*source) {
        return Err(format!("`{source}` is not among the tables of prices.yaml"));
    }
    if !data.regions.names.iter().any(|known| known == region) {
        return Err(format!("`{region}` is not a region"));
    }
    let price = InstancePrice {
        name: (*name).to_owned(),
        on_demand: cell(on_demand)?,
        no_upfront: cell(none)?,
        partial_upfront: cell(partial)?,
        all_upfront: cell(all)?,
        ..InstancePrice::default()
    };
    Ok(((source, region), price))
}

fn cell(text: &str) -> Result<Option<Money>, String> {
    match text {
        "" => Ok(None),
        text => text.parse().map(Some),
    }
}
