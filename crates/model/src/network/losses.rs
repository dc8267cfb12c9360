//! What a direction loses of its packets, and when that has arrived after all.
//!
//! Lost packets are sent again as TCP does it ([`super::rack`]), or each when its own timer has
//! run out, which runs twice as long each further time. Packets that are sent again take nobody's
//! bandwidth and no processor.

use alloc::collections::VecDeque;

use super::lottery::Lottery;
use super::rack::{Pace, Rack};
use crate::event_queue::NEVER;
use crate::spec::{LossSpec, Recovery};
use crate::units::Nanos;

/// The lost packets of one direction.
#[derive(Clone, Debug)]
pub(super) struct Losses {
    spec: LossSpec,
    lottery: Lottery,
    /// How long a packet travels, and what tells the sender of it.
    ways: [Nanos; 2],
    /// Since when.
    turned: Nanos,
    /// What TCP's sender knows of those that are missing.
    rack: Rack,
    /// Whether acknowledgements come back. Without them TCP sends none again but the first that is
    /// not acknowledged, which may have come: what is missing waits until they do.
    is_answered: bool,
    /// Of each message under way: when it is there if nothing is lost.
    clean: VecDeque<Nanos>,
    /// Number of the first of these, counted over the run.
    first: u64,
    /// Packets sent again.
    pub(super) sent_again: u64,
}

impl Losses {
    pub(super) fn new(spec: LossSpec, lottery: Lottery, ways: [Nanos; 2]) -> Self {
        Self {
            spec,
            lottery,
            ways,
            turned: 0,
            rack: Rack::default(),
            is_answered: true,
            clean: VecDeque::new(),
            first: 0,
            sent_again: 0,
        }
    }

    /// With messages under way of which nothing is lost, and which are there then.
    pub(super) fn behind(mut self, under_way: impl Iterator<Item = Nanos>) -> Self {
        self.clean.extend(under_way);
        self
    }

    /// Whether acknowledgements come back at first.
    pub(super) fn answered(mut self, is_answered: bool) -> Self {
        self.is_answered = is_answered;
        self
    }

    /// Acknowledgements come back from now on, or do not.
    pub(super) fn answers_come(&mut self, now: Nanos, come: bool) {
        self.is_answered = come;
        match come {
            true => self.rack.is_answered(now + self.ways[1]),
            false => self.rack.is_not_answered(),
        }
    }

    /// Another share of packets is lost, and packets travel otherwise, from now on.
    pub(super) fn turn(&mut self, now: Nanos, loss: Option<LossSpec>, ways: [Nanos; 2]) {
        self.turned = now;
        self.lottery.turn(loss);
        self.spec = loss.unwrap_or(self.spec);
        self.ways = ways;
    }

    /// When the last message under way is there if nothing is lost.
    pub(super) fn last(&self) -> Option<Nanos> {
        self.clean.back().copied()
    }

    fn pace(&self) -> Pace {
        let [delay, back] = self.ways;
        Pace {
            delay,
            back,
            timeout: self.spec.retransmit_after,
        }
    }

    /// The next message, of so many packets, has left at `left`, and is there at `clean` if
    /// nothing is lost. Tells `arrived` when lost packets are there after all, where that is known:
    /// the place of their message among those under way, and a time.
    pub(super) fn send(
        &mut self,
        packets: u64,
        (left, clean): (Nanos, Nanos),
        mut arrived: impl FnMut(usize, Nanos),
    ) {
        let place = self.clean.len();
        let message = self.first + place as u64;
        self.clean.push_back(clean);
        let pace = self.pace();
        for _ in 0..packets {
            let times = self.lottery.times_lost();
            self.sent_again += u64::from(times);
            match (self.spec.recovery, times) {
                (Recovery::Timeout, 0) => {}
                (Recovery::Timeout, _) => {
                    let waits = pace.timeout * ((1 << times) - 1);
                    arrived(place, left + waits + pace.delay);
                }
                (Recovery::Rack, 0) if !self.is_answered => {}
                (Recovery::Rack, 0) => self.rack.arrives(left, clean + pace.back, pace),
                (Recovery::Rack, _) => self.rack.is_lost(message, left, times),
            }
        }
    }

    /// When a packet is sent again next, as far as is known, or [`NEVER`].
    // Kept out of the path of links that lose nothing.
    #[cold]
    pub(super) fn next_event(&self) -> Nanos {
        match self.is_answered {
            // With shorter timers what is lost may have been due before.
            true => self.rack.next_event(self.pace()).max(self.turned),
            false => NEVER,
        }
    }

    /// Sends again what is to be sent again until `now`, and tells as [`Losses::send`] does.
    pub(super) fn advance(&mut self, now: Nanos, mut arrived: impl FnMut(usize, Nanos)) {
        if !self.is_answered {
            return;
        }
        let (first, pace) = (self.first, self.pace());
        self.rack.advance(now, pace, |message, at| {
            arrived((message - first) as usize, at);
        });
    }

    /// Whether packets of the first message under way are missing, and it is not known for how
    /// long.
    #[cold]
    pub(super) fn miss_first(&self) -> bool {
        self.rack.misses(self.first)
    }

    /// When the first message under way would be there if nothing were lost.
    pub(super) fn due(&self) -> Option<Nanos> {
        self.clean.front().copied()
    }

    /// The first message under way is there at `now`. Gives how much later than if nothing had
    /// been lost.
    #[inline]
    pub(super) fn arrived(&mut self, now: Nanos) -> Nanos {
        self.first += 1;
        now - self.clean.pop_front().unwrap_or(now)
    }

    /// Nothing is under way any more.
    pub(super) fn forget(&mut self) {
        self.rack.forget();
        self.clean.clear();
    }
}
