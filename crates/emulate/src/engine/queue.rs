//! The requests in flight, by ticket and by the time at which they are due.

use std::cmp::Reverse;
use std::collections::BinaryHeap;

use blockyard_model::fault::Effect;
use blockyard_model::storage::{Reply, Request, Ticket};
use blockyard_model::units::Nanos;
use blockyard_record::InFlight;

use super::Arrived;
use crate::request::{IoRequest, IoResult, Responder};

/// A request in flight.
pub(crate) struct Pending {
    pub(super) device: usize,
    pub(super) request: IoRequest,
    pub(super) arrival: Nanos,
    /// What is counted of it; none if nothing is.
    pub(super) io: Option<InFlight>,
    /// Its place in the order of arrival, if that is written down.
    pub(super) number: u64,
    pub(super) effect: Effect,
    pub(super) reply: Reply,
    pub(super) due: Nanos,
    /// Its number in the order in which ends became known; none while that is not.
    known: Option<u64>,
    /// Its time came before its bytes were durable.
    pub(super) is_due: bool,
    pub(super) moved: Option<IoResult>,
    pub(super) responder: Box<dyn Responder>,
}

impl Pending {
    pub(super) fn new(arrived: Arrived, arrival: Nanos) -> Self {
        Self {
            device: arrived.device,
            request: arrived.request,
            arrival,
            io: None,
            number: 0,
            effect: Effect::default(),
            reply: Reply {
                at: arrival,
                throttled: 0,
                limit: None,
                failed: false,
            },
            due: Nanos::MAX,
            known: None,
            is_due: false,
            moved: arrived.moved,
            responder: arrived.responder,
        }
    }

    /// What the model is asked.
    pub(super) fn model_request(&self) -> Request {
        Request {
            device: self.device,
            op: self.request.op,
            offset: self.request.offset,
            len: self.request.len,
            requester: 0.into(),
            submitter: self.device as u32,
        }
    }
}

/// The requests in flight. A ticket is used again once its request is taken.
#[derive(Default)]
pub(crate) struct Queue {
    slots: Vec<Option<Pending>>,
    free: Vec<Ticket>,
    /// Requests by the time at which they are due; ties in the order in which
    /// that became known. An entry whose request has another number now is void.
    due: BinaryHeap<Reverse<(Nanos, u64, Ticket)>>,
    known: u64,
    /// What this machine adds to every request, taken off the model's times.
    overhead: Nanos,
}

impl Queue {
    pub(super) fn put(&mut self, pending: Pending) -> Ticket {
        match self.free.pop() {
            Some(ticket) => {
                self.slots[ticket as usize] = Some(pending);
                ticket
            }
            None => {
                self.slots.push(Some(pending));
                (self.slots.len() - 1) as Ticket
            }
        }
    }

    /// What a ticket stands for; none once it is taken.
    pub(super) fn get(&mut self, ticket: Ticket) -> Option<&mut Pending> {
        self.slots.get_mut(ticket as usize)?.as_mut()
    }

    pub(super) fn take(&mut self, ticket: Ticket) -> Option<Pending> {
        let pending = self.slots.get_mut(ticket as usize)?.take()?;
        self.free.push(ticket);
        Some(pending)
    }

    /// The model says at `now` how a request ends, or that this is no longer known.
    ///
    /// The machine's overhead is taken off as far as the end is known ahead: a request that a
    /// limit lets through at its very end gets nothing taken off.
    pub(super) fn ends(&mut self, now: Nanos, ticket: Ticket, reply: Option<Reply>) {
        let overhead = self.overhead;
        let Some(pending) = self.get(ticket) else {
            return;
        };
        match reply {
            Some(reply) => {
                pending.reply = reply;
                let end = reply.at + pending.effect.extra;
                self.due_at(ticket, end.saturating_sub(overhead).max(now));
            }
            None => (pending.is_due, pending.known) = (false, None),
        }
    }

    /// A request is due at `due`.
    pub(super) fn due_at(&mut self, ticket: Ticket, due: Nanos) {
        let known = self.known;
        if let Some(pending) = self.get(ticket) {
            (pending.due, pending.known, pending.is_due) = (due, Some(known), false);
            self.due.push(Reverse((due, known, ticket)));
            self.known += 1;
        }
    }

    /// The request that is due next, and when.
    pub(super) fn first(&mut self) -> Option<(Nanos, Ticket)> {
        while let Some(&Reverse((due, known, ticket))) = self.due.peek() {
            let pending = self.get(ticket);
            if pending.is_some_and(|pending| pending.known == Some(known)) {
                return Some((due, ticket));
            }
            self.due.pop();
        }
        None
    }

    /// Takes the first out of the order; it stays in flight.
    pub(super) fn pop(&mut self) -> Option<Ticket> {
        let Reverse((_, _, ticket)) = self.due.pop()?;
        Some(ticket)
    }

    /// All that is in flight fails `now`.
    pub(super) fn fail(&mut self, now: Nanos) {
        for ticket in 0..self.slots.len() as Ticket {
            if let Some(pending) = self.get(ticket) {
                pending.reply.failed = true;
                self.due_at(ticket, now);
            }
        }
    }

    /// Another clock or another master from now on: all that is in flight is due at time 0. It
    /// keeps its tickets, and whether it fails.
    pub(super) fn release(&mut self, overhead: Nanos, mut each: impl FnMut(&mut Pending)) {
        self.overhead = overhead;
        self.due.clear();
        for ticket in 0..self.slots.len() as Ticket {
            let Some(pending) = self.get(ticket) else {
                continue;
            };
            pending.arrival = 0;
            pending.reply = Reply {
                at: 0,
                throttled: 0,
                limit: None,
                ..pending.reply
            };
            each(pending);
            self.due_at(ticket, 0);
        }
    }
}

impl std::fmt::Debug for Queue {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        let in_flight = self.slots.len() - self.free.len();
        f.debug_struct("Queue")
            .field("in_flight", &in_flight)
            .finish_non_exhaustive()
    }
}
