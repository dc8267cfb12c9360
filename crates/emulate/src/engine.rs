//! The requests in flight of one group of devices: when each is due, and what is counted of
//! it. A state machine: time only moves through its arguments.

mod account;
mod counters;
mod model;
mod queue;
mod status;

use blockyard_model::storage::Ticket;
use blockyard_model::units::Nanos;
use rustix::io::Errno;

pub(crate) use self::account::Account;
pub(crate) use self::counters::{Counters, GroupInterval, PeriodCounts};
pub(crate) use self::model::Model;
use self::queue::Pending;
pub(crate) use self::queue::Queue;
pub(crate) use self::status::{MirrorStatus, VolumeStatus};
use crate::contained::contained;
use crate::request::{DueReply, IoRequest, IoResult, Responder};

/// The state of a group between two moments.
#[derive(Debug)]
pub(crate) struct Engine {
    phase: Phase,
    queue: Queue,
    /// The latest moment reported to it.
    now: Nanos,
    /// What the model panicked with, if it did.
    broken: Option<String>,
}

/// What decides how long requests take, and whether they are recorded.
#[derive(Debug)]
enum Phase {
    /// Before the service: each takes this long, and nothing is recorded.
    Starting { hold: Nanos },
    /// The model decides, and all is recorded.
    Serving(Box<Model>),
    /// After the service: each is done at once, and nothing is recorded any more.
    Ended(Box<Model>),
}

/// A request that has arrived.
pub(crate) struct Arrived {
    pub(crate) device: usize,
    pub(crate) request: IoRequest,
    /// How its bytes fared; none while they are not durable yet.
    pub(crate) moved: Option<IoResult>,
    pub(crate) responder: Box<dyn Responder>,
}

impl Engine {
    /// An engine whose requests take `hold` until [`Engine::serve`].
    pub(crate) fn new(hold: Nanos) -> Self {
        Self {
            phase: Phase::Starting { hold },
            queue: Queue::default(),
            now: 0,
            broken: None,
        }
    }

    /// The service begins, now being time 0, on a machine that adds `overhead` to every
    /// request. What is in flight is done at once.
    pub(crate) fn serve(&mut self, mut model: Model, overhead: Nanos) {
        self.queue.release(overhead, |pending| model.adopt(pending));
        self.now = 0;
        self.phase = Phase::Serving(Box::new(model));
    }

    /// The service ends at `now`. What is in flight is done at once, and is not recorded.
    pub(crate) fn end(&mut self, now: Nanos) {
        let now = now.max(self.now);
        self.pass(now);
        let ended = Phase::Starting { hold: 0 };
        self.ask(|model, _| model.cut(now));
        self.phase = match std::mem::replace(&mut self.phase, ended) {
            Phase::Serving(model) => Phase::Ended(model),
            other => other,
        };
        self.queue.release(0, |pending| pending.io = None);
    }

    /// The latest moment reported to it.
    pub(crate) fn now(&self) -> Nanos {
        self.now
    }

    /// What the model panicked with, if it did: then every request fails.
    pub(crate) fn broken(&self) -> Option<&str> {
        self.broken.as_deref()
    }

    /// Has the model do something, while it serves. If it panics, this group is broken: what is
    /// in flight and all that comes fails, and the other groups go on.
    fn ask(&mut self, what: impl FnOnce(&mut Model, &mut Queue)) {
        let Phase::Serving(model) = &mut self.phase else {
            return;
        };
        if let Err(panic) = contained(|| what(model, &mut self.queue)) {
            model.break_down();
            self.queue.fail(self.now);
            self.broken.get_or_insert(panic);
        }
    }

    /// The model with what is counted; none before the service.
    pub(crate) fn model(&self) -> Option<&Model> {
        match &self.phase {
            Phase::Starting { .. } => None,
            Phase::Serving(model) | Phase::Ended(model) => Some(model),
        }
    }

