//! What a node has missed while it was no member, and its way there (Galera's incremental state
//! transfer).
//!
//! The first node sends it from its cache, a window of pieces at a time, so that write sets of the
//! day find their way between them. It reads nothing for that: the cache is in memory.

use alloc::collections::VecDeque;
use alloc::vec::Vec;

use super::messages::{OWED, OWED_HAS_COME};
use super::{Group, tell};
use crate::replication::NetworkSink;
use crate::spec::GroupSpec;
use crate::units::{Bytes, KIB, Nanos};
use crate::workload::MembershipEvent;

/// Write sets go in pieces of so much at least ...
const PIECE: Bytes = 64 * KIB;

/// ... of which so many are under way at once: 1 MiB.
const WINDOW: usize = 16;

/// Kinds of the transactions whose write sets a node is owed, in their order.
#[derive(Clone, Debug, Default)]
pub(super) struct Owed {
    kinds: VecDeque<u16>,
    under_way: VecDeque<Vec<u16>>,
    /// Where they are more than is kept: how many. It needs a copy of all data then.
    beyond: Option<u64>,
}

impl Owed {
    /// How many write sets it is owed.
    #[cfg(test)]
    pub(super) fn count(&self) -> u64 {
        let under_way = self.under_way.iter().map(Vec::len).sum::<usize>();
        (self.kinds.len() + under_way) as u64 + self.beyond.unwrap_or(0)
    }

    pub(super) fn needs_copy(&self) -> bool {
        self.beyond.is_some()
    }

    /// It is owed more than is kept.
    fn is_beyond(&mut self) {
        self.take_back(core::iter::empty());
        self.beyond = Some(0);
        self.count_beyond();
    }

    /// It has a copy of all data. Gives how many write sets that it was owed are in it.
    pub(super) fn has_copy(&mut self) -> u64 {
        core::mem::take(self).beyond.unwrap_or(0)
    }

    /// What is not kept is only counted.
    fn count_beyond(&mut self) {
        if let Some(count) = &mut self.beyond {
            *count += self.kinds.drain(..).count() as u64;
        }
    }

    pub(super) fn is_none(&self) -> bool {
        self.kinds.is_empty() && self.under_way.is_empty() && self.beyond.is_none()
    }

    /// It is owed these, after all others.
    pub(super) fn extend(&mut self, kinds: impl IntoIterator<Item = u16>) {
        self.kinds.extend(kinds);
        self.count_beyond();
    }

    /// It gets it all.
    pub(super) fn take(&mut self) -> VecDeque<u16> {
        self.take_back(core::iter::empty());
        core::mem::take(&mut self.kinds)
    }

    pub(super) fn push(&mut self, kind: u16) {
        self.kinds.push_back(kind);
        self.count_beyond();
    }

    /// What was under way has not come, neither of this nor of the `sent` after it.
    pub(super) fn take_back(&mut self, sent: impl Iterator<Item = u16>) {
        for piece in self.under_way.drain(..).rev() {
            piece
                .into_iter()
                .rev()
                .for_each(|it| self.kinds.push_front(it));
        }
        self.kinds.extend(sent);
        self.count_beyond();
    }

    /// It has lost what it had received before.
    pub(super) fn take_back_before(&mut self, lost: Vec<u16>) {
        lost.into_iter()
            .rev()
            .for_each(|it| self.kinds.push_front(it));
        self.count_beyond();
    }

    /// Forgets it all.
    pub(super) fn clear(&mut self) {
        *self = Self::default();
    }
}

impl Group {
    pub(super) fn write_set_bytes(&self, kind: u16) -> Bytes {
        GroupSpec::write_set(&self.nodes[self.writer].spec().kinds[usize::from(kind)])
    }

    /// What another node is owed, in bytes.
    pub(super) fn owed_bytes(&self, other: usize) -> Bytes {
        let kinds = self.members[other].owed.kinds.iter();
        kinds.map(|&kind| self.write_set_bytes(kind)).sum()
    }

    /// A write set is certified that a node does not get, as it is outside. It may be more than
    /// is kept.
    pub(super) fn owes(
        &mut self,
        now: Nanos,
        other: usize,
        kind: u16,
        sink: &mut impl NetworkSink,
    ) {
        let bytes = self.write_set_bytes(kind);
        let of = &mut self.members[other];
        of.owed.push(kind);
        of.owed_bytes += bytes;
        if of.owed_bytes > self.spec.membership.gcache && !of.owed.needs_copy() {
            of.owed.is_beyond();
            tell(now, MembershipEvent::Outdated(other as u16), sink);
        }
    }

    /// Sends as much of what a node is owed as may be under way.
    pub(super) fn sends_owed(&mut self, other: usize) {
        while self.members[other].owed.under_way.len() < WINDOW
            && let Some(bytes) = self.next_piece(other)
        {
            self.send(other, (OWED, bytes));
        }
    }

    /// Takes the next piece under way; gives its bytes.
    fn next_piece(&mut self, other: usize) -> Option<Bytes> {
        let (mut piece, mut bytes) = (Vec::new(), 0);
        while bytes < PIECE
            && let Some(kind) = self.members[other].owed.kinds.pop_front()
        {
            bytes += self.write_set_bytes(kind);
            piece.push(kind);
        }
        if piece.is_empty() {
            return None;
        }
        self.members[other].owed.under_way.push_back(piece);
        Some(bytes)
    }

    /// A piece has come to a node, which queues it like all that it receives.
    pub(super) fn owed_has_come(&mut self, now: Nanos, other: usize, sink: &mut impl NetworkSink) {
        let piece = self.members[other].owed.under_way.pop_front();
        for kind in piece.into_iter().flatten() {
            self.with_node(now, other, sink, |node, sink| {
                node.receives(now, kind, sink);
            });
        }
        self.send(other, (OWED_HAS_COME, 0));
    }
}
