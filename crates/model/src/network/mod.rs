//! The network between two hosts, as a state machine.
//!
//! A message passes the sender's processor, waits its turn on the wire, travels, and passes
//! the receiver's processor. What bounds what is under way (a socket's buffer, LLT's flow
//! control) makes it wait before all of that. Packets may travel longer by chance, or be lost
//! and sent again; nothing overtakes, even where a link becomes faster. Messages are lost by
//! [`Link::cut`] alone.

mod direction;
mod losses;
mod lottery;
mod message;
mod processor;
mod rack;
#[cfg(test)]
mod tests;
mod transit;
mod wires;

use alloc::vec::Vec;

use self::direction::Direction;
pub(crate) use self::message::{Delivery, Message, Released, Taken};
pub use self::message::{LinkCounts, Wait};
pub use self::processor::Processors;
use crate::spec::{Impairment, LinkSpec, QueuedUntil};
use crate::units::{Bytes, Nanos};

/// A link.
#[derive(Clone, Debug)]
pub(crate) struct Link {
    directions: [Direction; 2],
    pub(crate) up: bool,
    pub(crate) timeout: Nanos,
    /// Whether packets count until they are answered.
    pub(crate) counts_answers: bool,
}

impl Link {
    /// The link `spec`, number `index`, in a run with `seed`.
    pub(crate) fn new(spec: &LinkSpec, seed: u64, index: usize) -> Self {
        Self {
            directions: [0, 1].map(|from| Direction::new(spec, seed, (index, from))),
            up: true,
            timeout: spec.timeout,
            counts_answers: spec
                .flow_control
                .is_some_and(|flow| flow.until == QueuedUntil::Answered),
        }
    }

    /// Takes a message at end `from`. Whether it is sent at once; if not,
    /// a [`Released`] tells when it is.
    #[inline]
    pub(crate) fn send(
        &mut self,
        now: Nanos,
        from: usize,
        message: Message,
        processors: &mut Processors,
    ) -> bool {
        self.directions[from].send(now, message, processors)
    }

    /// The answer to a message of `bytes` from end `from` has come back.
    #[inline]
    pub(crate) fn answered(
        &mut self,
        now: Nanos,
        from: usize,
        bytes: Bytes,
        processors: &mut Processors,
        released: &mut Vec<Released>,
    ) {
        self.directions[from].answered(now, bytes, processors, released);
    }

    /// The receiver has read a message of `bytes` from end `from` that has an answer: to be
    /// called for each that was delivered, unless [`Link::forget`] was meanwhile.
    #[inline]
    pub(crate) fn read(&mut self, now: Nanos, from: usize, bytes: Bytes) {
        self.directions[from].read(now, bytes);
    }

    /// The receiver leaves a message of `bytes` from end `from` unread, until
    /// [`Link::take_up`].
    pub(crate) fn leave_unread(&mut self, from: usize, bytes: Bytes) {
        self.directions[from].unread += bytes;
    }

    /// The receiver is about to read what it had left.
    pub(crate) fn take_up(&mut self, from: usize, bytes: Bytes) {
        self.directions[from].unread -= bytes;
    }

    /// When something happens next to what goes from end `from`.
    #[inline]
    pub(crate) fn next_event(&self, from: usize) -> Nanos {
        self.directions[from].next_event()
    }

    /// Does what happens at `now`, the time of the next event from end `from`. Gives `released`
    /// those that are sent now after they had waited; what is delivered stands at
    /// [`Link::delivery`] until [`Link::forget_delivered`].
    #[inline]
    pub(crate) fn advance(
        &mut self,
        now: Nanos,
        from: usize,
        processors: &mut Processors,
        released: &mut Vec<Released>,
    ) {
        self.directions[from].advance(now, processors, released);
    }

    /// The message from end `from` at a place of those that are delivered, in their order.
    #[inline]
    pub(crate) fn delivery(&self, from: usize, place: usize) -> Option<Delivery<'_>> {
        self.directions[from].delivery(place)
    }

    /// What is delivered from end `from` has been taken note of.
    #[inline]
    pub(crate) fn forget_delivered(&mut self, from: usize) {
        self.directions[from].forget_delivered();
    }

    /// Is worse than by itself from now on, or no longer, for what is sent from now on.
    pub(crate) fn impair(&mut self, is: Impairment) {
        self.directions.iter_mut().for_each(|it| it.impair(is));
    }

    /// Goes down: what has not arrived waits to be sent again.
    pub(crate) fn cut(&mut self, now: Nanos) {
        self.up = false;
        self.directions.iter_mut().for_each(|it| it.cut(now));
    }

    /// Works again.
    pub(crate) fn restore(
        &mut self,
        now: Nanos,
        processors: &mut Processors,
        released: &mut Vec<Released>,
    ) {
        self.up = true;
        for direction in &mut self.directions {
            direction.restore(now, processors, released);
        }
    }

    /// Forgets all that was to be sent, at both ends.
    pub(crate) fn forget(&mut self) {
        self.directions.iter_mut().for_each(Direction::forget);
    }

    /// What went from each end until `now`.
    pub(crate) fn counts(&self, now: Nanos) -> [LinkCounts; 2] {
        [0, 1].map(|from| self.directions[from].counts(now))
    }
}
