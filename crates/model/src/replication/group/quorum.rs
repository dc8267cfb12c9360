//! Whether those that reach each other may go on as the group: with more than half of the votes of
//! all members before.

use alloc::vec::Vec;

use super::standing::Standing;
use super::take_over::{Cause, Loss};
use super::{Group, tell};
use crate::event_queue::NEVER;
use crate::replication::NetworkSink;
use crate::units::Nanos;
use crate::workload::MembershipEvent;
use crate::workload::io::Slot;

/// Whether the writer and those that it reaches are the group.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) enum Quorum {
    Has,
    /// They are not since then, and are again once enough have met.
    Lost(Nanos, Regained),
}

/// What brings the writer back into a group that serves.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) enum Regained {
    /// The others have gone on as the group, with so many votes: it meets more than half of them.
    ByVotes(u64),
    /// Nobody has gone on: all of these meet, who were members before.
    ByAll(Vec<usize>),
}

impl Group {
    /// When the next may come back that can: without a quorum, when enough can. None joins a group
    /// that has yet to agree that another is gone; its votes would count for no quorum either.
    pub(super) fn back_at(&self) -> Nanos {
        let mut times: Vec<_> = self.could_return().map(|(_, from)| from).collect();
        times.sort_unstable();
        let enough = |&at: &Nanos| match &self.quorum {
            Quorum::Has => self.stream.is_some() || self.given_up_at() == NEVER,
            Quorum::Lost(_, regained) => self.is_regained(at, regained),
        };
        times.into_iter().find(enough).unwrap_or(NEVER)
    }

    /// Those that were given up, live and are reached, and from when on they may come back.
    pub(super) fn could_return(&self) -> impl Iterator<Item = (usize, Nanos)> {
        self.others()
            .filter_map(|other| match self.members[other].standing {
                Standing::Out(from) if from < NEVER && self.reaches(self.writer, other) => {
                    Some((other, from))
                }
                _ => None,
            })
    }

    /// Whether enough may come back by `now` for the group to serve.
    fn is_regained(&self, now: Nanos, regained: &Regained) -> bool {
        let back = || self.could_return().filter(|&(_, from)| from <= now);
        match regained {
            Regained::ByVotes(votes) => {
                let met: u64 = back().map(|(other, _)| self.members[other].weight).sum();
                2 * met > *votes
            }
            Regained::ByAll(all) => all.iter().all(|one| back().any(|(other, _)| other == *one)),
        }
    }

    /// Enough are members again, and the writer serves.
    pub(super) fn regains_quorum(&mut self, now: Nanos, since: Nanos, sink: &mut impl NetworkSink) {
        self.finds_itself_outside(now, sink);
        self.nodes[self.writer].refuses(false);
        self.members[self.writer].owed.clear();
        match self.loss.take() {
            Some(loss) if loss.is_of_engine() => {
                tell(now, MembershipEvent::Serves(self.writer as u16, 0), sink);
            }
            _ => {
                self.without_quorum += now - since;
                tell(now, MembershipEvent::Quorum, sink);
            }
        }
    }

    /// The silent ones are given up.
    pub(super) fn gives_up(&mut self, now: Nanos, sink: &mut impl NetworkSink) {
        let all: Vec<_> = self.others().filter(|&it| self.is_member(it)).collect();
        let whole = self.whole(&all);
        let (silent, members): (Vec<usize>, Vec<usize>) = all
            .iter()
            .copied()
            .partition(|&it| self.members[it].standing.is_silent());
        let pause = self.silent_writer.take();
        if pause.is_some() {
            tell(now, MembershipEvent::Left(self.writer as u16), sink);
        }
        let is_paused = pause.is_some() && self.is_paused();
        let staying = self.members[self.writer].weight + self.votes(&members);
        let before = staying + self.votes(&silent);
        let is_lost = 2 * staying <= before || is_paused;
        let lost = is_lost.then(|| self.regained_by(&all, &silent, before));
        if let Some(regained) = &lost {
            // What a copy holds back is not sent when its end sets that free.
            self.quorum = Quorum::Lost(now, regained.clone());
        }
        for &other in &silent {
            match pause.is_none() || self.is_gone(other) {
                true => self.leaves(now, other, sink),
                false => self.is_left_behind(now, other, sink),
            }
        }
        self.nobody_is_silent(now);
        let Some(regained) = lost else {
            for &other in &silent {
                self.goes_on_without(now, other, sink);
            }
            return;
        };
        for other in members {
            self.sets_out(now, other, now, sink);
        }
        let loss = Loss::of_quorum(now, before, all, whole);
        let loss = match pause.filter(|_| is_paused) {
            Some(since) => loss.of_pause(since),
            None => loss,
        };
        self.loses_quorum(now, regained, loss, sink);
    }

