//! One direction of a link: who may send, what is under way, and what has arrived.

use alloc::collections::VecDeque;
use alloc::vec::Vec;

use super::processor::Processor;
use super::spec::{FlowControl, LinkSpec, ProcessorCost, QueuedUntil};
use super::wires::Wires;
use super::{Happened, LinkCounts, Wait};
use crate::event_queue::NEVER;
use crate::units::{Bytes, Nanos};

/// A message between two hosts.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Message {
    /// Who gets it, in the words of whoever sends it.
    pub(crate) to: u32,
    /// Payload; 0 for one that is only headers.
    pub(crate) bytes: Bytes,
    /// Whether the peer answers it: its packets then count in the transmit queue until
    /// [`Direction::answered`], where the link counts so.
    pub(crate) has_answer: bool,
    /// Whether its delivery may be told of when it arrives, though the processor has yet to
    /// handle it.
    pub(crate) ahead: bool,
}

/// A message that is not delivered yet.
#[derive(Clone, Copy, Debug)]
struct Sent {
    message: Message,
    packets: u64,
    at: Nanos,
}

/// A message that waits to be sent.
#[derive(Clone, Copy, Debug)]
struct Waiting {
    message: Message,
    since: Nanos,
}

/// An acknowledgement under way: when it comes, and what it is of.
#[derive(Clone, Copy, Debug)]
struct Acknowledgement {
    at: Nanos,
    bytes: Bytes,
    packets: u64,
}

/// One direction. Messages arrive in the order in which they were sent, and are handed on
/// whole: sender's processor, wire, delay, receiver's processor.
#[derive(Clone, Debug)]
pub(super) struct Direction {
    /// Indices of the sender's and of the receiver's processor.
    hosts: [usize; 2],
    delay: Nanos,
    back: Nanos,
    socket_buffer: Option<Bytes>,
    flow_control: Option<FlowControl>,
    cost: ProcessorCost,
    wires: Wires,
    up: bool,
    waiting: VecDeque<Waiting>,
    /// On its way, with the time of arrival.
    sent: VecDeque<Sent>,
    /// Arrived, with the time at which the processor has handled it.
    arrived: VecDeque<Sent>,
    acknowledgements: VecDeque<Acknowledgement>,
    /// Bytes sent and not acknowledged.
    unacknowledged: Bytes,
    /// Packets in the transmit queue.
    queued: u64,
    /// Whether flow control has stopped the sender.
    stopped: bool,
    /// What the first in line waits for, or the last that waited.
    cause: Wait,
    counts: LinkCounts,
}

impl Direction {
    /// The direction from end `from` of `spec`.
    pub(super) fn new(spec: &LinkSpec, from: usize) -> Self {
        let half = [spec.overhead / 2, spec.overhead - spec.overhead / 2];
        Self {
            hosts: [spec.ends[from], spec.ends[1 - from]],
            delay: spec.delay[from] + half[from],
            back: spec.delay[1 - from] + half[1 - from],
            socket_buffer: spec.socket_buffer,
            flow_control: spec.flow_control,
            cost: spec.processor,
            wires: Wires::new(spec),
            up: true,
            waiting: VecDeque::new(),
            sent: VecDeque::new(),
            arrived: VecDeque::new(),
            acknowledgements: VecDeque::new(),
            unacknowledged: 0,
            queued: 0,
            stopped: false,
            cause: Wait::Down,
            counts: LinkCounts::default(),
        }
    }

    /// Takes a message at `now`. Whether it is sent at once; if not it waits.
    #[inline]
    pub(super) fn send(
        &mut self,
        now: Nanos,
        message: Message,
        processors: &mut [Processor],
    ) -> bool {
        // Acknowledgements that others wait for have events of their own.
        if self.waiting.is_empty() {
            self.settle(now);
            if self.held_up(&message).is_none() {
                self.dispatch(now, message, processors);
                return true;
            }
        }
        let since = now;
        self.waiting.push_back(Waiting { message, since });
        false
    }

    /// What keeps the next message from being sent.
    #[inline]
    fn held_up(&mut self, message: &Message) -> Option<Wait> {
        let cause = self.cause_of_wait(message);
        self.cause = cause.unwrap_or(self.cause);
        cause
    }

    #[inline]
    fn cause_of_wait(&mut self, message: &Message) -> Option<Wait> {
        if !self.up {
            return Some(Wait::Down);
        }
        if let Some(FlowControl { high, .. }) = self.flow_control {
            let packets = self.wires.packets(message.bytes);
            self.stopped |= self.queued > 0 && self.queued + packets > high;
            if self.stopped {
                return Some(Wait::FlowControl);
            }
        }
        let most = self.socket_buffer?;
        let fits = self.unacknowledged == 0 || self.unacknowledged + message.bytes <= most;
        (!fits).then_some(Wait::SocketBuffer)
    }

    fn dispatch(&mut self, now: Nanos, message: Message, processors: &mut [Processor]) {
        let packets = self.wires.packets(message.bytes);
        let work = self.work(message.bytes, packets);
        let ready = processors[self.hosts[0]].take(now, work);
        processors[self.hosts[0]].moves(self.wires.whole(message.bytes, packets));
        let (left, waited) = self.wires.send(ready, message.bytes, packets);
        let counts = &mut self.counts;
        counts.messages += 1;
        counts.packets += packets;
        counts.bytes += message.bytes;
        counts.waited[Wait::Processor as usize] += ready - now - work;
        counts.waited[Wait::Bandwidth as usize] += waited;
        self.unacknowledged += message.bytes;
        self.queued += packets;
        counts.most_unacknowledged = counts.most_unacknowledged.max(self.unacknowledged);
        counts.most_queued = counts.most_queued.max(self.queued);
        // With several wires a short message could pass a long one: it waits for it.
        let before = self.sent.back().map_or(0, |sent| sent.at);
        self.sent.push_back(Sent {
            message,
            packets,
            at: before.max(left + self.delay),
        });
    }

