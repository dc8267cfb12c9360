//! What is under way: the model, the answers that are held, and what is
//! measured. A state machine: time only moves through its arguments.

mod account;
mod orders;
mod slots;
mod status;

use std::cmp::Reverse;
use std::collections::BinaryHeap;
use std::io;

use blockyard_model::spec::StorageSpec;
use blockyard_model::storage::{Limits, Reply, Request, Storage, Ticket};
use blockyard_model::units::Nanos;
use blockyard_record::result::Event;
use blockyard_record::{
    Emulated, Histogram, InFlight, Interval, LatencyLog, Recorder, RunShape, Summary,
};
use rustix::io::Errno;

pub(crate) use self::account::Account;
use self::slots::{Held, Slots};
pub(crate) use self::status::VolumeStatus;
use crate::answer::{Answer, Asked, Outcome, Ready};
use crate::fault::Faults;
use crate::trace::{Arrival, Trace};

/// The state of a service between two moments.
#[derive(Debug)]
pub(crate) struct Desk {
    storage: Storage,
    recorder: Recorder,
    slots: Slots,
    /// Answers by the time at which they are due; ties in the order in which
    /// that became known. An entry whose request has another number now is void.
    due: BinaryHeap<Reverse<(Nanos, u64, Ticket)>>,
    known: u64,
    /// The latest moment that it was told of.
    now: Nanos,
    /// Number of the running period.
    period: u64,
    intervals: Vec<Interval>,
    /// The last interval that ended.
    last: Option<Interval>,
    /// The limits as they are provisioned, which faults may undercut.
    provisioned: Limits,
    faults: Faults,
    /// What this machine adds to every request, taken off the model's times.
    floor: Nanos,
    lateness: Histogram,
    accounts: Vec<Account>,
    trace: Option<Trace>,
    /// What was changed or injected.
    events: Vec<Event>,
    /// The first thing that could not be recorded.
    unrecorded: Option<io::Error>,
}

/// A request that has arrived.
pub(crate) struct Arrived {
    pub(crate) device: usize,
    pub(crate) asked: Asked,
    /// How its bytes fared; none while they are not durable yet.
    pub(crate) moved: Option<Outcome>,
    pub(crate) answer: Box<dyn Answer>,
}

impl Desk {
    /// The storage `spec` at rest, served from time 0 on a machine that adds
    /// `floor` to every request.
    pub(crate) fn new(spec: &StorageSpec, seed: u64, interval: Nanos, floor: Nanos) -> Self {
        let storage = Storage::new(spec, seed);
        let plan = RunShape::of_clients(interval, spec, storage.limits());
        let provisioned = storage.limits().clone();
        Self {
            storage,
            recorder: Recorder::new(plan, None),
            slots: Slots::default(),
            due: BinaryHeap::new(),
            known: 0,
            now: 0,
            period: 0,
            intervals: Vec::new(),
            last: None,
            provisioned,
            faults: Faults::new(spec, seed),
            floor,
            lateness: Histogram::default(),
            accounts: vec![Account::default(); spec.devices.len()],
            trace: None,
            events: Vec::new(),
            unrecorded: None,
        }
    }

    /// Also writes down the latencies of each interval, and every request.
    pub(crate) fn write_down(&mut self, log: Option<LatencyLog>, trace: Option<Trace>) {
        self.recorder = Recorder::new(self.recorder.shape().clone(), log);
        self.trace = trace;
    }

    /// Takes a request, `now` that its bytes have moved. Gives its answer back
    /// if that is due at once, else [`Desk::advance`] will; the ticket is for
    /// [`Desk::moved`].
    pub(crate) fn arrived(&mut self, now: Nanos, arrived: Arrived) -> (Ticket, Option<Ready>) {
        let Arrived { device, asked, .. } = arrived;
        // Threads may come here in another order than their requests did.
        let at = asked.arrival.min(now).max(self.now);
        self.pass(at);
        let request = request(device, &asked);
        let io = self.recorder.counters().begin(at, at, &request);
        self.accounts[device].arrived();
        let effect = self.faults.on_request(at, &request);
        let ticket = self.slots.put(Held::new(arrived, at, io, effect));
        self.advance_storage(at);
        if let Some(reply) = self.storage.submit(at, ticket, &request) {
            self.ends(ticket, Some(reply));
        }
        match self.next_due() {
            Some((due, first)) if first == ticket && due <= at => {
                self.due.pop();
                (ticket, self.fall_due(ticket, now.max(at)))
            }
            _ => (ticket, None),
        }
    }

