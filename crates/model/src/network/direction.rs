//! One direction of a link: who may send, what is under way, and what has arrived.

mod cuts;
mod shared;

use alloc::collections::VecDeque;
use alloc::format;
use alloc::vec::Vec;

use super::losses::Losses;
use super::lottery::Lottery;
use super::message::{Delivery, LinkCounts, Message, Released, Resumption, Taken, Trip, Wait};
use super::processor::{Handled, Processors};
use super::transit::{Sent, Transit};
use super::wires::Wires;
use crate::event_queue::NEVER;
use crate::random::Stream;
use crate::spec::{FlowControl, Impairment, LinkSpec, LossSpec, ProcessorCost, QueuedUntil};
use crate::units::{Bytes, Nanos};

/// A message that waits to be sent.
#[derive(Clone, Copy, Debug)]
struct Waiting {
    message: Message,
    /// What the line had waited for when it came.
    line: Taken,
}

/// A message in the sender's buffer while the link is down.
#[derive(Clone, Debug)]
struct Buffered {
    message: Message,
    /// What it took so far.
    trip: Trip,
    since: Nanos,
}

/// An acknowledgement under way: when it comes, and what it is of.
#[derive(Clone, Copy, Debug)]
struct Acknowledgement {
    at: Nanos,
    bytes: Bytes,
    packets: u64,
}

/// Whether a direction carries what is sent.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Way {
    Works,
    /// Not since then.
    Cut(Nanos),
    /// It was cut then and works again, which the sender notices at a time.
    Resumes {
        cut: Nanos,
        at: Nanos,
    },
}

/// What a host's processor has to do for a message of `bytes` in `packets`.
#[inline]
fn work(cost: ProcessorCost, bytes: Bytes, packets: u64) -> Nanos {
    packets * cost.per_packet + bytes * cost.per_kib / 1024
}

/// One direction. Messages arrive in the order in which they were sent, and are handed on
/// whole: sender's processor, wire, delay, receiver's processor.
#[derive(Clone, Debug)]
pub(super) struct Direction {
    /// Indices of the sender's and of the receiver's processor.
    hosts: [usize; 2],
    /// What it is by itself: how long packets travel there and back, and what is lost of them.
    own: ([Nanos; 2], Option<LossSpec>),
    /// What the protocol adds there and back, and where its random numbers come from.
    overhead: [Nanos; 2],
    lottery: (u64, (usize, usize)),
    delay: Nanos,
    back: Nanos,
    /// What a message may travel longer, and what decides how much; none for nothing.
    jitter: Option<(Nanos, Stream)>,
    /// What is lost of the packets; none if nothing is.
    losses: Option<Losses>,
    /// Whether there is jitter, or loss.
    is_chancy: bool,
    socket_buffer: Option<Bytes>,
    flow_control: Option<FlowControl>,
    cost: ProcessorCost,
    wires: Wires,
    way: Way,
    /// After how long the sender first tries again, if it does not notice that its way works.
    retry: Option<Nanos>,
    /// After how long without a message it sends one that tells that it is there; none for never.
    pub(super) keepalive: Option<Nanos>,
    /// When what it sends was heard again where it last was not.
    heard: Nanos,
    /// When it tried again later than its way worked, and when it is to.
    pub(super) resumptions: Vec<Resumption>,
    /// Whether acknowledgements come back.
    is_answered: bool,
    /// When the wires would be free if the sender's interface had nothing to send over other links.
    alone: Nanos,
    /// The first under way has come to the receiver's interface, where it waits for so long.
    at_interface: Option<Nanos>,
    waiting: VecDeque<Waiting>,
    /// Taken into the sender's buffer while the link was down, or on its way when it went down.
    buffered: VecDeque<Buffered>,
    transit: Transit,
    acknowledgements: VecDeque<Acknowledgement>,
    /// Those that the way back does not carry, with when they would have come.
    held: VecDeque<Acknowledgement>,
    /// Bytes sent and not acknowledged.
    unacknowledged: Bytes,
    /// Bytes of these that have come and that the receiver leaves unread.
    pub(super) unread: Bytes,
    /// Packets in the transmit queue.
    queued: u64,
    /// Whether flow control has stopped the sender.
    stopped: bool,
    /// What the first in line waits for, or the last that waited.
    cause: Wait,
    /// For how long there was a line until `line_at`, by what its first waited for.
    line: Taken,
    line_at: Nanos,
    counts: LinkCounts,
}

