//! Another node takes the load over from a writer that cannot serve.
//!
//! The writer is lost when its engine stops, or when it has no quorum and the others do. Clients
//! are refused meanwhile. Of a cluster the first member that is whole and reaches a majority
//! takes over, once that has agreed on the loss; of standbys the one that has most of the log.
//! It serves when it has applied all that it has. Who has what of the last few write sets of a
//! cluster is not gone into: what was sent is taken to have come.

use alloc::vec::Vec;

use super::quorum::{Quorum, Regained};
use super::standing::{Host, Standing};
use super::{Group, tell};
use crate::event_queue::NEVER;
use crate::replication::NetworkSink;
use crate::units::{Nanos, SECOND};
use crate::workload::MembershipEvent;
use crate::workload::oltp::Oltp;
use crate::workload::oltp::spec::OltpSpec;

/// The writer cannot serve.
#[derive(Clone, Debug)]
pub(super) struct Loss {
    /// Since when, and when the others have agreed on it.
    since: Nanos,
    agreed: Nanos,
    /// Whether its engine has stopped.
    pub(super) is_of_engine: bool,
    /// Votes of all that were members, and who that was beside the writer.
    votes: u64,
    members: Vec<usize>,
    /// Those of them that had all that was certified.
    whole: Vec<usize>,
    /// Who takes over, and has yet to apply what it has.
    promoted: Option<usize>,
}

impl Loss {
    /// Of a writer that has no quorum since `now`, to which these others were members.
    pub(super) fn of_quorum(
        now: Nanos,
        votes: u64,
        members: Vec<usize>,
        whole: Vec<usize>,
    ) -> Self {
        Self {
            since: now,
            agreed: now,
            is_of_engine: false,
            votes,
            members,
            whole,
            promoted: None,
        }
    }
}

impl Group {
    /// The writer's engine has stopped.
    pub(super) fn writer_has_stopped(&mut self, now: Nanos, sink: &mut impl NetworkSink) {
        self.source_has_stopped(now, sink);
        let is_known = self.loss.is_some();
        if is_known && self.stream.is_some() {
            // It did not answer before.
            return self.copies_of_primary_fail(now, sink);
        }
        if is_known || !self.spec.serves_again() {
            return;
        }
        let members: Vec<_> = match self.stream {
            Some(_) => self.others().collect(),
            None => self.others().filter(|&it| self.is_member(it)).collect(),
        };
        let whole = self.whole(&members);
        let others: u64 = members.iter().map(|&it| self.members[it].weight).sum();
        let votes = others + self.members[self.writer].weight;
        let loss = Loss {
            is_of_engine: true,
            ..Loss::of_quorum(now, votes, members.clone(), whole)
        };
        if self.stream.is_some() {
            self.loss = Some(loss);
            return self.copies_of_primary_fail(now, sink);
        }
        for &other in &members {
            self.sets_out(now, other, now, sink);
        }
        self.nobody_is_silent(now);
        let regained = match 2 * others > votes {
            true => Regained::ByVotes(others),
            false => Regained::ByAll(members),
        };
        let agreed = self.agreed_at(now);
        self.loses_quorum(now, regained, Loss { agreed, ..loss }, sink);
    }

    /// The primary does not answer: a standby is promoted like of one whose host is lost, unless it
    /// answers before.
    pub(super) fn primary_is_lost(&mut self, now: Nanos) {
        self.loss.get_or_insert_with(|| Loss {
            is_of_engine: true,
            ..Loss::of_quorum(now, 0, Vec::new(), Vec::new())
        });
    }

    /// What promotes a standby has a primary that does not answer do nothing more.
    fn fences_primary(&mut self, now: Nanos, sink: &mut impl NetworkSink) {
        if self.stream.is_none() || self.writer().is_stopped() {
            return;
        }
        let own = &mut self.members[self.writer];
        own.on = own.on.ended(now);
        self.with_node(now, self.writer, sink, |node, sink| {
            node.stops(now, None, sink);
        });
        self.copies_of_primary_fail(now, sink);
    }

