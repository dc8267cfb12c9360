//! Who is a member of the group, as Galera's group communication has it.
//!
//! A member that is not heard of is silent: a write set is certified only when every member has
//! it, so all commits wait, until the silent ones have been given up. Those that are left go on if
//! they have more than half of the votes of all members before; otherwise they refuse transactions
//! until enough are back. Who comes back gets what it has missed.
//!
//! Links between the other nodes are not known here. So those that the first node does not reach
//! are taken to reach each other, and none of those that it does reach. The messages by which
//! members agree on all this are left out.

use alloc::vec::Vec;
use core::mem;

use super::{Group, Other};
use crate::event_queue::NEVER;
use crate::units::{Bytes, Nanos, SECOND};
use crate::workload::facts::{Fact, MembershipChange, MembershipEvent};
use crate::workload::io::IoSink;

/// How another node stands to the group.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Standing {
    /// A member.
    Member,
    /// A member again, which has yet to apply what it has missed. It stops nobody meanwhile.
    Joining,
    /// A member of which nothing has been heard since then.
    Silent(Nanos),
    /// It was given up, may come back from then on, and is owed what was certified meanwhile.
    Out(Nanos),
    /// It was given up and is owed more than is kept.
    Outdated,
    /// Its engine has stopped, and it was given up.
    Gone,
}

impl Standing {
    /// Whether what is sent waits for it.
    pub(super) fn is_member(self) -> bool {
        matches!(self, Self::Member | Self::Joining | Self::Silent(_))
    }

    fn is_silent(self) -> bool {
        matches!(self, Self::Silent(_))
    }
}

/// Whether the first node and those that it reaches are the group.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) enum Quorum {
    Has,
    /// They are not since then, and are again once enough have met.
    Lost(Nanos, Regained),
}

/// What brings the first node back into a group that serves.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) enum Regained {
    /// The others have gone on as the group, with so many votes: it meets more than half of them.
    ByVotes(u64),
    /// Nobody has gone on: all of these meet, who were members before.
    ByAll(Vec<usize>),
}

impl Group {
    /// Its link to another node went down, or works again.
    pub(in crate::workload) fn link_turned(
        &mut self,
        now: Nanos,
        link: usize,
        is_up: bool,
        sink: &mut impl IoSink,
    ) {
        let mut others = self.others.iter();
        let Some(other) = others.position(|it| it.link_end.0 == link) else {
            return;
        };
        let (of, released) = (&mut self.others[other].link, &mut self.released);
        match is_up {
            false => of.cut(now),
            true => sink.over_network(|processors| of.restore(now, processors, released)),
        }
        self.released.clear();
        if self.stream.is_none() {
            match is_up {
                false => self.is_cut_off(now, other, sink),
                true => self.is_heard(now, other, sink),
            }
        }
        self.messages(now, sink);
    }

    /// The link of another node is down.
    fn is_cut_off(&mut self, now: Nanos, other: usize, sink: &mut impl IoSink) {
        let is_stopped = self.nodes[1 + other].is_stopped();
        let of = &mut self.others[other];
        of.host_back = 0;
        match of.standing {
            Standing::Member | Standing::Joining => self.falls_silent(now, other, sink),
            Standing::Out(_) if is_stopped => of.standing = Standing::Out(NEVER),
            _ => {}
        }
    }

    /// The engine of another node has stopped, perhaps some time ago.
    pub(super) fn engine_has_stopped(&mut self, now: Nanos, other: usize, sink: &mut impl IoSink) {
        let of = &mut self.others[other];
        match (of.standing, self.spec.membership.restart) {
            (Standing::Member | Standing::Joining, _) => self.falls_silent(now, other, sink),
            (Standing::Out(_), None) => of.standing = Standing::Gone,
            (Standing::Out(_), Some(_)) if of.host_back == 0 => of.standing = Standing::Out(NEVER),
            _ => {}
        }
    }

    /// Nothing more is heard of a member.
    fn falls_silent(&mut self, now: Nanos, other: usize, sink: &mut impl IoSink) {
        self.others[other].standing = Standing::Silent(now);
        self.silent_since.get_or_insert(now);
        tell(now, MembershipEvent::Silent(other as u16), sink);
    }

