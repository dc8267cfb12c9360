//! What a client waits for.

use rustix::io::Errno;

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
