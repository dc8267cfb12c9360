//! A user's own prices.

use blockyard_text::Error;
use blockyard_text::tree::{Node, from_node, parse_made};
use blockyard_text::units::Percent;
use serde::Deserialize;

use super::check::Known;
use super::data::Prices;
use super::sheet::Sheet;
use crate::Catalog;

/// A user's prices, which come before the catalog's, and what is taken off either.
#[derive(Clone, Debug)]
pub struct PriceFile {
    pub(super) prices: Prices,
    /// What is taken off every price, the catalog's too; a sheet may have its own.
    pub(super) discount: Option<Percent>,
    /// What a Savings Plan takes off the on-demand price of instances whose rate is not stated.
    pub(super) savings_plan: Option<Percent>,
}

/// A price file as it is written.
#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
struct Written {
    discount: Option<Percent>,
    savings_plan: Option<Percent>,
    #[serde(default)]
    prices: Vec<Sheet>,
}

impl PriceFile {
    /// Reads a price file's `text`; `file` is the name that errors print.
    ///
    /// # Errors
    /// Malformed YAML, an unknown key, region, volume or instance type, an amount that is no
    /// price, with the line and the nearest known name.
    pub fn parse(catalog: &Catalog, text: &str, file: &str) -> Result<Self, Error> {
        let tree: Node = parse_made(text, file)?;
        let written: Written = from_node(&tree)?;
        let known = Known::new(&catalog.volumes, &catalog.instances);
        let error =
            |(path, message): (String, String)| Error::new(tree.locate(&path), &path, message);
        if written.prices.is_empty() && written.discount.or(written.savings_plan).is_none() {
            let message = "has no price; expected `prices`, `discount` or `savings_plan`";
            return Err(error((String::new(), message.into())));
        }
        let mut prices = Prices::default();
        for (index, sheet) in written.prices.into_iter().enumerate() {
            let path = format!("prices.{index}");
            let names = catalog.prices.regions.keys();
            (known.region(&sheet.region, names))
                .map_err(|message| error((format!("{path}.region"), message)))?;
            sheet.check(&path, &known).map_err(error)?;
            prices.add(sheet);
        }
        Ok(Self {
            prices,
            discount: written.discount,
            savings_plan: written.savings_plan,
        })
    }
}
