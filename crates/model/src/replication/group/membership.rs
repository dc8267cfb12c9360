//! Who is a member of the group, as Galera's group communication has it.
//!
//! A member that is not heard of is silent: a write set is certified only when every member has
//! it, so all commits wait, until the silent ones have been given up. Those that are left go on if
//! they have more than half of the votes of all members before; otherwise they refuse transactions
//! until enough are back. Who comes back gets what it has missed.
//!
//! Until another takes over, links between the other nodes are not looked at: those that the
//! writer does not reach are taken to reach each other, and none of those that it does reach. The
//! messages by which members agree on all this are left out.

use alloc::vec::Vec;
use core::mem;

use super::quorum::Quorum;
use super::standing::{Host, Standing, Sync};
use super::{Group, tell};
use crate::event_queue::NEVER;
use crate::replication::NetworkSink;
use crate::units::{Nanos, SECOND};
use crate::workload::MembershipEvent;

impl Group {
    /// Other ways of a link between two nodes are cut, by the end that sends. One way is not
    /// enough: who hears and is not heard gets no answers, and its connections are closed.
    pub(crate) fn link_turned(
        &mut self,
        now: Nanos,
        link: usize,
        cut: [bool; 2],
        sink: &mut impl NetworkSink,
    ) {
        if let Some(path) = self.turn_link(now, link, cut, sink) {
            self.path_turned(now, path, sink);
        }
        self.looks_at_primary(now, sink);
        self.messages(now, sink);
    }

    /// Nodes whose links have worked for some time hear each other again.
    pub(super) fn hear(&mut self, now: Nanos, sink: &mut impl NetworkSink) {
        while self.next_heard() <= now {
            if let Some(path) = self.next_whole(now) {
                self.path_turned(now, path, sink);
            }
        }
    }

    /// The ends of a path hear each other again, or do not any more.
    fn path_turned(&mut self, now: Nanos, path: usize, sink: &mut impl NetworkSink) {
        let is_whole = self.paths[path].link.is_whole();
        let Some(other) = self.others().find(|&it| self.members[it].path == path) else {
            return;
        };
        match is_whole {
            _ if self.stream.is_some() => self.standby_turned(now, other),
            false => self.falls_silent(now, other, sink),
            true => self.is_heard(now, other, sink),
        }
    }

    /// A host was lost, or is back.
    pub(crate) fn host_turned(
        &mut self,
        now: Nanos,
        host: usize,
        is_up: bool,
        sink: &mut impl NetworkSink,
    ) {
        let Some(node) = self.members.iter().position(|it| it.host == host) else {
            return;
        };
        self.members[node].on = if is_up { Host::Back(now) } else { Host::Down };
        match is_up {
            false if self.nodes[node].is_stopped() => {}
            false => self.with_node(now, node, sink, |node, sink| node.stops(now, None, sink)),
            true => self.is_started(now, node),
        }
        self.looks_at_primary(now, sink);
        self.messages(now, sink);
    }

    /// The processors of a host are so fast from now on, in 1/1000.
    pub(crate) fn host_runs_at(
        &mut self,
        now: Nanos,
        host: usize,
        speed: u32,
        sink: &mut impl NetworkSink,
    ) {
        let Some(node) = self.members.iter().position(|it| it.host == host) else {
            return;
        };
        let on = &mut self.members[node].on;
        *on = on.turned(now, speed > 0);
        if node == self.writer && self.stream.is_none() {
            self.writer_pauses(now, speed == 0, sink);
        }
        self.with_node(now, node, sink, |node, sink| node.runs_at(now, speed, sink));
        self.is_started(now, node);
        self.looks_at_primary(now, sink);
        self.messages(now, sink);
    }

    /// The host of a cluster's writer is paused, or goes on. What is silent then is the writer:
    /// that it does not hear the others is nothing that anybody notices.
    fn writer_pauses(&mut self, now: Nanos, is_paused: bool, sink: &mut impl NetworkSink) {
        if !is_paused {
            return self.finds_itself_outside(now, sink);
        }
        let is_one = self.loss.is_none() && self.others().any(|it| self.is_member(it));
        if is_one && self.silent_writer.is_none() && !self.writer().is_stopped() {
            self.silent_writer = Some(now);
            tell(now, MembershipEvent::Silent(self.writer as u16), sink);
        }
    }

    /// Whether the host of the writer is paused.
    pub(super) fn is_paused(&self) -> bool {
        self.members[self.writer].on == Host::Paused
    }

    /// Whether a node says nothing more by itself.
    pub(super) fn is_gone(&self, other: usize) -> bool {
        self.nodes[other].is_stopped() || self.members[other].on == Host::Paused
    }

    /// The engine of another node has stopped, perhaps some time ago.
    pub(super) fn engine_has_stopped(
        &mut self,
        now: Nanos,
        other: usize,
        sink: &mut impl NetworkSink,
    ) {
        let of = &mut self.members[other];
        match (of.standing, self.spec.membership.restart) {
            (Standing::Member, _) => self.falls_silent(now, other, sink),
            (Standing::Out(_), None) => of.standing = Standing::Gone,
            (Standing::Out(from), Some(_)) if from < NEVER => {
                of.standing = Standing::Out(NEVER);
                self.is_started(now, other);
            }
            _ => {}
        }
    }