    /// What brings back a group of so many votes that loses these silent ones of all others.
    fn regained_by(&self, all: &[usize], silent: &[usize], votes: u64) -> Regained {
        let alive = silent.iter().filter(|&&it| !self.nodes[it].is_stopped());
        let elsewhere: Vec<_> = alive.copied().collect();
        let elsewhere = self.votes(&elsewhere);
        match 2 * elsewhere > votes {
            true => Regained::ByVotes(elsewhere),
            false => Regained::ByAll(all.to_vec()),
        }
    }

    fn votes(&self, of: &[usize]) -> u64 {
        of.iter().map(|&it| self.members[it].weight).sum()
    }

    /// The writer cannot serve: it has stopped, or those that it reaches are too few. What is not
    /// certified fails, and transactions are refused.
    pub(super) fn loses_quorum(
        &mut self,
        now: Nanos,
        regained: Regained,
        mut loss: Loss,
        sink: &mut impl NetworkSink,
    ) {
        self.quorum = Quorum::Lost(now, regained);
        let is_stopped = loss.is_of_engine();
        let [sent, held] = self.flow.give_up(now);
        self.order.starts_with([self.writer]);
        let writer = &self.nodes[self.writer];
        // What it sent and did not commit it gets again, if another node takes over.
        let kinds: Vec<_> = match is_stopped {
            true => writer.given_up().iter().map(|it| it.1).collect(),
            false => sent.iter().map(|&it| writer.kind_of(it)).collect(),
        };
        self.members[self.writer].owed.extend(kinds);
        let threads = sent.into_iter().chain(held);
        let refused = match &mut loss.cause {
            Cause::Pause(waiting) => {
                waiting.extend(threads);
                None
            }
            Cause::Quorum => Some(threads),
            Cause::Engine => None,
        };
        self.loss = Some(loss);
        if let Some(threads) = refused {
            self.refuses(now, threads, sink);
        }
    }

    /// The writer, whose host has gone on, finds that the others have given it up.
    pub(super) fn finds_itself_outside(&mut self, now: Nanos, sink: &mut impl NetworkSink) {
        let Some(loss) = &mut self.loss else { return };
        let Cause::Pause(threads) = &mut loss.cause else {
            return;
        };
        let threads = core::mem::take(threads);
        loss.cause = Cause::Quorum;
        if let Quorum::Lost(since, _) = &mut self.quorum
            && !loss.is_told
        {
            *since = now;
        }
        self.refuses(now, threads, sink);
    }

    /// The writer refuses transactions; the commits of these threads fail.
    fn refuses(
        &mut self,
        now: Nanos,
        threads: impl IntoIterator<Item = Slot>,
        sink: &mut impl NetworkSink,
    ) {
        self.nodes[self.writer].refuses(true);
        let loss = self.loss.as_mut();
        if loss.is_none_or(|it| !core::mem::replace(&mut it.is_told, true)) {
            tell(now, MembershipEvent::NoQuorum, sink);
        }
        for thread in threads {
            self.with_node(now, self.writer, sink, |node, sink| {
                node.fails_to_commit(now, thread, sink);
            });
        }
    }
}
