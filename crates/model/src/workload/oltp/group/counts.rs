//! What a group tells of itself each second, and of its links.

use super::Group;
use super::membership::Quorum;
use crate::link::LinkCounts;
use crate::units::Nanos;
use crate::workload::facts::{EngineCounts, GroupCounts, NodeCounts};

impl Group {
    /// What the group has done by `now`.
    pub(super) fn counts(&self, now: Nanos) -> GroupCounts {
        let (pauses, paused) = self.flow.pauses(now);
        let silent = self.silent_since.map_or(0, |since| now - since);
        let without = match self.quorum {
            Quorum::Has => 0,
            Quorum::Lost(since, _) => now - since,
        };
        GroupCounts {
            at: now,
            write_sets: self.write_sets,
            bytes: self.bytes,
            certified: self.flow.certified(),
            pauses,
            paused,
            silent: self.silent + silent,
            without_quorum: self.without_quorum + without,
        }
    }

    /// What another node has done by `now`.
    pub(super) fn node_counts(
        &mut self,
        now: Nanos,
        other: usize,
        engine: EngineCounts,
    ) -> NodeCounts {
        let longest = self.nodes[1 + other].take_longest();
        let of = &self.others[other];
        let stopped = of.stopping + of.stopped.map_or(0, |since| now - since);
        let counts = NodeCounts {
            node: other as u16,
            engine,
            longest,
            stopped,
            lag: self.stream.as_mut().map(|it| it.take_lag(other)),
            ..NodeCounts::default()
        };
        match self.nodes[1 + other].progress() {
            None => counts,
            Some(it) => NodeCounts {
                received: it.received,
                taken: it.received - it.queued,
                applied: it.applied,
                waits: it.waits,
                ..counts
            },
        }
    }

    /// What went over its links until `now`.
    pub(in crate::workload) fn links(
        &self,
        now: Nanos,
    ) -> impl Iterator<Item = (usize, [LinkCounts; 2])> {
        let others = self.others.iter();
        others.map(move |other| (other.link_end.0, other.link.counts(now)))
    }
}