    /// Nothing more is heard of another node, which matters if it is a member.
    fn falls_silent(&mut self, now: Nanos, other: usize, sink: &mut impl NetworkSink) {
        let standing = self.members[other].standing;
        if standing != Standing::Member || self.writer().is_stopped() {
            return;
        }
        self.members[other].standing = Standing::Silent(now);
        self.silent_since.get_or_insert(now);
        if !self.is_paused() || self.is_gone(other) {
            tell(now, MembershipEvent::Silent(other as u16), sink);
        }
    }

    /// Whether a silent node lives and reaches others that the writer reaches.
    fn is_heard_by_others(&self, other: usize) -> bool {
        !self.nodes[other].is_stopped() && self.way_round([self.writer, other]).is_some()
    }

    /// Two nodes reach each other neither directly nor by others.
    pub(super) fn is_reached_no_more(
        &mut self,
        now: Nanos,
        ends: [usize; 2],
        sink: &mut impl NetworkSink,
    ) {
        if let Some(other) = self.other_end(ends) {
            self.falls_silent(now, other, sink);
        }
    }

    /// Of two nodes the one that is not the writer, if the other is.
    pub(super) fn other_end(&self, ends: [usize; 2]) -> Option<usize> {
        match ends {
            [writer, other] | [other, writer] if writer == self.writer => Some(other),
            _ => None,
        }
    }

    /// Another node is heard again.
    pub(super) fn is_heard(&mut self, now: Nanos, other: usize, sink: &mut impl NetworkSink) {
        let is_alive = !self.nodes[other].is_stopped();
        let of = &mut self.members[other];
        match of.standing {
            // A way round was taken before.
            Standing::Member if is_alive => return,
            Standing::Silent(_) if is_alive => of.standing = Standing::Member,
            Standing::Out(from) if is_alive => {
                of.standing = Standing::Out(from.max(now));
                return;
            }
            _ => return self.is_started(now, other),
        }
        tell(now, MembershipEvent::Heard(other as u16), sink);
        if self.silent_writer.take().is_some() {
            tell(now, MembershipEvent::Heard(self.writer as u16), sink);
        }
        self.nobody_is_silent(now);
        self.look_at_queue(now, other, sink);
    }

    /// When another node joins whose engine has stopped: if it was given up, its host is back and
    /// somebody starts it.
    pub(super) fn is_started(&mut self, now: Nanos, other: usize) {
        let restart = self.spec.membership.restart;
        let of = &mut self.members[other];
        if let (Standing::Out(_), Some(restart), Host::Back(_)) = (of.standing, restart, of.on) {
            of.standing = Standing::Out(of.on.starts(restart).max(now));
        }
    }

    pub(super) fn nobody_is_silent(&mut self, now: Nanos) {
        if !self
            .others()
            .any(|it| self.members[it].standing.is_silent())
            && let Some(since) = self.silent_since.take()
        {
            self.silent += now - since;
        }
    }

    /// When members are given up or let back next, or another takes over. Nothing is asked of the
    /// others while the writer has stopped.
    pub(super) fn next_change(&self, now: Nanos) -> Nanos {
        if self.is_taken_over() {
            return NEVER;
        }
        let stream = self.stream.as_ref();
        let gone = stream.map_or(NEVER, |it| it.next_gone(now));
        let alive = stream.filter(|_| !self.writer().is_stopped());
        let timeout = alive.map_or(NEVER, |it| it.next_timeout());
        let recovery = self.next_recovery().min(gone).min(timeout);
        let is_settled = |it: usize| {
            !matches!(
                self.members[it].standing,
                Standing::Silent(_) | Standing::Out(_)
            )
        };
        let recovery = recovery.min(self.next_route(now));
        if self.writer().is_stopped() {
            return recovery.min(self.next_alone());
        }
        if self.failed_copies().next().is_some() {
            return now;
        }
        if self.others().all(is_settled) {
            return recovery;
        }
        recovery.min(self.given_up_at()).min(self.back_at())
    }

    /// When those that are silent are given up: all at once, as the others cannot agree before, and
    /// none that another hears.
    pub(super) fn given_up_at(&self) -> Nanos {
        let given_up = |it: usize| match self.members[it].standing {
            Standing::Silent(since) if !self.is_heard_by_others(it) => Some(self.agreed_at(since)),
            _ => None,
        };
        let last = self.others().filter_map(given_up).max();
        last.unwrap_or(NEVER)
    }

    /// When the rest has agreed that one is gone of which nothing has been heard since then.
    pub(super) fn agreed_at(&self, since: Nanos) -> Nanos {
        self.suspected_at(since) + self.spec.membership.agree
    }

