//! Whether a primary holds its leader key, as Patroni has it: a primary that cannot renew the key
//! is demoted, and a standby that can get it is promoted
//! (<https://patroni.readthedocs.io/en/latest/dynamic_configuration.html>, `ttl`).
//!
//! The key is taken to be kept by the hosts of the nodes, more than half of which must reach each
//! other for that, by connections of its own. Where these are lost and not cut off, others are
//! taken to keep it.

use crate::replication::NetworkSink;
use crate::replication::group::Group;
use crate::replication::group::standing::Host;
use crate::spec::Shipped;
use crate::units::{Bytes, Nanos, SECOND};

/// How often a primary says beside its key how far its log is (`loop_wait`).
const LOOP_WAIT: Nanos = 10 * SECOND;

/// How far the log was when the primary last said so.
#[derive(Clone, Copy, Debug, Default)]
pub(super) struct LastSaid {
    position: Bytes,
    /// In which turn of its loop.
    turn: u64,
}

impl LastSaid {
    /// The log has ended at `position` until `now`: the primary has said so if it was its turn.
    pub(super) fn until(&mut self, now: Nanos, position: Bytes) {
        let turn = now / LOOP_WAIT;
        if turn > self.turn {
            *self = Self { position, turn };
        }
    }

    /// The primary is another, or has begun anew, and says so.
    pub(super) fn begins_at(&mut self, position: Bytes) {
        self.position = position;
    }

    /// What a standby lacks of that which has received so much.
    pub(super) fn lacks(&self, received: Bytes) -> Bytes {
        self.position.saturating_sub(received)
    }
}

impl Group {
    /// The primary is about to be lost: what it says of its log before is the last.
    pub(in crate::replication::group) fn says_no_more(&mut self, now: Nanos) {
        if let (None, Some(stream)) = (&self.loss, &mut self.stream) {
            stream.last_said.until(now, stream.sent);
        }
    }

    /// The primary may answer no more what promotes standbys, as it is paused or cut off, or
    /// answer again.
    pub(in crate::replication::group) fn looks_at_primary(
        &mut self,
        now: Nanos,
        sink: &mut impl NetworkSink,
    ) {
        let is_promoted = self.stream.is_some() && self.spec.take_over.is_some();
        if !is_promoted || self.writer().is_stopped() {
            return;
        }
        let is_paused = self.members[self.writer].on == Host::Paused;
        match is_paused || self.is_cut_off() {
            true => self.primary_is_lost(now),
            false => self.primary_answers(now, sink),
        }
    }

    /// Whether the primary lives and reaches nobody that can renew its key, while others could.
    pub(in crate::replication::group) fn is_cut_off(&self) -> bool {
        if !self.is_shipped(Shipped::Wal) || self.members[self.writer].on != Host::Up {
            return false;
        }
        let nodes = 0..self.nodes.len();
        let mut holders = nodes.filter(|&it| self.has_majority(it)).peekable();
        holders.peek().is_some() && holders.all(|it| !self.could_reach(self.writer, it))
    }

    /// Whether a node reaches more than half of all that keep the key, with itself.
    pub(super) fn has_majority(&self, node: usize) -> bool {
        let keeps = |it: &usize| matches!(self.members[*it].on, Host::Up | Host::Back(_));
        let nodes = 0..self.nodes.len();
        let reached = nodes.filter(|it| keeps(it) && self.could_reach(node, *it));
        keeps(&node) && 2 * reached.count() > self.nodes.len()
    }
}

#[cfg(test)]
mod tests {
    use alloc::vec::Vec;

    use proptest::prelude::*;

    use super::*;

    proptest! {
        /// Whenever it is asked, what was said is the end of the log at the last turn before.
        #[test]
        fn what_was_said_is_where_the_log_was_at_the_last_turn(
            steps in prop::collection::vec((1..15 * SECOND, 0_u64..100), 1..40),
        ) {
            let mut said = LastSaid::default();
            let (mut now, mut log) = (0, Vec::from([(0, 0)]));
            for (after, bytes) in steps {
                now += after;
                let position = log.last().unwrap().1;
                said.until(now, position);
                let turn = now / LOOP_WAIT * LOOP_WAIT;
                let before = log.iter().rev().find(|it| it.0 < turn);
                let expected = before.map_or(0, |it| it.1);
                prop_assert_eq!(said.lacks(0), expected);
                prop_assert_eq!(said.lacks(expected + 1), 0);
                log.push((now, position + bytes));
            }
        }
    }
}
