//! Messages between two hosts, what they wait for, and what is counted of them.

use alloc::boxed::Box;

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
    /// Whether it is of a copy or a resync, and nothing that the load asks for.
    pub(crate) is_copy: bool,
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
    /// A host's network interface was busy with messages of other links.
    Network,
}

impl Wait {
    /// All, in the order of [`LinkCounts::waited`].
    pub const ALL: [Self; 8] = [
        Self::SocketBuffer,
        Self::FlowControl,
        Self::Processor,
        Self::Bandwidth,
        Self::Down,
        Self::Loss,
        Self::Unread,
        Self::Network,
    ];
}

/// What a message took, by cause in the order of [`Wait::ALL`]: how long it waited, and for
/// processors and on the wire also how long these were busy with it.
pub(crate) type Taken = [Nanos; Wait::ALL.len()];

/// What a message that was sent took: few wait for anything but processors and the wire, and what
/// is under way has to stay in a processor's nearest cache.
#[derive(Clone, Debug, Default)]
pub(crate) struct Trip {
    /// At the processors.
    pub(crate) processor: Nanos,
    /// For the wire, and on it.
    pub(crate) bandwidth: Nanos,
    /// What else, if anything.
    pub(crate) waited: Option<Box<Taken>>,
}

impl Trip {
    /// That of a message that has only waited so far.
    pub(crate) fn after(waited: Taken) -> Self {
        Self {
            waited: Some(Box::new(waited)),
            ..Self::default()
        }
    }

    /// What it took in all.
    #[inline]
    pub(crate) fn in_all(&self) -> Nanos {
        let waited = self.waited.as_ref();
        self.processor + self.bandwidth + waited.map_or(0, |waited| waited.iter().sum())
    }

    /// For how long it waited for a cause that is neither a processor nor the wire.
    #[inline]
    pub(crate) fn waited(&self, cause: Wait) -> Nanos {
        let waited = self.waited.as_ref();
        waited.map_or(0, |waited| waited[cause as usize])
    }

    /// It waited longer for such a cause.
    pub(crate) fn waits(&mut self, cause: Wait, time: Nanos) {
        self.waited.get_or_insert_default()[cause as usize] += time;
    }
}

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
    /// That of copies and resyncs among it.
    pub copied: Bytes,
    /// Time that the wires were busy, summed over them.
    pub busy: Nanos,
    /// How long messages waited, by cause, in the order of [`Wait::ALL`].
    pub waited: [Nanos; Wait::ALL.len()],
    /// Most bytes that were sent and not acknowledged.
    pub most_unacknowledged: Bytes,
    /// Most packets in the transmit queue.
    pub most_queued: u64,
}

/// A sender whose way works again and that does not notice at once.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Resumption {
    /// The end that sends.
    pub from: usize,
    /// When its way worked again.
    pub works: Nanos,
    /// When it sends again; this may lie ahead.
    pub sends: Nanos,
    /// Whether it makes another connection; if not, TCP's timer has doubled.
    pub anew: bool,
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
    /// What it took.
    pub(crate) trip: &'a Trip,
}
