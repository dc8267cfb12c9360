//! The network between two hosts, as a state machine.
//!
//! A message passes the sender's processor, waits its turn at its host's interface and on the
//! wire, travels, and passes the receiver's interface and processor. An interface takes messages
//! of all links as they come; one that bounds no more than each link does is left out. What bounds
//! what is under way (a socket's buffer, LLT's flow control) makes it wait before all of that.
//! Packets may travel longer by chance, or be lost and sent again; nothing overtakes, even where a
//! link becomes faster. Messages are lost by [`Link::forget`] alone.
//!
//! Each way may be cut by itself. What is sent on a way that is cut waits at its sender, and so do
//! the acknowledgements of what comes on the other: that arrives, once, and its sender does not
//! know. TCP's sender tries again after ever longer, so it may go on only some time after its way
//! works again, and until then its peer hears nothing of it.

mod direction;
mod interface;
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
pub(crate) use self::message::{Delivery, Message, Released, Taken, Trip};
pub use self::message::{LinkCounts, Resumption, Wait};
pub use self::processor::Processors;
use crate::event_queue::NEVER;
use crate::spec::{Connections, Contact, Impairment, LinkSpec, QueuedUntil};
use crate::units::{Bytes, Nanos};

/// What a link is from when a way of it is cut until its ends hear each other again.
#[derive(Clone, Copy, Debug)]
struct Break {
    since: Nanos,
    /// Which ways are cut, by the end that sends.
    cut: [bool; 2],
    /// Since when nothing that is sent from each end arrives.
    silent: [Option<Nanos>; 2],
    /// When the connection was given up, until there is another.
    closed: Option<Nanos>,
}

impl Break {
    fn is_cut(&self) -> bool {
        self.cut != [false; 2]
    }
}

/// How ends that have given up their connection make another, over a link that works again.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Reconnects {
    /// So long after they have given one up they try.
    pub(crate) after: Nanos,
    /// After so long the first packet goes again, twice as long each further time, ...
    pub(crate) syn: Nanos,
    /// ... until they have heard nothing for so long, and begin anew.
    pub(crate) timeout: Nanos,
    /// So long after they have one they go on, above 0.
    pub(crate) lag: Nanos,
}

impl From<Connections> for Reconnects {
    fn from(of: Connections) -> Self {
        Self {
            after: of.reconnect,
            syn: of.reconnect,
            timeout: of.timeout,
            lag: of.keepalive / 2,
        }
    }
}

impl Reconnects {
    /// When they go on that have given up their connection at `closed`, as their link works at
    /// `now`.
    fn goes_on(self, closed: Nanos, now: Nanos) -> Nanos {
        let each = self.after + self.timeout;
        let before = now.saturating_sub(closed + self.after) / each;
        let first = closed + self.after + before * each;
        let (mut at, mut timer) = (first, self.syn);
        while at < now {
            at += timer;
            timer *= 2;
            if at >= first + self.timeout {
                at = first + each;
            }
        }
        at + self.lag
    }
}

/// A link.
#[derive(Clone, Debug)]
pub(crate) struct Link {
    directions: [Direction; 2],
    /// None where both ways work and its ends know.
    broken: Option<Break>,
    /// None where they connect again at once.
    reconnects: Option<Reconnects>,
    contact: Contact,
    pub(crate) timeout: Nanos,
    /// Whether packets count until they are answered.
    pub(crate) counts_answers: bool,
}

