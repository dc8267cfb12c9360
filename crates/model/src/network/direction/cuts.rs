//! A direction whose way, or whose way back, is cut and works again.

use alloc::vec::Vec;

use super::{Buffered, Direction, Way};
use crate::event_queue::NEVER;
use crate::network::message::{Released, Resumption, Wait};
use crate::network::processor::Processors;
use crate::network::transit::{Sent, Transit};
use crate::spec::LinkSpec;
use crate::units::Nanos;

/// When what was first sent at `since` is sent again, at `now` at the earliest.
fn next_try(since: Nanos, retry: Nanos, now: Nanos) -> Nanos {
    let mut timer = retry;
    let mut at = since + timer;
    while at < now {
        timer = (2 * timer).min(LinkSpec::LONGEST_RETRY);
        at += timer;
    }
    at
}

impl Direction {
    /// It goes down at `now`: what has not arrived stays in the sender's buffer, to be sent again.
    pub(in crate::network) fn cut(&mut self, now: Nanos, processors: &mut Processors) {
        match self.way {
            Way::Cut(_) => return,
            // What its sender has tried before it still tries.
            Way::Resumes { cut, .. } => {
                self.resumptions.pop();
                self.way = Way::Cut(cut);
                return;
            }
            Way::Works => self.way = Way::Cut(now),
        }
        self.count_line(now);
        self.cause = Wait::Down;
        self.wires.cut(now);
        if let Some(interface) = processors.interface(self.hosts[0]) {
            interface.out.cut(now, self.lottery.1.0);
        }
        self.alone = self.alone.min(now);
        self.at_interface = None;
        if let Some(losses) = &mut self.losses {
            losses.forget();
        }
        for Sent { message, trip, .. } in self.transit.cut() {
            self.buffered.push_front(Buffered {
                message,
                trip,
                since: now,
            });
        }
    }

    /// It works from `now` on, and so may the way back. A sender whose timer has doubled meanwhile
    /// notices when that runs out; one with a new connection goes on when it has that (`anew`).
    pub(in crate::network) fn restore(
        &mut self,
        now: Nanos,
        anew: Option<Nanos>,
        processors: &mut Processors,
        released: &mut Vec<Released>,
    ) {
        let cut = match self.way {
            Way::Works => return self.goes_on(now, processors, released),
            Way::Resumes { .. } => return,
            Way::Cut(cut) => cut,
        };
        let sends = anew.unwrap_or_else(|| self.tries_again(cut, now));
        if sends <= now {
            self.heard = now;
            return self.goes_on(now, processors, released);
        }
        self.way = Way::Resumes { cut, at: sends };
        self.resumptions.push(Resumption {
            from: self.lottery.1.1,
            works: now,
            sends,
            anew: anew.is_some(),
        });
    }

    /// When its sender tries again that works at `now` and has been cut since then.
    fn tries_again(&self, cut: Nanos, now: Nanos) -> Nanos {
        let Some(retry) = self.retry else { return now };
        let keepalive = self.keepalive.map(|after| cut + after);
        let keepalive = keepalive.filter(|&at| at < now);
        let first = self.buffered.front().map(|first| first.since);
        match first.into_iter().chain(keepalive).min() {
            Some(first) => next_try(first, retry, now),
            None => now,
        }
    }

    /// When what it sends is heard again, as far as is known, or [`NEVER`].
    pub(in crate::network) fn heard_at(&self) -> Nanos {
        match self.way {
            Way::Works => self.heard,
            Way::Cut(_) => NEVER,
            Way::Resumes { at, .. } => at + self.delay,
        }
    }

    /// Sends what its way did not carry.
    pub(super) fn goes_on(
        &mut self,
        now: Nanos,
        processors: &mut Processors,
        released: &mut Vec<Released>,
    ) {
        if let Way::Resumes { .. } = self.way {
            self.heard = now + self.delay;
        }
        self.way = Way::Works;
        while let Some(mut first) = self.buffered.pop_front() {
            self.counts.waited[Wait::Down as usize] += now - first.since;
            first.trip.waits(Wait::Down, now - first.since);
            let packets = self.wires.packets(first.message.bytes);
            self.transmit(now, (first.message, packets), first.trip, processors);
        }
        self.settle(now);
        self.send_waiting(now, processors, released);
    }

    /// The peer is taken for gone: forgets all that was to be sent to it.
    pub(in crate::network) fn forget(&mut self) {
        if let Way::Resumes { .. } = self.way {
            self.resumptions.pop();
            (self.way, self.heard) = (Way::Works, 0);
        }
        self.at_interface = None;
        self.waiting.clear();
        self.buffered.clear();
        self.transit = Transit::new();
        if let Some(losses) = &mut self.losses {
            losses.forget();
        }
        self.acknowledgements.clear();
        self.held.clear();
        (self.unacknowledged, self.unread) = (0, 0);
        (self.queued, self.stopped) = (0, false);
    }

    /// The way back carries acknowledgements from now on, or does not. What it has lost of them
    /// the next ones tell once it does, as they tell of all that has come.
    pub(in crate::network) fn answers_come(&mut self, now: Nanos, come: bool) {
        if core::mem::replace(&mut self.is_answered, come) == come {
            return;
        }
        self.count_line(now);
        if come {
            let soonest = now + self.back;
            for mut own in self.held.drain(..) {
                own.at = own.at.max(soonest);
                self.acknowledgements.push_back(own);
            }
        } else {
            self.cause = Wait::Down;
            let come = self.acknowledgements.partition_point(|own| own.at <= now);
            self.held = self.acknowledgements.split_off(come);
        }
        if let Some(losses) = &mut self.losses {
            losses.answers_come(now, come);
        }
    }
}