    /// The bytes of a request are durable, or could not be made so.
    pub(crate) fn moved(&mut self, now: Nanos, ticket: Ticket, outcome: Outcome) -> Option<Ready> {
        let now = now.max(self.now);
        self.pass(now);
        let held = self.slots.get(ticket)?;
        held.moved = Some(outcome);
        match held.fallen_due {
            true => self.answer(ticket, now),
            false => None,
        }
    }

    /// Moves on to `now` and gives the answers that are due.
    pub(crate) fn advance(&mut self, now: Nanos) -> Vec<Ready> {
        let now = now.max(self.now);
        self.pass(now);
        self.advance_storage(now);
        let mut ready = Vec::new();
        while let Some((due, ticket)) = self.next_due()
            && due <= now
        {
            self.due.pop();
            ready.extend(self.fall_due(ticket, now));
        }
        ready
    }

    /// Takes over what another desk of the same devices holds; all of it is due
    /// at time 0. It keeps its tickets, and whether it fails.
    pub(crate) fn take_over(&mut self, other: &mut Self) {
        self.slots = std::mem::take(&mut other.slots);
        let mut due = Vec::new();
        for (ticket, held) in self.slots.iter_mut() {
            let request = request(held.device, &held.asked);
            held.io = self.recorder.counters().begin(0, 0, &request);
            self.accounts[held.device].arrived();
            (held.arrival, held.due, held.fallen_due) = (0, 0, false);
            held.reply = Reply {
                at: 0,
                throttled: 0,
                limit: None,
                ..held.reply
            };
            held.known = Some(self.known);
            due.push(Reverse((0, self.known, ticket)));
            self.known += 1;
        }
        self.due = due.into();
    }

    /// When [`Desk::advance`] is to be called at the latest.
    pub(crate) fn next_event(&mut self) -> Nanos {
        let due = self.next_due().map(|(due, _)| due);
        let end = (self.period + 1) * self.recorder.shape().period();
        let storage = self.storage.next_event();
        let fault = self.faults.next_event();
        let all = [due, storage, fault].into_iter().flatten();
        all.fold(end, Nanos::min)
    }

    /// The plan of what is recorded.
    pub(crate) fn plan(&self) -> &RunShape {
        self.recorder.shape()
    }

    /// The intervals that have ended since the last call.
    pub(crate) fn take_intervals(&mut self) -> Vec<Interval> {
        std::mem::take(&mut self.intervals)
    }

    /// Ends the running interval early, as the service ends.
    pub(crate) fn close(&mut self, now: Nanos) {
        let now = now.max(self.now);
        self.pass(now);
        match self.recorder.cut(&mut self.storage, now) {
            Ok(interval) => self.keep(interval),
            Err(error) => {
                self.unrecorded.get_or_insert(error);
            }
        }
    }

    /// What it all came to.
    ///
    /// # Errors
    /// If something could not be written down.
    pub(crate) fn finish(self) -> io::Result<(Summary, Emulated)> {
        self.unrecorded.map_or(Ok(()), Err)?;
        self.trace.map_or(Ok(()), Trace::finish)?;
        let emulated = Emulated {
            lateness: self.lateness,
            events: self.events,
        };
        Ok((self.recorder.finish()?, emulated))
    }

    fn keep(&mut self, interval: Option<Interval>) {
        if let Some(interval) = interval {
            self.last = Some(interval.clone());
            self.intervals.push(interval);
        }
    }