impl Direction {
    /// The direction from end `from` of `spec`, link number `link` of a run with `seed`.
    pub(super) fn new(spec: &LinkSpec, seed: u64, (link, from): (usize, usize)) -> Self {
        let half = [spec.overhead / 2, spec.overhead - spec.overhead / 2];
        let ways = [from, 1 - from].map(|end| spec.delay[end] + half[end]);
        let jitter = || Stream::new(seed, &format!("link/{link}/{from}/jitter"));
        let losses = |loss| Losses::new(loss, Lottery::new(loss, seed, (link, from)), ways);
        let own = [from, 1 - from].map(|end| spec.delay[end]);
        Self {
            hosts: [spec.ends[from], spec.ends[1 - from]],
            own: (own, spec.loss),
            overhead: [ways[0] - own[0], ways[1] - own[1]],
            lottery: (seed, (link, from)),
            delay: ways[0],
            back: ways[1],
            jitter: (spec.jitter > 0).then(|| (spec.jitter, jitter())),
            losses: spec.loss.map(losses),
            is_chancy: spec.jitter > 0 || spec.loss.is_some(),
            socket_buffer: spec.socket_buffer,
            flow_control: spec.flow_control,
            cost: spec.processor,
            wires: Wires::new(spec),
            way: Way::Works,
            retry: spec.retry,
            keepalive: None,
            heard: 0,
            resumptions: Vec::new(),
            is_answered: true,
            alone: 0,
            at_interface: None,
            waiting: VecDeque::new(),
            buffered: VecDeque::new(),
            transit: Transit::new(),
            acknowledgements: VecDeque::new(),
            held: VecDeque::new(),
            unacknowledged: 0,
            unread: 0,
            queued: 0,
            stopped: false,
            cause: Wait::Down,
            line: Taken::default(),
            line_at: 0,
            counts: LinkCounts::default(),
        }
    }

    /// Is worse than by itself from now on. What is under way arrives as it was to.
    pub(super) fn impair(&mut self, now: Nanos, is: Impairment) {
        let (seed, place) = self.lottery;
        let (own, loss) = self.own;
        let ends = [place.1, 1 - place.1];
        let ways = [0, 1].map(|way| own[way].max(is.delay[ends[way]]) + self.overhead[way]);
        [self.delay, self.back] = ways;
        self.wires.slow_to(is.permille[place.1]);
        let loss = LossSpec::worse(loss, is.loss[place.1]);
        match (&mut self.losses, loss) {
            (Some(losses), _) => losses.turn(now, loss, ways),
            (None, None) => {}
            (None, Some(loss)) => {
                let lottery = Lottery::new(loss, seed, place);
                let under_way = self.transit.arrivals();
                let losses = Losses::new(loss, lottery, ways).behind(under_way);
                self.losses = Some(losses.answered(self.is_answered));
                self.is_chancy = true;
            }
        }
    }

    /// Takes a message at `now`. Whether it is sent at once, or stands in the sender's buffer
    /// while the link is down; if not it waits.
    #[inline]
    pub(super) fn send(
        &mut self,
        now: Nanos,
        message: Message,
        processors: &mut Processors,
    ) -> bool {
        // Acknowledgements that others wait for have events of their own.
        if self.waiting.is_empty() {
            let packets = self.wires.packets(message.bytes);
            if !self.is_within(message.bytes, packets) {
                self.settle(now);
            }
            if self.held_up(&message, packets).is_none() {
                self.take(now, (message, packets), Trip::default(), processors);
                return true;
            }
        }
        self.count_line(now);
        let line = self.line;
        self.waiting.push_back(Waiting { message, line });
        false
    }

