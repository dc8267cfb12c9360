//! Which instances and volumes may be chosen, as a user writes it.

use blockyard_text::units::{Size, Throughput};
use schemars::JsonSchema;
use serde::Deserialize;

/// What programs are built for.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Deserialize, JsonSchema)]
pub enum Architecture {
    /// Intel and AMD.
    #[serde(rename = "x86_64")]
    X86,
    /// Graviton.
    #[serde(rename = "arm64")]
    Arm,
}

impl Architecture {
    /// Its name in the catalog.
    #[must_use]
    pub const fn name(self) -> &'static str {
        match self {
            Self::X86 => "x86_64",
            Self::Arm => "arm64",
        }
    }
}

/// Which instances may be chosen; by default all.
#[derive(Clone, Debug, Default, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct InstanceChoice {
    /// The one that is there, such as `r5b.24xlarge`.
    #[serde(rename = "type")]
    pub instance_type: Option<String>,
    /// What programs are built for, `x86_64` or `arm64`; by default whatever is cheaper.
    pub architecture: Option<Architecture>,
    /// Minimum vCPUs.
    pub vcpu: Option<u64>,
    /// Minimum memory.
    pub memory: Option<Size>,
    /// Families, such as `r6i`.
    #[serde(default)]
    pub families: Vec<String>,
}

/// Which volumes may be chosen; by default all, disks of the instance only with `durability:
/// ephemeral`.
#[derive(Clone, Debug, Default, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct VolumeChoice {
    /// Volume types, such as `gp3`.
    #[serde(default)]
    pub types: Vec<String>,
    /// The most data and journal volumes on an instance, from 1.
    pub at_most: Option<u32>,
}

/// What the figures of volumes are rounded up to.
#[derive(Clone, Copy, Debug, Default, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct RoundTo {
    /// Size of a volume, in whole GiB; 1GiB if not stated.
    pub size: Option<Size>,
    /// IOs a second of a volume above the least that its type has; 1 if not stated.
    pub iops: Option<u64>,
    /// Throughput of a volume above the least that its type has; 1MiB/s if not stated.
    pub throughput: Option<Throughput>,
}
