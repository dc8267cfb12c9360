//! What the hosts reach each other by.

use std::num::{NonZeroU32, NonZeroU64};

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use super::count;
use crate::units::{Bandwidth, Duration, Loss, Size};

/// A network between two hosts, over which mirrors reach their other leg and the nodes of a
/// cluster each other.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct Link {
    /// The two hosts, of `hosts`.
    pub between: [String; 2],
    /// The round-trip time of a packet; by default that of the hosts' zones.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub round_trip: Option<Duration>,
    /// What a message travels longer at most. How much is drawn for each, evenly from nothing to
    /// this; messages stay in their order. By default there is none.
    #[serde(default = "none", skip_serializing_if = "is_none")]
    pub jitter: Duration,
    /// Share of the packets that are lost, each independently; by default none. They are sent
    /// again: over TCP as soon as three packets behind one are there, and otherwise after
    /// `retransmit_after`.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub loss: Option<Loss>,
    /// After how long a lost packet is sent again, twice as long each further time. By default
    /// 200ms and a round trip over TCP, as Linux has it, and 100ms over UDP, which is assumed of
    /// LLT.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub retransmit_after: Option<Duration>,
    /// Bandwidth of one physical link in each direction, at most that of the hosts' `network`; by
    /// default the smaller one of these.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub bandwidth: Option<Bandwidth>,
    /// Largest packet, with the headers of IP and what is in it: at least 576.
    #[serde(default = "mtu")]
    pub mtu: NonZeroU32,
    /// The protocol that carries the messages.
    #[serde(default = "tcp")]
    pub transport: Transport,
    /// Number of physical links, at most 8. Packets take them in turn.
    #[serde(default = "one")]
    pub count: NonZeroU32,
    /// What the protocol's software adds to a round trip.
    #[serde(default = "none", skip_serializing_if = "is_none")]
    pub overhead: Duration,
    /// Most bytes in a direction that are sent and that the other host has not acknowledged, or
    /// not read. By default 4MiB, to which Linux lets the buffer of a TCP socket grow; with
    /// `high_water` only that bounds them by default.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub socket_buffer: Option<Size>,
    /// Packets in the transmit queue at which the sender stops (LLT's `highwater`); by default
    /// it never does.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub high_water: Option<NonZeroU64>,
    /// Packets to which the queue must have fallen before it goes on (LLT's `lowwater`); by
    /// default half of `high_water`.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub low_water: Option<u64>,
    /// How long a packet counts in the transmit queue.
    #[serde(default = "acknowledged")]
    pub queued_until: QueuedUntil,
    /// What packets cost each host's processors.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub cpu: Option<PacketCost>,
    /// How long the link may be down before each host takes the other for gone: 16s for LLT
    /// (`peerinact`), the default.
    #[serde(default = "timeout")]
    pub timeout: Duration,
}

/// What carries messages.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum Transport {
    /// Headers of 52 bytes a packet, and 1.15 times the processor time of UDP, which is assumed.
    Tcp,
    /// Headers of 28 bytes a packet.
    Udp,
}

/// How long a packet counts in the transmit queue.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum QueuedUntil {
    /// Until the other host has acknowledged it.
    Acknowledged,
    /// Until the other host has answered the request that it belongs to, from its disk.
    Answered,
}

/// Processor time for packets, at each end. A host handles them one after another.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct PacketCost {
    /// For each packet.
    #[serde(default = "none")]
    pub per_packet: Duration,
    /// For each KiB of payload.
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
