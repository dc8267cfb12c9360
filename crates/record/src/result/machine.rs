//! Where a run on real storage took place, and what is known of it.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use super::words;

/// The machine of a run on real storage.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct Machine {
    /// When the run began, UTC, as `2026-01-31T08:00:00Z`.
    pub started: String,
    /// Kernel release (`uname -r`).
    pub kernel: String,
    /// Model of the processor.
    pub processor: String,
    /// Processors that the run could use.
    pub processors: u32,
    /// How IO was done: `io_uring` or `threads`.
    pub engine: String,
    /// Threads that issued IO.
    pub threads: u32,
    /// What each device of the scenario was mapped to.
    pub targets: Vec<Target>,
    /// Processor time of the run; none if it was not measured.
    pub cpu: Option<Cpu>,
    /// What verification found; none without it.
    pub verified: Option<Verified>,
    /// Emulation: how long a request takes on this machine without a model,
    /// which was taken off the model's times; none in other modes.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub overhead_us: Option<f64>,
    /// The second at which the run was found steady and ended; none if it was
    /// not asked to.
    pub steady_s: Option<f64>,
}

/// A file or block device that a run used.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct Target {
    /// The scenario's device.
    pub device: String,
    /// What it was mapped to.
    pub path: String,
    /// `file`, `block device`, `nbd export` or `null`.
    #[serde(deserialize_with = "words::kind")]
    #[schemars(extend("enum" = words::KINDS))]
    pub kind: String,
    /// Emulation: where its bytes lie, in words; none in other modes.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub backing: Option<String>,
    /// Bytes of it that the scenario's files took.
    pub size_bytes: u64,
    /// Whether IO went past the page cache (`O_DIRECT`).
    pub direct: bool,
    /// The file system that holds it; none for a block device.
    pub file_system: Option<String>,
    /// Its mount options.
    pub mount_options: Option<String>,
    /// The block device, as `/dev/nvme1n1`.
    pub block_device: Option<String>,
    /// The block device's model.
    pub model: Option<String>,
    /// Its IO scheduler.
    pub scheduler: Option<String>,
    /// Its queue depth (`nr_requests`).
    pub queue_requests: Option<u64>,
    /// Its logical block size.
    pub logical_block_bytes: Option<u64>,
    /// Whether it spins.
    pub rotational: Option<bool>,
}

/// Processor time of the whole process while the run was timed.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct Cpu {
    /// In user space, in seconds.
    pub user_s: f64,
    /// In the kernel, in seconds.
    pub system_s: f64,
    /// Both together for each IO, in microseconds; none without IO.
    pub us_per_io: Option<f64>,
}

/// What was found when blocks were read back.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct Verified {
    /// Blocks whose content was checked.
    pub blocks: u64,
    /// Blocks that were torn, stale, misplaced or damaged.
    pub bad: u64,
}
