//! `result.json`: the result of a run. The types are the schema
//! `blockyard/result/1`.

mod amount;
mod by_second;
mod by_seed;
mod event;
mod expected;
mod figures;
mod journal_mirror;
mod machine;
mod network;
mod observed;
mod observed_calls;
mod observed_load;
mod outage;
// Pages read no files, and what would read them is a twelfth of all code that is built for pages.
#[cfg(not(target_family = "wasm"))]
mod read;
mod transactions;
pub(crate) mod words;

use std::collections::BTreeMap;

pub use amount::AmountTotal;
use blockyard_scenario::{ReplayedRecording, ResolvedLimit, RestsOn};
pub use by_second::{TimeAbove, WorstSecond};
pub use by_seed::{BySeed, LatencyRange, Range, TotalRange, TransactionRange};
pub use event::{Event, EventEffect, Held};
pub use expected::{Expected, ExpectedRange};
pub use figures::LatencyUs;
pub(crate) use figures::seconds;
pub use journal_mirror::{
    BackupStatus, JournalMirrorTotal, MirrorMemberTotal, MirrorRole, MirrorStage, MirrorTransition,
};
pub use machine::{Cpu, Machine, Target, Verified};
pub use network::{
    HostNetwork, LinkCause, LinkHeld, LinkTotal, LinkWaits, MirrorTotal, PacketCpu, ResyncBound,
};
pub use observed::{
    EbsOp, EbsStatistics, IoPressure, LostEvents, Observed, ObservedDevice, ObservedOp,
    ObservedProcess, Source,
};
pub use observed_calls::{CallKind, Caller, CallingThread, ObservedCalls};
pub use observed_load::{HeavyWrites, Issuers, ObservedLoad, Places};
pub use outage::{Outage, OutagePart};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
pub use transactions::{
    EngineHalf, EngineIoTotal, EngineIoUse, EngineTotal, LagTotal, NodeTotal, Quartiles,
    ReplicationTotal, SpentOn, Spread, StoppedEngine, ThrottledBy, TimeSpent, TransactionKindTotal,
    TransactionStep, TransactionTotal,
};

/// The schema's name, first field of every result.
pub const SCHEMA: &str = "blockyard/result/1";

/// A whole result.
#[derive(Clone, Debug, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct RunResult {
    /// `blockyard/result/1`.
    pub schema: String,
    /// The command that made it.
    pub mode: Mode,
    /// Length of an interval in seconds, of a run whose load was carried by interval: latencies are
    /// means then. None if each IO was simulated.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub by_interval_s: Option<f64>,
    /// The program.
    pub tool: Tool,
    /// The scenario's name.
    pub scenario: String,
    /// Seed of the random streams.
    pub seed: u64,
    /// The random generator.
    pub random: String,
    /// Length of the run, warm-up included, as far as it got.
    pub duration_s: f64,
    /// How the run ended.
    pub status: Status,
    /// Why it failed, or none.
    pub reason: Option<String>,
    /// The machine of a run on real storage or an emulation; none for a simulation.
    pub machine: Option<Machine>,
    /// A limit of the modelled storage. A simulation enforces it; on real storage it is the
    /// intended one.
    pub resolved: Vec<ResolvedLimit>,
    /// Provenance of the figures of a modelled device's reads or writes; none for real storage,
    /// whose figures are measured.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub rests_on: Vec<RestsOn>,
    /// Remarks on the limits as a whole, such as a scenario's day later than all sources.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub notices: Vec<String>,
    /// A job's IOs on a device with one operation, without the warm-up.
    pub totals: Vec<Total>,
    /// A total over one load step.
    pub steps: Vec<Step>,
    /// One write-daemon cycle; times count from the start of the run.
    pub cycles: Vec<Cycle>,
    /// A job that reads and writes an amount, such as a backup, and then is done.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub amounts: Vec<AmountTotal>,
    /// The transactions of an `oltp` job, without the warm-up.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub transactions: Vec<TransactionTotal>,
    /// An open-loop job against its schedule, warm-up included.
    pub open_loop: Vec<OpenLoop>,
    /// Per volume.
    pub volumes: Vec<VolumeTotal>,
    /// Per host; it is called `host` where the scenario does not name it.
    pub hosts: Vec<VolumeTotal>,
    /// Traffic of a link in one direction, warm-up included.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub links: Vec<LinkTotal>,
    /// A host's network over all its links, warm-up included.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub host_networks: Vec<HostNetwork>,
    /// Processor time of links' packets on a host, warm-up included.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub packet_cpu: Vec<PacketCpu>,
    /// A mirror of a device, warm-up included.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub mirrors: Vec<MirrorTotal>,
    /// The mirror of a job's journal, warm-up included.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub journal_mirrors: Vec<JournalMirrorTotal>,
    /// How long a limit throttled IOs, and whose requests took its tokens meanwhile.
    pub limits: Vec<LimitTotal>,
    /// Emulation: how much later than the model's time answers went out. Bench of a replay: how
    /// long after their times IOs were issued. None in other modes.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub lateness_us: Option<LatencyUs>,
    /// An event of the scenario or, in an emulation, a change or fault from outside.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub events: Vec<Event>,
    /// A goal and its outcome.
    pub goals: Vec<GoalOutcome>,
    /// Simulation: ranges over several seeds, while all else is of the result's own seed; none with
    /// one seed.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub by_seed: Option<BySeed>,
    /// The recording that a `replay` job replays.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub recordings: Vec<ReplayedRecording>,
    /// Observation: how it was made, the devices, who used them; none of other modes.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub observed: Option<Observed>,
}

