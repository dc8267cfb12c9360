//! A latency profile as it is written: in the catalog, in a file of its own, or inline in a
//! scenario.

use blockyard_model::spec::LatencySpec;
use blockyard_text::units::{Percent, Size};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use super::stated::Stated;
use super::values::{Quantiles, Slope, SlowPhase};

/// A latency profile. Each part is a value, or a map that says beside its `value` what that
/// rests on. What is left out comes from `like`; without that, `read`, `write`, `base_size` and
/// `per_kib` must be there.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct LatencyProfile {
    /// Where the parts come from that are not here: a profile of the catalog, or a file.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub like: Option<String>,
    /// Latency of reads of at most `base_size`, as the issuing process sees it.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub read: Option<Stated<Quantiles>>,
    /// Latency of writes of at most `base_size`, likewise.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub write: Option<Stated<Quantiles>>,
    /// The IO size that the quantiles are for.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub base_size: Option<Stated<Size>>,
    /// What is added for each KiB beyond `base_size`: one duration, or `read` and `write`.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub per_kib: Option<Stated<Slope>>,
    /// How far volumes differ from each other: the standard deviation of a factor of mean 1
    /// that each volume draws once, at the start. By default 0%.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub spread: Option<Stated<Percent>>,
    /// States that a volume wanders through in turn. By default none.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub slow: Option<Stated<Vec<SlowPhase>>>,
    /// How far delayed IOs of several queues complete out of turn: mean extra delay as a share
    /// of the time that a limit throttled them.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schemars(skip)]
    pub(crate) reordering: Option<Stated<f64>>,
}

impl LatencyProfile {
    /// What the model draws from.
    ///
    /// # Errors
    /// A part is missing that has no default.
    pub fn spec(&self) -> Result<LatencySpec, String> {
        let slow = self.slow.iter().flat_map(|slow| &slow.value);
        Ok(LatencySpec {
            read: needed("read", &self.read)?.table(),
            write: needed("write", &self.write)?.table(),
            base_size: needed("base_size", &self.base_size)?.bytes(),
            per_kib: needed("per_kib", &self.per_kib)?.per_kib(),
            spread_permille: self
                .spread
                .as_ref()
                .map_or(0, |spread| spread.value.permille() as u32),
            slow: slow.map(|phase| phase.state()).collect(),
        })
    }

    /// How far delayed IOs of several queues complete out of turn, in 1/1000.
    #[must_use]
    pub fn reordering_permille(&self) -> u32 {
        let share = self.reordering.as_ref().map_or(0.0, |share| share.value);
        (share.clamp(0.0, 1000.0) * 1000.0).round() as u32
    }
}

fn needed<'a, T>(part: &str, stated: &'a Option<Stated<T>>) -> Result<&'a T, String> {
    match stated {
        Some(stated) => Ok(&stated.value),
        None => Err(format!(
            "`{part}` is missing; give it, or with `like` a profile that has it"
        )),
    }
}
