//! Mirrors of journals in `result.json`.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

/// How the mirror of a job's journal fared, warm-up included.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct JournalMirrorTotal {
    /// The job whose journal it is.
    pub job: String,
    /// The job's host.
    pub primary: String,
    /// How the backup was at the end.
    pub backup: BackupStatus,
    /// For how long a write to the journal, and with it every commit, waited for more than an
    /// answer on its way: for a backup out of contact, or in trouble.
    pub paused_s: f64,
    /// Times that it did.
    pub pauses: u64,
    /// How much of that the primary was in trouble.
    pub trouble_s: f64,
    /// Bytes of the journal that were committed and had not come to the backup, at the end.
    pub at_risk_bytes: u64,
    /// The most of that at the end of any interval, or of any second if those are longer.
    pub most_at_risk_bytes: u64,
    /// What became of it, in order.
    pub transitions: Vec<MirrorTransition>,
    /// The backup, then the asynchronous members.
    pub members: Vec<MirrorMemberTotal>,
}

/// How the backup stands to the primary.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum BackupStatus {
    /// It has all that was committed, and the primary waits for it.
    Active,
    /// It has lost active status, and is not connected.
    Disconnected,
    /// It is connected again and gets what it lacks.
    CatchingUp,
    /// It has taken over as primary.
    Primary,
}

/// Something that became of a mirror.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct MirrorTransition {
    /// When, in seconds from the start of the run.
    pub t_s: f64,
    /// What.
    pub to: MirrorStage,
}

/// What can become of a mirror.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum MirrorStage {
    /// The backup lost active status, and the primary was in trouble: it committed nothing.
    Trouble,
    /// The primary went on without the backup.
    Alone,
    /// A backup that was catching up was gone again.
    Disconnected,
    /// The backup was connected again and got what it lacked.
    CatchingUp,
    /// The backup was active again.
    Active,
    /// The backup took over; the former primary commits nothing any more.
    TakenOver,
    /// The new primary had replayed all that it had received.
    Ready,
}

/// How far a member was with the journal. A most is that of the ends of intervals or seconds.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct MirrorMemberTotal {
    /// Its host.
    pub host: String,
    /// What it is.
    pub role: MirrorRole,
    /// Bytes of the journal that it received.
    pub received_bytes: u64,
    /// Bytes of the journal that were committed and had not come, at the end.
    pub lag_bytes: u64,
    /// How long ago the first of these had been committed.
    pub lag_s: f64,
    /// Most bytes that had not come.
    pub most_lag_bytes: u64,
    /// Longest time by which they lagged.
    pub most_lag_s: f64,
    /// The dejournal backlog at the end: bytes of the journal that had come and were not
    /// replayed.
    pub backlog_bytes: u64,
    /// The time between the commits of the last that was replayed and the last that had come.
    pub backlog_s: f64,
    /// Largest dejournal backlog.
    pub most_backlog_bytes: u64,
    /// Longest time by which replay was behind.
    pub most_backlog_s: f64,
}

/// What a member of a mirror is.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum MirrorRole {
    /// The primary waits for it while it is active.
    Backup,
    /// Nobody waits for it.
    Asynchronous,
}
