//! Where a run on real storage took place, and what is known of it.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use super::words;

/// The machine of a run on real storage or an emulation; none for a simulation.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct Machine {
    /// Begin of the run in UTC, as `2026-01-31T08:00:00Z`.
    pub started: String,
    /// Kernel release (`uname -r`).
    pub kernel: String,
    /// Processor model.
    pub processor: String,
    /// Processors available.
    pub processors: u32,
    /// How IO was issued: `io_uring` or `threads`.
    pub engine: String,
    /// Threads that issued IO.
    pub threads: u32,
    /// A file or block device that a device was mapped to.
    pub targets: Vec<Target>,
    /// Processor time of the whole process while the run was timed; none if not measured.
    pub cpu: Option<Cpu>,
    /// What reading blocks back found; none without verification.
    pub verified: Option<Verified>,
    /// Emulation: least time of 9 of 10 requests on this machine without a model, subtracted from
    /// the model's times; none in other modes.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub overhead_us: Option<f64>,
    /// The second at which the run was steady and ended; none without `--steady-stop`.
    pub steady_s: Option<f64>,
}

/// A file or block device that a device was mapped to.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct Target {
    /// The scenario's device.
    pub device: String,
    /// Its path.
    pub path: String,
    /// `file`, `block device`, `nbd export` or `null`.
    #[serde(deserialize_with = "words::kind")]
    #[schemars(extend("enum" = words::KINDS))]
    pub kind: String,
    /// Emulation: where its bytes lie, in words; none in other modes.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub backing: Option<String>,
    /// Bytes that the scenario's files took.
    pub size_bytes: u64,
    /// Whether IO bypassed the page cache (`O_DIRECT`).
    pub direct: bool,
    /// Its file system; none for a block device.
    pub file_system: Option<String>,
    /// Mount options.
    pub mount_options: Option<String>,
    /// Block device, as `/dev/nvme1n1`.
    pub block_device: Option<String>,
    /// The block device's model.
    pub model: Option<String>,
    /// IO scheduler.
    pub scheduler: Option<String>,
    /// Queue depth (`nr_requests`).
    pub queue_requests: Option<u64>,
    /// Logical block size.
    pub logical_block_bytes: Option<u64>,
    /// Whether it spins.
    pub rotational: Option<bool>,
}

/// Processor time of the whole process while the run was timed; none if not measured.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct Cpu {
    /// In user space.
    pub user_s: f64,
    /// In the kernel.
    pub system_s: f64,
    /// Both together per IO, in microseconds; none without IO.
    pub us_per_io: Option<f64>,
}

/// What reading blocks back found; none without verification.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct Verified {
    /// Blocks checked.
    pub blocks: u64,
    /// Blocks torn, stale, misplaced or damaged.
    pub bad: u64,
}
