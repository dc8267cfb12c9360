//! A standby becomes the primary: it has replayed its log, and the others follow that.

use alloc::vec::Vec;

use super::standby::Needs;
use super::{Standby, Stream};
use crate::replication::NetworkSink;
use crate::replication::group::messages::LOG;
use crate::replication::group::standing::{Host, Standing, Sync};
use crate::replication::group::{Group, tell};
use crate::spec::{Rejoin, Shipped, Wait};
use crate::units::{Bytes, Nanos};
use crate::workload::MembershipEvent;
use crate::workload::oltp::Oltp;
use crate::workload::oltp::outbox::Outbox;
use crate::workload::oltp::roles::Lead;

impl Stream {
    /// Whether a primary that was replaced comes back by itself.
    pub(in crate::replication::group) fn returns(&self, old: usize) -> bool {
        self.spec.rejoin != Rejoin::Never && self.standbys[old].needs != Needs::Help
    }

    /// A standby has lost what it was replaying, of these kinds.
    pub(in crate::replication::group) fn replays_again(&mut self, node: usize, kinds: Vec<u16>) {
        self.standbys[node].replays_again(kinds);
    }

    /// How much of the log a standby has received.
    fn received(&self, node: usize) -> Bytes {
        self.standbys[node].received
    }

    /// Whether a standby has all that it has received on its disk and replayed.
    pub(in crate::replication::group) fn has_replayed(&self, node: usize) -> bool {
        let of = &self.standbys[node];
        let next = of.unflushed.front();
        of.flushed == of.received
            && of.replaying.is_empty()
            && next.is_none_or(|commit| commit.0 > of.flushed)
    }

    /// Transactions that `old` has told clients were committed, and that `heir` does not have.
    fn lost(&self, old: &Oltp, heir: usize) -> u64 {
        let of = &self.standbys[heir];
        let has = of.unflushed.partition_point(|it| it.0 <= of.received);
        let untold = old.untold();
        let untold = untold.iter().filter(|it| it.0 > of.received);
        (of.unflushed.len() - has + old.unsent_commits() - untold.count()) as u64
    }

    /// All follow `heir`. As cluster managers of PostgreSQL have it, commits wait for no more
    /// standbys than are left; a MySQL source keeps its setting, and its timeout.
    fn follow(&mut self, heir: usize, standbys: u32) {
        let held = self.standbys[heir].received;
        let dropped = self.standbys[heir].unflushed.len();
        self.transactions -= dropped as u64;
        self.goes_back_to(held);
        if self.spec.log == Shipped::Wal {
            self.spec.standbys = self.spec.standbys.min(standbys);
            if self.spec.standbys == 0 {
                self.spec.wait = Wait::Nothing;
            }
        }
    }

    /// The primary has the log up to `held` only.
    pub(super) fn goes_back_to(&mut self, held: Bytes) {
        self.sent = held;
        self.last_said.begins_at(held);
        self.waiting.clear();
        for of in &mut self.standbys {
            of.goes_back_to(held, &self.spec);
        }
    }
}

impl Group {
    /// The writer was a standby, has replayed all of its log and goes on with that: what `old` had
    /// beyond it is lost. Gives how many acknowledged transactions those are.
    pub(in crate::replication::group) fn follow_log_of(
        &mut self,
        now: Nanos,
        old: usize,
        lead: &mut Lead,
        sink: &mut impl NetworkSink,
    ) {
        let left = self.others().filter(|&it| self.can_lead(it)).count();
        let Some(stream) = &mut self.stream else {
            return;
        };
        let on_disk = self.nodes[old].on_disk(stream.spec.log);
        let position = match stream.spec.log {
            Shipped::Wal => on_disk,
            // Of what it sent from memory and lost no commits are kept here, which it would apply
            // again: it is taken to have them.
            Shipped::Binlog => on_disk.max(stream.received(self.writer)),
        };
        // It has never answered this primary.
        stream.standbys[old] = Standby {
            known: 0,
            gone_at: now,
            ..Standby::at(position)
        };
        stream.follow(self.writer, left as u32);
        let waits = stream
            .spec
            .holds_commits(self.nodes[old].spec().log.durable);
        lead.outbox = Some(Outbox::new(stream.spec.log, waits));
        for other in self.others() {
            self.has_errant(now, other, sink);
            if other != old && self.members[other].standing == Standing::Member {
                self.may_be_outdated(now, other, sink);
            }
            self.standby_turned(now, other);
            self.connects(other);
        }
    }

