//! What the figures of a device rest on: its latencies, and what is assumed of its limits.

use blockyard_catalog::{Catalog, Class, LatencyProfile, Limit, Standing};
use indexmap::IndexSet;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

/// Provenance of the figures of a modelled device's reads or writes; none for real storage, whose
/// figures are measured.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct RestsOn {
    /// The device; one with unlike parts has an entry per profile.
    pub device: String,
    /// Which IOs.
    pub op: Direction,
    /// The catalog's latency profile; none for the scenario's own.
    pub profile: Option<String>,
    /// Provenance of unthrottled latencies, for IOs up to the size of the profile's tables; that of
    /// larger ones may be weaker.
    pub latencies: Class,
    /// The document and measurements; empty if none is named.
    pub source: String,
    /// How the values follow from these, or why they were chosen; may be empty.
    pub note: String,
    /// Assumptions about the limits of the device and its host.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub assumed_limits: Vec<String>,
}

/// The operations that a profile has latencies for.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "lowercase")]
pub enum Direction {
    /// Reads.
    Read,
    /// Writes.
    Write,
}

impl RestsOn {
    /// What of it is assumed: `latencies of data`, `limits of data`, or nothing.
    pub fn assumed(&self) -> impl Iterator<Item = String> {
        let parts = [
            (self.latencies == Class::Assumed, "latencies"),
            (!self.assumed_limits.is_empty(), "limits"),
        ];
        let assumed = parts.into_iter().filter(|(is_assumed, _)| *is_assumed);
        assumed.map(|(_, what)| format!("{what} of {}", self.device))
    }
}

/// What a volume's reads and writes rest on, without the name of its device.
pub(super) fn of_volume(
    name: Option<&str>,
    profile: &LatencyProfile,
    assumed_limits: &[String],
    catalog: &Catalog,
) -> Vec<RestsOn> {
    let each = [Direction::Read, Direction::Write]
        .into_iter()
        .zip(profile.standing(catalog));
    each.map(|(op, Standing { class, source, why })| RestsOn {
        device: String::new(),
        op,
        profile: name.map(ToOwned::to_owned),
        latencies: class,
        source,
        note: why,
        assumed_limits: assumed_limits.to_vec(),
    })
    .collect()
}

/// What is assumed of limits, and `more`, each thing once.
pub(super) fn assumed_of(limits: &[Limit<'_>], more: &[String]) -> Vec<String> {
    let all = limits.iter().flat_map(|limit| &limit.assumptions);
    let said = all.map(ToString::to_string).chain(more.iter().cloned());
    said.collect::<IndexSet<_>>().into_iter().collect()
}
