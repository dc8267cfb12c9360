//! The messages of one direction on their way, until whoever gets them has looked at them.

use alloc::collections::VecDeque;

use super::message::{Delivery, Message, Trip};
use crate::event_queue::NEVER;
use crate::units::Nanos;

/// A message that has been sent.
#[derive(Clone, Debug)]
pub(super) struct Sent {
    pub(super) message: Message,
    /// What it took so far; once it is there, what it takes.
    pub(super) trip: Trip,
    /// When it is there, but for lost packets that nothing has told of; once it is, when the
    /// receiver's processor has handled it.
    pub(super) at: Nanos,
}

/// Messages in the order in which they were sent: first those that are delivered, then those
/// that have arrived and that the receiver's processor has not handled, then those on their way.
/// They stay where they are meanwhile, so that nothing of them is copied.
#[derive(Clone, Debug)]
pub(super) struct Transit {
    sent: VecDeque<Sent>,
    delivered: usize,
    arrived: usize,
    /// When the first is there that is on its way, or [`NEVER`].
    arrives: Nanos,
    /// When the first is handled that has arrived, or [`NEVER`].
    handled: Nanos,
    /// When the last is there, or was.
    last: Nanos,
}

impl Transit {
    pub(super) fn new() -> Self {
        Self {
            sent: VecDeque::new(),
            delivered: 0,
            arrived: 0,
            arrives: NEVER,
            handled: NEVER,
            last: 0,
        }
    }

    /// When the first is there that is on its way, or [`NEVER`].
    #[inline]
    pub(super) fn arrives(&self) -> Nanos {
        self.arrives
    }

    /// When the first is handled that has arrived, or [`NEVER`].
    #[inline]
    pub(super) fn handled(&self) -> Nanos {
        self.handled
    }

    /// When the last is there, or was: nothing that is sent now can be there before.
    #[inline]
    pub(super) fn last(&self) -> Nanos {
        self.last
    }

    /// When each is there that is on its way.
    pub(super) fn arrivals(&self) -> impl Iterator<Item = Nanos> + '_ {
        let on_the_way = self.sent.range(self.delivered + self.arrived..);
        on_the_way.map(|sent| sent.at)
    }

    /// A message has been sent.
    #[inline]
    pub(super) fn send(&mut self, sent: Sent) {
        // One that waits for lost packets holds up those behind it.
        if self.arrives == NEVER {
            self.arrives = sent.at;
        }
        self.last = sent.at;
        self.sent.push_back(sent);
    }

    /// The one at a place of those on their way is not there before `at`.
    pub(super) fn delay(&mut self, place: usize, at: Nanos) {
        let late = &mut self.sent[self.delivered + self.arrived + place];
        late.at = late.at.max(at);
        self.look_ahead();
    }

    /// When the first of those on their way is there has to be looked up.
    #[inline]
    fn look_ahead(&mut self) {
        let first = self.sent.get(self.delivered + self.arrived);
        self.arrives = first.map_or(NEVER, |first| first.at);
    }

    /// The first of those on their way.
    #[inline]
    pub(super) fn first(&mut self) -> Option<&mut Sent> {
        self.sent.get_mut(self.delivered + self.arrived)
    }

    /// The first of those on their way has come, and is there no sooner than `at`.
    pub(super) fn hold_up(&mut self, at: Nanos) {
        self.delay(0, at);
    }

    /// The first of those on their way has arrived, and is handled at `at`; with `is_delivered`
    /// it is delivered now, before all that were there and are not.
    #[inline]
    pub(super) fn arrive(&mut self, at: Nanos, is_delivered: bool) {
        if !is_delivered {
            self.arrived += 1;
            self.handled = self.handled.min(at);
        } else {
            if self.arrived > 0
                && let Some(first) = self.sent.remove(self.delivered + self.arrived)
            {
                self.sent.insert(self.delivered, first);
            }
            self.delivered += 1;
        }
        self.look_ahead();
    }

    /// Whether none has arrived that is not handled.
    #[inline]
    pub(super) fn has_handled_all(&self) -> bool {
        self.arrived == 0
    }

    /// The first that has arrived is handled, and delivered.
    #[inline]
    pub(super) fn deliver(&mut self) {
        self.arrived -= 1;
        self.delivered += 1;
        self.handled = match self.arrived {
            0 => NEVER,
            _ => self.sent[self.delivered].at,
        };
    }

    /// The one at a place of those that are delivered.
    #[inline]
    pub(super) fn delivery(&self, place: usize) -> Option<Delivery<'_>> {
        if place >= self.delivered {
            return None;
        }
        self.sent.get(place).map(|sent| Delivery {
            to: sent.message.to,
            at: sent.at,
            trip: &sent.trip,
        })
    }

    /// Forgets those that are delivered.
    #[inline]
    pub(super) fn forget_delivered(&mut self) {
        while self.delivered > 0 {
            self.sent.pop_front();
            self.delivered -= 1;
        }
    }

    /// Gives those on their way, the last first: the link is cut.
    pub(super) fn cut(&mut self) -> impl Iterator<Item = Sent> + '_ {
        (self.arrives, self.last) = (NEVER, 0);
        self.sent.drain(self.delivered + self.arrived..).rev()
    }
}
