//! Messages between the nodes.

use super::Group;
use super::paths::Path;
use crate::event_queue::NEVER;
use crate::network::Message;
use crate::replication::NetworkSink;
use crate::units::{Bytes, Nanos};

/// What a message is: one of those that all nodes deliver in one order.
pub(super) const ORDERED: u32 = 0;

/// And where the log is shipped: a piece of it, and how far a standby is.
pub(super) const LOG: u32 = 1;
pub(super) const STATUS: u32 = 2;

/// Write sets that a node has missed, and the answer that they have come.
pub(super) const OWED: u32 = 3;
pub(super) const OWED_HAS_COME: u32 = 4;

/// Data of a copy, and the answer that it was written.
pub(super) const COPY: u32 = 5;
pub(super) const COPIED: u32 = 6;

/// A message that has yet to be given to its link.
#[derive(Clone, Copy, Debug)]
pub(super) struct Unsent {
    pub(super) path: usize,
    /// From which end.
    pub(super) from: usize,
    what: u32,
    bytes: Bytes,
}

impl Unsent {
    /// A message over a path from the node at one end: what, and its bytes.
    pub(super) fn over(
        paths: &[Path],
        path: usize,
        sender: usize,
        (what, bytes): (u32, Bytes),
    ) -> Self {
        Self {
            path,
            from: usize::from(paths[path].nodes[1] == sender),
            what,
            bytes,
        }
    }
}

impl Group {
    /// Sends a message to another node, or back from there, before anything else happens.
    pub(super) fn send(&mut self, other: usize, message: (u32, Bytes)) {
        let is_sent = matches!(message.0, LOG | OWED);
        let sender = if is_sent { self.writer } else { other };
        self.send_over(self.members[other].path, sender, message);
    }

    /// Sends a message over a path from the node at one end, likewise.
    pub(super) fn send_over(&mut self, path: usize, sender: usize, message: (u32, Bytes)) {
        let message = Unsent::over(&self.paths, path, sender, message);
        self.unsent.push(message);
    }

    /// Gives the links what was sent.
    fn send_all(&mut self, now: Nanos, sink: &mut impl NetworkSink) {
        if self.unsent.is_empty() {
            return;
        }
        sink.over_network(|processors| {
            for it in self.unsent.drain(..) {
                let message = Message {
                    to: it.what,
                    bytes: it.bytes,
                    has_answer: false,
                    ahead: false,
                    is_copy: it.what == COPY,
                };
                let link = &mut self.paths[it.path].link;
                link.send(now, it.from, message, processors);
            }
        });
    }

    /// The next event of any link: when, of which path, and of what goes from which end.
    fn next_event(&self) -> (Nanos, usize, usize) {
        let events = self.paths.iter().enumerate().flat_map(|(path, it)| {
            let link = &it.link;
            [0, 1].map(|from| (link.next_event(from), path, from))
        });
        events.min().unwrap_or((NEVER, 0, 0))
    }

    /// Does what messages do by `now`, and sets the alarm for what they do next.
    pub(super) fn messages(&mut self, now: Nanos, sink: &mut impl NetworkSink) {
        loop {
            self.may_take_over(now, sink);
            self.let_acknowledged_go_on(now, sink);
            self.looks_at_standbys(now, sink);
            self.send_all(now, sink);
            let (at, path, from) = self.next_event();
            let change = self.next_change(now).min(self.next_closed());
            let change = change.min(self.next_heard());
            let next = at.min(change);
            if next > now {
                if next != self.alarm_at && next != NEVER {
                    self.alarm_at = next;
                    sink.wake(self.alarm, next);
                }
                return;
            }
            if change <= at {
                self.hear(now, sink);
                self.close_connections(now, sink);
                self.change_members(now, sink);
                continue;
            }
            let (link, released) = (&mut self.paths[path].link, &mut self.released);
            sink.over_network(|processors| link.advance(at, from, processors, released));
            // Nothing here waits for what was sent late.
            self.released.clear();
            let mut place = 0;
            while let Some(delivery) = self.paths[path].link.delivery(from, place) {
                let what = delivery.to;
                self.has_come(now, (path, from), what, sink);
                place += 1;
            }
            self.paths[path].link.forget_delivered(from);
        }
    }

    /// Whether nobody is there any more to whom a message matters.
    fn is_lost(&self, other: usize, what: u32) -> bool {
        match what {
            LOG | OWED => self.nodes[other].is_stopped(),
            // What a standby has said stays true.
            STATUS => self.writer().is_stopped(),
            _ => self.writer().is_stopped() || !self.members[other].standing.is_member(),
        }
    }

    /// A message has come over a path, from one of its ends.
    fn has_come(
        &mut self,
        now: Nanos,
        (path, from): (usize, usize),
        what: u32,
        sink: &mut impl NetworkSink,
    ) {
        let nodes = self.paths[path].nodes;
        let receiver = nodes[1 - from];
        match what {
            ORDERED => return self.ordered_has_come(now, (path, from), sink),
            COPY => return self.chunk_has_come(now, receiver, sink),
            COPIED => return self.chunk_is_written(now, receiver, sink),
            _ => {}
        }
        let other = nodes[usize::from(nodes[0] == self.writer)];
        if self.is_lost(other, what) {
            return;
        }
        match what {
            LOG => self.log_has_come(now, other, sink),
            STATUS => self.status_has_come(now, other, sink),
            OWED => self.owed_has_come(now, other, sink),
            _ => {
                self.sends_owed(other);
                self.look_at_queue(now, other, sink);
            }
        }
    }
}