    /// The answer that is due next, and when.
    fn next_due(&mut self) -> Option<(Nanos, Ticket)> {
        while let Some(&Reverse((due, known, ticket))) = self.due.peek() {
            let held = self.slots.get(ticket);
            if held.is_some_and(|held| held.known == Some(known)) {
                return Some((due, ticket));
            }
            self.due.pop();
        }
        None
    }

    fn advance_storage(&mut self, now: Nanos) {
        let mut known = Vec::new();
        let ends = &mut |ticket, reply| known.push((ticket, reply));
        self.storage.advance(now, ends);
        for (ticket, reply) in known {
            self.ends(ticket, Some(reply));
        }
    }

    /// The model says when a request ends, or that this is no longer known.
    pub(super) fn ends(&mut self, ticket: Ticket, reply: Option<Reply>) {
        let Some(held) = self.slots.get(ticket) else {
            return;
        };
        held.fallen_due = false;
        let Some(reply) = reply else {
            held.known = None;
            return;
        };
        held.reply = reply;
        // That a limit lets a request through is known only when it does, too
        // late to take anything off.
        let floor = match reply.throttled {
            0 => self.floor,
            _ => 0,
        };
        let done = reply.at.saturating_sub(floor) + held.effect.extra;
        held.due = done.max(held.arrival);
        held.known = Some(self.known);
        self.due.push(Reverse((held.due, self.known, ticket)));
        self.known += 1;
    }

    fn fall_due(&mut self, ticket: Ticket, now: Nanos) -> Option<Ready> {
        let held = self.slots.get(ticket)?;
        if held.moved.is_none() {
            held.fallen_due = true;
            return None;
        }
        self.answer(ticket, now)
    }

    /// The answer goes out `now`.
    fn answer(&mut self, ticket: Ticket, now: Nanos) -> Option<Ready> {
        let held = self.slots.take(ticket)?;
        let failed = held.reply.failed || held.effect.fails;
        let outcome = match held.moved.unwrap_or(Ok(())) {
            Ok(()) if failed => Err(Errno::IO),
            outcome => outcome,
        };
        let completed = InFlight {
            throttled: held.reply.throttled,
            limit: held.reply.limit,
            failed: outcome.is_err(),
            ..held.io
        };
        self.recorder.completed(now, &completed);
        self.accounts[held.device].completed(&held.asked, now - held.arrival, outcome);
        // Where the backing store itself was slower than the model, the model
        // cannot be kept: that is lateness too.
        let late = now - held.due;
        self.lateness.record(late);
        self.recorder.late(late);
        if let Some(trace) = &mut self.trace {
            trace.completed(&Arrival {
                number: held.number,
                device: held.device,
                op: held.asked.op,
                offset: held.asked.offset,
                len: held.asked.len,
                arrival: held.arrival,
                due: held.due,
                sent: now,
                failed: outcome.is_err(),
            });
        }
        let answer = held.answer;
        Some(Ready { answer, outcome })
    }

    /// Time passes: periods that ended before `now` are closed, and faults
    /// that were over are ended.
    fn pass(&mut self, now: Nanos) {
        loop {
            let end = (self.period + 1) * self.recorder.shape().period();
            let over = self.faults.next_event().unwrap_or(Nanos::MAX);
            let at = end.min(over);
            if at > now {
                break;
            }
            // What happens at the very end of a period belongs to the next.
            let before = if over <= end { over } else { end - 1 };
            self.advance_storage(before);
            self.now = self.now.max(at);
            match over <= end {
                true => self.apply_faults(),
                false => self.end_period(),
            }
        }
        self.now = now;
    }

    fn end_period(&mut self) {
        match self.recorder.end_period(&mut self.storage, self.period) {
            Ok(interval) => self.keep(interval),
            Err(error) => {
                self.unrecorded.get_or_insert(error);
            }
        }
        self.period += 1;
    }
}

/// What the model is asked.
fn request(device: usize, asked: &Asked) -> Request {
    Request {
        device,
        op: asked.op,
        offset: asked.offset,
        len: asked.len,
        job: 0,
        submitter: device as u32,
    }
}

#[cfg(test)]
mod tests;