impl Link {
    /// The link `spec`, number `index`, in a run with `seed`.
    pub(crate) fn new(spec: &LinkSpec, seed: u64, index: usize) -> Self {
        Self {
            directions: [0, 1].map(|from| Direction::new(spec, seed, (index, from))),
            broken: None,
            reconnects: None,
            contact: spec.contact,
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

    /// Whether anything is delivered from end `from` that has not been taken note of.
    #[inline]
    pub(crate) fn has_told(&self, from: usize) -> bool {
        self.directions[from].delivery(0).is_some()
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
    pub(crate) fn impair(&mut self, now: Nanos, is: Impairment) {
        self.directions.iter_mut().for_each(|it| it.impair(now, is));
    }

    /// The same link between ends that send something at least that often, and make another
    /// connection like that.
    pub(crate) fn kept_alive(mut self, keepalive: Nanos, reconnects: Reconnects) -> Self {
        for direction in &mut self.directions {
            direction.keepalive = Some(keepalive);
        }
        self.reconnects = Some(reconnects);
        self
    }

    /// Whether both ways work and its ends hear each other.
    #[inline]
    pub(crate) fn is_whole(&self) -> bool {
        self.broken.is_none()
    }

    /// Which ways are cut, by the end that sends.
    pub(crate) fn cut(&self) -> [bool; 2] {
        self.broken.map_or([false; 2], |broken| broken.cut)
    }

    /// Whether what is sent from an end is heard at the other.
    pub(crate) fn is_heard(&self, from: usize) -> bool {
        self.broken
            .is_none_or(|broken| broken.silent[from].is_none())
    }

    /// Since when its ends do not both hear the other, unless they have given each other up.
    pub(crate) fn broken_since(&self) -> Option<Nanos> {
        let open = self.broken.filter(|broken| broken.closed.is_none());
        open.map(|broken| broken.since)
    }

    /// When its ends gave each other up, if they did and have not met since.
    pub(crate) fn closed_at(&self) -> Option<Nanos> {
        self.broken.and_then(|broken| broken.closed)
    }

    /// When the ends give each other up if nothing changes, or [`NEVER`].
    pub(crate) fn given_up_at(&self) -> Nanos {
        let open = self.broken.filter(|broken| broken.closed.is_none());
        let since = open.and_then(|broken| match self.contact {
            Contact::Answered => Some(broken.since),
            Contact::Heard => broken.silent.into_iter().flatten().min(),
        });
        since.map_or(NEVER, |since| since.saturating_add(self.timeout))
    }

    /// When the next end is heard again that is not, or [`NEVER`]: to be told by [`Link::hear`].
    pub(crate) fn heard_at(&self) -> Nanos {
        let Some(broken) = self.broken else {
            return NEVER;
        };
        let silent = [0, 1]
            .into_iter()
            .filter(|&from| broken.silent[from].is_some());
        let heard = silent.map(|from| self.directions[from].heard_at());
        heard.min().unwrap_or(NEVER)
    }

    /// Takes note of who is heard again by `now`. Whether anybody is.
    pub(crate) fn hear(&mut self, now: Nanos) -> bool {
        let Some(broken) = &mut self.broken else {
            return false;
        };
        let before = broken.silent;
        for from in [0, 1] {
            broken.silent[from].take_if(|_| self.directions[from].heard_at() <= now);
        }
        let is_anybody = broken.silent != before;
        if !broken.is_cut() && broken.silent == [None; 2] {
            self.broken = None;
        }
        is_anybody
    }

    /// Other ways are cut from now on, by the end that sends: what has not arrived on one that is
    /// waits to be sent again. Whoever is heard again at once is.
    pub(crate) fn turn(
        &mut self,
        now: Nanos,
        cut: [bool; 2],
        processors: &mut Processors,
        released: &mut Vec<Released>,
    ) {
        let was = self.broken.unwrap_or(Break {
            since: now,
            cut: [false; 2],
            silent: [None; 2],
            closed: None,
        });
        let silent = [0, 1].map(|from| was.silent[from].or(cut[from].then_some(now)));
        self.broken = Some(Break { cut, silent, ..was });
        self.look_at_ways(now, processors, released);
        self.hear(now);
    }

    /// Its ends have given each other up: nothing goes either way until both ways work and there is
    /// another connection.
    pub(crate) fn close(
        &mut self,
        now: Nanos,
        processors: &mut Processors,
        released: &mut Vec<Released>,
    ) {
        if let Some(broken) = &mut self.broken {
            broken.closed = Some(now);
            broken.silent = broken.silent.map(|since| since.or(Some(now)));
            for direction in &mut self.directions {
                direction.cut(now, processors);
            }
            self.look_at_ways(now, processors, released);
        }
    }

    /// Has each direction carry what it can.
    fn look_at_ways(
        &mut self,
        now: Nanos,
        processors: &mut Processors,
        released: &mut Vec<Released>,
    ) {
        let Some(broken) = self.broken else { return };
        let is_open = broken.closed.is_none() || !broken.is_cut();
        let carries = broken.cut.map(|is_cut| is_open && !is_cut);
        let anew = broken.closed.map(|closed| match self.reconnects {
            None => now,
            Some(reconnects) => reconnects.goes_on(closed, now),
        });
        for from in [0, 1] {
            let direction = &mut self.directions[from];
            direction.answers_come(now, carries[1 - from]);
            match carries[from] {
                true => direction.restore(now, anew, processors, released),
                false => direction.cut(now, processors),
            }
        }
    }

    /// Forgets all that was to be sent, at both ends.
    pub(crate) fn forget(&mut self) {
        self.directions.iter_mut().for_each(Direction::forget);
    }

    /// The senders that did not notice at once that their way works again, by end and time.
    pub(crate) fn resumptions(&self) -> impl Iterator<Item = Resumption> {
        let all = self.directions.iter().flat_map(|it| &it.resumptions);
        all.copied()
    }

    /// What went from each end until `now`.
    pub(crate) fn counts(&self, now: Nanos) -> [LinkCounts; 2] {
        [0, 1].map(|from| self.directions[from].counts(now))
    }
}
