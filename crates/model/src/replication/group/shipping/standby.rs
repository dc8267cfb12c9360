//! How far a standby is, and whether it is there.

use alloc::collections::VecDeque;

use crate::event_queue::NEVER;
use crate::units::{Bytes, Nanos};
use crate::workload::LagCounts;

/// How far a standby is.
#[derive(Clone, Debug)]
pub(super) struct Standby {
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
