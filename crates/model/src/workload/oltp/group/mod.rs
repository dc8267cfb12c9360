//! A group of engines with the same data, each on its own host and device: write sets of the
//! first are sent to all others before they commit, and applied there (Galera).
//!
//! All write sets come from one node, so its order of sending is the total order, and none can
//! conflict with another's. A write set is certified when every other node has answered that it
//! has come: a round trip to the farthest. It then commits on the node that sent it, with its own
//! log, and is in the receive queues of the others. A node whose queue is longer than its limit
//! stops the group by a message, and lets it go on by another.
//!
//! Or the others are standbys, and get the log of the first (PostgreSQL's streaming replication).

pub(in crate::workload::oltp) mod applier;
mod counts;
mod flow;
mod membership;
mod node_engine;
mod node_sink;
pub(in crate::workload::oltp) mod outbox;
mod owed;
mod shipping;
pub(in crate::workload) mod spec;
#[cfg(test)]
mod tests;

use alloc::collections::VecDeque;
use alloc::vec::Vec;

use self::flow::Flow;
use self::membership::{Quorum, Standing, tell};
use self::node_sink::NodeSink;
use self::owed::Owed;
use self::shipping::Stream;
use self::spec::{GroupNode, GroupSpec};
use super::Oltp;
use super::spec::OltpSpec;
pub(super) use super::threads::Phase;
use crate::event_queue::NEVER;
use crate::link::{Link, Message, Released};
use crate::units::{Bytes, Nanos};
use crate::workload::facts::{Fact, MembershipEvent};
use crate::workload::io::{IoSink, Outcome, Slot, StateMachine};

/// What a message is: a write set, the answer that it has come, and flow control's two.
const WRITE_SET: u32 = 0;
const HAS_COME: u32 = 1;
const STOP: u32 = 2;
const GO_ON: u32 = 3;

/// And where the log is shipped: a piece of it, and how far a standby is.
const LOG: u32 = 4;
const STATUS: u32 = 5;

/// Write sets that a node has missed, and the answer that they have come.
const OWED: u32 = 6;
const OWED_HAS_COME: u32 = 7;

/// The job of a group.
#[derive(Clone, Debug)]
pub(in crate::workload) struct Group {
    spec: GroupSpec,
    /// The one that sends, then the others.
    nodes: Vec<Oltp>,
    /// The first slot of each; the alarm's comes after those of the last.
    first_slots: Vec<Slot>,
    alarm: Slot,
    /// When it goes off.
    alarm_at: Nanos,
    flow: Flow,
    quorum: Quorum,
    /// Since when a member has been silent, and for how long members were before.
    silent_since: Option<Nanos>,
    silent: Nanos,
    /// For how long it had no quorum before.
    without_quorum: Nanos,
    /// What is shipped, if it is the log.
    stream: Option<Stream>,
    others: Vec<Other>,
    /// What is to be sent now: for which of the others or from it, what, and its bytes.
    unsent: Vec<(usize, u32, Bytes)>,
    /// Write sets sent to each of the others, and their bytes.
    write_sets: u64,
    bytes: Bytes,
    released: Vec<Released>,
}

/// What stands between the node that sends and another.
#[derive(Clone, Debug)]
struct Other {
    link: Link,
    /// The number of the link, and the end of the node that sends.
    link_end: (usize, usize),
    /// Kinds of the write sets under way to it.
    under_way: VecDeque<u16>,
    /// Since when it has stopped the group.
    stopped: Option<Nanos>,
    /// For how long it has before.
    stopping: Nanos,
    standing: Standing,
    /// Since when its host is back, with its engine stopped; 0 otherwise.
    host_back: Nanos,
    /// IOs of its engine in flight.
    in_flight: u32,
    /// Write sets that it does not have, as it was outside, and their bytes.
    owed: Owed,
    owed_bytes: Bytes,
}

impl Group {
    pub(in crate::workload) fn new(
        spec: &OltpSpec,
        group: &GroupSpec,
        job: u16,
        seed: u64,
    ) -> Self {
        let engines = [spec.clone()].into_iter().chain(spec.others());
        let nodes = (0..).zip(engines);
        let nodes: Vec<_> = nodes
            .map(|(number, engine)| Oltp::of_node(&engine, job, seed, number))
            .collect();
        let mut alarm = 0;
        let first_slots = nodes.iter().map(|node| {
            let first = alarm;
            alarm += node.slots();
            first
        });
        let first_slots = first_slots.collect();
        let other = |node: &GroupNode| Other {
            link: Link::new(&node.link, seed, node.link_end.0),
            link_end: node.link_end,
            under_way: VecDeque::new(),
            stopped: None,
            stopping: 0,
            standing: Standing::Member,
            host_back: 0,
            in_flight: 0,
            owed: Owed::default(),
            owed_bytes: 0,
        };
        Self {
            spec: group.clone(),
            nodes,
            first_slots,
            alarm,
            alarm_at: NEVER,
            flow: Flow::new(group.nodes.len()),
            quorum: Quorum::Has,
            silent_since: None,
            silent: 0,
            without_quorum: 0,
            stream: group.shipping.map(|it| Stream::new(it, group.nodes.len())),
            others: group.nodes.iter().map(other).collect(),
            unsent: Vec::new(),
            write_sets: 0,
            bytes: 0,
            released: Vec::new(),
        }
    }

