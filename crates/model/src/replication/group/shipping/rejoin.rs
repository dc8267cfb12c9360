//! Who has lost its engine comes back: a standby goes on with the log that it has, or gets a copy
//! of all data; a primary serves again, or is a standby of the one that has taken over.
//!
//! What recovery reads and writes is left out, as is what `pg_rewind` copies.

use alloc::vec::Vec;

use super::Stream;
use super::standby::{Needs, Standby};
use crate::event_queue::NEVER;
use crate::replication::NetworkSink;
use crate::replication::group::standing::{Standing, Sync};
use crate::replication::group::{Group, tell};
use crate::spec::Shipped;
use crate::units::{Bytes, Nanos};
use crate::workload::{EngineIo, MembershipEvent};

impl Stream {
    /// Which log it is.
    pub(in crate::replication::group) fn ships(&self) -> Shipped {
        self.spec.log
    }

    /// A node can be a standby only with a copy of all data.
    pub(in crate::replication::group) fn needs_copy(&mut self, node: usize) {
        self.standbys[node].needs = Needs::Copy;
    }
}

impl Group {
    /// The engine of a standby has stopped, perhaps some time ago. Commits that wait for standbys
    /// wait for those that are left.
    pub(in crate::replication::group) fn standby_has_stopped(
        &mut self,
        now: Nanos,
        other: usize,
        sink: &mut impl NetworkSink,
    ) {
        let restart = self.spec.membership.restart;
        match (self.members[other].standing, restart) {
            (Standing::Member, restart) => {
                self.copies_no_more(now, other, sink);
                let standing = restart.map_or(Standing::Gone, |_| Standing::Out(NEVER));
                self.members[other].standing = standing;
                self.standby_turned(now, other);
            }
            (Standing::Out(from), Some(_)) if from < NEVER => {
                self.members[other].standing = Standing::Out(NEVER);
            }
            _ => return,
        }
        self.is_started(now, other);
    }

    /// A node that is started again is a standby, if it has what it needs for that: otherwise it
    /// is still to get a copy.
    pub(in crate::replication::group) fn follows_again(
        &mut self,
        now: Nanos,
        other: usize,
        sink: &mut impl NetworkSink,
    ) {
        let Some(stream) = &mut self.stream else {
            return;
        };
        let of = &mut stream.standbys[other];
        let position = match stream.spec.log {
            Shipped::Wal => of.flushed,
            // A relay log is fetched anew (`relay_log_recovery`).
            Shipped::Binlog => of.replayed,
        };
        self.nodes[other].log_stands_at(position);
        of.goes_on_from(position);
        let missed = stream.sent.saturating_sub(position);
        self.path(other).link.forget();
        let path = self.members[other].path;
        self.unsent.retain(|it| it.path != path);
        let member = &mut self.members[other];
        (member.standing, member.sync) = (Standing::Member, Sync::Receives);
        tell(now, MembershipEvent::Back(other as u16, missed), sink);
        self.standby_turned(now, other);
        self.connects(other);
        self.replays_what_it_has(now, other, sink);
        self.may_be_synced(now, other, sink);
    }

    /// Standbys that start though no primary serves, and from when on: with the log that they have.
    fn could_start(&self) -> impl Iterator<Item = (usize, Nanos)> {
        let stream = self.stream.as_ref();
        let own = stream.into_iter().flat_map(|it| {
            let others = self.others();
            others.filter(|&other| it.standbys[other].needs == Needs::Log)
        });
        own.filter_map(|other| match self.members[other].standing {
            Standing::Out(from) if from < NEVER => Some((other, from)),
            _ => None,
        })
    }

    /// When the next standby starts though no primary serves.
    pub(in crate::replication::group) fn next_alone(&self) -> Nanos {
        self.could_start().map(|it| it.1).min().unwrap_or(NEVER)
    }

    /// Starts the standbys that it is time for, though no primary serves.
    pub(in crate::replication::group) fn start_alone(
        &mut self,
        now: Nanos,
        sink: &mut impl NetworkSink,
    ) {
        let due = self.could_start().filter(|&(_, from)| from <= now);
        let due: Vec<_> = due.map(|it| it.0).collect();
        due.into_iter().for_each(|it| self.joins(now, it, sink));
    }

    /// A standby that has come back has replayed all that there is.
    pub(in crate::replication::group) fn may_be_synced(
        &mut self,
        now: Nanos,
        other: usize,
        sink: &mut impl NetworkSink,
    ) {
        let Some(stream) = &mut self.stream else {
            return;
        };
        let of = &stream.standbys[other];
        let has_all =
            of.flushed == stream.sent && of.unflushed.is_empty() && of.replaying.is_empty();
        let comes_back = matches!(
            self.members[other].sync,
            Sync::Receives | Sync::CatchesUp(_)
        );
        if !comes_back || !has_all {
            return;
        }
        self.members[other].sync = Sync::Synced;
        tell(now, MembershipEvent::Synced(other as u16), sink);
        let synced = self.others().filter(|&it| self.members[it].is_synced());
        let synced = synced.count() as u32;
        let primary = &mut self.nodes[self.writer];
        if let (Some(stream), Some(stated)) = (&mut self.stream, self.spec.shipping) {
            stream.is_followed_by(synced, stated);
            primary.commits_wait(stream.spec.holds_commits(primary.spec().log.durable));
        }
    }

