//! What a group tells of itself each second and at the end, and of its links.

use super::Group;
use super::quorum::Quorum;
use crate::network::{LinkCounts, Resumption};
use crate::replication::NetworkSink;
use crate::units::Nanos;
use crate::workload::{EngineCounts, Fact, GroupCounts, NodeCounts};

impl Group {
    /// A second of a node's engine has ended.
    pub(super) fn tell_counts(
        &mut self,
        now: Nanos,
        node: usize,
        engine: EngineCounts,
        sink: &mut impl NetworkSink,
    ) {
        if node == self.writer {
            sink.fact(Fact::Engine(self.carried.and(engine)));
            sink.fact(Fact::Group(self.counts(now)));
        } else if self.members[node].part.is_none() {
            // One that has handed the load over applies nothing before it is back.
            sink.fact(Fact::Node(self.node_counts(now, node, engine)));
        }
    }

    /// The run ends at `now`. The engine of the writer tells of whole seconds alone, as do those of
    /// no group.
    pub(crate) fn tell_end(&mut self, now: Nanos, sink: &mut impl NetworkSink) {
        sink.fact(Fact::Group(self.counts(now)));
        for node in self.others() {
            if self.members[node].part.is_none() {
                let engine = self.nodes[node].counted(now);
                sink.fact(Fact::Node(self.node_counts(now, node, engine)));
            }
        }
    }

    /// What the group has done by `now`.
    pub(super) fn counts(&self, now: Nanos) -> GroupCounts {
        let (pauses, paused) = self.flow.pauses(now);
        let silent = self.silent_since.map_or(0, |since| now - since);
        let stream = self.stream.as_ref();
        let (asynchronous, unacknowledged) = stream.map_or((0, 0), |it| it.asynchronous(now));
        let without = match self.quorum {
            Quorum::Has => self.demoted_since().map_or(0, |since| now - since),
            // With its engine the writer lost more than a quorum.
            Quorum::Lost(..) if self.writer().is_stopped() || self.rest_has_quorum() => 0,
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
            asynchronous,
            unacknowledged,
        }
    }

    /// What another node has done by `now`.
    pub(super) fn node_counts(
        &mut self,
        now: Nanos,
        other: usize,
        engine: EngineCounts,
    ) -> NodeCounts {
        let longest = self.nodes[other].take_longest();
        let of = &self.members[other];
        let stopped = of.stopping + of.stopped.map_or(0, |since| now - since);
        let progress = self.nodes[other].progress();
        NodeCounts {
            node: other as u16,
            engine,
            received: progress.received,
            taken: progress.received - progress.queued,
            applied: progress.applied,
            longest,
            stopped,
            lag: self.stream.as_mut().map(|it| it.take_lag(other)),
            waits: progress.waits,
        }
    }

    /// What went over its links until `now`.
    pub(crate) fn links(&self, now: Nanos) -> impl Iterator<Item = (usize, [LinkCounts; 2])> {
        let paths = self.paths.iter();
        paths.map(move |path| (path.number, path.link.counts(now)))
    }

    /// The senders over these that did not notice at once that their way works again.
    pub(crate) fn resumptions(&self) -> impl Iterator<Item = (usize, Resumption)> {
        let paths = self.paths.iter();
        paths.flat_map(|path| path.link.resumptions().map(|one| (path.number, one)))
    }
}