    /// The node of a slot, and the slot there.
    fn node_of(&self, slot: Slot) -> (usize, Slot) {
        let node = self.first_slots.partition_point(|&first| first <= slot) - 1;
        (node, slot - self.first_slots[node])
    }

    /// Has a node do something, and does what follows.
    fn with_node<S: IoSink>(
        &mut self,
        now: Nanos,
        number: usize,
        sink: &mut S,
        act: impl FnOnce(&mut Oltp, &mut NodeSink<'_, S>),
    ) {
        let mut own = NodeSink {
            first: self.first_slots[number],
            sends: number == 0,
            issued: 0,
            told: None,
            sink,
        };
        act(&mut self.nodes[number], &mut own);
        let (told, issued) = (own.told, own.issued);
        match number.checked_sub(1) {
            None => {
                let unsent = self.nodes[0].unsent.as_mut().map(core::mem::take);
                for thread in unsent.into_iter().flatten() {
                    self.is_asked(now, thread, sink);
                }
                self.ships();
                if told.is_some() {
                    sink.fact(Fact::Group(self.counts(now)));
                }
            }
            Some(other) => {
                self.others[other].in_flight += issued;
                match (&self.stream, self.nodes[number].is_stopped()) {
                    // Commits that wait for standbys wait for those that are left.
                    (Some(_), true) => self.others[other].standing = Standing::Gone,
                    (Some(_), false) => self.replays(now, other, sink),
                    (None, true) => self.engine_has_stopped(now, other, sink),
                    (None, false) => self.look_at_queue(now, other, sink),
                }
                if let Some(engine) = told {
                    sink.fact(Fact::Node(self.node_counts(now, other, engine)));
                }
            }
        }
    }

    /// Write sets that were held by flow control are sent.
    fn let_go_on(&mut self, now: Nanos, held: VecDeque<Slot>, sink: &mut impl IoSink) {
        for thread in held {
            self.nodes[0].thread(thread).enter(now, Phase::Certifying);
            self.send_write_set(now, thread, sink);
        }
    }

    /// Commits what all nodes have.
    fn certify(&mut self, now: Nanos, sink: &mut impl IoSink) {
        while let Some(thread) = self.flow.next_certified() {
            self.with_node(now, 0, sink, |node, sink| node.logs(now, thread, sink));
        }
    }

    /// A thread wants its write set sent.
    fn is_asked(&mut self, now: Nanos, thread: Slot, sink: &mut impl IoSink) {
        if self.quorum != Quorum::Has {
            self.with_node(now, 0, sink, |node, sink| {
                node.fails_to_commit(now, thread, sink);
            });
        } else if self.flow.ask(thread) {
            self.send_write_set(now, thread, sink);
            // Where nobody else is a member it is at once.
            self.certify(now, sink);
        } else {
            self.nodes[0].thread(thread).enter(now, Phase::Stopped);
        }
    }

    fn send_write_set(&mut self, now: Nanos, thread: Slot, sink: &mut impl IoSink) {
        let writer = &self.nodes[0];
        let kind = writer.threads[thread as usize].kind;
        let bytes = GroupSpec::write_set(&writer.spec.kinds[usize::from(kind)]);
        self.write_sets += 1;
        self.bytes += bytes;
        for other in 0..self.others.len() {
            match self.others[other].standing {
                Standing::Gone | Standing::Outdated => {}
                Standing::Out(_) => self.owes(now, other, kind, sink),
                _ => {
                    self.others[other].under_way.push_back(kind);
                    self.send(other, (WRITE_SET, bytes));
                }
            }
        }
    }

    /// Sends a message to another node, or back from there, before anything else happens.
    fn send(&mut self, other: usize, (what, bytes): (u32, Bytes)) {
        self.unsent.push((other, what, bytes));
    }

    /// Gives the links what was sent.
    fn send_all(&mut self, now: Nanos, sink: &mut impl IoSink) {
        if self.unsent.is_empty() {
            return;
        }
        sink.over_network(|processors| {
            for (other, what, bytes) in self.unsent.drain(..) {
                let to = &mut self.others[other];
                let own = to.link_end.1;
                let is_sent = matches!(what, WRITE_SET | LOG | OWED);
                let from = if is_sent { own } else { 1 - own };
                let message = Message {
                    to: what,
                    bytes,
                    has_answer: false,
                    ahead: false,
                };
                to.link.send(now, from, message, processors);
            }
        });
    }

    /// Stops the group, or lets it go on, as another node's receive queue is. One that joins does
    /// neither, until it has applied what it had missed.
    fn look_at_queue(&mut self, now: Nanos, other: usize, sink: &mut impl IoSink) {
        let progress = self.nodes[1 + other].progress();
        let queued = progress.map_or(0, |it| it.queued);
        let of = &mut self.others[other];
        let is_short = queued <= self.spec.lower;
        match (of.standing, of.stopped) {
            (Standing::Joining, _) if is_short && of.owed.is_none() => {
                of.standing = Standing::Member;
                of.owed_bytes = 0;
                tell(now, MembershipEvent::Synced(other as u16), sink);
            }
            (Standing::Member, None) if queued > self.spec.upper => {
                of.stopped = Some(now);
                self.send(other, (STOP, 0));
            }
            (Standing::Member, Some(since)) if is_short => {
                of.stopped = None;
                of.stopping += now - since;
                self.send(other, (GO_ON, 0));
            }
            _ => {}
        }
    }

    /// The next event of any link: when, of which node's, and of what goes from which end.
    fn next_event(&self) -> (Nanos, usize, usize) {
        let others = self.others.iter().enumerate();
        let events = others
            .flat_map(|(other, of)| [0, 1].map(|from| (of.link.next_event(from), other, from)));
        events.min().unwrap_or((NEVER, 0, 0))
    }

    /// Does what messages do by `now`, and sets the alarm for what they do next.
    fn messages(&mut self, now: Nanos, sink: &mut impl IoSink) {
        loop {
            self.let_acknowledged_go_on(now, sink);
            self.send_all(now, sink);
            let (at, other, from) = self.next_event();
            let change = self.next_change();
            let next = at.min(change);
            if next > now {
                if next != self.alarm_at && next != NEVER {
                    self.alarm_at = next;
                    sink.wake(self.alarm, next);
                }
                return;
            }
            if change <= at {
                self.change_members(now, sink);
                continue;
            }
            let (link, released) = (&mut self.others[other].link, &mut self.released);
            sink.over_network(|processors| link.advance(at, from, processors, released));
            // Nothing here waits for what was sent late.
            self.released.clear();
            let mut place = 0;
            while let Some(delivery) = self.others[other].link.delivery(from, place) {
                let what = delivery.to;
                self.has_come(now, other, what, sink);
                place += 1;
            }
            self.others[other].link.forget_delivered(from);
        }
    }

    /// Whether nobody is there any more to whom a message matters.
    fn is_lost(&self, other: usize, what: u32) -> bool {
        match what {
            WRITE_SET | LOG | OWED => self.nodes[1 + other].is_stopped(),
            // What a standby has said stays true.
            STATUS => self.nodes[0].is_stopped(),
            _ => self.nodes[0].is_stopped() || !self.others[other].standing.is_member(),
        }
    }

    /// A message has come to another node, or from there.
    fn has_come(&mut self, now: Nanos, other: usize, what: u32, sink: &mut impl IoSink) {
        if self.is_lost(other, what) {
            return;
        }
        match what {
            WRITE_SET => {
                let kind = self.others[other].under_way.pop_front().unwrap_or(0);
                self.with_node(now, 1 + other, sink, |node, sink| {
                    node.receives(now, kind, sink);
                });
                self.send(other, (HAS_COME, 0));
            }
            HAS_COME => {
                self.flow.acknowledge(other);
                self.certify(now, sink);
            }
            STOP => self.flow.stop(now, other),
            LOG => self.log_has_come(now, other, sink),
            STATUS => self.status_has_come(other),
            OWED => self.owed_has_come(now, other, sink),
            OWED_HAS_COME => {
                self.sends_owed(other);
                self.look_at_queue(now, other, sink);
            }
            _ => {
                let held = self.flow.go_on(now, other);
                self.let_go_on(now, held, sink);
            }
        }
    }
}

impl StateMachine for Group {
    fn slots(&self) -> u32 {
        self.alarm + 1
    }

    fn largest_io(&self, slot: Slot) -> Bytes {
        if slot == self.alarm {
            return 0;
        }
        let (node, slot) = self.node_of(slot);
        self.nodes[node].largest_io(slot)
    }

    fn start(&mut self, sink: &mut impl IoSink) {
        for node in 0..self.nodes.len() {
            self.with_node(0, node, sink, |node, sink| node.start(sink));
        }
        self.messages(0, sink);
    }

    fn completed(&mut self, now: Nanos, slot: Slot, outcome: Outcome, sink: &mut impl IoSink) {
        let (node, slot) = self.node_of(slot);
        if let Some(other) = node.checked_sub(1) {
            self.others[other].in_flight -= 1;
        }
        self.with_node(now, node, sink, |node, sink| {
            node.completed(now, slot, outcome, sink);
        });
        self.messages(now, sink);
    }

    fn woken(&mut self, now: Nanos, slot: Slot, sink: &mut impl IoSink) {
        if slot == self.alarm {
            self.alarm_at = NEVER;
        } else {
            let (node, slot) = self.node_of(slot);
            self.with_node(now, node, sink, |node, sink| node.woken(now, slot, sink));
        }
        self.messages(now, sink);
    }
}
