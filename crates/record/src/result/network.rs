//! Links and mirrors in `result.json`.

use blockyard_model::network::Wait;
use blockyard_model::replication::mirror::ResyncStage;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use super::{Held, words};

/// Traffic of a link in one direction, warm-up included.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct LinkTotal {
    /// The link.
    pub name: String,
    /// The sender.
    pub from_host: String,
    /// The receiver.
    pub to_host: String,
    /// Messages, retransmissions included.
    pub messages: u64,
    /// Their packets, without those lost and sent again.
    pub packets: u64,
    /// Packets lost and sent again, once for each time.
    pub retransmitted: u64,
    /// Their payload.
    pub bytes: u64,
    /// That of copies and resyncs among it.
    #[serde(default, skip_serializing_if = "is_zero")]
    pub copied_bytes: u64,
    /// Share of the bandwidth used, headers included.
    pub utilisation: f64,
    /// How long messages waited, summed over them, by cause, even if no IO waited for them.
    pub waited_s: LinkWaits,
    /// Maximum bytes sent and not acknowledged.
    pub most_unacknowledged: u64,
    /// Maximum packets in the transmit queue.
    pub most_queued: u64,
    /// Extra time of jobs' IOs by one cause on a link, without the warm-up.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub held: Vec<LinkHeld>,
}

/// Extra time of jobs' IOs by one cause on a link, without the warm-up.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct LinkHeld {
    /// What they waited for.
    pub cause: LinkCause,
    /// Extra time per job.
    pub jobs: Vec<Held>,
}

/// What messages wait for. `processor` and `bandwidth` include the time for their own packets.
#[derive(
    Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize, JsonSchema,
)]
#[serde(rename_all = "snake_case")]
pub enum LinkCause {
    /// Room in the socket's buffer.
    SocketBuffer,
    /// Flow control to let the sender go on.
    FlowControl,
    /// A processor that is busy with other packets.
    Processor,
    /// Other packets to be sent.
    Bandwidth,
    /// The link to return.
    Down,
    /// Lost packets to be sent again.
    Loss,
    /// A host's network that carries messages of its other links.
    Network,
}

impl LinkCause {
    /// What the model has a message wait for; none where the receiver does not read, as what holds
    /// the receiver up is told itself.
    pub(crate) fn of(wait: Wait) -> Option<Self> {
        match wait {
            Wait::SocketBuffer => Some(Self::SocketBuffer),
            Wait::FlowControl => Some(Self::FlowControl),
            Wait::Processor => Some(Self::Processor),
            Wait::Bandwidth => Some(Self::Bandwidth),
            Wait::Down => Some(Self::Down),
            Wait::Loss => Some(Self::Loss),
            Wait::Network => Some(Self::Network),
            Wait::Unread => None,
        }
    }
}

/// How long messages waited, summed over them, by cause, even if no IO waited for them.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct LinkWaits {
    /// Full socket buffer.
    pub socket_buffer: f64,
    /// Sender stopped by flow control.
    pub flow_control: f64,
    /// A host busy with other packets.
    pub processor: f64,
    /// Other packets on the wire.
    pub bandwidth: f64,
    /// Link down.
    pub down: f64,
    /// Retransmission of its packets, or of an earlier message's.
    pub loss: f64,
    /// A host's network busy with its other links.
    #[serde(default, skip_serializing_if = "is_zero_s")]
    pub network: f64,
}

/// A host's network over all its links, warm-up included.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct HostNetwork {
    /// The host.
    pub host: String,
    /// Its bandwidth in each direction.
    pub mbit_per_s: f64,
    /// Share used to send, headers included.
    pub sent: f64,
    /// Share used to receive.
    pub received: f64,
}

/// Processor time of links' packets on a host, warm-up included.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct PacketCpu {
    /// The host.
    pub host: String,
    /// Time spent on packets.
    pub busy_s: f64,
    /// Share of the time; at 1 packets are the bottleneck, as a host handles them one after
    /// another.
    pub utilisation: f64,
    /// Its vCPUs; none if its instance is not stated.
    pub cores: Option<u64>,
    /// Share of all these.
    pub share: Option<f64>,
}

/// What most copies of resyncs waited for, or spent the most time on.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum ResyncBound {
    /// Their `rate`, which is a limit.
    Rate,
    /// Reads of the leg that is up to date.
    Reads,
    /// The link.
    Link,
    /// Writes of the other leg.
    Writes,
}

impl ResyncBound {
    /// In the model's words.
    pub(crate) const fn of(stage: ResyncStage) -> Self {
        match stage {
            ResyncStage::Rate => Self::Rate,
            ResyncStage::Read => Self::Reads,
            ResyncStage::Link => Self::Link,
            ResyncStage::Write => Self::Writes,
        }
    }

    /// It, in words.
    pub const fn in_words(self) -> &'static str {
        match self {
            Self::Rate => "the resync's rate limit",
            Self::Reads => "reads of the leg that was up to date",
            Self::Link => "the link",
            Self::Writes => "writes of the leg that was not up to date",
        }
    }
}

/// A mirror of a device, warm-up included.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct MirrorTotal {
    /// Device.
    pub device: String,
    /// State at the end.
    #[serde(deserialize_with = "words::state")]
    #[schemars(extend("enum" = words::STATES))]
    pub state: String,
    /// Reads served, per leg.
    pub reads: Vec<u64>,
    /// Writes to the dirty-region log.
    pub log_writes: u64,
    /// Bytes acknowledged at the end but not on the second leg.
    pub at_risk_bytes: u64,
    /// Maximum of that over the ends of intervals, or of seconds if those are longer.
    pub most_at_risk_bytes: u64,
    /// Times that a leg was given up.
    pub failures: u64,
    /// Maximum bytes lost at once: acknowledged, but neither on disk nor in memory of the host that
    /// took over. Without `failover`, what it would lack if it did.
    pub lost_bytes: u64,
    /// Resynchronisations of a leg.
    pub resyncs: u64,
    /// Bytes copied for these.
    pub resync_bytes: u64,
    /// Their duration, without an unfinished one.
    pub resync_s: f64,
    /// What bound them; none without any.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub resync_bound: Option<ResyncBound>,
    /// Times that the other leg's host took over.
    #[serde(default, skip_serializing_if = "is_zero")]
    pub takeovers: u64,
    /// Times that legs met of which each had writes that the other lacked.
    #[serde(default, skip_serializing_if = "is_zero")]
    pub split_brains: u64,
    /// Bytes, in whole regions, that only one leg had and that were discarded after these.
    #[serde(default, skip_serializing_if = "is_zero")]
    pub discarded_bytes: u64,
    /// Time in which no IO was served until a leg was fenced or a host took over.
    #[serde(default, skip_serializing_if = "is_zero_s")]
    pub frozen_s: f64,
    /// The longest time without a completed IO of a job's reads or of its writes, though one was
    /// due, in seconds, after the warm-up, as goals of `outage` take it; none if none lasted a
    /// second.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub outage_s: Option<f64>,
}

fn is_zero(count: &u64) -> bool {
    *count == 0
}

fn is_zero_s(time: &f64) -> bool {
    *time == 0.0
}