    /// What is counted; none before the service.
    pub(crate) fn counters(&mut self) -> Option<&mut Counters> {
        match &mut self.phase {
            Phase::Starting { .. } => None,
            Phase::Serving(model) | Phase::Ended(model) => Some(model.counters()),
        }
    }

    /// Takes a request, `now` that its bytes have moved. Gives its reply back
    /// if that is due at once, else [`Engine::advance`] will; the ticket is for
    /// [`Engine::moved`].
    pub(crate) fn arrived(&mut self, now: Nanos, arrived: Arrived) -> (Ticket, Option<DueReply>) {
        // Threads may come here in another order than their requests did.
        let at = arrived.request.arrival.min(now).max(self.now);
        self.pass(at);
        let ticket = self.queue.put(Pending::new(arrived, at));
        match self.phase {
            Phase::Starting { hold } => self.queue.due_at(ticket, at + hold),
            Phase::Serving(_) => self.ask(|model, queue| model.submit(at, ticket, queue)),
            Phase::Ended(_) => self.queue.due_at(ticket, at),
        }
        match self.queue.first() {
            Some((due, first)) if first == ticket && due <= at => {
                (ticket, self.complete_first(now.max(at)))
            }
            _ => (ticket, None),
        }
    }

    /// The bytes of a request are durable, or could not be made so.
    pub(crate) fn moved(
        &mut self,
        now: Nanos,
        ticket: Ticket,
        result: IoResult,
    ) -> Option<DueReply> {
        let now = now.max(self.now);
        self.pass(now);
        let pending = self.queue.get(ticket)?;
        pending.moved = Some(result);
        match pending.is_due {
            true => self.complete(ticket, now),
            false => None,
        }
    }

    /// Moves on to `now` and adds the replies that are due to `due`.
    pub(crate) fn advance(&mut self, now: Nanos, due: &mut Vec<DueReply>) {
        let now = now.max(self.now);
        self.pass(now);
        self.ask(|model, queue| model.advance(now, queue));
        while self.queue.first().is_some_and(|(due, _)| due <= now) {
            due.extend(self.complete_first(now));
        }
    }

    /// Does something to the model, if the service is under way.
    pub(crate) fn change(
        &mut self,
        now: Nanos,
        change: impl FnOnce(&mut Model, Nanos, &mut Queue),
    ) {
        let now = now.max(self.now);
        self.pass(now);
        self.ask(|model, queue| change(model, now, queue));
    }

    /// The latest time at which [`Engine::advance`] must be called; never if nothing is in flight
    /// and no fault is to end.
    pub(crate) fn next_event(&mut self) -> Option<Nanos> {
        let due = self.queue.first().map(|(due, _)| due);
        let model = match &self.phase {
            Phase::Serving(model) => model.next_event(),
            Phase::Starting { .. } | Phase::Ended(_) => None,
        };
        due.into_iter().chain(model).min()
    }

    /// Time passes: periods that ended before `now` are closed, and faults
    /// that were over are ended.
    pub(crate) fn pass(&mut self, now: Nanos) {
        self.ask(|model, queue| model.pass(now, queue));
        self.now = self.now.max(now);
    }

    /// The time of the first reply has come.
    fn complete_first(&mut self, now: Nanos) -> Option<DueReply> {
        let ticket = self.queue.pop()?;
        let pending = self.queue.get(ticket)?;
        if pending.moved.is_none() {
            pending.is_due = true;
            return None;
        }
        self.complete(ticket, now)
    }

    /// The reply goes out `now`.
    fn complete(&mut self, ticket: Ticket, now: Nanos) -> Option<DueReply> {
        let pending = self.queue.take(ticket)?;
        let failed = pending.reply.failed || pending.effect.fails;
        let result = match pending.moved.unwrap_or(Ok(())) {
            Ok(()) if failed => Err(Errno::IO),
            result => result,
        };
        self.ask(|model, _| model.counters().completed(now, &pending, result));
        Some(DueReply {
            responder: pending.responder,
            result,
        })
    }
}

#[cfg(test)]
mod tests;
