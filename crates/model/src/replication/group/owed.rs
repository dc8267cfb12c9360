//! What a node has missed while it was no member, and its way there (Galera's incremental state
//! transfer).
//!
//! The first node sends it from its cache, a window of pieces at a time, so that write sets of the
//! day find their way between them. It reads nothing for that: the cache is in memory.

mod missed;

pub(super) use self::missed::Owed;
use super::messages::{OWED, OWED_HAS_COME};
use super::{Group, tell};
use crate::replication::NetworkSink;
use crate::spec::GroupSpec;
use crate::units::{Bytes, Nanos};
use crate::workload::MembershipEvent;

impl Group {
    pub(super) fn write_set_bytes(&self, kind: u16) -> Bytes {
        GroupSpec::write_set(&self.nodes[self.writer].spec().kinds[usize::from(kind)])
    }

    /// A write set is certified that a node does not get, as it is outside.
    pub(super) fn owes(
        &mut self,
        now: Nanos,
        other: usize,
        kind: u16,
        sink: &mut impl NetworkSink,
    ) {
        self.members[other].owed.push(kind);
        self.looks_at_cache(now, other, sink);
    }

    /// A node may have missed more than is kept.
    pub(super) fn looks_at_cache(&mut self, now: Nanos, other: usize, sink: &mut impl NetworkSink) {
        let gcache = self.spec.membership.gcache;
        let owed = &mut self.members[other].owed;
        if owed.bytes().is_some_and(|bytes| bytes > gcache) {
            owed.is_kept_no_more();
            tell(now, MembershipEvent::Outdated(other as u16), sink);
        }
    }

    /// Sends as much of what a node is owed as may be under way.
    pub(super) fn sends_owed(&mut self, other: usize) {
        while let Some(bytes) = self.members[other].owed.next_piece() {
            self.send(other, (OWED, bytes));
        }
    }

    /// A piece has come to a node, which queues it like all that it receives.
    pub(super) fn owed_has_come(&mut self, now: Nanos, other: usize, sink: &mut impl NetworkSink) {
        for kind in self.members[other].owed.piece_has_come() {
            self.with_node(now, other, sink, |node, sink| {
                node.receives(now, kind, sink);
            });
        }
        self.send(other, (OWED_HAS_COME, 0));
    }
}
