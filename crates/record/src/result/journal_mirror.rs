//! Mirrors of journals in `result.json`.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

/// The mirror of a job's journal, warm-up included.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct JournalMirrorTotal {
    /// The job whose journal it is.
    pub job: String,
    /// The primary at the end: the job's host, or a backup that took over.
    pub primary: String,
    /// The backup's state at the end.
    pub backup: BackupStatus,
    /// Time for which nothing could be committed, not for an answer in transit: the backup was out
    /// of contact, the primary in trouble or lost, or its journal's disk failed.
    pub paused_s: f64,
    /// Times that they did.
    pub pauses: u64,
    /// The longest of these times, in seconds, as goals of `outage` take it; none without any.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub outage_s: Option<f64>,
    /// The part of `paused_s` in the trouble state.
    pub trouble_s: f64,
    /// Committed journal bytes that the backup had not received at the end.
    pub at_risk_bytes: u64,
    /// Maximum of that over the ends of intervals, or of seconds if those are longer.
    pub most_at_risk_bytes: u64,
    /// A change of a mirror's state, in order.
    pub transitions: Vec<MirrorTransition>,
    /// Progress of the backup, then of the asynchronous members, with the journal. Maxima are over
    /// the ends of intervals or seconds.
    pub members: Vec<MirrorMemberTotal>,
}

/// The backup's state.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum BackupStatus {
    /// It has all that was committed; the primary waits for it.
    Active,
    /// It lost active status and is not connected.
    Disconnected,
    /// It is connected again and receives what it lacks.
    CatchingUp,
    /// It has taken over and replays what it had received: it is not the primary yet.
    Primary,
}

/// A change of a mirror's state, in order.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct MirrorTransition {
    /// Time from the start of the run.
    pub t_s: f64,
    /// The new state.
    pub to: MirrorStage,
}

/// A mirror's states.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum MirrorStage {
    /// The backup lost active status; the primary, in trouble, committed nothing.
    Trouble,
    /// The primary went on without the backup.
    Alone,
    /// A backup that was catching up was lost again.
    Disconnected,
    /// The backup was connected again and received what it lacked.
    CatchingUp,
    /// The backup was active again.
    Active,
    /// The backup took over; the former primary commits nothing more.
    TakenOver,
    /// The new primary had replayed all it had received. From here on the former one is the backup.
    Ready,
    /// The primary's host was down or paused: nothing was committed.
    PrimaryLost,
    /// The primary's host worked again, and the backup had not taken over.
    PrimaryBack,
    /// The primary's disk refused a journal write: updates were frozen.
    Frozen,
    /// The primary's journal was written again.
    Thawed,
}

/// Progress of the backup, then of the asynchronous members, with the journal. Maxima are over the
/// ends of intervals or seconds.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct MirrorMemberTotal {
    /// Its host.
    pub host: String,
    /// Its role.
    pub role: MirrorRole,
    /// Journal bytes received.
    pub received_bytes: u64,
    /// Committed journal bytes not received at the end.
    pub lag_bytes: u64,
    /// Time since the first of these was committed.
    pub lag_s: f64,
    /// Maximum bytes not received.
    pub most_lag_bytes: u64,
    /// Maximum lag.
    pub most_lag_s: f64,
    /// The dejournal backlog at the end: journal bytes received but not replayed.
    pub backlog_bytes: u64,
    /// Time between the commits of the last replayed and the last received.
    pub backlog_s: f64,
    /// Maximum dejournal backlog.
    pub most_backlog_bytes: u64,
    /// Maximum time by which replay was behind.
    pub most_backlog_s: f64,
}

/// A member's role.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum MirrorRole {
    /// The primary waits for it while it is active.
    Backup,
    /// Nobody waits for it.
    Asynchronous,
}
