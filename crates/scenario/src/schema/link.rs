//! What the hosts reach each other by.

use std::num::{NonZeroU32, NonZeroU64};

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use super::count;
use crate::units::{Bandwidth, Duration, Loss, Size};

/// A network between two hosts. Mirrors reach their other leg over it, and cluster nodes each
/// other.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct Link {
    /// The two hosts.
    pub between: [String; 2],
    /// Round-trip time of a packet; default: that of the hosts' zones.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub round_trip: Option<Duration>,
    /// Maximum extra delay of a message, drawn uniformly from zero; messages stay in order.
    /// Default: none.
    #[serde(default = "none", skip_serializing_if = "is_none")]
    pub jitter: Duration,
    /// Share of packets lost, independently; default: none. They are sent again: over TCP once
    /// three later packets have arrived, otherwise after `retransmit_after`.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub loss: Option<Loss>,
    /// Time before a lost packet is sent again, doubled each further time. Default: 200ms plus a
    /// round trip over TCP, as in Linux; 100ms over UDP, assumed for LLT.
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
    /// Physical links, at most 8. Packets take them in turn.
    #[serde(default = "one")]
    pub count: NonZeroU32,
    /// Time the protocol's software adds to a round trip.
    #[serde(default = "none", skip_serializing_if = "is_none")]
    pub overhead: Duration,
    /// Maximum bytes in a direction that are sent but not yet acknowledged or read. Default: 4MiB,
    /// the limit of a TCP socket's buffer in Linux; with `high_water`, unlimited.
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
    /// Processor time of packets on each host.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub cpu: Option<PacketCost>,
    /// Downtime after which each host declares the other lost. The default is LLT's `peerinact`.
    #[serde(default = "timeout")]
    pub timeout: Duration,
}

/// The protocol of messages.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum Transport {
    /// 52 bytes of headers per packet; 1.15 times the processor time of UDP, which is assumed.
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
