//! A group of engines with the same data, each on its own host and device: write sets of the
//! one with the load, the writer, are sent to all others before they commit, and applied there
//! (Galera).
//!
//! All write sets come from one node, so its order of sending is the total order, and none can
//! conflict with another's. A node delivers a write set once it knows that every other has it
//! (`order`): the one that sent it then commits it, with its own log, and the others have it in
//! their receive queues. A node whose queue is longer than its limit stops the group by a
//! message, and lets it go on by another.
//!
//! Or the others are standbys, and get the log of the first (PostgreSQL's streaming replication).
//! The load may move to another node when the writer is lost.

mod copy;
mod counts;
mod flow;
mod membership;
mod messages;
mod node_sink;
mod order;
mod owed;
mod paths;
mod quorum;
mod relay;
mod shipping;
mod standing;
mod take_over;
#[cfg(test)]
mod tests;
mod write_sets;

use alloc::boxed::Box;
use alloc::collections::VecDeque;
use alloc::vec::Vec;

use self::flow::Flow;
use self::messages::Unsent;
use self::node_sink::NodeSink;
use self::order::Order;
use self::owed::Owed;
use self::paths::{Path, paths};
use self::quorum::Quorum;
use self::shipping::Stream;
use self::standing::{Host, Standing, Sync};
use self::take_over::Loss;
use crate::event_queue::NEVER;
use crate::network::Released;
use crate::replication::NetworkSink;
use crate::spec::GroupSpec;
use crate::units::{Bytes, Nanos};
use crate::workload::oltp::Oltp;
use crate::workload::oltp::spec::OltpSpec;

use crate::workload::io::{Outcome, Slot, StateMachine};
use crate::workload::{EngineCounts, Fact, MembershipChange, MembershipEvent};

/// The job of a group.
#[derive(Clone, Debug)]
pub(crate) struct Group {
    spec: GroupSpec,
    /// First the one of the job, which has the load at first.
    nodes: Vec<Oltp>,
    /// The first slot of each; the alarm's comes after those of the last, then those for copies.
    first_slots: Vec<Slot>,
    alarm: Slot,
    /// When it goes off.
    alarm_at: Nanos,
    /// Which node has the load, and what all are to it; what that is to itself is of no use.
    writer: usize,
    members: Vec<Member>,
    paths: Vec<Path>,
    flow: Flow,
    /// What members send each other of write sets and flow control, if these are what is sent.
    order: Order,
    quorum: Quorum,
    /// The writer cannot serve.
    loss: Option<Loss>,
    /// What engines counted that had the load before, less what this one had counted by then.
    carried: EngineCounts,
    /// Since when a member has been silent, and for how long members were before.
    silent_since: Option<Nanos>,
    silent: Nanos,
    /// Since when the writer is silent, whose host was paused, until it is heard or given up.
    silent_writer: Option<Nanos>,
    /// For how long it had no quorum before.
    without_quorum: Nanos,
    /// What is shipped, if it is the log.
    stream: Option<Stream>,
    /// What is to be sent now.
    unsent: Vec<Unsent>,
    /// Write sets sent to each of the others, and their bytes.
    write_sets: u64,
    bytes: Bytes,
    released: Vec<Released>,
}

/// A node, as it stands to the writer.
#[derive(Clone, Debug)]
struct Member {
    /// Its host, and its votes.
    host: usize,
    weight: u64,
    /// The path between it and the writer, by number.
    path: usize,
    /// Kinds of the write sets under way to it.
    under_way: VecDeque<u16>,
    /// Since when it has stopped the group.
    stopped: Option<Nanos>,
    /// For how long it has before.
    stopping: Nanos,
    standing: Standing,
    sync: Sync,
    /// Whether its host works.
    on: Host,
    /// IOs of its engine in flight, and those of them that threads wait for.
    in_flight: u32,
    reading: u32,
    /// Write sets that it does not have, as it was outside.
    owed: Owed,
    /// IOs of copies in flight.
    copy_ios: u32,
    /// What its engine becomes when it comes back, as another has taken over.
    part: Option<Box<OltpSpec>>,
}

impl Group {
    pub(crate) fn new(spec: &OltpSpec, group: &GroupSpec, job: u16, seed: u64) -> Self {
        let engines = [spec.clone()].into_iter().chain(spec.others());
        let nodes = (0..).zip(engines);
        let nodes: Vec<_> = nodes
            .map(|(number, engine)| {
                // What the other part needs that it may get.
                let other = if number == 0 {
                    group.appliers
                } else {
                    spec.threads()
                };
                let reserved = group.take_over.as_ref().map_or(0, |_| other);
                Oltp::of_node(&engine, (job, seed), number, reserved)
            })
            .collect();
        let mut alarm = 0;
        let first_slots = nodes.iter().map(|node| {
            let first = alarm;
            alarm += node.slots();
            first
        });
        let first_slots = first_slots.collect();
        let votes = group.nodes.iter().map(|node| (node.host, node.weight));
        let votes = [(group.own_host(), group.membership.weight)]
            .into_iter()
            .chain(votes);
        let sizes: Vec<_> = spec.kinds.iter().map(GroupSpec::write_set).collect();
        let member = |(node, (host, weight)): (usize, (usize, u32))| Member {
            host,
            weight: weight.into(),
            path: node.saturating_sub(1),
            under_way: VecDeque::new(),
            stopped: None,
            stopping: 0,
            standing: Standing::Member,
            sync: Sync::Synced,
            on: Host::Up,
            in_flight: 0,
            reading: 0,
            owed: Owed::nothing(sizes.clone()),
            copy_ios: 0,
            part: None,
        };
        Self {
            spec: group.clone(),
            first_slots,
            alarm,
            alarm_at: NEVER,
            writer: 0,
            members: votes.enumerate().map(member).collect(),
            paths: paths(group, seed),
            flow: Flow::new(nodes.len()),
            order: Order::new(nodes.len(), group.membership.windows),
            quorum: Quorum::Has,
            loss: None,
            carried: EngineCounts::default(),
            silent_since: None,
            silent: 0,
            silent_writer: None,
            without_quorum: 0,
            stream: group.shipping.map(|it| Stream::new(it, nodes.len())),
            unsent: Vec::new(),
            write_sets: 0,
            bytes: 0,
            released: Vec::new(),
            nodes,
        }
    }

