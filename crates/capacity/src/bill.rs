//! What a layout costs in a month.

use blockyard_scenario::Loaded;

/// Where and by which prices a layout is bought.
#[derive(Clone, Debug, Default)]
pub struct Prices {
    /// The region; the scenario's if none is named.
    pub region: Option<String>,
    /// The user's own prices: what errors call the file, and its text.
    pub file: Option<(String, String)>,
}

/// Makes out bills on the same terms.
pub(crate) struct Bills;

impl Bills {
    pub(crate) fn of(_prices: &Prices, _loaded: &Loaded) -> Result<Self, String> {
        Ok(Self)
    }

    pub(crate) fn region(&self) -> &str {
        ""
    }

    pub(crate) fn monthly(&self, _loaded: &Loaded) -> Result<f64, String> {
        Err("prices are not known".to_owned())
    }
}
