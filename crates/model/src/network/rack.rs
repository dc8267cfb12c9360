//! TCP's repair of lost packets: RACK-TLP (RFC 8985), as Linux has it.
//!
//! - **RACK** (`net/ipv4/tcp_recovery.c`): a packet is lost once one that was sent after it is
//!   acknowledged, and its own acknowledgement is overdue by a reordering window, a quarter of a
//!   round trip. The window is zero once three packets behind it are acknowledged, and for a
//!   packet that has been sent again, as the connection is in recovery then.
//! - **Tail loss probe** (`tcp_schedule_loss_probe`): if two packets or more are in flight and
//!   nothing is acknowledged for two round trips, the last is sent again. One packet alone waits
//!   for the timeout, as its acknowledgement may be delayed.
//! - **Timeout** (RFC 6298): without an acknowledgement for that long the first packet is sent
//!   again, and the timeout doubles.
//!
//! A packet that is sent again leaves behind all that was sent before it, and tells of what is
//! missing as any other does. Acknowledgements are neither delayed nor lost; as nothing overtakes,
//! no packet is sent again in vain, and the reordering window never grows.

use alloc::collections::VecDeque;

use crate::event_queue::NEVER;
use crate::units::{MILLISECOND, Nanos};

/// Packets behind a lost one whose acknowledgements make the reordering window zero: TCP's
/// duplicate acknowledgements (RFC 5681).
const TELLING: u32 = 3;

/// What Linux adds to the timers of a probe and of the reordering window
/// (`TCP_TIMEOUT_MIN_US`, `include/net/tcp.h`, since 6.7).
const SHORTEST_TIMER: Nanos = 2 * MILLISECOND;

/// How long packets take, and how long the sender waits for an acknowledgement.
#[derive(Clone, Copy, Debug)]
pub(super) struct Pace {
    /// How long a packet travels, and what acknowledges it.
    pub(super) delay: Nanos,
    pub(super) back: Nanos,
    pub(super) timeout: Nanos,
}

/// A packet that has not arrived and is not on its way.
#[derive(Clone, Copy, Debug)]
struct Gap {
    /// Number of its message.
    message: u64,
    /// How often it is still to be lost when it is sent again.
    times: u32,
    /// When it left last.
    sent: Nanos,
    /// When the timeout begins if no packet before it is missing: it has left, and all before it
    /// are acknowledged.
    since: Nanos,
    /// Packets behind it that arrive.
    behind: u32,
    /// When the sender learns that it is lost, [`NEVER`] if nothing tells.
    told: Nanos,
    is_sent_again: bool,
    /// How often the timeout ran out.
    timeouts: u32,
}

/// What a sender knows of the packets that are missing, in their order.
#[derive(Clone, Debug, Default)]
pub(super) struct Rack {
    gaps: VecDeque<Gap>,
    /// When the last packet left, and when the last that arrives is acknowledged.
    left: Nanos,
    acknowledged: Nanos,
}

impl Rack {
    /// A packet leaves at `left`, and is acknowledged at `acknowledged`.
    #[inline]
    pub(super) fn arrives(&mut self, left: Nanos, acknowledged: Nanos, pace: Pace) {
        self.left = self.left.max(left);
        self.acknowledged = self.acknowledged.max(acknowledged);
        let window = (pace.delay + pace.back) / 4;
        for gap in &mut self.gaps {
            gap.behind += 1;
            let overdue = gap.sent + (acknowledged - left) + window;
            let is_overdue = acknowledged >= overdue;
            let told = match gap.is_sent_again || gap.behind >= TELLING || is_overdue {
                true => acknowledged,
                false => overdue + SHORTEST_TIMER,
            };
            gap.told = gap.told.min(told);
        }
    }

    /// A packet of a message leaves at `left` and is lost `times` in a row, at least once.
    pub(super) fn is_lost(&mut self, message: u64, left: Nanos, times: u32) {
        self.left = self.left.max(left);
        self.gaps.push_back(Gap {
            message,
            times: times - 1,
            sent: left,
            since: left.max(self.acknowledged),
            behind: 0,
            told: NEVER,
            is_sent_again: false,
            timeouts: 0,
        });
    }

    /// Whether packets of a message are missing, the first of which packets are.
    #[inline]
    pub(super) fn misses(&self, message: u64) -> bool {
        self.gaps.front().is_some_and(|gap| gap.message == message)
    }

    /// When a packet is sent again next, or [`NEVER`].
    #[inline]
    pub(super) fn next_event(&self, pace: Pace) -> Nanos {
        self.next(pace).map_or(NEVER, |(at, _)| at)
    }

    /// When a packet is sent again next, and its place among those that are missing.
    fn next(&self, pace: Pace) -> Option<(Nanos, usize)> {
        let first = self.gaps.front()?;
        let timeout = first.since + (pace.timeout << first.timeouts);
        let told = self.gaps.iter().enumerate();
        let told = told.map(|(place, gap)| (gap.told, place));
        told.chain(self.probe(pace))
            .chain([(timeout, 0)])
            .min_by_key(|next| next.0)
    }

    /// When a tail loss probe is sent, and the place of the packet: if nothing in flight tells.
    fn probe(&self, pace: Pace) -> Option<(Nanos, usize)> {
        let (first, last) = (self.gaps.front()?, self.gaps.back()?);
        let is_told = |gap: &Gap| gap.told != NEVER || gap.is_sent_again;
        if self.gaps.len() < 2 || self.gaps.iter().any(is_told) {
            return None;
        }
        let after = 2 * (pace.delay + pace.back) + SHORTEST_TIMER;
        let at = first.since.max(last.sent) + after;
        Some((at, self.gaps.len() - 1))
    }

    /// Sends again what is to be sent again until `now`. Tells `repaired` of packets that arrive
    /// for that: the number of the message, and when.
    pub(super) fn advance(&mut self, now: Nanos, pace: Pace, mut repaired: impl FnMut(u64, Nanos)) {
        while let Some((at, place)) = self.next(pace).filter(|next| next.0 <= now) {
            let gap = self.gaps[place];
            self.left = self.left.max(at);
            if gap.times > 0 {
                let is_timeout = gap.told > at && place == 0;
                self.gaps[place] = Gap {
                    times: gap.times - 1,
                    sent: self.left,
                    since: gap.since.max(self.left),
                    told: NEVER,
                    is_sent_again: true,
                    timeouts: gap.timeouts + u32::from(is_timeout),
                    ..gap
                };
                continue;
            }
            self.gaps.remove(place);
            let arrives = self.left + pace.delay;
            repaired(gap.message, arrives);
            self.is_repaired(place, arrives + pace.back);
        }
    }

    /// The packet at a place is there, which is acknowledged at `acknowledged`.
    fn is_repaired(&mut self, place: usize, acknowledged: Nanos) {
        self.acknowledged = self.acknowledged.max(acknowledged);
        for gap in &mut self.gaps {
            gap.told = gap.told.min(acknowledged);
        }
        for gap in self.gaps.range_mut(place..) {
            gap.since = gap.since.max(acknowledged);
        }
    }

    /// No acknowledgement comes any more, nor those that are on their way.
    pub(super) fn is_not_answered(&mut self) {
        self.gaps.iter_mut().for_each(|gap| gap.told = NEVER);
    }

    /// The next acknowledgement comes at `at`, and tells of all that are missing.
    pub(super) fn is_answered(&mut self, at: Nanos) {
        for gap in &mut self.gaps {
            (gap.told, gap.since) = (at, gap.since.max(at));
        }
    }

    /// Nothing is in flight any more.
    pub(super) fn forget(&mut self) {
        *self = Self::default();
    }
}
