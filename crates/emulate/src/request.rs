//! What a client asks for, and how it is told that it was done.

use blockyard_model::storage::Op;
use blockyard_model::units::Nanos;
use rustix::io::Errno;

/// A client's request, once its bytes have moved.
#[derive(Clone, Copy, Debug)]
pub(crate) struct IoRequest {
    /// When the request arrived, by the service's clock, before its bytes were moved.
    pub(crate) arrival: Nanos,
    pub(crate) op: Op,
    /// First byte; 0 for a flush.
    pub(crate) offset: u64,
    /// Bytes, within the disk; 0 for a flush.
    pub(crate) len: u64,
}

/// Whether a request was done: an error is the client's `errno`.
pub(crate) type IoResult = Result<(), Errno>;

/// Tells a client how its request ended, once, from any thread.
///
/// Sending must not wait for the client: one that does not read its replies must not delay
/// anyone else's.
pub(crate) trait Responder: Send {
    /// Tells the client.
    fn send(self: Box<Self>, result: IoResult);
}

/// A reply that is due.
pub(crate) struct DueReply {
    pub(crate) responder: Box<dyn Responder>,
    pub(crate) result: IoResult,
}

impl DueReply {
    /// Tells the client.
    pub(crate) fn send(self) {
        self.responder.send(self.result);
    }
}

impl std::fmt::Debug for DueReply {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("DueReply")
            .field("result", &self.result)
            .finish_non_exhaustive()
    }
}
