//! `result.json`: what a run came to. The types are the schema
//! `blockyard/result/1`.

mod by_second;
mod by_seed;
mod event;
mod figures;
mod journal_mirror;
mod machine;
mod network;
mod outage;
mod read;
mod transactions;
pub(crate) mod words;

use std::collections::BTreeMap;

use blockyard_scenario::{ResolvedLimit, RestsOn};
pub use by_second::{TimeAbove, WorstSecond};
pub use by_seed::{BySeed, LatencyRange, Range, TotalRange, TransactionRange};
pub use event::{Event, EventEffect, Held};
pub(crate) use figures::seconds;
pub use journal_mirror::{
    BackupStatus, JournalMirrorTotal, MirrorMemberTotal, MirrorRole, MirrorStage, MirrorTransition,
};
pub use machine::{Cpu, Machine, Target, Verified};
pub use network::{LinkHeld, LinkTotal, LinkWaits, MirrorTotal, PacketCpu};
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
    /// What made it.
    pub mode: Mode,
    /// The program.
    pub tool: Tool,
    /// Name of the scenario.
    pub scenario: String,
    /// Seed of the random streams.
    pub seed: u64,
    /// Name of the random generator.
    pub random: String,
    /// Length of the run, warm-up included, as far as it got, in seconds.
    pub duration_s: f64,
    /// How it ended.
    pub status: Status,
    /// Why it failed; none if it did not.
    pub reason: Option<String>,
    /// Where it ran; none for a simulation, which depends on no machine.
    pub machine: Option<Machine>,
    /// Every limit of the modelled storage, and where it comes from. A simulation
    /// enforces them; on real storage they are the limits that it was meant to have.
    pub resolved: Vec<ResolvedLimit>,
    /// What the figures of the modelled storage rest on, by device and operation; none on
    /// real storage, whose figures are measured.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub rests_on: Vec<RestsOn>,
    /// What to know of those limits as a whole, such as that the scenario's day
    /// is later than all that the catalog rests on.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub notices: Vec<String>,
    /// Per job, device and operation, without the warm-up.
    pub totals: Vec<Total>,
    /// The same per load step.
    pub steps: Vec<Step>,
    /// Write-daemon cycles.
    pub cycles: Vec<Cycle>,
    /// Transactions, job by job of those that do any.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub transactions: Vec<TransactionTotal>,
    /// Open-loop jobs against their schedule.
    pub open_loop: Vec<OpenLoop>,
    /// Per volume.
    pub volumes: Vec<VolumeTotal>,
    /// Per host: one is called `host` where the scenario does not name it.
    pub hosts: Vec<VolumeTotal>,
    /// What went over the links between hosts, each direction for itself.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub links: Vec<LinkTotal>,
    /// What that took of the hosts' processors.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub packet_cpu: Vec<PacketCpu>,
    /// How mirrors fared.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub mirrors: Vec<MirrorTotal>,
    /// How the mirrors of journals fared.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub journal_mirrors: Vec<JournalMirrorTotal>,
    /// Which limits throttled IOs, and who took their tokens.
    pub limits: Vec<LimitTotal>,
    /// Emulation: how much later than the model's time answers went out; none
    /// in other modes.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub lateness_us: Option<LatencyUs>,
    /// What happened while it ran: the scenario's events and, in an emulation, what was changed
    /// or injected from outside.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub events: Vec<Event>,
    /// The scenario's goals and whether they were met.
    pub goals: Vec<GoalOutcome>,
    /// Simulation: what other seeds came to; none where it ran with one.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub by_seed: Option<BySeed>,
}

/// The program that made a result.
#[derive(Clone, Debug, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct Tool {
    /// `blockyard`.
    pub name: String,
    /// Its version.
    pub version: String,
}

/// Which of the ways a run was made in.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "lowercase")]
pub enum Mode {
    /// The modelled workload on modelled storage, in virtual time.
    Simulate,
    /// The modelled workload on real storage.
    Bench,
    /// A real workload on modelled storage, in real time.
    Emulate,
}

/// How a run ended.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "lowercase")]
pub enum Status {
    /// It ran to its end.
    Complete,
    /// It was stopped; what was measured until then is here.
    Interrupted,
    /// It failed, `reason` says how; what was measured until then is here.
    Failed,
}

/// Latencies in microseconds.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct LatencyUs {
    /// Exact mean.
    pub mean: f64,
    /// Median; percentiles are within 0.1 %.
    pub p50: f64,
    /// 95th percentile.
    pub p95: f64,
    /// 99th percentile.
    pub p99: f64,
    /// 99.9th percentile.
    pub p99_9: f64,
    /// Exact maximum.
    pub max: f64,
}

/// What a job did on a device with one operation.
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
    /// IOs a second.
    pub iops: f64,
    /// Throughput.
    pub mib_per_s: f64,
    /// IOs a second in the best interval.
    pub peak_iops: f64,
    /// IOs that failed.
    pub errors: u64,
    /// Their latency; none without IOs.
    pub latency_us: Option<LatencyUs>,
    /// The second with the highest p99, of several that with the highest mean; none without IOs.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub worst_second: Option<WorstSecond>,
    /// For which share of the time the p99 of a second was above 0.1, 0.2, 0.5, 1, 2, 5 ms and so
    /// on, as far as it ever was; of values with the same share only the largest.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub time_above: Vec<TimeAbove>,
    /// Over the intervals that had IO; none where all had.
    pub busy: Option<Busy>,
}