    /// Whether no bound or count would be another if acknowledgements that have come were taken
    /// before so much is sent: neither is reached even without.
    #[inline]
    fn is_within(&self, bytes: Bytes, packets: u64) -> bool {
        let unacknowledged = self.unacknowledged + bytes;
        self.flow_control.is_none()
            && unacknowledged <= self.counts.most_unacknowledged
            && unacknowledged <= self.socket_buffer.unwrap_or(Bytes::MAX)
            && self.queued + packets <= self.counts.most_queued
    }

    /// Counts what the line has waited for until `now`.
    #[inline]
    fn count_line(&mut self, now: Nanos) {
        if !self.waiting.is_empty() {
            self.line[self.cause as usize] += now - self.line_at;
        }
        self.line_at = now;
    }

    /// What keeps the next message from being sent.
    #[inline]
    fn held_up(&mut self, message: &Message, packets: u64) -> Option<Wait> {
        let cause = self.cause_of_wait(message, packets)?;
        self.cause = cause;
        Some(cause)
    }

    #[inline]
    fn cause_of_wait(&mut self, message: &Message, packets: u64) -> Option<Wait> {
        let bound = self.bound(message, packets)?;
        Some(match self.way == Way::Works && self.is_answered {
            true => bound,
            false => Wait::Down,
        })
    }

    /// The bound on what is under way that has no room for a message.
    #[inline]
    fn bound(&mut self, message: &Message, packets: u64) -> Option<Wait> {
        if let Some(FlowControl { high, .. }) = self.flow_control {
            self.stopped |= self.queued > 0 && self.queued + packets > high;
            if self.stopped {
                return Some(Wait::FlowControl);
            }
        }
        let most = self.socket_buffer?;
        let fits = self.unacknowledged == 0 || self.unacknowledged + message.bytes <= most;
        (!fits).then_some(match self.unread {
            0 => Wait::SocketBuffer,
            _ => Wait::Unread,
        })
    }

    /// Takes a message into the sender's buffer, and sends it if the link is up.
    #[inline(always)]
    fn take(
        &mut self,
        now: Nanos,
        (message, packets): (Message, u64),
        trip: Trip,
        processors: &mut Processors,
    ) {
        self.unacknowledged += message.bytes;
        self.queued += packets;
        let counts = &mut self.counts;
        counts.most_unacknowledged = counts.most_unacknowledged.max(self.unacknowledged);
        counts.most_queued = counts.most_queued.max(self.queued);
        if self.way == Way::Works {
            self.transmit(now, (message, packets), trip, processors);
        } else {
            self.buffered.push_back(Buffered {
                message,
                trip,
                since: now,
            });
        }
    }

    #[inline(always)]
    fn transmit(
        &mut self,
        now: Nanos,
        (message, packets): (Message, u64),
        before: Trip,
        processors: &mut Processors,
    ) {
        let work = work(self.cost, message.bytes, packets);
        let processor = processors.of(self.hosts[0]);
        let Handled { at: ready, waited } = processor.take(now, work);
        let whole = self.wires.whole(message.bytes, packets);
        processor.moves(whole);
        self.counts.waited[Wait::Processor as usize] += waited;
        let (left, [waited, others]) = match processors.interface(self.hosts[0]) {
            None => {
                let waited = self.wires.wait(ready);
                (self.wires.send(ready, message.bytes, packets), [waited, 0])
            }
            Some(interface) => self.leave(ready, (message.bytes, packets), &mut interface.out),
        };
        let counts = &mut self.counts;
        counts.messages += 1;
        counts.packets += packets;
        counts.bytes += message.bytes;
        counts.copied += message.bytes * Bytes::from(message.is_copy);
        counts.waited[Wait::Bandwidth as usize] += waited;
        counts.waited[Wait::Network as usize] += others;
        // With several wires it could pass the one before: it waits for it.
        let at = match self.is_chancy {
            true => self.draw_arrival(left),
            false => self.transit.last().max(left + self.delay),
        };
        let mut trip = Trip {
            processor: before.processor + (ready - now),
            bandwidth: before.bandwidth + (left - ready - others),
            waited: before.waited,
        };
        if others > 0 {
            trip.waits(Wait::Network, others);
        }
        self.transit.send(Sent { message, trip, at });
        if self.is_chancy {
            self.send_again(now);
            self.draw_losses(packets, left, at);
        }
    }

