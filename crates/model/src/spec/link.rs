//! What a link is built from.

use alloc::string::String;

use crate::units::{Bytes, Nanos, SECOND};

/// What network two hosts reach each other by.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct LinkSpec {
    /// Name in the scenario's `links`.
    pub name: String,
    /// The two hosts, by index.
    pub ends: [usize; 2],
    /// How long a packet travels at least: from the first end to the second, and back.
    pub delay: [Nanos; 2],
    /// What the packets of a message travel longer at most. How much is drawn for each message,
    /// evenly; messages stay in their order.
    pub jitter: Nanos,
    /// What is lost of the packets; none if nothing is.
    pub loss: Option<LossSpec>,
    /// What the protocol adds to a round trip, half of it on each way. It delays and keeps
    /// nothing busy.
    pub overhead: Nanos,
    /// Bits a second of one physical link in one direction, at least 1.
    pub bandwidth: u64,
    /// How many physical links there are, 1 to [`LinkSpec::MOST`]; packets take them in turn.
    pub count: u32,
    /// Most payload of one packet, at least 1: the MTU without its headers.
    pub payload: Bytes,
    /// Bytes that every packet has beside its payload, on the wire.
    pub headers: Bytes,
    /// Most bytes in a direction that are sent and not acknowledged; none for no bound.
    pub socket_buffer: Option<Bytes>,
    /// When a sender stops and goes on; none for never.
    pub flow_control: Option<FlowControl>,
    /// What a packet costs each end.
    pub processor: ProcessorCost,
    /// After how long a sender first tries again where its way is cut: twice as long each further
    /// time, [`LinkSpec::LONGEST_RETRY`] at most, as TCP does (RFC 6298). Above 0; none where it
    /// goes on as soon as its way works.
    pub retry: Option<Nanos>,
    /// How long a link may be down before each end takes the other for gone.
    pub timeout: Nanos,
    /// How the ends tell that it is down.
    pub contact: Contact,
}

/// How the hosts at a link's ends tell that they have lost each other.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Contact {
    /// Each waits for answers, as TCP and DRBD's pings do: neither gets any while one way is cut.
    #[default]
    Answered,
    /// Each listens for what the other sends by itself, as LLT's heartbeats do. What one gives up
    /// the other does too: they agree on who is a member.
    Heard,
}

impl LinkSpec {
    /// Most physical links of one.
    pub const MOST: u32 = 8;

    /// Linux's `TCP_RTO_MAX`.
    pub const LONGEST_RETRY: Nanos = 120 * SECOND;

    /// Bits a second of all its physical links together in one direction.
    #[must_use]
    pub fn together(&self) -> u128 {
        u128::from(self.bandwidth) * u128::from(self.count)
    }
}

/// Packets that are lost, and how they are sent again.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct LossSpec {
    /// How many of a million packets are lost, each independently: 1 to [`LossSpec::MOST`].
    pub per_million: u32,
    /// How the sender learns of a lost packet.
    pub recovery: Recovery,
    /// After how long a packet that is not acknowledged is sent again at the latest; twice as
    /// long each further time.
    pub retransmit_after: Nanos,
}

/// How a sender learns that a packet is lost.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Recovery {
    /// TCP's RACK-TLP (RFC 8985): later packets tell, or a probe, or the timer.
    Rack,
    /// Each packet's timer alone.
    Timeout,
}

impl LossSpec {
    /// Most packets of a million that may be lost.
    pub const MOST: u32 = 100_000;

    /// The more packets lost of both, and the longer timer.
    pub(crate) fn worse(one: Option<Self>, other: Option<Self>) -> Option<Self> {
        let (Some(one), Some(other)) = (one, other) else {
            return one.or(other);
        };
        Some(Self {
            per_million: one.per_million.max(other.per_million),
            retransmit_after: one.retransmit_after.max(other.retransmit_after),
            ..one
        })
    }
}

/// What is wrong with a link for a time: it is never better by that than it is by itself.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Impairment {
    /// What is left of its bandwidth, in 1/1000, above 0: from the first end to the second, and
    /// back.
    pub permille: [u32; 2],
    /// How long a packet travels at least, likewise.
    pub delay: [Nanos; 2],
    /// What is lost of the packets at least, likewise.
    pub loss: [Option<LossSpec>; 2],
}

impl Impairment {
    /// Nothing is wrong.
    pub const NONE: Self = Self {
        permille: [1000; 2],
        delay: [0; 2],
        loss: [None; 2],
    };

    /// Both at once: the worse of each.
    #[must_use]
    pub fn and(self, other: Self) -> Self {
        Self {
            permille: [0, 1].map(|from| self.permille[from].min(other.permille[from])),
            delay: [0, 1].map(|from| self.delay[from].max(other.delay[from])),
            loss: [0, 1].map(|from| LossSpec::worse(self.loss[from], other.loss[from])),
        }
    }
}

/// Flow control as LLT has it, counted in packets of a direction's transmit queue.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct FlowControl {
    /// A message that would lift the queue above this stops the sender. A message of more
    /// packets than that is let through alone.
    pub high: u64,
    /// The sender goes on when the queue has fallen to this, at most `high`.
    pub low: u64,
    /// How long a packet counts.
    pub until: QueuedUntil,
}

/// How long a packet counts in the transmit queue.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum QueuedUntil {
    /// Until the peer has acknowledged it.
    #[default]
    Acknowledged,
    /// Until the peer has answered the request that it belongs to, from its disk.
    Answered,
}

/// What the processor of each end does for a message. Each host handles packets one after
/// another, of all its links and both directions.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct ProcessorCost {
    /// For a packet.
    pub per_packet: Nanos,
    /// For a KiB of payload.
    pub per_kib: Nanos,
}