/// Rates of a job that works in bursts, over the intervals in which it had IO.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct Busy {
    /// Share of the intervals that had IO.
    pub share: f64,
    /// Mean IOs a second.
    pub iops_mean: f64,
    /// 98th percentile of the intervals' IOs a second.
    pub iops_p98: f64,
}

/// A total over one load step.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct Step {
    /// Number of the step within its job, from 1.
    pub step: usize,
    /// Its begin, in seconds.
    pub from_s: f64,
    /// Its end, in seconds.
    pub to_s: f64,
    /// Processes (closed loop).
    pub processes: Option<u64>,
    /// Offered IOs a second (open loop).
    pub rate: Option<u64>,
    /// What was done in it.
    #[serde(flatten)]
    pub total: Total,
}

/// One write-daemon cycle, in seconds from the start of the run.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct Cycle {
    /// Job.
    pub job: String,
    /// It took the dirty blocks.
    pub start_s: f64,
    /// The list was formed; updaters were held until here.
    pub listed_s: f64,
    /// The WIJ was written and durable.
    pub wij_done_s: f64,
    /// The journal was durable.
    pub journal_done_s: f64,
    /// The database was written and durable.
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
    /// IOs that completed, without those that failed.
    pub served: u64,
    /// IOs that failed.
    #[serde(default, skip_serializing_if = "transactions::is_none")]
    pub failed: u64,
    /// IOs that were due but not done at the end: waiting or in flight.
    pub backlog: u64,
    /// IOs slower than the latency limit.
    pub late: u64,
    /// IOs not issued because they lagged behind by more than the limit.
    pub skipped: u64,
    /// How long after their due time IOs were issued.
    pub lag_us: Option<LatencyUs>,
    /// The part of that, summed over IOs, in seconds, which no limit explains: with more in
    /// flight it would be shorter. Without the warm-up.
    #[serde(default)]
    pub own_lag_s: f64,
    /// When it fell behind furthest; none if it always kept up.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub behind: Option<Behind>,
}

/// A time in which an open loop fell behind its schedule.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct Behind {
    /// Its begin: all that was due until here was served, or is not this time's.
    pub from_s: f64,
    /// Its end: from here on no more IOs were behind.
    pub to_s: f64,
    /// IOs that the schedule had due in it, by its rates.
    pub due: f64,
    /// IOs that completed in it.
    pub served: u64,
}

/// What a volume, or a host over its volumes, served.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct VolumeTotal {
    /// Name.
    pub name: String,
    /// IOs as counted against limits: split and merged.
    pub ios: u64,
    /// Bytes.
    pub bytes: u64,
    /// Most IOs granted in one second.
    pub peak_iops_1s: f64,
    /// Most MiB granted in one second.
    pub peak_mib_per_s_1s: f64,
    /// Limit by limit: seconds in which at least one IO was throttled by it.
    pub seconds_throttled: BTreeMap<String, u64>,
    /// Credit balances at the end, in percent, by limit.
    pub burst_balance_pct: BTreeMap<String, f64>,
    /// For how many seconds more the credits last at the pace of the run's second half, by
    /// limit: 0 where none are left. Limits whose credits did not run down are not here; that
    /// an instance's come back is not counted.
    #[serde(default)]
    pub burst_balance_lasts_s: BTreeMap<String, f64>,
}

/// How long a limit throttled IOs, and whose requests took its tokens meanwhile.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct LimitTotal {
    /// The volume's or the host's name; `host` where the scenario does not name its host.
    pub owner: String,
    /// Name of the limit.
    pub limit: String,
    /// IOs it throttled: those that waited for it longest.
    pub throttled_ios: u64,
    /// Time it throttled them, summed over IOs, in seconds.
    pub throttled_s: f64,
    /// Time that IOs of open loops waited before they were issued because of it, summed over
    /// them, in seconds: in intervals in which those in flight mostly waited for limits.
    #[serde(default)]
    pub lag_s: f64,
    /// Share of the time that all limits throttled IOs.
    pub share: f64,
    /// Job by job.
    pub jobs: Vec<JobShare>,
    /// Share of the tokens granted while the limit made IOs wait that mirrors took to bring legs
    /// up to date; none if they took none.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub resync_took: Option<f64>,
}

/// A job's part in what a limit did.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct JobShare {
    /// Job.
    pub job: String,
    /// Time the limit throttled this job's IOs, in seconds.
    pub throttled_s: f64,
    /// Time that this job's IOs waited before they were issued because of it, in seconds.
    #[serde(default)]
    pub lag_s: f64,
    /// Share of the tokens granted while the limit made IOs wait that this
    /// job's requests took.
    pub took: f64,
}

/// A goal and what became of it.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct GoalOutcome {
    /// As the scenario states it.
    pub goal: String,
    /// Whether it was met.
    pub met: bool,
    /// What was measured and, for a missed goal, how far off that is.
    pub measured: String,
    /// What is assumed of the storage that its figure depends on: `latencies of data`,
    /// `limits of data`; empty if nothing is.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub assumed: Vec<String>,
}

/// The JSON Schema of [`RunResult`].
pub fn json_schema() -> String {
    let schema = schemars::schema_for!(RunResult);
    serde_json::to_string_pretty(&schema).unwrap_or_default() + "\n"
}
