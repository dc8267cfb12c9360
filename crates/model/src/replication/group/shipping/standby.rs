//! How far a standby is, and whether it is there.

use alloc::collections::VecDeque;
use alloc::vec::Vec;

use crate::event_queue::NEVER;
use crate::spec::{Rejoin, Shipped, Shipping};
use crate::units::{Bytes, Nanos};
use crate::workload::LagCounts;

/// What a standby needs to be one again.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Needs {
    /// The log from where it is.
    Log,
    /// To go back to where the primary began, which must live for that: it has more.
    Rewind,
    /// A copy of all data: that log is kept no more, or it has what the primary has not.
    Copy,
    /// Somebody who sees to what it has that the primary has not: it stays away.
    Help,
}

impl Needs {
    /// Of a node with errant transactions.
    pub(super) fn of_errant(rejoin: Rejoin) -> Self {
        match rejoin {
            Rejoin::Rewind => Self::Rewind,
            Rejoin::Copy => Self::Copy,
            Rejoin::Incremental | Rejoin::Never => Self::Help,
        }
    }
}

/// How far a standby is.
#[derive(Clone, Debug)]
pub(super) struct Standby {
    pub(super) needs: Needs,
    /// Where the pieces under way to it end.
    pub(super) under_way: VecDeque<Bytes>,
    pub(super) received: Bytes,
    pub(super) flushed: Bytes,
    /// Commits that it cannot replay yet, and where those end that it replays.
    pub(super) unflushed: VecDeque<(Bytes, u16)>,
    pub(super) replaying: VecDeque<Bytes>,
    pub(super) replayed: Bytes,
    /// What the statuses under way from it say, and what the last said that has come.
    pub(super) statuses: VecDeque<Bytes>,
    pub(super) known: Bytes,
    /// When it is taken for gone; and once that was so, what it must have to count again.
    pub(super) gone_at: Nanos,
    pub(super) counts_from: Bytes,
    pub(super) lag: LagCounts,
}

impl Standby {
    /// It has all of the log up to there, and nothing beyond.
    pub(super) fn at(position: Bytes) -> Self {
        Self {
            needs: Needs::Log,
            under_way: VecDeque::new(),
            received: position,
            flushed: position,
            unflushed: VecDeque::new(),
            replaying: VecDeque::new(),
            replayed: position,
            statuses: VecDeque::new(),
            known: position,
            gone_at: NEVER,
            counts_from: 0,
            lag: LagCounts::default(),
        }
    }

    /// The primary has the log up to `held` only; what a standby has beyond that is errant. A
    /// replica drops what it has not applied.
    pub(super) fn goes_back_to(&mut self, held: Bytes, of: &Shipping) {
        self.nothing_is_under_way();
        self.unflushed.retain(|commit| commit.0 <= held);
        self.replaying.retain(|&commit| commit <= held);
        let has = match of.log {
            Shipped::Wal => self.received,
            Shipped::Binlog => self.replayed,
        };
        if has > held && self.needs != Needs::Copy {
            self.needs = Needs::of_errant(of.rejoin);
        }
        let all = [&mut self.received, &mut self.flushed, &mut self.replayed];
        all.into_iter().for_each(|it| *it = held.min(*it));
    }

    /// What was under way to it and from it does not come.
    pub(super) fn nothing_is_under_way(&mut self) {
        self.under_way.clear();
        self.statuses.clear();
    }

    /// What it was replaying as it stopped, of these kinds, it has to replay again.
    pub(super) fn replays_again(&mut self, kinds: Vec<u16>) {
        let again = self.replaying.drain(..).zip(kinds);
        for commit in again.rev() {
            self.unflushed.push_front(commit);
        }
    }

    /// It goes on with the log up to there.
    pub(super) fn goes_on_from(&mut self, position: Bytes) {
        self.needs = Needs::Log;
        self.nothing_is_under_way();
        (self.received, self.flushed) = (position, position);
    }

    /// It is heard again, when the log was sent up to `sent`. One that was taken for gone counts
    /// once it has that.
    pub(super) fn is_heard(&mut self, now: Nanos, sent: Bytes) {
        if self.gone_at <= now {
            self.counts_from = sent;
        }
        self.gone_at = NEVER;
    }

    /// Whether commits may wait for it.
    pub(super) fn counts(&self, now: Nanos) -> bool {
        self.gone_at > now && self.known >= self.counts_from
    }

    /// It is as far as it is, and so behind.
    pub(super) fn note_lag(&mut self, sent: Bytes) {
        let lag = &mut self.lag;
        lag.unflushed = sent.saturating_sub(self.flushed);
        lag.unreplayed = (self.unflushed.len() + self.replaying.len()) as u64;
        lag.most_unflushed = lag.most_unflushed.max(lag.unflushed);
        lag.most_unreplayed = lag.most_unreplayed.max(lag.unreplayed);
    }
}
