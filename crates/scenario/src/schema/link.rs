//! What the hosts reach each other by.

use std::num::{NonZeroU32, NonZeroU64};

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use super::count;
use crate::units::{Bandwidth, Duration, Loss, Size};

/// A network between two hosts, for mirrors and cluster nodes.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct Link {
    /// The two hosts.
    pub between: [String; 2],
    /// Round-trip time of a packet; default: that of the hosts' zones.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub round_trip: Option<Duration>,
    /// Maximum extra delay of a message, drawn uniformly from zero; default: none. Messages stay in
    /// order.
    #[serde(default = "none", skip_serializing_if = "is_none")]
    pub jitter: Duration,
    /// Share of packets lost and sent again; default: none.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub loss: Option<Loss>,
    /// Retransmission timeout, doubled each further time; TCP mostly recovers sooner, but not after
    /// a cut. Default: 200ms plus a round trip over TCP; 100ms over UDP, assumed for LLT.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub retransmit_after: Option<Duration>,
    /// Bandwidth of one physical link in each direction, at most the hosts' `network`; default: the
    /// smaller of these.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub bandwidth: Option<Bandwidth>,
    /// Largest packet, IP headers included: at least 576.
    #[serde(default = "mtu")]
    pub mtu: NonZeroU32,
    /// The protocol that carries the messages.
    #[serde(default = "tcp")]
    pub transport: Transport,
    /// Physical links used in turn, at most 8.
    #[serde(default = "one")]
    pub count: NonZeroU32,
    /// Time the protocol's software adds to a round trip.
    #[serde(default = "none", skip_serializing_if = "is_none")]
    pub overhead: Duration,
    /// Maximum bytes in a direction not yet acknowledged or read. Default: 4MiB, Linux's limit;
    /// with `high_water`, unlimited.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub socket_buffer: Option<Size>,
    /// Packets in the transmit queue at which the sender stops (LLT's `highwater`); default: never.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub high_water: Option<NonZeroU64>,
    /// Packets left in the queue at which it resumes (LLT's `lowwater`); default: half of
    /// `high_water`.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub low_water: Option<u64>,
    /// How long a packet counts in the transmit queue.
    #[serde(default = "acknowledged")]
    pub queued_until: QueuedUntil,
    /// Processor time of packets at each end. A host handles them one after another.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub cpu: Option<PacketCost>,
    /// Downtime after which each host declares the other lost (LLT's `peerinact`).
    #[serde(default = "timeout")]
    pub timeout: Duration,
}

/// The protocol of messages.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum Transport {
    /// 52 bytes of headers per packet; RACK-TLP; 1.15 times UDP's processor time (assumed).
    Tcp,
    /// 28 bytes of headers per packet.
    Udp,
}

/// How long a packet counts in the transmit queue.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum QueuedUntil {
    /// Until the other host acknowledges it.
    Acknowledged,
    /// Until the other host answers its request, from disk.
    Answered,
}

/// Processor time of packets at each end. A host handles them one after another.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct PacketCost {
    /// Per packet.
    #[serde(default = "none")]
    pub per_packet: Duration,
    /// Per KiB of payload.
    #[serde(default = "none")]
    pub per_kib: Duration,
}

fn mtu() -> NonZeroU32 {
    count(1500)
}

fn tcp() -> Transport {
    Transport::Tcp
}

fn one() -> NonZeroU32 {
    NonZeroU32::MIN
}

fn none() -> Duration {
    Duration::new(0)
}

fn is_none(duration: &Duration) -> bool {
    *duration == none()
}

fn acknowledged() -> QueuedUntil {
    QueuedUntil::Acknowledged
}

fn timeout() -> Duration {
    Duration::new(16_000_000_000)
}
