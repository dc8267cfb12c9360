//! Log shipping: standbys get the log as the primary has written it, write it to their own disk
//! and replay it.
//!
//! As PostgreSQL's walsender and walreceiver do: what a flush of the log has made durable goes in
//! one message. A standby says how far it is when that has come and when it is on its disk, and
//! where commits wait for replay, after each transaction that it has replayed. Only what it has on
//! its disk is replayed.
//!
//! Or the binary log is sent, in whole transactions, as MySQL and MariaDB do. A replica writes it
//! to its relay log and, if the source is semi-synchronous, acknowledges that. It applies what it
//! has there, with logs of its own.

mod awaited;
mod leader_key;
mod promotion;
mod rejoin;
mod semi_sync;
mod standby;

use alloc::collections::VecDeque;
use alloc::vec;
use alloc::vec::Vec;

use self::leader_key::LastSaid;
use self::semi_sync::SemiSync;
use self::standby::Standby;
use super::Group;
use super::messages::{LOG, STATUS, Unsent};
use super::standing::{Host, Standing};
use crate::event_queue::NEVER;
use crate::replication::NetworkSink;
use crate::spec::{Shipped, Shipping, Wait, Which};
use crate::units::{Bytes, Nanos};
use crate::workload::LagCounts;
use crate::workload::io::Slot;

/// Bytes of a standby's status: four numbers of 64 bits and two bytes ("Standby status update",
/// <https://www.postgresql.org/docs/16/protocol-replication.html>).
const STATUS_BYTES: Bytes = 34;

/// Bytes of a replica's acknowledgement: a packet's header, a byte, the position in 8 and the name
/// of the binary log's file, such as `mysql-bin.000001` (`plugin/semisync/semisync.h`).
const ACK_BYTES: Bytes = 4 + 1 + 8 + 16;

/// The log on its way to all standbys.
#[derive(Clone, Debug)]
pub(super) struct Stream {
    spec: Shipping,
    /// How far it is sent, and how many transactions are committed by that.
    sent: Bytes,
    transactions: u64,
    /// Threads of the primary that wait, in the order of the log.
    waiting: VecDeque<Waiting>,
    /// Whether they do, if replication is semi-synchronous.
    semi_sync: Option<SemiSync>,
    /// All nodes; of the primary itself it is of no use.
    standbys: Vec<Standby>,
    last_said: LastSaid,
    /// The standby that commits wait for and that does not answer, as was told last.
    awaited: Option<usize>,
}

/// A thread that waits for standbys.
#[derive(Clone, Copy, Debug)]
struct Waiting {
    thread: Slot,
    /// Where its commit ends in the log.
    commit: Bytes,
    since: Nanos,
}

impl Stream {
    /// Among so many nodes.
    pub(super) fn new(spec: Shipping, nodes: usize) -> Self {
        Self {
            spec,
            sent: 0,
            transactions: 0,
            waiting: VecDeque::new(),
            semi_sync: spec.fallback.map(SemiSync::new),
            standbys: vec![Standby::at(0); nodes],
            last_said: LastSaid::default(),
            awaited: None,
        }
    }

    /// How much of the log those have that commits wait for, as far as the `primary` knows.
    fn acknowledged(&self, now: Nanos, primary: usize) -> Bytes {
        let wanted = self.spec.standbys as usize;
        let others = || self.others(primary);
        match self.spec.which {
            Which::Any => {
                let have = |end: Bytes| others().filter(|of| of.known >= end).count();
                let known = others().map(|of| of.known);
                known.filter(|&end| have(end) >= wanted).max().unwrap_or(0)
            }
            Which::First => {
                let counted = || others().filter(|of| of.counts(now)).take(wanted);
                let is_enough = counted().count() == wanted;
                let least = counted().map(|of| of.known).min();
                least.filter(|_| is_enough).unwrap_or(0)
            }
        }
    }

    /// All nodes but the `primary`.
    fn others(&self, primary: usize) -> impl Iterator<Item = &Standby> {
        let numbered = self.standbys.iter().enumerate();
        let others = numbered.filter(move |&(node, _)| node != primary);
        others.map(|it| it.1)
    }

