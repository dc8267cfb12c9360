//! Messages between two hosts, what they wait for, and what is counted of them.

use crate::units::{Bytes, Nanos};

/// A message between two hosts.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Message {
    /// Who gets it, in the words of whoever sends it.
    pub(crate) to: u32,
    /// Payload; 0 for one that is only headers.
    pub(crate) bytes: Bytes,
    /// Whether the peer answers it. It is acknowledged once it has been
    /// [read](super::direction::Direction::read), and where the link counts so its packets stand
    /// in the transmit queue until it is [answered](super::direction::Direction::answered).
    pub(crate) has_answer: bool,
    /// Whether its delivery may be reported when it arrives, though the processor has yet to
    /// handle it.
    pub(crate) ahead: bool,
}

/// What a message waited for.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Wait {
    /// The socket's buffer was full of bytes not acknowledged.
    SocketBuffer,
    /// Flow control had stopped the sender.
    FlowControl,
    /// A host's processor was busy with other packets.
    Processor,
    /// The wire was busy with other packets.
    Bandwidth,
    /// The link was down.
    Down,
    /// Packets of it, or of a message before it, were lost and sent again.
    Loss,
    /// The socket's buffer was full, and some of it had come and the receiver did not read it.
    Unread,
}

impl Wait {
    /// All, in the order of [`LinkCounts::waited`].
    pub const ALL: [Self; 7] = [
        Self::SocketBuffer,
        Self::FlowControl,
        Self::Processor,
        Self::Bandwidth,
        Self::Down,
        Self::Loss,
        Self::Unread,
    ];
}

/// What a message took, by cause in the order of [`Wait::ALL`]: how long it waited, and for
/// processors and on the wire also how long these were busy with it.
pub(crate) type Taken = [Nanos; Wait::ALL.len()];

/// What went over a link in one direction, since the start.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct LinkCounts {
    /// Messages sent, those sent again included.
    pub messages: u64,
    /// Their packets, those not counted that were lost and sent again.
    pub packets: u64,
    /// Packets that were lost, or are bound to be, and are sent again for that.
    pub retransmitted: u64,
    /// Their payload.
    pub bytes: Bytes,
    /// Time that the wires were busy, summed over them.
    pub busy: Nanos,
    /// How long messages waited, by cause, in the order of [`Wait::ALL`].
    pub waited: [Nanos; Wait::ALL.len()],
    /// Most bytes that were sent and not acknowledged.
    pub most_unacknowledged: Bytes,
    /// Most packets in the transmit queue.
    pub most_queued: u64,
}

/// A message that is sent after it had waited.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Released {
    /// Who gets it.
    pub(crate) to: u32,
    /// What it waited for.
    pub(crate) taken: Taken,
}

/// A message at its receiver.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Delivery<'a> {
    /// Who gets it.
    pub(crate) to: u32,
    /// When it has been handled; this may lie ahead where that is allowed.
    pub(crate) at: Nanos,
    /// What it took until it arrived.
    pub(crate) taken: &'a Taken,
    /// What it took of the receiver's processor.
    pub(crate) handling: Nanos,
}
