//! Reads requirements for the tests beside this folder.

#![allow(dead_code, unreachable_pub, reason = "each test file uses its part")]
#![allow(clippy::unwrap_used, reason = "a test fails by panicking")]

use blockyard_catalog::Catalog;
use blockyard_plan::{ListPrices, Loaded, Market, load};

/// What `ask` finds for the requirement `text`, with its market at the catalog's prices.
pub fn with_market<T>(text: &str, ask: impl FnOnce(&Loaded, &Market<'_>) -> T) -> T {
    let loaded = load(text, "wanted.yaml", &[]).unwrap();
    let prices = list_prices(&loaded);
    let market = Market::new(Catalog::get().unwrap(), &prices, &loaded.choice).unwrap();
    ask(&loaded, &market)
}

/// The catalog's prices for a requirement.
pub fn list_prices(loaded: &Loaded) -> ListPrices<'static> {
    let catalog = Catalog::get().unwrap();
    let list = catalog.prices(&loaded.region, loaded.choice.day).unwrap();
    let term = loaded.term;
    ListPrices { list, term }
}