    /// When the rest begins to agree on that.
    fn suspected_at(&self, since: Nanos) -> Nanos {
        let own = self.spec.membership;
        (since + own.suspect).div_ceil(own.check) * own.check
    }

    /// When the others begin to agree that a node is gone, or [`NEVER`].
    pub(super) fn suspects_at(&self, node: usize) -> Nanos {
        match self.members[node].standing {
            Standing::Silent(since) if !self.is_heard_by_others(node) => self.suspected_at(since),
            _ => NEVER,
        }
    }

    /// Whether another node is a member.
    pub(super) fn is_member(&self, other: usize) -> bool {
        self.members[other].standing.is_member()
    }

    /// Gives up, lets back and starts whoever it is time for.
    pub(super) fn change_members(&mut self, now: Nanos, sink: &mut impl NetworkSink) {
        self.change_routes(now, sink);
        self.writer_restarts(now, sink);
        if self.writer().is_stopped() {
            return self.start_alone(now, sink);
        }
        let failed: Vec<_> = self.failed_copies().collect();
        for other in failed {
            self.gives_up_copy(now, other, sink);
        }
        if self.given_up_at() <= now {
            self.gives_up(now, sink);
        }
        if self.back_at() > now {
            return;
        }
        let back = self.could_return().filter(|&(_, from)| from <= now);
        let back: Vec<_> = back.map(|(other, _)| other).collect();
        if let Quorum::Lost(since, _) = mem::replace(&mut self.quorum, Quorum::Has) {
            self.regains_quorum(now, since, sink);
        }
        back.into_iter().for_each(|it| self.joins(now, it, sink));
    }

    /// Those of them that have all that was certified.
    pub(super) fn whole(&self, of: &[usize]) -> Vec<usize> {
        let of = of.iter().copied();
        of.filter(|&it| self.members[it].owed.is_none()).collect()
    }

    /// A silent member is no member any more.
    pub(super) fn leaves(&mut self, now: Nanos, other: usize, sink: &mut impl NetworkSink) {
        self.is_left_behind(now, other, sink);
        tell(now, MembershipEvent::Left(other as u16), sink);
    }

    /// A member and the writer are no group any more.
    pub(super) fn is_left_behind(&mut self, now: Nanos, other: usize, sink: &mut impl NetworkSink) {
        let back = now + self.spec.membership.time_wait;
        self.sets_out(now, other, back, sink);
    }

    /// Another node is outside, and may be back from some time on. What it has not got of what was
    /// sent it is owed.
    pub(super) fn sets_out(
        &mut self,
        now: Nanos,
        other: usize,
        back: Nanos,
        sink: &mut impl NetworkSink,
    ) {
        self.copies_no_more(now, other, sink);
        let is_stopped = self.nodes[other].is_stopped();
        let of = &mut self.members[other];
        of.standing = match (is_stopped, self.spec.membership.restart) {
            (false, _) => Standing::Out(back),
            // Not before its host is back.
            (true, Some(_)) => Standing::Out(NEVER),
            (true, None) => Standing::Gone,
        };
        of.stopping += of.stopped.take().map_or(0, |since| now - since);
        of.owed.take_back(of.under_way.drain(..));
        self.forget_paths_of(other);
        if self.stream.is_none() {
            self.order.leaves(other);
            self.sends_ordered();
        }
        if is_stopped {
            self.is_started(back, other);
        }
    }

    /// Another node is a member again, and gets what it is owed.
    pub(super) fn joins(&mut self, now: Nanos, other: usize, sink: &mut impl NetworkSink) {
        if self.needs_copy(other) {
            return self.joins_by_copy(now, other, sink);
        }
        if !self.takes_its_part(other) {
            self.members[other].standing = Standing::Out(now + SECOND);
            return;
        }
        if self.stream.is_some() {
            return self.follows_again(now, other, sink);
        }
        let owed = self.members[other].owed.bytes().unwrap_or(0);
        let of = &mut self.members[other];
        (of.standing, of.sync) = (Standing::Member, Sync::Receives);
        self.order.joins(other);
        tell(now, MembershipEvent::Back(other as u16, owed), sink);
        self.sends_owed(other);
        self.look_at_queue(now, other, sink);
    }

    /// The engine of a node that comes back is started, or applies from now on, unless it has IO
    /// to end first: one that has run on, what threads read for transactions that were asked of it.
    pub(super) fn takes_its_part(&mut self, other: usize) -> bool {
        let (of, node) = (&mut self.members[other], &mut self.nodes[other]);
        let is_stopped = node.is_stopped();
        let changes = is_stopped || of.part.is_some();
        let in_flight = if is_stopped { of.in_flight } else { of.reading };
        if changes && in_flight > 0 {
            return false;
        }
        if let Some(part) = of.part.take() {
            node.follows(*part);
        }
        if is_stopped {
            let lost = node.starts_again();
            match &mut self.stream {
                Some(stream) => stream.replays_again(other, lost),
                None => of.owed.take_back_before(lost),
            }
            of.on = Host::Up;
        }
        true
    }
}
