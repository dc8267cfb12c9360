//! What a device did in the whole time.

use blockyard_model::units::{Nanos, SECOND};

use crate::counts::{Counts, OPS};

/// A device counts as busy in an interval with IO in flight for at least this share of it.
const BUSY: f64 = 0.9;

/// What a device did in all.
#[derive(Debug, Default)]
pub(crate) struct Totals {
    pub(crate) whole: Counts,
    /// The most IOs of each operation in an interval.
    pub(crate) peaks: [u64; OPS.len()],
    /// Time in intervals in which it was busy.
    pub(crate) busy: Nanos,
    /// How often its counters began anew.
    pub(crate) anew: u64,
}

impl Totals {
    /// Adds an interval.
    pub(crate) fn add(&mut self, counts: &Counts, interval: Nanos) {
        self.whole.add(counts);
        for (peak, op) in self.peaks.iter_mut().zip(&counts.ops) {
            *peak = op.ios.max(*peak);
        }
        if counts.busy_ms as f64 * 1e6 >= BUSY * interval as f64 {
            self.busy += interval;
        }
    }

    /// Seconds with IO in flight, and those in intervals in which it was busy: as each IO tells,
    /// otherwise as the kernel counts, to whole ticks.
    pub(crate) fn in_use_s(&self, used: Option<(Nanos, Nanos)>) -> (f64, f64) {
        let counted = (self.whole.busy_ms * 1_000_000, self.busy);
        let (used, busy) = used.unwrap_or(counted);
        (used as f64 / SECOND as f64, busy as f64 / SECOND as f64)
    }

    /// IOs of all operations.
    pub(crate) fn ios(&self) -> u64 {
        self.whole.ops.iter().map(|op| op.ios).sum()
    }

    pub(crate) fn had_io(&self) -> bool {
        self.ios() > 0
    }
}
