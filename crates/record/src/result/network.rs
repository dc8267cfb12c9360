//! Links and mirrors in `result.json`.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use super::{Held, words};

/// What went over a link in one direction, warm-up included.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct LinkTotal {
    /// Name of the link.
    pub name: String,
    /// The host that sent.
    pub from_host: String,
    /// The host that received.
    pub to_host: String,
    /// Messages, those included that were sent again.
    pub messages: u64,
    /// Their packets, those not counted that were lost and sent again.
    pub packets: u64,
    /// Packets that were lost and sent again, once for each time.
    pub retransmitted: u64,
    /// Their payload.
    pub bytes: u64,
    /// Share of the bandwidth that was used, headers included.
    pub utilisation: f64,
    /// How long messages waited, by cause, whether or not an IO waited for them.
    pub waited_s: LinkWaits,
    /// Most bytes that were sent and not acknowledged.
    pub most_unacknowledged: u64,
    /// Most packets in the transmit queue.
    pub most_queued: u64,
    /// How much longer IOs of jobs took because of it, cause by cause, without the warm-up.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub held: Vec<LinkHeld>,
}

/// What a cause on a link held.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct LinkHeld {
    /// `socket_buffer`, `flow_control`, `processor`, `bandwidth` or `down`. Of `processor` and
    /// `bandwidth` also the time in which these were busy with the IOs' own packets.
    #[serde(deserialize_with = "words::link_cause")]
    #[schemars(extend("enum" = words::LINK_CAUSES))]
    pub cause: String,
    /// Job by job.
    pub jobs: Vec<Held>,
}

/// What messages waited for, in seconds summed over them.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct LinkWaits {
    /// The socket's buffer was full.
    pub socket_buffer: f64,
    /// Flow control had stopped the sender.
    pub flow_control: f64,
    /// A host was busy with other packets.
    pub processor: f64,
    /// Other packets were being sent.
    pub bandwidth: f64,
    /// The link was down.
    pub down: f64,
    /// Packets of it, or of a message before it, had been lost and were sent again.
    pub loss: f64,
}

/// What the packets of links took of a host's processors, warm-up included.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct PacketCpu {
    /// The host.
    pub host: String,
    /// For how long it was busy with packets.
    pub busy_s: f64,
    /// Share of the time: it handles packets one after another, so at 1 that is what binds.
    pub utilisation: f64,
    /// Its virtual processors; none if its instance is not stated.
    pub cores: Option<u64>,
    /// Share of all of these.
    pub share: Option<f64>,
}

/// How a mirror fared, warm-up included.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct MirrorTotal {
    /// Device.
    pub device: String,
    /// How it was at the end: `in sync`, `degraded` or `resyncing`.
    #[serde(deserialize_with = "words::state")]
    #[schemars(extend("enum" = words::STATES))]
    pub state: String,
    /// Reads that each leg served.
    pub reads: Vec<u64>,
    /// Writes to the dirty-region log.
    pub log_writes: u64,
    /// Bytes acknowledged at the end that the second leg did not hold.
    pub at_risk_bytes: u64,
    /// The most of that at the end of any interval, or of any second if those are longer.
    pub most_at_risk_bytes: u64,
    /// Times that a leg was given up.
    pub failures: u64,
    /// The most bytes, over these, that were acknowledged and that the other leg did not hold:
    /// what would have been lost with the leg.
    pub lost_bytes: u64,
    /// Times that a leg was brought up to date.
    pub resyncs: u64,
    /// Bytes copied for that.
    pub resync_bytes: u64,
    /// How long that took, without one that was not at its end.
    pub resync_s: f64,
}