    /// When a node takes over, or the writer is started again.
    pub(super) fn next_recovery(&self) -> Nanos {
        self.take_over_at().min(self.restarts_at())
    }

    fn take_over_at(&self) -> Nanos {
        match (&self.loss, &self.spec.take_over) {
            (Some(loss), Some(own)) if self.heir(loss).is_some() => {
                loss.agreed.max(loss.since + own.after)
            }
            _ => NEVER,
        }
    }

    /// When the engine of the writer is started again, if somebody does it.
    fn restarts_at(&self) -> Nanos {
        let on = self.members[self.writer].on;
        match self.spec.membership.restart {
            Some(restart) if self.loss.is_some() && self.writer().is_stopped() => {
                on.starts(restart)
            }
            _ => NEVER,
        }
    }

    /// The writer is started again. One of a cluster refuses until it has met enough others.
    pub(super) fn writer_restarts(&mut self, now: Nanos, sink: &mut impl NetworkSink) {
        if self.restarts_at() > now {
            return;
        }
        let own = &mut self.members[self.writer];
        if let Host::Back(at) = own.on
            && own.in_flight > 0
        {
            own.on = Host::Back(at + SECOND);
            return;
        }
        own.on = Host::Up;
        let node = &mut self.nodes[self.writer];
        match &self.stream {
            Some(stream) => {
                let lost = node.lost_with_log(stream.ships());
                node.starts_again();
                self.primary_is_back(now, lost, sink);
            }
            None => {
                node.starts_again();
                node.refuses(true);
            }
        }
    }

    /// Who takes over, as things are.
    fn heir(&self, loss: &Loss) -> Option<usize> {
        if self.stream.is_some() {
            return self.heir_of_primary();
        }
        let votes = |of: usize| {
            let with = self.reached(loss, of);
            with.into_iter()
                .map(|it| self.members[it].weight)
                .sum::<u64>()
        };
        let mut whole = loss.whole.iter().copied();
        whole.find(|&it| !self.nodes[it].is_stopped() && 2 * votes(it) > loss.votes)
    }

    /// The members that live and that one of them reaches, with itself.
    fn reached(&self, loss: &Loss, from: usize) -> Vec<usize> {
        let members = loss.members.iter().copied();
        let reached = members.filter(|&it| !self.nodes[it].is_stopped() && self.reaches(from, it));
        reached.collect()
    }

    /// Begins a take-over that is due, and ends one when the node has applied what it has.
    pub(super) fn may_take_over(&mut self, now: Nanos, sink: &mut impl NetworkSink) {
        let Some(loss) = &mut self.loss else { return };
        // One that stops meanwhile does not.
        let (nodes, members) = (&self.nodes, &self.members);
        let stops = |it: usize| nodes[it].is_stopped() || members[it].on == Host::Paused;
        loss.promoted.take_if(|it| stops(*it));
        if !self.is_taken_over() && self.take_over_at() <= now {
            self.begins_to_take_over(now, sink);
        }
        if let Some(loss) = &self.loss
            && let Some(heir) = loss.promoted
            && self.has_applied_all(heir)
        {
            self.takes_over(now, heir, sink);
        }
    }

    /// Whether a node is about to serve in the writer's place.
    pub(super) fn is_taken_over(&self) -> bool {
        self.loss.as_ref().is_some_and(|it| it.promoted.is_some())
    }

    fn begins_to_take_over(&mut self, now: Nanos, sink: &mut impl NetworkSink) {
        let Some(heir) = self.loss.as_ref().and_then(|loss| self.heir(loss)) else {
            return;
        };
        if let Some(loss) = &mut self.loss {
            loss.promoted = Some(heir);
        }
        self.fences_primary(now, sink);
        tell(now, MembershipEvent::TakesOver(heir as u16), sink);
        self.gets_what_was_sent(now, heir, sink);
    }

