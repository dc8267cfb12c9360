//! A latency profile as it is written: in the catalog, in a file of its own, or inline in a
//! scenario.

use blockyard_model::spec::{LatencySpec, QuantileTable};
use blockyard_text::units::{Percent, Size};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use super::stated::Stated;
use super::values::{Quantiles, Slope, SlowPhase};

/// A latency profile. Each part is a value, or a map of its `value` and provenance. Omitted parts
/// come from `like`; without that, `read`, `write`, `base_size` and `per_kib` are required.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct LatencyProfile {
    /// Source of omitted parts: a profile of the catalog, or a file.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub like: Option<String>,
    /// Latency of reads of at most `base_size`, as the issuing process sees it.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub read: Option<Stated<Quantiles>>,
    /// Latency of writes of at most `base_size`, likewise.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub write: Option<Stated<Quantiles>>,
    /// Latency of reads that continue a stream without a seek, as on st1. State both sequential
    /// latencies or neither; default: that of any read.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub sequential_read: Option<Stated<Quantiles>>,
    /// Latency of writes that continue a stream, likewise.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub sequential_write: Option<Stated<Quantiles>>,
    /// The IO size of the quantiles.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub base_size: Option<Stated<Size>>,
    /// Added for each KiB beyond `base_size`: one duration, or `read` and `write`.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub per_kib: Option<Stated<Slope>>,
    /// Variation between hosts: standard deviation of a factor of mean 1 that a host draws once for
    /// all of its volumes. Default 0%.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub spread: Option<Stated<Percent>>,
    /// Variation between volumes of one host, likewise. Default 0%.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub volume_spread: Option<Stated<Percent>>,
    /// A state that a volume passes through in turn, which multiplies its latencies; default: none.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub slow: Option<Stated<Vec<SlowPhase>>>,
}

impl LatencyProfile {
    /// What the model draws from.
    ///
    /// # Errors
    /// A part is missing that has no default, or one of the sequential two.
    pub fn spec(&self) -> Result<LatencySpec, String> {
        let slow = self.slow.iter().flat_map(|slow| &slow.value);
        Ok(LatencySpec {
            read: needed("read", &self.read)?.table(),
            write: needed("write", &self.write)?.table(),
            sequential: self.sequential()?,
            base_size: needed("base_size", &self.base_size)?.bytes(),
            per_kib: needed("per_kib", &self.per_kib)?.per_kib(),
            spread_permille: permille(&self.spread),
            volume_spread_permille: permille(&self.volume_spread),
            slow: slow.map(|phase| phase.state()).collect(),
        })
    }

    fn sequential(&self) -> Result<Option<[QuantileTable; 2]>, String> {
        match (&self.sequential_read, &self.sequential_write) {
            (None, None) => Ok(None),
            (Some(read), Some(write)) => Ok(Some([read.value.table(), write.value.table()])),
            (Some(_), None) => Err("`sequential_write` is missing beside `sequential_read`".into()),
            (None, Some(_)) => Err("`sequential_read` is missing beside `sequential_write`".into()),
        }
    }
}

fn permille(spread: &Option<Stated<Percent>>) -> u32 {
    spread
        .as_ref()
        .map_or(0, |spread| spread.value.permille() as u32)
}

fn needed<'a, T>(part: &str, stated: &'a Option<Stated<T>>) -> Result<&'a T, String> {
    match stated {
        Some(stated) => Ok(&stated.value),
        None => Err(format!(
            "`{part}` is missing; give it, or with `like` a profile that has it"
        )),
    }
}
