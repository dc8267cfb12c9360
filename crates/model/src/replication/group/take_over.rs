//! Another node takes the load over from a writer that cannot serve.
//!
//! The writer is lost when its engine stops, when its host is paused until the others have given it
//! up, or when it has no quorum and the others do. Clients are refused meanwhile, but by a paused
//! host, which answers nothing. Of a cluster the first member that is whole and reaches a majority
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
use crate::workload::io::Slot;
use crate::workload::oltp::Oltp;
use crate::workload::oltp::spec::OltpSpec;

/// The writer cannot serve.
#[derive(Clone, Debug)]
pub(super) struct Loss {
    /// Since when, and when the others have agreed on it.
    since: Nanos,
    agreed: Nanos,
    pub(super) cause: Cause,
    /// It was told that those that are left are too few.
    pub(super) is_told: bool,
    /// Votes of all that were members, and who that was beside the writer.
    votes: u64,
    members: Vec<usize>,
    /// Those of them that had all that was certified.
    whole: Vec<usize>,
    heir: Heir,
}

/// Why the writer cannot serve.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) enum Cause {
    /// Its engine has stopped, ...
    Engine,
    /// ... or it and those that it reaches are too few, and it refuses, ...
    Quorum,
    /// ... or the others have given it up and its host is paused: these threads wait there for
    /// their commits, and fail once it goes on.
    Pause(Vec<Slot>),
}

/// Who takes over.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Heir {
    Sought,
    /// Nobody, as the next in line lacks too much.
    HeldBack,
    /// Nobody, and the writer, which lives, refuses since then.
    Demoted(Nanos),
    /// This node, which has yet to apply what it has.
    Promoted(usize),
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
            cause: Cause::Quorum,
            is_told: false,
            votes,
            members,
            whole,
            heir: Heir::Sought,
        }
    }
}

impl Loss {
    /// The same, of a writer whose host is paused since then.
    pub(super) fn of_pause(self, since: Nanos) -> Self {
        let cause = Cause::Pause(Vec::new());
        Self {
            since,
            cause,
            ..self
        }
    }

    pub(super) fn is_of_engine(&self) -> bool {
        self.cause == Cause::Engine
    }
}