    /// When a message that has left at `left` is there if nothing is lost of it.
    #[cold]
    fn draw_arrival(&mut self, left: Nanos) -> Nanos {
        let jitter = match &mut self.jitter {
            None => 0,
            Some((most, random)) => random.below(*most + 1),
        };
        let before = match &self.losses {
            None => self.transit.last(),
            Some(losses) => losses.last().unwrap_or(0),
        };
        before.max(left + self.delay + jitter)
    }

    /// Draws what is lost of the last message under way, which has left at `left` and is there
    /// at `at` otherwise.
    #[cold]
    fn draw_losses(&mut self, packets: u64, left: Nanos, at: Nanos) {
        if let Some(losses) = &mut self.losses {
            let transit = &mut self.transit;
            losses.send(packets, (left, at), |place, at| transit.delay(place, at));
        }
    }

    /// Sends again what is to be sent again until `now`.
    fn send_again(&mut self, now: Nanos) {
        if let Some(losses) = &mut self.losses {
            let transit = &mut self.transit;
            losses.advance(now, |place, at| transit.delay(place, at));
        }
    }

    /// When the first message under way is there, or [`NEVER`] as long as that is not known.
    #[inline]
    fn first_arrives(&self) -> Nanos {
        match &self.losses {
            Some(losses) if losses.miss_first() => NEVER,
            _ => self.transit.arrives(),
        }
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

    /// The receiver has read a message of `bytes` that has an answer.
    #[inline]
    pub(super) fn read(&mut self, now: Nanos, bytes: Bytes) {
        let until = self.flow_control.map(|flow| flow.until);
        let packets = match until {
            Some(QueuedUntil::Answered) => 0,
            _ => self.wires.packets(bytes),
        };
        self.acknowledge(now, bytes, packets);
    }

    /// Sends the acknowledgement of so much at `at`.
    #[inline]
    fn acknowledge(&mut self, at: Nanos, bytes: Bytes, packets: u64) {
        let at = at + self.back;
        let all = match self.is_answered {
            true => &mut self.acknowledgements,
            false => &mut self.held,
        };
        let own = Acknowledgement { at, bytes, packets };
        if all.back().is_none_or(|last| last.at <= at) {
            return all.push_back(own);
        }
        // What the processor has yet to handle is acknowledged later than what is read now.
        let later = all.iter().rev().take_while(|other| other.at > at).count();
        all.insert(all.len() - later, own);
    }

    /// The answer to a message of `bytes` that had one came back at `now`: to be called for
    /// each, whatever the link counts.
    pub(super) fn answered(
        &mut self,
        now: Nanos,
        bytes: Bytes,
        processors: &mut Processors,
        released: &mut Vec<Released>,
    ) {
        let until = self.flow_control.map(|flow| flow.until);
        if until == Some(QueuedUntil::Answered) {
            self.leave_queue(self.wires.packets(bytes));
            self.send_waiting(now, processors, released);
        }
    }

    /// When something happens next.
    #[inline]
    pub(super) fn next_event(&self) -> Nanos {
        let moving = match &self.losses {
            None => self.transit.arrives(),
            Some(losses) => self.first_arrives().min(losses.next_event()),
        };
        let moving = moving.min(self.transit.handled());
        let moving = match self.way {
            Way::Resumes { at, .. } => moving.min(at),
            Way::Works | Way::Cut(_) => moving,
        };
        match (self.waiting.is_empty(), self.acknowledgements.front()) {
            (false, Some(next)) => moving.min(next.at),
            _ => moving,
        }
    }

    /// Does what happens at `now`, the time of the next event. Gives `released` those that are
    /// sent now after they had waited; of what is delivered [`Direction::delivery`] tells.
    #[inline]
    pub(super) fn advance(
        &mut self,
        now: Nanos,
        processors: &mut Processors,
        released: &mut Vec<Released>,
    ) {
        if let Way::Resumes { at, .. } = self.way
            && at <= now
        {
            self.goes_on(now, processors, released);
        }
        if !self.waiting.is_empty() {
            self.settle(now);
            self.send_waiting(now, processors, released);
        }
        while self.transit.handled() <= now {
            self.transit.deliver();
        }
        if self.is_chancy {
            self.send_again(now);
        }
        while self.first_arrives() <= now {
            self.arrive(now, processors);
        }
    }

    /// The first message under way has come to the receiver's interface, or is through it.
    #[inline(always)]
    fn arrive(&mut self, now: Nanos, processors: &mut Processors) {
        let others = match processors.interface(self.hosts[1]) {
            None => 0,
            Some(interface) => match self.enter(now, &mut interface.into) {
                None => return,
                Some(others) => others,
            },
        };
        let lost = match &mut self.losses {
            None => 0,
            Some(losses) => losses.arrived(now).saturating_sub(others),
        };
        let Some(first) = self.transit.first() else {
            return;
        };
        let message = first.message;
        let packets = self.wires.packets(message.bytes);
        let work = work(self.cost, message.bytes, packets);
        let processor = processors.of(self.hosts[1]);
        processor.moves(self.wires.whole(message.bytes, packets));
        let Handled { at, waited } = processor.take(now, work);
        first.at = at;
        first.trip.processor += at - now;
        if lost > 0 {
            first.trip.waits(Wait::Loss, lost);
            self.counts.waited[Wait::Loss as usize] += lost;
        }
        if others > 0 {
            first.trip.waits(Wait::Network, others);
            self.counts.waited[Wait::Network as usize] += others;
        }
        self.counts.waited[Wait::Processor as usize] += waited;
        if !message.has_answer {
            self.acknowledge(at, message.bytes, packets);
        }
        let is_handled = at <= now && self.transit.has_handled_all();
        self.transit.arrive(at, message.ahead || is_handled);
    }

    /// The message at a place of those that are delivered and not taken note of.
    #[inline]
    pub(super) fn delivery(&self, place: usize) -> Option<Delivery<'_>> {
        self.transit.delivery(place)
    }

    /// What is delivered has been taken note of.
    #[inline]
    pub(super) fn forget_delivered(&mut self) {
        self.transit.forget_delivered();
    }

    fn send_waiting(
        &mut self,
        now: Nanos,
        processors: &mut Processors,
        released: &mut Vec<Released>,
    ) {
        self.count_line(now);
        while let Some(&Waiting { message, line }) = self.waiting.front() {
            let packets = self.wires.packets(message.bytes);
            if self.held_up(&message, packets).is_some() {
                return;
            }
            self.waiting.pop_front();
            let mut taken = Taken::default();
            for (cause, before) in line.into_iter().enumerate() {
                taken[cause] = self.line[cause] - before;
                self.counts.waited[cause] += taken[cause];
            }
            self.take(now, (message, packets), Trip::after(taken), processors);
            released.push(Released {
                to: message.to,
                taken,
            });
        }
    }

    /// What was sent until `now`.
    pub(super) fn counts(&self, now: Nanos) -> LinkCounts {
        LinkCounts {
            busy: self.wires.busy(now),
            retransmitted: self.losses.as_ref().map_or(0, |losses| losses.sent_again),
            ..self.counts
        }
    }
}