    /// A standby begins to get a copy of all data: with the log from now on, which it replays
    /// after that (`pg_basebackup --wal-method=stream`).
    pub(in crate::replication::group) fn is_copied_from_now(&mut self, now: Nanos, other: usize) {
        let Some(stream) = &mut self.stream else {
            return;
        };
        let lag = stream.standbys[other].lag;
        stream.standbys[other] = Standby {
            gone_at: now,
            lag,
            ..Standby::at(stream.sent)
        };
        self.nodes[other].log_stands_at(stream.sent);
        self.path(other).link.forget();
    }

    /// A standby has its copy, and replays the log since that began.
    pub(in crate::replication::group) fn has_base(&mut self, now: Nanos, other: usize) -> Bytes {
        self.standby_turned(now, other);
        self.tells(other);
        let stream = self.stream.as_ref();
        stream.map_or(0, |it| it.sent.saturating_sub(it.standbys[other].replayed))
    }

    /// The engine of the primary is started again, before another has taken over, without so many
    /// transactions that clients had been told were committed, and so many that it had sent.
    pub(in crate::replication::group) fn primary_is_back(
        &mut self,
        now: Nanos,
        (lost, undone): (u64, u64),
        sink: &mut impl NetworkSink,
    ) {
        let Some(stream) = &mut self.stream else {
            return;
        };
        stream.transactions -= undone;
        let held = self.nodes[self.writer].sendable(stream.spec.log);
        stream.goes_back_to(held.min(stream.sent));
        self.unsent.clear();
        self.loss = None;
        tell(now, MembershipEvent::Serves(self.writer as u16, lost), sink);
        self.looks_at_primary(now, sink);
        for other in self.others() {
            self.path(other).link.forget();
            self.has_errant(now, other, sink);
            self.standby_turned(now, other);
            self.may_be_outdated(now, other, sink);
            self.connects(other);
            self.may_be_synced(now, other, sink);
        }
    }

    /// The log grows as long as a standby is behind: at last it is kept no more, or the disk is
    /// full.
    pub(in crate::replication::group) fn looks_at_log(
        &mut self,
        now: Nanos,
        sink: &mut impl NetworkSink,
    ) {
        let Some(stream) = &self.stream else { return };
        let kept = stream.spec.kept;
        let room = self.spec.log_rooms.get(self.writer);
        let room = room.copied().unwrap_or(Bytes::MAX);
        if kept.min(room) == Bytes::MAX {
            return;
        }
        let mut most = 0;
        for other in self.others() {
            let Some(behind) = self.behind(other) else {
                continue;
            };
            if behind > kept {
                self.is_kept_no_log(now, other, sink);
            } else {
                most = most.max(behind);
            }
        }
        if most > room {
            tell(now, MembershipEvent::Full(self.writer as u16, most), sink);
            self.with_node(now, self.writer, sink, |node, sink| {
                node.stops(now, Some(EngineIo::Log), sink);
            });
        }
    }

    /// How much log is kept for a standby; none if none is.
    fn behind(&self, other: usize) -> Option<Bytes> {
        let stream = self.stream.as_ref()?;
        let of = &stream.standbys[other];
        let is_kept = matches!(of.needs, Needs::Log | Needs::Rewind);
        is_kept.then(|| stream.sent.saturating_sub(of.flushed))
    }

    /// The log that a standby needs is kept no more.
    fn is_kept_no_log(&mut self, now: Nanos, other: usize, sink: &mut impl NetworkSink) {
        if let Some(stream) = &mut self.stream {
            stream.needs_copy(other);
        }
        self.may_be_outdated(now, other, sink);
    }

    /// A standby that needs a copy is none any more.
    pub(super) fn may_be_outdated(
        &mut self,
        now: Nanos,
        other: usize,
        sink: &mut impl NetworkSink,
    ) {
        let Some(stream) = &mut self.stream else {
            return;
        };
        let of = &mut stream.standbys[other];
        if of.needs != Needs::Copy {
            return;
        }
        of.nothing_is_under_way();
        of.gone_at = of.gone_at.min(now);
        tell(now, MembershipEvent::Outdated(other as u16), sink);
        if self.members[other].standing == Standing::Member {
            self.copies_no_more(now, other, sink);
            self.path(other).link.forget();
            let restart = self.spec.membership.restart;
            self.members[other].standing = restart.map_or(Standing::Gone, |_| Standing::Out(now));
        }
    }

    /// Whether a node needs a copy of all data to be one of the group again.
    pub(in crate::replication::group) fn needs_copy(&self, other: usize) -> bool {
        match &self.stream {
            Some(stream) => stream.standbys[other].needs == Needs::Copy,
            None => self.members[other].owed.needs_copy(),
        }
    }

    /// The primary has lost its engine: who gets a copy of it does not any more.
    pub(in crate::replication::group) fn copies_of_primary_fail(
        &mut self,
        now: Nanos,
        sink: &mut impl NetworkSink,
    ) {
        for other in self.others() {
            if matches!(self.members[other].sync, Sync::Copies(_)) {
                self.copies_no_more(now, other, sink);
                self.members[other].standing = Standing::Out(now);
            }
        }
    }
}