impl Group {
    /// The writer's engine has stopped.
    pub(super) fn writer_has_stopped(&mut self, now: Nanos, sink: &mut impl NetworkSink) {
        self.source_has_stopped(now, sink);
        let is_known = self.loss.is_some();
        if is_known && self.stream.is_some() {
            // It did not answer before. Where it refused, it now does not even do that.
            self.reinstates(now);
            return self.copies_of_primary_fail(now, sink);
        }
        if let Some(loss) = &mut self.loss
            && matches!(loss.cause, Cause::Pause(_))
        {
            loss.cause = Cause::Engine;
        }
        if is_known || !self.spec.serves_again() {
            return;
        }
        let since = self.silent_writer.take().unwrap_or(now);
        let members: Vec<_> = match self.stream {
            Some(_) => self.others().collect(),
            None => self.others().filter(|&it| self.is_member(it)).collect(),
        };
        let whole = self.whole(&members);
        let others: u64 = members.iter().map(|&it| self.members[it].weight).sum();
        let votes = others + self.members[self.writer].weight;
        let loss = Loss {
            cause: Cause::Engine,
            ..Loss::of_quorum(since, votes, members.clone(), whole)
        };
        if self.stream.is_some() {
            self.says_no_more(now);
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
        let agreed = self.agreed_at(since).max(now);
        self.loses_quorum(now, regained, Loss { agreed, ..loss }, sink);
    }

    /// The primary does not answer: a standby is promoted like of one whose host is lost, unless it
    /// answers before.
    pub(super) fn primary_is_lost(&mut self, now: Nanos) {
        self.says_no_more(now);
        self.loss.get_or_insert_with(|| Loss {
            cause: Cause::Engine,
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
        let known = self.too_few_at();
        self.take_over_at().min(self.restarts_at()).min(known)
    }

    /// When those that are left of a cluster are known to be too few, without a writer that says
    /// so.
    fn too_few_at(&self) -> Nanos {
        let silent = |loss: &&Loss| loss.cause != Cause::Quorum && !loss.is_told;
        match self.loss.as_ref().filter(silent) {
            Some(loss) if self.stream.is_none() && !self.has_majority_without(loss) => loss.agreed,
            _ => NEVER,
        }
    }

    /// Whether those that are left of a cluster are the group.
    fn has_majority_without(&self, loss: &Loss) -> bool {
        let mut members = loss.members.iter();
        members.any(|&it| self.has_majority_of(loss, it))
    }

    /// Whether the others serve on, or could, while the writer stands still.
    pub(super) fn rest_has_quorum(&self) -> bool {
        let loss = self.loss.as_ref();
        loss.is_some_and(|it| matches!(it.cause, Cause::Pause(_)) && !it.is_told)
    }

    /// It is told once, when it is known.
    fn may_be_too_few(&mut self, now: Nanos, sink: &mut impl NetworkSink) {
        if self.too_few_at() > now {
            return;
        }
        // Those that are heard in this very moment count.
        self.hear(now, sink);
        if self.too_few_at() > now {
            return;
        }
        if let Some(loss) = &mut self.loss {
            loss.is_told = true;
            tell(now, MembershipEvent::NoQuorum, sink);
        }
    }

    fn take_over_at(&self) -> Nanos {
        let (Some(loss), Some(own)) = (&self.loss, &self.spec.take_over) else {
            return NEVER;
        };
        let fails = || self.held_back().is_some() || self.is_cut_off();
        let is_due = self.heir(loss).is_some() || loss.heir == Heir::Sought && fails();
        match is_due {
            true => loss.agreed.max(loss.since + own.after),
            false => NEVER,
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
                let log = stream.ships();
                let (lost, undone) = (node.lost_with_log(log), node.sent_and_lost(log));
                node.starts_again();
                self.primary_is_back(now, (lost, undone), sink);
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
        let mut whole = loss.whole.iter().copied();
        whole.find(|&it| self.has_majority_of(loss, it))
    }

    /// Whether a member, with those that it reaches, has more than half of the votes of before.
    pub(super) fn has_majority_of(&self, loss: &Loss, member: usize) -> bool {
        let with = self.reached(loss, member).into_iter();
        let votes: u64 = with.map(|it| self.members[it].weight).sum();
        !self.is_gone(member) && 2 * votes > loss.votes
    }

    /// The members that live and that one of them reaches, with itself.
    fn reached(&self, loss: &Loss, from: usize) -> Vec<usize> {
        let members = loss.members.iter().copied();
        let reached = members.filter(|&it| !self.is_gone(it) && self.reaches(from, it));
        reached.collect()
    }

    /// Begins a take-over that is due, and ends one when the node has applied what it has.
    pub(super) fn may_take_over(&mut self, now: Nanos, sink: &mut impl NetworkSink) {
        self.may_be_too_few(now, sink);
        let Some(loss) = &mut self.loss else { return };
        // One that stops meanwhile does not.
        if let Heir::Promoted(heir) = loss.heir
            && (self.nodes[heir].is_stopped() || self.members[heir].on == Host::Paused)
        {
            loss.heir = Heir::Sought;
        }
        if !self.is_taken_over() && self.take_over_at() <= now {
            self.begins_to_take_over(now, sink);
        }
        if let Some(loss) = &self.loss
            && let Heir::Promoted(heir) = loss.heir
            && self.has_applied_all(heir)
        {
            self.takes_over(now, heir, sink);
        }
    }

    /// Whether a node is about to serve in the writer's place.
    pub(super) fn is_taken_over(&self) -> bool {
        let heir = self.loss.as_ref().map(|it| it.heir);
        matches!(heir, Some(Heir::Promoted(_)))
    }

    fn begins_to_take_over(&mut self, now: Nanos, sink: &mut impl NetworkSink) {
        let heir = self.loss.as_ref().and_then(|it| self.heir(it));
        let Some(heir) = heir else {
            return self.nobody_takes_over(now, sink);
        };
        self.reinstates(now);
        if let Some(loss) = &mut self.loss {
            loss.heir = Heir::Promoted(heir);
        }
        self.fences_primary(now, sink);
        tell(now, MembershipEvent::TakesOver(heir as u16), sink);
        self.gets_what_was_sent(now, heir, sink);
    }

    /// The one that should lacks too much, or there is none. A primary that lives and cannot renew
    /// its leader key is demoted all the same.
    fn nobody_takes_over(&mut self, now: Nanos, sink: &mut impl NetworkSink) {
        if let Some((next, lacks)) = self.held_back() {
            tell(now, MembershipEvent::NotPromoted(next as u16, lacks), sink);
        }
        let is_cut_off = self.is_cut_off();
        let Some(loss) = &mut self.loss else { return };
        loss.heir = Heir::HeldBack;
        if is_cut_off {
            loss.heir = Heir::Demoted(now);
            self.nodes[self.writer].refuses(true);
            tell(now, MembershipEvent::NoQuorum, sink);
        }
    }

    /// The primary answers again, before another has taken over.
    pub(super) fn primary_answers(&mut self, now: Nanos, sink: &mut impl NetworkSink) {
        if self.reinstates(now) {
            tell(now, MembershipEvent::Quorum, sink);
        }
        self.loss = None;
    }

    /// The primary need not refuse any more. Whether it did.
    fn reinstates(&mut self, now: Nanos) -> bool {
        let Some(since) = self.demoted_since() else {
            return false;
        };
        self.without_quorum += now - since;
        self.nodes[self.writer].refuses(false);
        if let Some(loss) = &mut self.loss {
            loss.heir = Heir::HeldBack;
        }
        true
    }

    /// Since when the primary refuses, if it does.
    pub(super) fn demoted_since(&self) -> Option<Nanos> {
        match self.loss.as_ref()?.heir {
            Heir::Demoted(since) => Some(since),
            _ => None,
        }
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
            self.meet(now, &loss.cause, (&whole, &behind), sink);
        }
        tell(now, MembershipEvent::Serves(heir as u16, lost), sink);
        self.with_node(now, heir, sink, |node, sink| {
            node.leads_on(now, spec, lead, sink);
        });
        self.looks_at_primary(now, sink);
    }

    /// The one that had the load is no member any more.
    fn set_aside(&mut self, now: Nanos, old: usize) {
        let is_stopped = self.nodes[old].is_stopped();
        self.silent_writer = None;
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
        cause: &Cause,
        (whole, behind): (&[usize], &[usize]),
        sink: &mut impl NetworkSink,
    ) {
        if let Quorum::Lost(since, _) = core::mem::replace(&mut self.quorum, Quorum::Has)
            && *cause == Cause::Quorum
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