    /// The next thread that has waited long enough.
    fn next_acknowledged(&mut self, now: Nanos, primary: usize) -> Option<Slot> {
        let first = self.waiting.front()?.commit;
        let goes_on = first <= self.acknowledged(now, primary) || self.goes_on_without();
        let next = goes_on.then(|| self.waiting.pop_front());
        next.flatten().map(|own| own.thread)
    }

    /// So many standbys have all of the log: commits wait for as many as was `stated`, if that was
    /// lowered as another took over.
    fn is_followed_by(&mut self, standbys: u32, stated: Shipping) {
        if self.spec.standbys < stated.standbys || self.spec.wait != stated.wait {
            self.spec.standbys = stated.standbys.min(standbys);
            self.spec.wait = stated.wait;
        }
    }

    /// After how long without an answer a connection is closed.
    pub(super) fn timeout(&self) -> Nanos {
        self.spec.timeout
    }

    /// When the next standby is taken for gone, if commits may wait for it.
    pub(super) fn next_gone(&self, now: Nanos) -> Nanos {
        let times = self.standbys.iter().map(|of| of.gone_at);
        let times = times.filter(|&at| at > now && self.spec.which == Which::First);
        times.min().unwrap_or(NEVER)
    }

    /// How far a standby is behind, and was at most since the last call.
    pub(super) fn take_lag(&mut self, other: usize) -> LagCounts {
        let of = &mut self.standbys[other];
        of.note_lag(self.sent);
        let lag = of.lag;
        of.lag.most_unflushed = lag.unflushed;
        of.lag.most_unreplayed = lag.unreplayed;
        lag
    }
}

impl Group {
    /// Sends what the primary has on disk and not sent.
    pub(super) fn ships(&mut self, now: Nanos, sink: &mut impl NetworkSink) {
        let others = self.others();
        let primary = &mut self.nodes[self.writer];
        let Some(stream) = &mut self.stream else {
            return;
        };
        let limit = primary.sendable(stream.spec.log);
        if !primary.ships_log() {
            return;
        }
        for (thread, commit) in primary.take_waiting() {
            stream.waiting.push_back(Waiting {
                thread,
                commit,
                since: now,
            });
        }
        if limit == stream.sent {
            return;
        }
        // One that is lost says nothing more.
        if self.loss.is_none() {
            stream.last_said.until(now, stream.sent);
        }
        let mut end = match stream.spec.log {
            Shipped::Wal => limit,
            Shipped::Binlog => stream.sent,
        };
        while let Some(commit) = primary.next_commit(limit) {
            end = end.max(commit.0);
            stream.transactions += 1;
            for other in others.clone() {
                stream.standbys[other].unflushed.push_back(commit);
            }
        }
        let bytes = end - core::mem::replace(&mut stream.sent, end);
        if bytes == 0 {
            return;
        }
        self.write_sets = stream.transactions;
        self.bytes += bytes;
        for other in others {
            let of = &mut stream.standbys[other];
            of.note_lag(end);
            if self.members[other].standing == Standing::Member {
                of.under_way.push_back(end);
                let path = self.members[other].path;
                let piece = Unsent::over(&self.paths, path, self.writer, (LOG, bytes));
                self.unsent.push(piece);
            }
        }
        self.looks_at_log(now, sink);
    }

    /// A piece of the log has come to a standby.
    pub(super) fn log_has_come(&mut self, now: Nanos, other: usize, sink: &mut impl NetworkSink) {
        let Some(of) = self.standby(other) else {
            return;
        };
        let end = of.under_way.pop_front().unwrap_or(of.received);
        let bytes = end - core::mem::replace(&mut of.received, end);
        if self.is_shipped(Shipped::Wal) {
            self.tells(other);
        }
        self.with_node(now, other, sink, |node, sink| {
            node.receives_log(now, bytes, sink);
        });
    }

