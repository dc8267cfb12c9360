//! Write sets on their way from the writer to the others: sent, certified, queued.

use alloc::collections::VecDeque;

use super::messages::{ORDERED, Unsent};
use super::order::{Item, Parcel};
use super::quorum::Quorum;
use super::standing::{Standing, Sync};
use super::{Group, tell};
use crate::replication::NetworkSink;
use crate::spec::GroupSpec;
use crate::units::{Bytes, Nanos};
use crate::workload::MembershipEvent;
use crate::workload::io::Slot;

impl Group {
    /// Write sets that were held by flow control are sent.
    pub(super) fn let_go_on(
        &mut self,
        now: Nanos,
        held: VecDeque<Slot>,
        sink: &mut impl NetworkSink,
    ) {
        for thread in held {
            self.nodes[self.writer].is_sent(now, thread);
            self.send_write_set(now, thread, sink);
        }
    }

    /// A message has come over a path, from one of its ends.
    pub(super) fn ordered_has_come(
        &mut self,
        now: Nanos,
        (path, from): (usize, usize),
        sink: &mut impl NetworkSink,
    ) {
        let of = &mut self.paths[path];
        let receiver = of.nodes[1 - from];
        let Some(parcel) = of.parcels[from].pop_front().flatten() else {
            return;
        };
        if self.nodes[receiver].is_stopped() {
            return;
        }
        if parcel.to != receiver {
            return self.sends_parcel(receiver, parcel);
        }
        self.order.has_come(parcel.from, receiver, parcel.header);
        self.sends_ordered();
        self.delivers(now, receiver, sink);
    }

    /// A node sends something to all.
    pub(super) fn sends_to_all(&mut self, node: usize, item: Item, bytes: Bytes) {
        self.order.send(node, item, bytes);
        self.sends_ordered();
    }

    /// Gives the links what is to be sent.
    pub(super) fn sends_ordered(&mut self) {
        while let Some(parcel) = self.order.next_outgoing() {
            self.sends_parcel(parcel.from, parcel);
        }
    }

    /// A node sends or passes on a message.
    fn sends_parcel(&mut self, at: usize, parcel: Parcel) {
        let Some(path) = self.next_path(at, parcel.to) else {
            return;
        };
        let message = Unsent::over(&self.paths, path, at, (ORDERED, parcel.bytes));
        self.paths[path].parcels[message.from].push_back(Some(parcel));
        self.unsent.push(message);
    }

    /// A node delivers what it may: the writer commits its write sets, and the others apply them.
    pub(super) fn delivers(&mut self, now: Nanos, node: usize, sink: &mut impl NetworkSink) {
        while let Some((sender, item)) = self.order.next_delivery(node) {
            let is_writer = node == self.writer;
            match item {
                Item::WriteSet if is_writer => {
                    if let Some(thread) = self.flow.is_certified() {
                        self.with_node(now, node, sink, |node, sink| node.logs(now, thread, sink));
                    }
                }
                Item::WriteSet => {
                    let kind = self.members[node].under_way.pop_front().unwrap_or(0);
                    self.with_node(now, node, sink, |node, sink| node.receives(now, kind, sink));
                }
                Item::Stop if is_writer => self.flow.stop(now, sender),
                Item::GoOn if is_writer => {
                    let held = self.flow.go_on(now, sender);
                    self.let_go_on(now, held, sink);
                }
                Item::Part | Item::Stop | Item::GoOn => {}
            }
        }
    }

    /// A node has left: what waited for it alone goes on.
    pub(super) fn goes_on_without(
        &mut self,
        now: Nanos,
        other: usize,
        sink: &mut impl NetworkSink,
    ) {
        let held = self.flow.go_on(now, other);
        self.let_go_on(now, held, sink);
        for node in 0..self.nodes.len() {
            self.delivers(now, node, sink);
        }
    }

    /// A thread wants its write set sent.
    pub(super) fn is_asked(&mut self, now: Nanos, thread: Slot, sink: &mut impl NetworkSink) {
        if self.quorum != Quorum::Has {
            self.with_node(now, self.writer, sink, |node, sink| {
                node.fails_to_commit(now, thread, sink);
            });
        } else if self.flow.ask(thread) {
            self.send_write_set(now, thread, sink);
        } else {
            self.nodes[self.writer].is_held(now, thread);
        }
    }

    fn send_write_set(&mut self, now: Nanos, thread: Slot, sink: &mut impl NetworkSink) {
        let writer = self.writer();
        let kind = writer.kind_of(thread);
        let bytes = GroupSpec::write_set(&writer.spec().kinds[usize::from(kind)]);
        self.write_sets += 1;
        self.bytes += bytes;
        for other in self.others() {
            match self.members[other].standing {
                Standing::Gone => {}
                Standing::Out(_) => self.owes(now, other, kind, sink),
                _ => self.members[other].under_way.push_back(kind),
            }
        }
        self.sends_to_all(self.writer, Item::WriteSet, bytes);
        // Where nobody else is a member it is there at once.
        self.delivers(now, self.writer, sink);
    }

    /// Stops the group, or lets it go on, as another node's receive queue is. One that joins lets
    /// it go on until it has got what it missed, and stops it from then on only when it falls
    /// further behind.
    pub(super) fn look_at_queue(&mut self, now: Nanos, other: usize, sink: &mut impl NetworkSink) {
        let queued = self.nodes[other].progress().queued;
        let is_short = queued <= self.spec.lower;
        let catches_up = self.catches_up_with(now, other, queued, sink);
        let of = &mut self.members[other];
        let Some(may_lag) = of.may_lag() else { return };
        match of.stopped {
            None if queued > self.spec.upper.saturating_add(may_lag) => {
                of.stopped = Some(now);
                self.sends_to_all(other, Item::Stop, 0);
            }
            Some(since) if is_short || catches_up => {
                of.stopped = None;
                of.stopping += now - since;
                self.sends_to_all(other, Item::GoOn, 0);
            }
            _ => {}
        }
    }

    /// A member that has got what it missed has so much left to apply; whether that was never
    /// less.
    fn catches_up_with(
        &mut self,
        now: Nanos,
        other: usize,
        queued: u64,
        sink: &mut impl NetworkSink,
    ) -> bool {
        let of = &mut self.members[other];
        if of.standing != Standing::Member {
            return false;
        }
        let shortest = match of.sync {
            Sync::CatchesUp(shortest) => shortest,
            Sync::Receives if of.owed.is_none() => u64::MAX,
            _ => return false,
        };
        of.sync = Sync::CatchesUp(shortest.min(queued));
        if queued <= self.spec.lower {
            of.sync = Sync::Synced;
            tell(now, MembershipEvent::Synced(other as u16), sink);
        }
        queued < shortest
    }
}