    /// Another node may have what the new primary has not: it is ended if it runs, to be started
    /// again without what it has not replayed of that, and stays away if nobody sees to the rest.
    pub(super) fn has_errant(&mut self, now: Nanos, other: usize, sink: &mut impl NetworkSink) {
        let Some(stream) = &self.stream else { return };
        let needs = stream.standbys[other].needs;
        let runs = !self.nodes[other].is_stopped();
        let has_more = runs && self.nodes[other].received_upto() > stream.sent;
        let goes_back = match needs {
            Needs::Log => has_more,
            Needs::Rewind | Needs::Help => true,
            Needs::Copy => false,
        };
        if !goes_back || self.members[other].copy().is_some() {
            return;
        }
        if runs && self.members[other].standing == Standing::Member {
            self.ends_engine(now, other, sink);
        }
        let restarts = self.spec.membership.restart.is_some();
        if needs == Needs::Help && restarts {
            tell(now, MembershipEvent::Errant(other as u16), sink);
        }
        if needs == Needs::Help || !restarts {
            self.members[other].standing = Standing::Gone;
        }
    }

    /// The standby that is to be promoted.
    pub(in crate::replication::group) fn heir_of_primary(&self) -> Option<usize> {
        self.next_in_line().filter(|&it| self.has_enough(it))
    }

    /// Whether a standby has as much of the log as one must have that is promoted.
    fn has_enough(&self, standby: usize) -> bool {
        let Some(stream) = &self.stream else {
            return false;
        };
        let is_near = stream.last_said.lacks(stream.received(standby)) <= stream.spec.most_lag;
        is_near && (!self.promises_all() || self.would_lose(standby) == 0)
    }

    /// The one with most of the log, of those that live and can get the leader key.
    fn next_in_line(&self) -> Option<usize> {
        let stream = self.stream.as_ref()?;
        let is_cut_off = self.is_cut_off();
        let may = |&it: &usize| self.can_lead(it) && (!is_cut_off || self.has_majority(it));
        let standbys = || self.others().filter(may);
        let best = standbys().map(|it| stream.received(it)).max()?;
        standbys().find(|&it| stream.received(it) == best)
    }

    /// The standby that is not promoted though it is next in line, and bytes of the log that it
    /// lacks.
    pub(in crate::replication::group) fn held_back(&self) -> Option<(usize, Bytes)> {
        let stream = self.stream.as_ref()?;
        let next = self.next_in_line().filter(|&it| !self.has_enough(it))?;
        Some((next, stream.sent.saturating_sub(stream.received(next))))
    }

    /// How many acknowledged transactions are lost if a standby is promoted.
    pub(in crate::replication::group) fn would_lose(&self, heir: usize) -> u64 {
        let stream = self.stream.as_ref();
        stream.map_or(0, |it| it.lost(self.writer(), heir))
    }

    /// Whether commits are synchronous, so that nobody is promoted who lacks one: as Patroni's
    /// `synchronous_mode` promises
    /// (<https://patroni.readthedocs.io/en/latest/replication_modes.html#synchronous-mode>). What
    /// promotes replicas of a binary log does not.
    fn promises_all(&self) -> bool {
        let durable = self.writer().spec().log.durable;
        let stated = self.spec.shipping.filter(|it| it.log == Shipped::Wal);
        stated.is_some_and(|it| it.holds_commits(durable))
    }

    /// Whether another node could be the primary: it is a standby that lives.
    pub(in crate::replication::group) fn can_lead(&self, other: usize) -> bool {
        let of = &self.members[other];
        let has_data = !matches!(of.sync, Sync::Copies(_) | Sync::CopyFailed);
        let is_standby = of.standing == Standing::Member && !self.needs_copy(other);
        let works = !self.nodes[other].is_stopped() && of.on != Host::Paused;
        is_standby && has_data && works
    }

    /// A standby makes a connection to the primary: it says how far it is, and gets what it has
    /// not received of the log.
    ///
    /// PostgreSQL's walreceiver sends a status before it waits for the log (`WalReceiverMain` in
    /// `src/backend/replication/walreceiver.c`). MySQL's source takes a semi-synchronous replica to
    /// have all before the position that it asks for (`repl_semi_binlog_dump_start` in
    /// `plugin/semisync`).
    pub(super) fn connects(&mut self, other: usize) {
        let Some(stream) = &mut self.stream else {
            return;
        };
        let is_one = self.members[other].standing == Standing::Member;
        if !is_one || self.nodes[self.writer].is_stopped() {
            return;
        }
        let of = &mut stream.standbys[other];
        let missing = stream.sent.saturating_sub(of.received);
        if missing > 0 {
            of.under_way.push_back(stream.sent);
            self.send(other, (LOG, missing));
        }
        self.tells(other);
    }
}