    /// What a member has not received of what was sent it gets from the others, at once.
    fn gets_what_was_sent(&mut self, now: Nanos, node: usize, sink: &mut impl NetworkSink) {
        for kind in self.members[node].owed.take() {
            self.with_node(now, node, sink, |node, sink| node.receives(now, kind, sink));
        }
    }

    fn has_applied_all(&self, node: usize) -> bool {
        let has_log = self.stream.as_ref().is_none_or(|it| it.has_replayed(node));
        has_log && self.nodes[node].has_applied_all()
    }

    /// A node takes the load.
    fn takes_over(&mut self, now: Nanos, heir: usize, sink: &mut impl NetworkSink) {
        let old = self.writer;
        let lost = self.would_lose(heir);
        let mut lead = None;
        self.with_node(now, old, sink, |node, sink| {
            lead = Some(node.hands_over(now, sink));
        });
        let (Some(mut lead), Some(loss)) = (lead, self.loss.take()) else {
            return;
        };
        let counted = |node: usize| self.nodes[node].counted(now);
        self.carried = self.carried.and(counted(old)).less(counted(heir));
        let [before, after] = [old, heir].map(|it| self.nodes[it].spec().clone());
        let spec = OltpSpec::placed(before.clone(), &after);
        self.members[old].part = Some(OltpSpec::placed(after, &before).into());
        let component = self.reached(&loss, heir);
        let is_whole = |it: &usize| loss.whole.contains(it);
        let (whole, behind): (Vec<_>, Vec<_>) = component.into_iter().partition(is_whole);
        self.leads_from(heir);
        if self.stream.is_some() {
            self.follow_log_of(now, old, &mut lead, sink);
        }
        self.set_aside(now, old);
        if self.stream.is_none() {
            self.meet(now, loss.is_of_engine, (&whole, &behind), sink);
        }
        tell(now, MembershipEvent::Serves(heir as u16, lost), sink);
        self.with_node(now, heir, sink, |node, sink| {
            node.leads_on(now, spec, lead, sink);
        });
        self.looks_at_primary(now);
    }

    /// The one that had the load is no member any more.
    fn set_aside(&mut self, now: Nanos, old: usize) {
        let is_stopped = self.nodes[old].is_stopped();
        let own = &mut self.members[old];
        own.standing = match (is_stopped, self.spec.membership.restart) {
            _ if self.stream.as_ref().is_some_and(|it| !it.returns(old)) => Standing::Gone,
            (false, _) => Standing::Out(now),
            (true, Some(_)) => Standing::Out(NEVER),
            (true, None) => Standing::Gone,
        };
        if is_stopped {
            self.is_started(now, old);
        }
    }

    /// These are the group with the new writer, which is among those that are `whole`; the others
    /// get what they have missed.
    fn meet(
        &mut self,
        now: Nanos,
        is_of_engine: bool,
        (whole, behind): (&[usize], &[usize]),
        sink: &mut impl NetworkSink,
    ) {
        if let Quorum::Lost(since, _) = core::mem::replace(&mut self.quorum, Quorum::Has)
            && !is_of_engine
        {
            self.without_quorum += now - since;
        }
        self.order.starts_with([self.writer]);
        for &node in whole {
            self.gets_what_was_sent(now, node, sink);
            self.members[node].standing = Standing::Member;
            if node != self.writer {
                self.order.joins(node);
                self.look_at_queue(now, node, sink);
            }
        }
        for &node in behind {
            self.joins(now, node, sink);
        }
    }
}

impl Oltp {
    /// Whether nothing of what it has received is left to be applied.
    fn has_applied_all(&self) -> bool {
        let progress = self.progress();
        progress.applied == progress.received
    }
}

impl OltpSpec {
    /// An engine like `part`, with the files and cores of another.
    fn placed(part: Self, place: &Self) -> Self {
        let mut placed = Self {
            data: place.data,
            host: place.host,
            cores: place.cores,
            binlog: place.binlog,
            doublewrite: place.doublewrite,
            relay_log: place.relay_log,
            ..part
        };
        placed.log.region = place.log.region;
        placed
    }
}
