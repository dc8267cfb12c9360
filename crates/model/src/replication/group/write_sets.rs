//! Write sets on their way from the writer to the others: sent, certified, queued.

use alloc::collections::VecDeque;

use super::messages::{GO_ON, STOP, WRITE_SET};
use super::quorum::Quorum;
use super::standing::{Standing, Sync};
use super::{Group, tell};
use crate::replication::NetworkSink;
use crate::spec::GroupSpec;
use crate::units::Nanos;
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

    /// Commits what all nodes have.
    pub(super) fn certify(&mut self, now: Nanos, sink: &mut impl NetworkSink) {
        while let Some(thread) = self.flow.next_certified() {
            self.with_node(now, self.writer, sink, |node, sink| {
                node.logs(now, thread, sink)
            });
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
            // Where nobody else is a member it is at once.
            self.certify(now, sink);
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
                _ => {
                    self.members[other].under_way.push_back(kind);
                    self.send(other, (WRITE_SET, bytes));
                }
            }
        }
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
                self.send(other, (STOP, 0));
            }
            Some(since) if is_short || catches_up => {
                of.stopped = None;
                of.stopping += now - since;
                self.send(other, (GO_ON, 0));
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