    /// The link of another node works again.
    fn is_heard(&mut self, now: Nanos, other: usize, sink: &mut impl IoSink) {
        let is_alive = !self.nodes[1 + other].is_stopped();
        let of = &mut self.others[other];
        match of.standing {
            Standing::Silent(_) if is_alive => {
                of.standing = match of.owed.is_none() {
                    true => Standing::Member,
                    false => Standing::Joining,
                };
            }
            Standing::Out(from) if is_alive => {
                of.standing = Standing::Out(from.max(now));
                return;
            }
            Standing::Out(_) | Standing::Silent(_) => {
                of.host_back = now;
                self.is_started(now, other);
                return;
            }
            _ => return,
        }
        tell(now, MembershipEvent::Heard(other as u16), sink);
        self.nobody_is_silent(now);
        self.look_at_queue(now, other, sink);
    }

    /// The engine of another node has stopped, and its host is back: when it joins, if it was given
    /// up and somebody starts it.
    fn is_started(&mut self, now: Nanos, other: usize) {
        let restart = self.spec.membership.restart;
        let of = &mut self.others[other];
        if let (Standing::Out(_), Some(restart)) = (of.standing, restart) {
            of.standing = Standing::Out((of.host_back + restart).max(now));
        }
    }

    fn nobody_is_silent(&mut self, now: Nanos) {
        if !self.others.iter().any(|it| it.standing.is_silent())
            && let Some(since) = self.silent_since.take()
        {
            self.silent += now - since;
        }
    }

    /// When members are given up or let back next; never once the first node has stopped, as
    /// nothing is asked of the others.
    pub(super) fn next_change(&self) -> Nanos {
        let is_settled =
            |it: &Other| !matches!(it.standing, Standing::Silent(_) | Standing::Out(_));
        if self.nodes[0].is_stopped() || self.others.iter().all(is_settled) {
            return NEVER;
        }
        self.given_up_at().min(self.back_at())
    }

    /// When those that are silent are given up: all at once, as the others cannot agree before.
    fn given_up_at(&self) -> Nanos {
        let given_up = |it: &Other| match it.standing {
            Standing::Silent(since) => Some(since + self.spec.membership.suspect),
            _ => None,
        };
        let last = self.others.iter().filter_map(given_up).max();
        let check = self.spec.membership.check;
        last.map_or(NEVER, |at| at.div_ceil(check) * check)
    }

    /// When the next may come back that can: without a quorum, when enough can.
    fn back_at(&self) -> Nanos {
        let mut times: Vec<_> = self.could_return().map(|(_, from)| from).collect();
        times.sort_unstable();
        let enough = |&at: &Nanos| match &self.quorum {
            Quorum::Has => true,
            Quorum::Lost(_, regained) => self.is_regained(at, regained),
        };
        times.into_iter().find(enough).unwrap_or(NEVER)
    }

    /// Those that were given up, live and are reached, and from when on they may come back.
    fn could_return(&self) -> impl Iterator<Item = (usize, Nanos)> {
        let others = self.others.iter().enumerate();
        others.filter_map(|(other, it)| match it.standing {
            Standing::Out(from) if it.link.up && from < NEVER => Some((other, from)),
            _ => None,
        })
    }

    /// Whether enough may come back by `now` for the group to serve.
    fn is_regained(&self, now: Nanos, regained: &Regained) -> bool {
        let back = || self.could_return().filter(|&(_, from)| from <= now);
        match regained {
            Regained::ByVotes(votes) => {
                let met: u64 = back().map(|(other, _)| self.votes_of(other)).sum();
                2 * met > *votes
            }
            Regained::ByAll(all) => all.iter().all(|one| back().any(|(other, _)| other == *one)),
        }
    }

    fn votes_of(&self, other: usize) -> u64 {
        self.spec.nodes[other].weight.into()
    }

    /// Gives up and lets back whoever it is time for.
    pub(super) fn change_members(&mut self, now: Nanos, sink: &mut impl IoSink) {
        if self.given_up_at() <= now {
            self.gives_up(now, sink);
        }
        if self.back_at() > now {
            return;
        }
        let back = self.could_return().filter(|&(_, from)| from <= now);
        let back: Vec<_> = back.map(|(other, _)| other).collect();
        if let Quorum::Lost(since, _) = mem::replace(&mut self.quorum, Quorum::Has) {
            self.without_quorum += now - since;
            self.nodes[0].refuses(false);
            tell(now, MembershipEvent::Quorum, sink);
        }
        back.into_iter().for_each(|it| self.joins(now, it, sink));
    }

