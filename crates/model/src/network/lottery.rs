//! Which packets of a direction are lost.

use alloc::format;

use crate::random::{EXPONENTIAL_SHIFT, Stream};
use crate::spec::LossSpec;

/// A packet that is lost so often arrives the next time.
const MOST_TIMES: u32 = 10;

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
    pub(super) fn turn(&mut self, loss: Option<LossSpec>) {
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
