//! What a layout costs in a month.

use blockyard_catalog::{Catalog, PriceFile, Term};
use blockyard_cost::{Bill, Pace, Terms};
use blockyard_experiment::Opened;
use blockyard_scenario::units::Date;

/// Where and by which prices a layout is bought.
#[derive(Clone, Debug, Default)]
pub struct Prices {
    /// The region; the scenario's if none is named.
    pub region: Option<String>,
    /// How instances are paid for.
    pub term: Term,
    /// The user's own prices: the text of the file, and what errors call it.
    pub file: Option<(String, String)>,
}

/// Makes out bills on the same terms.
pub(crate) struct Bills {
    region: Option<String>,
    term: Term,
    file: Option<PriceFile>,
}

impl Bills {
    /// # Errors
    /// A line that says what is wrong with the region or the price file.
    pub(crate) fn of(prices: &Prices) -> Result<Self, String> {
        let catalog = Catalog::get().map_err(|error| error.to_string())?;
        if let Some(region) = &prices.region {
            let known = catalog.prices(region, None);
            known.map_err(|unknown| format!("--region: {unknown}"))?;
        }
        let read = |(text, name): &(String, String)| PriceFile::parse(catalog, text, name);
        let file = prices.file.as_ref().map(read).transpose();
        Ok(Self {
            region: prices.region.clone(),
            term: prices.term,
            file: file.map_err(|error| error.to_string())?,
        })
    }

    /// What a scenario costs, month by month, with traffic at this pace; without where nobody knows
    /// what that costs.
    ///
    /// # Errors
    /// A line that says which price is not known, and how to state it.
    pub(crate) fn bill(&self, opened: &Opened, pace: &Pace) -> Result<Bill, String> {
        let terms = Terms {
            region: self.region.as_deref(),
            term: self.term,
            prices: self.file.as_ref(),
            ..Terms::default()
        };
        let of = |pace| Bill::of(opened.scenario(), &opened.resolved, &terms, pace);
        of(Some(pace))
            .or_else(|_| of(None))
            .map_err(|error| error.to_string())
    }

    /// Dollars for an hour of an instance; none where no price is known.
    pub(crate) fn instance(&self, region: &str, day: Option<Date>, name: &str) -> Option<f64> {
        let list = Catalog::get().ok()?.prices(region, day).ok()?;
        let list = match &self.file {
            Some(file) => list.with(file),
            None => list,
        };
        let price = list.instance(name, self.term).ok()?;
        Some(price.amount.dollars())
    }
}