    /// A standby goes on: with what it has in its log by now, and has replayed.
    pub(super) fn replays(&mut self, now: Nanos, other: usize, sink: &mut impl NetworkSink) {
        let node = &self.nodes[other];
        let (flushed, progress) = (node.replayable(), node.progress());
        let Some(of) = self.standby(other) else {
            return;
        };
        // One that is to get a copy replays what is not in this log.
        let left = progress.received - progress.applied;
        let replayed = (of.replaying.len() as u64).saturating_sub(left);
        let last = of.replaying.drain(..replayed as usize).next_back();
        if let Some(last) = last {
            of.replayed = last;
            if self.waits_for(Wait::Replayed) {
                self.tells(other);
            }
            self.may_be_synced(now, other, sink);
        }
        let Some(of) = self.standby(other).filter(|of| of.flushed < flushed) else {
            return;
        };
        of.flushed = flushed;
        self.tells(other);
        self.replays_what_it_has(now, other, sink);
        self.may_be_synced(now, other, sink);
    }

    /// Begins with all that a standby can replay.
    fn replays_what_it_has(&mut self, now: Nanos, other: usize, sink: &mut impl NetworkSink) {
        while let Some(kind) = self.next_to_replay(other) {
            self.with_node(now, other, sink, |node, sink| {
                node.receives(now, kind, sink)
            });
        }
    }

    /// The kind of the next transaction that a standby can replay.
    fn next_to_replay(&mut self, other: usize) -> Option<u16> {
        let of = self.standby(other)?;
        let flushed = of.flushed;
        of.unflushed.front().filter(|commit| commit.0 <= flushed)?;
        let (end, kind) = of.unflushed.pop_front()?;
        of.replaying.push_back(end);
        Some(kind)
    }

    /// A standby tells the primary how far it is, if that asks. What gets a copy is none yet.
    fn tells(&mut self, other: usize) {
        if self.members[other].copy().is_some() {
            return;
        }
        let Some(stream) = &mut self.stream else {
            return;
        };
        let waits_for = stream.spec.wait;
        let bytes = match stream.spec.log {
            Shipped::Wal => STATUS_BYTES,
            Shipped::Binlog if waits_for == Wait::Nothing => return,
            Shipped::Binlog => ACK_BYTES,
        };
        let of = &mut stream.standbys[other];
        of.statuses.push_back(match waits_for {
            Wait::Flushed => of.flushed,
            Wait::Replayed => of.replayed,
            _ => of.received,
        });
        self.send(other, (STATUS, bytes));
    }

    /// The primary knows how far a standby is.
    pub(super) fn status_has_come(
        &mut self,
        now: Nanos,
        other: usize,
        sink: &mut impl NetworkSink,
    ) {
        if let Some(of) = self.standby(other) {
            of.known = of.statuses.pop_front().unwrap_or(of.known);
        }
        self.catches_up(now, sink);
    }

    /// Lets threads of the primary go on that have waited long enough.
    pub(super) fn let_acknowledged_go_on(&mut self, now: Nanos, sink: &mut impl NetworkSink) {
        if self.writer().is_stopped() {
            return;
        }
        let primary = self.writer;
        loop {
            while let Some(stream) = &mut self.stream
                && let Some(thread) = stream.next_acknowledged(now, primary)
            {
                self.with_node(now, self.writer, sink, |node, sink| {
                    node.ends(now, thread, sink)
                });
            }
            if !self.falls_back(now, sink) {
                return;
            }
        }
    }

    /// The link to a standby went down or works again, or its engine or host is gone. One whose
    /// engine alone stops closes its connection.
    pub(super) fn standby_turned(&mut self, now: Nanos, other: usize) {
        let is_heard = self.reaches(self.writer, other) && !self.nodes[other].is_stopped();
        let closes = self.nodes[other].is_stopped() && self.members[other].on == Host::Up;
        let Some(stream) = &mut self.stream else {
            return;
        };
        let (sent, timeout) = (stream.sent, stream.spec.timeout);
        let of = &mut stream.standbys[other];
        match is_heard {
            true => of.is_heard(now, sent),
            false if closes => of.gone_at = of.gone_at.min(now),
            false => of.gone_at = of.gone_at.min(now.saturating_add(timeout)),
        }
    }

    fn standby(&mut self, other: usize) -> Option<&mut Standby> {
        self.stream.as_mut().map(|it| &mut it.standbys[other])
    }

    fn waits_for(&self, what: Wait) -> bool {
        self.stream.as_ref().is_some_and(|it| it.spec.wait == what)
    }

    fn is_shipped(&self, log: Shipped) -> bool {
        self.stream.as_ref().is_some_and(|it| it.spec.log == log)
    }
}

#[cfg(test)]
mod tests;
