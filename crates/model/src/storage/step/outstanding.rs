//! Requests that are not done: their parts, and the flushes behind them.

use alloc::collections::BTreeMap;
use alloc::vec;
use alloc::vec::Vec;

use super::super::{Submitted, Ticket};
use crate::request::{Op, Reply};
use crate::units::Nanos;

/// Names a part of an outstanding request.
#[derive(Clone, Copy, Debug)]
pub(super) struct PartName {
    pub(super) ticket: Ticket,
    /// Its place among the request's parts.
    pub(super) index: usize,
}

/// The outstanding requests of a storage.
#[derive(Clone, Debug)]
pub(super) struct Outstanding {
    requests: BTreeMap<Ticket, Entry>,
    /// Per device: requests so far, which tells what is earlier than a flush.
    submitted: Vec<u64>,
    done: Vec<(Ticket, Reply)>,
}

#[derive(Clone, Debug)]
struct Entry {
    device: usize,
    op: Op,
    number: u64,
    /// Parts, or for a flush earlier writes, that are not done.
    remaining: usize,
    replies: Vec<Reply>,
}

impl Outstanding {
    pub(super) fn new(devices: usize) -> Self {
        Self {
            requests: BTreeMap::new(),
            submitted: vec![0; devices],
            done: Vec::new(),
        }
    }

    /// Enters a request of `parts` parts.
    pub(super) fn open(&mut self, now: Nanos, ticket: Ticket, device: usize, op: Op, parts: usize) {
        let number = self.number(device);
        let replies = vec![Reply::free(now); parts];
        self.requests.insert(
            ticket,
            Entry {
                device,
                op,
                number,
                remaining: parts,
                replies,
            },
        );
    }

    /// Enters a flush, which is done when the device's earlier writes are.
    pub(super) fn flush(&mut self, now: Nanos, ticket: Ticket, device: usize) -> Submitted {
        let number = self.number(device);
        let earlier = |entry: &&Entry| entry.device == device && entry.op.writes();
        let remaining = self.requests.values().filter(earlier).count();
        if remaining == 0 {
            return Submitted::Done(Reply::free(now));
        }
        let entry = Entry {
            device,
            op: Op::Flush,
            number,
            remaining,
            replies: Vec::new(),
        };
        self.requests.insert(ticket, entry);
        Submitted::Later
    }

    /// Ends a part with `reply`, and what only waited for it.
    pub(super) fn close(&mut self, name: PartName, reply: Reply) {
        let Some(entry) = self.requests.get_mut(&name.ticket) else {
            return;
        };
        entry.replies[name.index] = reply;
        entry.remaining -= 1;
        if entry.remaining > 0 {
            return;
        }
        let Some(entry) = self.requests.remove(&name.ticket) else {
            return;
        };
        // In the order of the parts, so that ties fall as they do reserved.
        let Some(whole) = entry.replies.iter().copied().reduce(Reply::later) else {
            return;
        };
        self.done.push((name.ticket, whole));
        if entry.op.writes() {
            self.release_flushes(entry.device, entry.number, whole.at);
        }
    }

    fn release_flushes(&mut self, device: usize, written: u64, at: Nanos) {
        let mut finished = Vec::new();
        for (&ticket, entry) in &mut self.requests {
            let behind = entry.device == device && entry.op == Op::Flush && entry.number > written;
            if behind {
                entry.remaining -= 1;
                if entry.remaining == 0 {
                    finished.push(ticket);
                }
            }
        }
        for ticket in finished {
            self.requests.remove(&ticket);
            self.done.push((ticket, Reply::free(at)));
        }
    }

    /// When the first request that is done was.
    pub(super) fn first_done(&self) -> Option<Nanos> {
        self.done.iter().map(|(_, reply)| reply.at).min()
    }

    /// Hands over what is done.
    pub(super) fn collect(&mut self, done: &mut impl FnMut(Ticket, Reply)) {
        for (ticket, reply) in self.done.drain(..) {
            done(ticket, reply);
        }
    }

    fn number(&mut self, device: usize) -> u64 {
        self.submitted[device] += 1;
        self.submitted[device]
    }
}