    /// All nodes but the writer.
    fn others(&self) -> impl Iterator<Item = usize> + Clone + use<> {
        let writer = self.writer;
        (0..self.nodes.len()).filter(move |&node| node != writer)
    }

    fn writer(&self) -> &Oltp {
        &self.nodes[self.writer]
    }

    /// The node of a slot, and the slot there.
    fn node_of(&self, slot: Slot) -> (usize, Slot) {
        let node = self.first_slots.partition_point(|&first| first <= slot) - 1;
        (node, slot - self.first_slots[node])
    }

    /// Has a node do something, and does what follows.
    fn with_node<S: NetworkSink>(
        &mut self,
        now: Nanos,
        number: usize,
        sink: &mut S,
        act: impl FnOnce(&mut Oltp, &mut NodeSink<'_, S>),
    ) {
        let is_writer = number == self.writer;
        let mut own = NodeSink {
            first: self.first_slots[number],
            threads: self.nodes[number].thread_slots(),
            is_writer,
            issued: 0,
            reading: 0,
            told: None,
            sink,
        };
        act(&mut self.nodes[number], &mut own);
        let (told, issued, reading) = (own.told, own.issued, own.reading);
        self.members[number].in_flight += issued;
        self.members[number].reading += reading;
        match is_writer {
            true => self.writer_goes_on(now, sink),
            false => self.other_goes_on(now, number, sink),
        }
        if self.members[number].donates_to().is_some() {
            self.donor_goes_on(now, number, sink);
        }
        if let Some(engine) = told {
            self.tell_counts(now, number, engine, sink);
        }
    }

    fn writer_goes_on(&mut self, now: Nanos, sink: &mut impl NetworkSink) {
        if self.writer().is_stopped() {
            return self.writer_has_stopped(now, sink);
        }
        for thread in self.nodes[self.writer].take_unsent() {
            self.is_asked(now, thread, sink);
        }
        self.ships(now, sink);
    }

    fn other_goes_on(&mut self, now: Nanos, other: usize, sink: &mut impl NetworkSink) {
        match (&self.stream, self.nodes[other].is_stopped()) {
            (Some(_), true) => self.standby_has_stopped(now, other, sink),
            (Some(_), false) => self.replays(now, other, sink),
            (None, true) => self.engine_has_stopped(now, other, sink),
            (None, false) => self.look_at_queue(now, other, sink),
        }
    }
}

fn tell(at: Nanos, what: MembershipEvent, sink: &mut impl NetworkSink) {
    sink.fact(Fact::Membership(MembershipChange { at, what }));
}

impl Group {
    pub(crate) fn slots(&self) -> u32 {
        self.alarm + 1 + self.copy_slots()
    }

    pub(crate) fn largest_io(&self, slot: Slot) -> Bytes {
        if slot == self.alarm {
            return 0;
        }
        if let Some((node, _)) = self.copy_slot(slot) {
            return self.largest_chunk(node);
        }
        let (node, slot) = self.node_of(slot);
        self.nodes[node].largest_io(slot)
    }

    pub(crate) fn start(&mut self, sink: &mut impl NetworkSink) {
        for node in 0..self.nodes.len() {
            self.with_node(0, node, sink, |node, sink| node.start(sink));
        }
        self.messages(0, sink);
    }

    pub(crate) fn completed(
        &mut self,
        now: Nanos,
        slot: Slot,
        outcome: Outcome,
        sink: &mut impl NetworkSink,
    ) {
        if let Some(of_copy) = self.copy_slot(slot) {
            self.copy_io_ended(now, of_copy, outcome, sink);
        } else {
            let (node, slot) = self.node_of(slot);
            let of_thread = self.nodes[node].thread_slots().contains(&slot);
            self.members[node].in_flight -= 1;
            self.members[node].reading -= u32::from(of_thread);
            self.with_node(now, node, sink, |node, sink| {
                node.completed(now, slot, outcome, sink);
            });
        }
        self.messages(now, sink);
    }

    pub(crate) fn woken(&mut self, now: Nanos, slot: Slot, sink: &mut impl NetworkSink) {
        if slot == self.alarm {
            self.alarm_at = NEVER;
        } else {
            let (node, slot) = self.node_of(slot);
            self.with_node(now, node, sink, |node, sink| node.woken(now, slot, sink));
        }
        self.messages(now, sink);
    }
}