    #[inline]
    fn work(&self, bytes: Bytes, packets: u64) -> Nanos {
        packets * self.cost.per_packet + bytes * self.cost.per_kib / 1024
    }

    /// Takes the acknowledgements that have come by `now`.
    #[inline]
    fn settle(&mut self, now: Nanos) {
        while let Some(&Acknowledgement { at, bytes, packets }) = self.acknowledgements.front() {
            if at > now {
                break;
            }
            self.acknowledgements.pop_front();
            self.unacknowledged -= bytes;
            self.leave_queue(packets);
        }
    }

    #[inline]
    fn leave_queue(&mut self, packets: u64) {
        self.queued -= packets;
        if self
            .flow_control
            .is_some_and(|flow| self.queued <= flow.low)
        {
            self.stopped = false;
        }
    }

    /// Whether packets of `message` count until it is answered.
    #[inline]
    fn counts_until_answer(&self, message: &Message) -> bool {
        let until = self.flow_control.map(|flow| flow.until);
        message.has_answer && until == Some(QueuedUntil::Answered)
    }

    /// The answer to a message of `bytes` that had one came back at `now`: to be called for
    /// each, whatever the link counts.
    pub(super) fn answered(
        &mut self,
        now: Nanos,
        bytes: Bytes,
        processors: &mut [Processor],
        happened: &mut Vec<Happened>,
    ) {
        let until = self.flow_control.map(|flow| flow.until);
        if until == Some(QueuedUntil::Answered) {
            self.leave_queue(self.wires.packets(bytes));
            self.send_waiting(now, processors, happened);
        }
    }

    /// When something happens next.
    #[inline]
    pub(super) fn next_event(&self) -> Nanos {
        let first = |queue: &VecDeque<Sent>| queue.front().map_or(NEVER, |it| it.at);
        let moving = first(&self.sent).min(first(&self.arrived));
        match (self.waiting.is_empty(), self.acknowledgements.front()) {
            (false, Some(next)) => moving.min(next.at),
            _ => moving,
        }
    }

    /// Does what happens at `now`, the time of the next event.
    pub(super) fn advance(
        &mut self,
        now: Nanos,
        processors: &mut [Processor],
        happened: &mut Vec<Happened>,
    ) {
        if !self.waiting.is_empty() {
            self.settle(now);
            self.send_waiting(now, processors, happened);
        }
        while self.arrived.front().is_some_and(|first| first.at <= now) {
            if let Some(Sent { message, at, .. }) = self.arrived.pop_front() {
                happened.push(Happened::Delivered(message.to, at));
            }
        }
        while self.sent.front().is_some_and(|first| first.at <= now) {
            if let Some(first) = self.sent.pop_front() {
                self.arrive(now, first, processors, happened);
            }
        }
    }

    /// A message has come to the receiver's processor.
    #[inline]
    fn arrive(
        &mut self,
        now: Nanos,
        sent: Sent,
        processors: &mut [Processor],
        happened: &mut Vec<Happened>,
    ) {
        let Sent {
            message, packets, ..
        } = sent;
        let work = self.work(message.bytes, packets);
        processors[self.hosts[1]].moves(self.wires.whole(message.bytes, packets));
        let at = processors[self.hosts[1]].take(now, work);
        self.counts.waited[Wait::Processor as usize] += at - now - work;
        let keeps = self.counts_until_answer(&message);
        self.acknowledgements.push_back(Acknowledgement {
            at: at + self.back,
            bytes: message.bytes,
            packets: if keeps { 0 } else { packets },
        });
        if message.ahead || at <= now && self.arrived.is_empty() {
            happened.push(Happened::Delivered(message.to, at));
        } else {
            self.arrived.push_back(Sent { at, ..sent });
        }
    }

    fn send_waiting(
        &mut self,
        now: Nanos,
        processors: &mut [Processor],
        happened: &mut Vec<Happened>,
    ) {
        while let Some(&Waiting { message, since }) = self.waiting.front() {
            if self.held_up(&message).is_some() {
                return;
            }
            self.waiting.pop_front();
            self.dispatch(now, message, processors);
            self.counts.waited[self.cause as usize] += now - since;
            happened.push(Happened::Sent(message.to));
        }
    }

    /// The link goes down at `now`: what has not arrived waits to be sent again.
    pub(super) fn cut(&mut self, now: Nanos) {
        self.up = false;
        self.wires.cut(now);
        while let Some(Sent {
            message, packets, ..
        }) = self.sent.pop_back()
        {
            self.unacknowledged -= message.bytes;
            self.leave_queue(packets);
            self.waiting.push_front(Waiting {
                message,
                since: now,
            });
        }
    }

    /// The link works again from `now` on.
    pub(super) fn restore(
        &mut self,
        now: Nanos,
        processors: &mut [Processor],
        happened: &mut Vec<Happened>,
    ) {
        self.up = true;
        self.settle(now);
        self.send_waiting(now, processors, happened);
    }

    /// The peer is taken for gone: forgets all that was to be sent to it.
    pub(super) fn forget(&mut self) {
        self.waiting.clear();
        self.arrived.clear();
        self.acknowledgements.clear();
        (self.unacknowledged, self.queued, self.stopped) = (0, 0, false);
    }

    /// What was sent until `now`.
    pub(super) fn counts(&self, now: Nanos) -> LinkCounts {
        LinkCounts {
            busy: self.wires.busy(now),
            ..self.counts
        }
    }
}
