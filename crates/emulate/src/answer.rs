//! What a client asked, and what it waits for.

use blockyard_model::storage::Op;
use blockyard_model::units::Nanos;
use rustix::io::Errno;

/// What a client asked, once its bytes have moved.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Asked {
    /// When the request was there, by the service's clock, before its bytes
    /// were moved.
    pub(crate) arrival: Nanos,
    pub(crate) op: Op,
    /// First byte; 0 for a flush.
    pub(crate) offset: u64,
    /// Bytes, within the disk; 0 for a flush.
    pub(crate) len: u64,
}

/// Whether what was asked was done: an error is the client's `errno`.
pub(crate) type Outcome = Result<(), Errno>;

/// An answer to a client that can be sent once, by any thread.
///
/// Sending must not wait for the client: who does not take its answers may
/// keep no one else from getting theirs.
pub(crate) trait Answer: Send {
    /// Tells the client.
    fn send(self: Box<Self>, outcome: Outcome);
}

/// An answer that is due, with what it says.
pub(crate) struct Ready {
    pub(crate) answer: Box<dyn Answer>,
    pub(crate) outcome: Outcome,
}

impl Ready {
    /// Tells the client.
    pub(crate) fn send(self) {
        self.answer.send(self.outcome);
    }
}

impl std::fmt::Debug for Ready {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("Ready")
            .field("outcome", &self.outcome)
            .finish_non_exhaustive()
    }
}