/// The program.
#[derive(Clone, Debug, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct Tool {
    /// `blockyard`.
    pub name: String,
    /// Its version.
    pub version: String,
}

/// The command that made the run.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "lowercase")]
pub enum Mode {
    /// Modelled workload on modelled storage, in virtual time.
    Simulate,
    /// Modelled workload on real storage.
    Bench,
    /// Real workload on modelled storage, in real time.
    Emulate,
    /// Real workload on real storage, watched.
    Observe,
}

/// How the run ended.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "lowercase")]
pub enum Status {
    /// At its end.
    Complete,
    /// It was stopped.
    Interrupted,
    /// With an error, stated in `reason`. Both keep what was measured until then.
    Failed,
}

/// A job's IOs on a device with one operation, without the warm-up.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct Total {
    /// Job.
    pub job: String,
    /// Device.
    pub device: String,
    /// `read`, `write`, `flush` or `trim`.
    #[serde(deserialize_with = "words::op")]
    #[schemars(extend("enum" = words::OPS))]
    pub op: String,
    /// IOs that completed.
    pub ios: u64,
    /// Their bytes.
    pub bytes: u64,
    /// IOs per second.
    pub iops: f64,
    /// Throughput.
    pub mib_per_s: f64,
    /// IOs per second in the best interval.
    pub peak_iops: f64,
    /// IOs that failed.
    pub errors: u64,
    /// Their latency; none without IOs, and where no more than the mean is known.
    pub latency_us: Option<LatencyUs>,
    /// Their mean latency in microseconds, where no more is known: of load that lasts, and of
    /// counters.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub mean_us: Option<f64>,
    /// Simulation: where 9 of 10 public measurements of such IO lie; none of what too few have
    /// measured, or of a run with events.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub expected_us: Option<Expected>,
    /// The second with the highest p99, and of equal ones the highest mean; none without IOs.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub worst_second: Option<WorstSecond>,
    /// Share of the time in seconds whose p99 exceeded 0.1, 0.2, 0.5, 1, 2, 5 ms and so on; of
    /// values with equal shares only the largest.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub time_above: Vec<TimeAbove>,
    /// Rates of a bursty job over the intervals in which it had IO; none where all had.
    pub busy: Option<Busy>,
}

impl Total {
    /// The mean latency in microseconds, as of a histogram or by itself.
    #[must_use]
    pub fn mean(&self) -> Option<f64> {
        self.latency_us.map(|us| us.mean).or(self.mean_us)
    }
}

/// Rates of a bursty job over the intervals in which it had IO; none where all had.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct Busy {
    /// Share of intervals with IO.
    pub share: f64,
    /// Mean IOPS.
    pub iops_mean: f64,
    /// 98th percentile of the intervals' IOPS.
    pub iops_p98: f64,
}

/// A total over one load step.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct Step {
    /// Number of the step within its job, from 1.
    pub step: usize,
    /// Its begin.
    pub from_s: f64,
    /// Its end.
    pub to_s: f64,
    /// Processes (closed loop).
    pub processes: Option<u64>,
    /// Offered IOPS (open loop).
    pub rate: Option<u64>,
    /// What was done in it.
    #[serde(flatten)]
    pub total: Total,
}

/// One write-daemon cycle; times count from the start of the run.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct Cycle {
    /// Job.
    pub job: String,
    /// It took the dirty blocks.
    pub start_s: f64,
    /// The list was formed; updates paused until here.
    pub listed_s: f64,
    /// The WIJ was durable.
    pub wij_done_s: f64,
    /// The journal was durable.
    pub journal_done_s: f64,
    /// The database was durable.
    pub database_done_s: f64,
    /// The WIJ was cleared.
    pub end_s: f64,
    /// Dirty blocks.
    pub blocks: u64,
    /// Bytes written to the WIJ.
    pub wij_bytes: u64,
    /// Writes to the database.
    pub database_ios: u64,
    /// Bytes written to the database.
    pub database_bytes: u64,
}

