//! What a direction loses of its packets, and when that has arrived after all.
//!
//! A lost packet is sent again when its timer has run out; where the protocol has fast
//! retransmit, also as soon as three packets that were sent after it have told of the gap
//! (RFC 5681). If what is sent again is lost too, only the timer helps, and runs twice as long
//! each time (RFC 6298). Packets that are sent again take nobody's bandwidth and no processor.

use alloc::collections::VecDeque;
use alloc::format;

use crate::random::{EXPONENTIAL_SHIFT, Stream};
use crate::spec::LossSpec;
use crate::units::Nanos;

/// A packet that is lost so often arrives the next time.
const MOST_TIMES: u32 = 10;

/// The number of packets behind a lost one that reveal it.
const TELLING: u32 = 3;

/// Decides which packets are lost: each with the same probability.
#[derive(Clone, Debug)]
pub(super) struct Lottery {
    random: Stream,
    /// Minus the logarithm of the share that arrives.
    rate: f64,
    /// Packets until the next that is lost.
    until: u64,
}

impl Lottery {
    /// The lottery of the direction from end `from` of link number `link`.
    pub(super) fn new(spec: LossSpec, seed: u64, (link, from): (usize, usize)) -> Self {
        let random = Stream::new(seed, &format!("link/{link}/{from}/loss"));
        let rate = -libm::log1p(-f64::from(spec.per_million) / 1e6);
        let mut lottery = Self {
            random,
            rate,
            until: 0,
        };
        lottery.draw();
        lottery
    }

    /// The same random numbers go on with another share of packets lost; none lose none.
    fn turn(&mut self, loss: Option<LossSpec>) {
        let share = loss.map_or(0.0, |loss| f64::from(loss.per_million) / 1e6);
        let rate = -libm::log1p(-share);
        // However many have arrived since the last was lost, the next is as far.
        if rate != self.rate {
            self.rate = rate;
            self.draw();
        }
    }

    /// Draws how many packets arrive before the next that does not: geometrically distributed.
    fn draw(&mut self) {
        if self.rate <= 0.0 {
            self.until = u64::MAX;
            return;
        }
        let exponential = self.random.exponential() as f64 / (1_u64 << EXPONENTIAL_SHIFT) as f64;
        self.until = (exponential / self.rate) as u64;
    }

    /// How often the next packet is lost before it arrives.
    #[inline]
    pub(super) fn times_lost(&mut self) -> u32 {
        if self.until > 0 {
            self.until -= 1;
            return 0;
        }
        let mut times = 0;
        while self.until == 0 && times < MOST_TIMES {
            self.draw();
            times += 1;
        }
        self.until = self.until.saturating_sub(1);
        times
    }
}

/// A lost packet that no three packets have revealed yet.
#[derive(Clone, Copy, Debug)]
struct Gap {
    /// Number of its message.
    message: u64,
    /// Packets behind it that arrive.
    behind: u32,
    /// When it is sent again for the timer.
    timer: Nanos,
    /// How much later it arrives because it is lost again.
    later: Nanos,
}

/// The lost packets of one direction.
#[derive(Clone, Debug)]
pub(super) struct Losses {
    spec: LossSpec,
    lottery: Lottery,
    /// How long a packet travels, and what tells the sender of it.
    delay: Nanos,
    back: Nanos,
    gaps: VecDeque<Gap>,
    /// Of each message under way: when it is there if nothing is lost.
    clean: VecDeque<Nanos>,
    /// Number of the first of these, counted over the run.
    first: u64,
    /// Packets sent again.
    pub(super) sent_again: u64,
}

impl Losses {
    pub(super) fn new(spec: LossSpec, lottery: Lottery, [delay, back]: [Nanos; 2]) -> Self {
        Self {
            spec,
            lottery,
            delay,
            back,
            gaps: VecDeque::new(),
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

    /// Another share of packets is lost, and packets travel otherwise, from now on.
    pub(super) fn turn(&mut self, loss: Option<LossSpec>, [delay, back]: [Nanos; 2]) {
        self.lottery.turn(loss);
        self.spec = loss.unwrap_or(self.spec);
        (self.delay, self.back) = (delay, back);
    }

    /// When the last message under way is there if nothing is lost.
    pub(super) fn last(&self) -> Option<Nanos> {
        self.clean.back().copied()
    }

    /// The next message, of so many packets, has left at `left`, and is there at `clean` if
    /// nothing is lost. Tells `arrived` when lost packets are there after all: the place of their
    /// message among those under way, this one or one before it, and a time.
    pub(super) fn send(
        &mut self,
        packets: u64,
        (left, clean): (Nanos, Nanos),
        mut arrived: impl FnMut(usize, Nanos),
    ) {
        let message = self.first + self.clean.len() as u64;
        self.clean.push_back(clean);
        let first = self.first;
        let mut arrived = |message, at| arrived((message - first) as usize, at);
        for _ in 0..packets {
            let times = self.lottery.times_lost();
            self.sent_again += u64::from(times);
            if times == 0 {
                self.tell(clean, &mut arrived);
                continue;
            }
            let wait = self.spec.retransmit_after;
            let gap = Gap {
                message,
                behind: 0,
                timer: left + wait,
                later: wait * ((1 << times) - 2),
            };
            match self.spec.fast {
                true => self.gaps.push_back(gap),
                false => arrived(message, self.by_timer(&gap)),
            }
        }
    }

    /// A packet arrives at `at`, behind all gaps.
    #[inline]
    fn tell(&mut self, at: Nanos, arrived: &mut impl FnMut(u64, Nanos)) {
        for gap in &mut self.gaps {
            gap.behind += 1;
        }
        // Those lost first have the most behind them.
        while let Some(&gap) = self.gaps.front()
            && gap.behind >= TELLING
        {
            self.gaps.pop_front();
            let again = gap.timer.min(at + self.back);
            arrived(gap.message, again + gap.later + self.delay);
        }
    }

    fn by_timer(&self, gap: &Gap) -> Nanos {
        gap.timer + gap.later + self.delay
    }

    /// When the last gap of the first message under way, of which nothing has told, is filled
    /// for the timer.
    // Kept out of the path of links that lose nothing.
    #[cold]
    pub(super) fn filled(&self) -> Nanos {
        let own = self.gaps.iter().filter(|gap| gap.message == self.first);
        own.map(|gap| self.by_timer(gap)).max().unwrap_or(0)
    }

    /// The first message under way is there at `now`. Gives how much later than if nothing had
    /// been lost.
    #[inline]
    pub(super) fn arrived(&mut self, now: Nanos) -> Nanos {
        while self
            .gaps
            .front()
            .is_some_and(|gap| gap.message <= self.first)
        {
            self.gaps.pop_front();
        }
        self.first += 1;
        now - self.clean.pop_front().unwrap_or(now)
    }

    /// Nothing is under way any more.
    pub(super) fn forget(&mut self) {
        self.gaps.clear();
        self.clean.clear();
    }
}
