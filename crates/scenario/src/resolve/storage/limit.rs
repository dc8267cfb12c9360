//! A limit as results report it.

use blockyard_model::spec::{LimitSpec, Unit};
use blockyard_model::units::MIB;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

/// A limit in force.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct ResolvedLimit {
    /// `host` or the volume's name.
    pub owner: String,
    /// Name of the limit: `iops`, `throughput`, `iops_credits`.
    pub limit: String,
    /// What it lets through for good, in `unit`; none where none is published.
    pub value: Option<f64>,
    /// `IOPS`, `MiB/s` (volumes) or `MB/s` (hosts), as the provider states it.
    pub unit: String,
    /// What it lets through at once when full: IOs, MiB or MB.
    pub depth: Option<f64>,
    /// Where the value comes from.
    pub source: String,
    /// Whether the value is assumed for the scenario's day and host.
    pub assumed: bool,
    /// What is assumed or inferred, and why.
    pub note: String,
}

/// What a limit rests on.
pub(super) struct Grounds {
    pub(super) source: String,
    /// Why the value is assumed; empty where it is not.
    pub(super) assumptions: Vec<String>,
    /// What else there is to say.
    pub(super) notes: Vec<String>,
}

impl ResolvedLimit {
    /// A limit of `owner`, whose bytes are counted in `byte_unit`.
    pub(super) fn new(
        owner: &str,
        spec: &LimitSpec,
        byte_unit: ByteUnit,
        grounds: Grounds,
    ) -> Self {
        let (unit, one) = match (spec.unit, byte_unit) {
            (Unit::Io, _) => ("IOPS", 1),
            (Unit::Byte, ByteUnit::Mib) => ("MiB/s", MIB),
            (Unit::Byte, ByteUnit::Mb) => ("MB/s", 1_000_000),
        };
        Self {
            owner: owner.to_owned(),
            limit: spec.name.clone(),
            value: Some(spec.rate as f64 / one as f64),
            unit: unit.into(),
            depth: Some(spec.depth as f64 / one as f64),
            source: grounds.source,
            assumed: !grounds.assumptions.is_empty(),
            note: [grounds.assumptions, grounds.notes].concat().join("; "),
        }
    }
}

/// How a provider states bytes.
#[derive(Clone, Copy)]
pub(super) enum ByteUnit {
    /// Volumes: 2^20 bytes.
    Mib,
    /// Hosts: 10^6 bytes.
    Mb,
}

/// Tokens at the start, of a bucket that is so full.
pub(super) fn level(depth: u64, full_permille: u64) -> u64 {
    let exact = u128::from(depth) * u128::from(full_permille) / 1000;
    u64::try_from(exact).unwrap_or(depth)
}