/// An open-loop job against its schedule, warm-up included.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct OpenLoop {
    /// Job.
    pub job: String,
    /// IOs that came due.
    pub offered: u64,
    /// IOs that completed without failing.
    pub served: u64,
    /// IOs that failed.
    #[serde(default, skip_serializing_if = "figures::is_none")]
    pub failed: u64,
    /// IOs due but not done at the end: waiting or in flight.
    pub backlog: u64,
    /// IOs slower than the latency limit.
    pub late: u64,
    /// IOs not issued because their lag exceeded the limit.
    pub skipped: u64,
    /// Time from due to issued.
    pub lag_us: Option<LatencyUs>,
    /// The part of that, summed over IOs, that no limit explains: with more in flight it would be
    /// shorter. Without the warm-up.
    #[serde(default)]
    pub own_lag_s: f64,
    /// The time in which it fell furthest behind its schedule; none if it always kept up.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub behind: Option<Behind>,
}

/// The time in which it fell furthest behind its schedule; none if it always kept up.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct Behind {
    /// Its begin: everything due until here was served, or belongs to another time.
    pub from_s: f64,
    /// Its end: from here on nothing was behind.
    pub to_s: f64,
    /// IOs due in it by the schedule's rates.
    pub due: f64,
    /// IOs completed in it.
    pub served: u64,
    /// IOs that failed in it.
    #[serde(default)]
    pub failed: u64,
    /// IOs that came due in intervals of it in which none completed.
    #[serde(default)]
    pub unserved: f64,
    /// How long what came due at its end waited: until as many IOs had completed or failed as had
    /// come due by then. None if the run ended before.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub waited_s: Option<f64>,
    /// Whether more of what ended from its end until then failed than completed.
    #[serde(default)]
    pub then_failed: bool,
}

/// What a volume, or a host over its volumes, served.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct VolumeTotal {
    /// Name.
    pub name: String,
    /// IOs as limits count them: split and merged.
    pub ios: u64,
    /// Bytes.
    pub bytes: u64,
    /// Maximum IOs in one second; none by interval.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub peak_iops_1s: Option<f64>,
    /// Maximum MiB in one second; none by interval.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub peak_mib_per_s_1s: Option<f64>,
    /// By interval: IOs a second in the busiest interval.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub peak_iops: Option<f64>,
    /// By interval: MiB a second in the busiest interval.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub peak_mib_per_s: Option<f64>,
    /// Per limit: seconds in which it throttled at least one IO.
    pub seconds_throttled: BTreeMap<String, u64>,
    /// Per limit: credit balance at the end, in percent.
    pub burst_balance_pct: BTreeMap<String, f64>,
    /// Per limit: seconds for which falling credits last at the pace of the run's second half, 0 if
    /// none are left; an instance's refill is not counted.
    #[serde(default)]
    pub burst_balance_lasts_s: BTreeMap<String, f64>,
}

impl VolumeTotal {
    /// IOs and MiB a second at most: of the shortest times that are known, a second or an interval.
    #[must_use]
    pub fn peaks(&self) -> (f64, f64) {
        let either = |one: Option<f64>, other: Option<f64>| one.or(other).unwrap_or(0.0);
        let iops = either(self.peak_iops_1s, self.peak_iops);
        (iops, either(self.peak_mib_per_s_1s, self.peak_mib_per_s))
    }
}

/// How long a limit throttled IOs, and whose requests took its tokens meanwhile.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct LimitTotal {
    /// The volume or host; `host` where the scenario does not name it.
    pub owner: String,
    /// The limit.
    pub limit: String,
    /// IOs it throttled: those that waited for it longest.
    pub throttled_ios: u64,
    /// Time it throttled them, summed over IOs.
    pub throttled_s: f64,
    /// Time by which open-loop IOs were issued late because of it, summed, in intervals in which
    /// those in flight mostly waited for limits.
    #[serde(default)]
    pub lag_s: f64,
    /// Share of the time that all limits throttled IOs.
    pub share: f64,
    /// A job's part in a limit's throttling.
    pub jobs: Vec<JobShare>,
    /// Share of the tokens granted while it throttled that mirrors took to resynchronise; none if
    /// they took none.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub resync_took: Option<f64>,
}

/// A job's part in a limit's throttling.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct JobShare {
    /// Job.
    pub job: String,
    /// Time it throttled this job's IOs.
    pub throttled_s: f64,
    /// Time by which this job's IOs were issued late because of it.
    #[serde(default)]
    pub lag_s: f64,
    /// Share of the tokens granted while it throttled that this job's requests took.
    pub took: f64,
}

/// A goal and its outcome.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct GoalOutcome {
    /// As the scenario states it.
    pub goal: String,
    /// Whether it was met.
    pub met: bool,
    /// The measured value and, if missed, its distance from the goal.
    pub measured: String,
    /// Assumptions about the storage that its figure depends on: `latencies of data`, `limits of
    /// data`.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub assumed: Vec<String>,
}
