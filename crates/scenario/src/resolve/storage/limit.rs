//! A limit as the model takes it, and as results report it.

use blockyard_catalog::{ByteUnit, Limit, Note, Source};
use blockyard_model::spec::{LimitSpec, Unit};
use schemars::JsonSchema;
use serde::de::Error;
use serde::{Deserialize, Deserializer, Serialize};

use crate::units::Percent;

/// A limit of the modelled storage. A simulation enforces it; on real storage it is the intended
/// one.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct ResolvedLimit {
    /// The volume or host; `host` where the scenario does not name it.
    pub owner: String,
    /// `iops`, `throughput`, `iops_credits` and so on.
    pub limit: String,
    /// Sustained rate, in `unit`; none if none is published.
    pub value: Option<f64>,
    /// `IOPS`, `MiB/s` (volumes) or `MB/s` (hosts), as the provider states it.
    #[serde(deserialize_with = "unit")]
    #[schemars(extend("enum" = UNITS))]
    pub unit: String,
    /// Burst size when full: IOs, MiB or MB.
    pub depth: Option<f64>,
    /// Source of the value.
    pub source: String,
    /// Whether the value is assumed for the scenario's day and host.
    pub assumed: bool,
    /// What is assumed or inferred, and why.
    pub note: String,
}

impl ResolvedLimit {
    /// Says one thing more about what it rests on.
    pub(super) fn add_note(&mut self, note: &Note<'_>) {
        self.say(&note.to_string());
    }

    /// Says one thing more about it.
    pub(in crate::resolve) fn say(&mut self, more: &str) {
        if !self.note.is_empty() {
            self.note += "; ";
        }
        self.note += more;
    }
}

/// What [`ResolvedLimit::unit`] can be: empty where no value is published.
const UNITS: [&str; 4] = ["IOPS", "MiB/s", "MB/s", ""];

fn unit<'de, D: Deserializer<'de>>(from: D) -> Result<String, D::Error> {
    let unit = String::deserialize(from)?;
    if UNITS.contains(&unit.as_str()) {
        return Ok(unit);
    }
    let message = format!("`{unit}`; expected IOPS, MiB/s or MB/s");
    Err(D::Error::custom(message))
}

/// Whose limits are resolved, and how they are stated.
#[derive(Clone, Copy)]
pub(super) struct Owner<'a> {
    /// The host's or the volume's name.
    pub(super) name: &'a str,
    /// Where its figures are published.
    pub(super) source: Option<&'a Source>,
    /// The unit of its throughput.
    pub(super) stated_in: ByteUnit,
}

impl Owner<'_> {
    /// The limit for the model, its bucket filled to `full` at the start, and the limit
    /// for results.
    pub(super) fn resolve(&self, limit: &Limit<'_>, full: Percent) -> (LimitSpec, ResolvedLimit) {
        let spec = LimitSpec {
            name: limit.name.to_owned(),
            unit: limit.unit,
            applies: limit.applies,
            rate: limit.rate,
            depth: limit.depth,
            level: level(limit.depth, full),
            credits: limit.credits,
            top_up: limit.top_up,
        };
        let (unit, one) = match limit.unit {
            Unit::Io => ("IOPS", 1),
            Unit::Byte => (self.stated_in.name(), self.stated_in.bytes_per_s()),
        };
        let assumptions = limit.assumptions.iter().map(ToString::to_string);
        let notes = limit.notes.iter().map(ToString::to_string);
        let resolved = ResolvedLimit {
            owner: self.name.to_owned(),
            limit: limit.name.to_owned(),
            value: Some(limit.rate as f64 / one as f64),
            unit: unit.into(),
            depth: Some(limit.depth as f64 / one as f64),
            source: self.source.map_or_else(String::new, Source::to_string),
            assumed: !limit.assumptions.is_empty(),
            note: assumptions.chain(notes).collect::<Vec<_>>().join("; "),
        };
        (spec, resolved)
    }
}

/// Tokens in a bucket of `depth` that is filled to `full`.
fn level(depth: u64, full: Percent) -> u64 {
    let exact = u128::from(depth) * u128::from(full.permille()) / 1000;
    u64::try_from(exact).unwrap_or(depth)
}
