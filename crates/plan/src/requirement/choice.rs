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

/// Of which generation instances may be.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum Generations {
    /// Those that EC2 counts among the current generation.
    Current,
    /// Previous ones too.
    Any,
}

/// Which instances may be chosen. By default types of previous generations, burstable ones, and
/// those made for accelerators or high-performance computing are left out; a `type` or `families`
/// that you name are not.
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
    /// `current`, which is the default, or `any`.
    pub generation: Option<Generations>,
    /// Whether burstable types (T) may be chosen, whose processors slow down once their credits
    /// are used up.
    pub burstable: Option<bool>,
    /// Whether types with GPUs or with accelerators for inference, training, FPGA or media may be
    /// chosen.
    pub accelerators: Option<bool>,
    /// Whether types for high-performance computing may be chosen.
    pub hpc: Option<bool>,
    /// How many attachments stay free, for a volume more or one restored from a snapshot; 2 if not
    /// stated.
    pub spare_attachments: Option<u32>,
}

/// Which volumes may be chosen; by default all, disks of the instance only with `durability:
/// ephemeral`.
#[derive(Clone, Debug, Default, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct VolumeChoice {
    /// Volume types, such as `gp3`.
    #[serde(default)]
    pub types: Vec<String>,
    /// The most data and journal volumes on an instance, from 1; 8 if not stated, as a stripe is
    /// lost with any of its volumes.
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