    /// The silent ones are given up.
    fn gives_up(&mut self, now: Nanos, sink: &mut impl IoSink) {
        let numbers = 0..self.others.len();
        let (silent, members): (Vec<usize>, Vec<usize>) = numbers
            .filter(|&it| self.others[it].standing.is_member())
            .partition(|&it| self.others[it].standing.is_silent());
        for &other in &silent {
            self.leaves(now, other, sink);
        }
        self.nobody_is_silent(now);
        let votes = |of: &[usize]| of.iter().map(|&it| self.votes_of(it)).sum::<u64>();
        let staying = u64::from(self.spec.membership.weight) + votes(&members);
        let before = staying + votes(&silent);
        if 2 * staying > before {
            for &other in &silent {
                let held = self.flow.leave(now, other);
                self.let_go_on(now, held, sink);
            }
            return self.certify(now, sink);
        }
        let alive = |it: &usize| !self.nodes[1 + it].is_stopped();
        let elsewhere: Vec<_> = silent.iter().copied().filter(alive).collect();
        let elsewhere = votes(&elsewhere);
        let regained = match 2 * elsewhere > before {
            true => Regained::ByVotes(elsewhere),
            false => Regained::ByAll(silent.into_iter().chain(members.iter().copied()).collect()),
        };
        self.loses_quorum(now, regained, &members, sink);
    }

    /// A silent member is no member any more.
    fn leaves(&mut self, now: Nanos, other: usize, sink: &mut impl IoSink) {
        let back = now + self.spec.membership.time_wait;
        self.sets_out(now, other, back);
        tell(now, MembershipEvent::Left(other as u16), sink);
    }

    /// Another node is outside, and may be back from some time on. What it has not got of what was
    /// sent it is owed.
    fn sets_out(&mut self, now: Nanos, other: usize, back: Nanos) {
        let is_stopped = self.nodes[1 + other].is_stopped();
        let sent = self.others[other].under_way.iter();
        let sent: Bytes = sent.map(|&kind| self.write_set_bytes(kind)).sum();
        let of = &mut self.others[other];
        of.owed_bytes += sent;
        of.standing = match (is_stopped, self.spec.membership.restart) {
            (false, _) => Standing::Out(back),
            // Not before its host is back.
            (true, Some(_)) => Standing::Out(NEVER),
            (true, None) => Standing::Gone,
        };
        of.link.forget();
        of.stopping += of.stopped.take().map_or(0, |since| now - since);
        of.owed.take_back(of.under_way.drain(..));
        self.unsent.retain(|&(whose, ..)| whose != other);
        if is_stopped && self.others[other].host_back > 0 {
            self.is_started(back, other);
        }
    }

    /// The first node and the `members` that it reaches are too few: what is not certified fails,
    /// and transactions are refused.
    fn loses_quorum(
        &mut self,
        now: Nanos,
        regained: Regained,
        members: &[usize],
        sink: &mut impl IoSink,
    ) {
        for &other in members {
            self.sets_out(now, other, now);
        }
        self.quorum = Quorum::Lost(now, regained);
        self.nodes[0].refuses(true);
        tell(now, MembershipEvent::NoQuorum, sink);
        for thread in self.flow.give_up(now) {
            self.with_node(now, 0, sink, |node, sink| {
                node.fails_to_commit(now, thread, sink);
            });
        }
    }

    /// Another node is a member again, and gets what it is owed.
    fn joins(&mut self, now: Nanos, other: usize, sink: &mut impl IoSink) {
        let of = &mut self.others[other];
        if self.nodes[1 + other].is_stopped() {
            if of.in_flight > 0 {
                of.standing = Standing::Out(now + SECOND);
                return;
            }
            of.owed
                .take_back_before(self.nodes[1 + other].starts_again());
            of.host_back = 0;
        }
        let owed = self.owed_bytes(other);
        self.others[other].standing = Standing::Joining;
        self.flow.join(other);
        tell(now, MembershipEvent::Back(other as u16, owed), sink);
        self.sends_owed(other);
        self.look_at_queue(now, other, sink);
    }
}

pub(super) fn tell(at: Nanos, what: MembershipEvent, sink: &mut impl IoSink) {
    sink.fact(Fact::Membership(MembershipChange { at, what }));
}
