//! What seconds come to.

use std::iter;

use blockyard_model::units::Nanos;

use crate::measure::histogram::Histogram;
use crate::result::{LatencyUs, TimeAbove, WorstSecond, seconds};

/// The shortest latency of which the result says for how long p99 was above it.
const LEAST: Nanos = 100_000;

/// What the seconds of a stretch of time were like.
#[derive(Clone, Debug, Default)]
pub(crate) struct SecondStats {
    worst: Option<Worst>,
    /// The seconds' p99, each counted as often as it has nanoseconds; seconds without IO have
    /// none.
    p99s: Histogram,
    /// Length of the stretch.
    time: Nanos,
}

#[derive(Clone, Copy, Debug)]
struct Worst {
    p99: u64,
    mean: f64,
    second: WorstSecond,
}

impl SecondStats {
    /// Time passed, with IO or without.
    pub(super) fn pass(&mut self, time: Nanos) {
        self.time += time;
    }

    /// Adds `time` from `from` on, whole seconds, with the latencies of its IOs; `completed` if
    /// they completed in it.
    pub(super) fn add(&mut self, from: Nanos, time: Nanos, latencies: &Histogram, completed: bool) {
        let p99 = latencies.quantile(0.99);
        self.p99s.record_many(p99, time);
        let mean = latencies.mean();
        let is_worse = |worst: Worst| (worst.p99, worst.mean) < (p99, mean);
        if !self.worst.is_none_or(is_worse) {
            return;
        }
        let ios = if completed { latencies.count() } else { 0 };
        self.worst = LatencyUs::of(latencies).map(|latency_us| Worst {
            p99,
            mean,
            second: WorstSecond {
                t_s: seconds(from),
                iops: ios as f64 / seconds(time),
                latency_us,
            },
        });
    }

    /// The second with the highest p99, of several that with the highest mean; none without IO.
    pub(crate) fn worst(&self) -> Option<WorstSecond> {
        self.worst.map(|worst| worst.second)
    }

    /// The share of the time in seconds whose p99 was above `latency`; none of no time.
    pub(crate) fn above(&self, latency: Nanos) -> Option<f64> {
        let above = self.p99s.count_above(latency);
        (self.time > 0).then(|| above as f64 / self.time as f64)
    }

    /// The shares above 0.1, 0.2, 0.5, 1, 2, 5 ms and so on, as far as there are any; of values
    /// with the same share the largest.
    pub(crate) fn time_above(&self) -> Vec<TimeAbove> {
        let decades = iter::successors(Some(LEAST), |decade| Some(10 * decade));
        let ladder = decades.flat_map(|decade| [decade, 2 * decade, 5 * decade]);
        let shares = ladder.map(|value| TimeAbove {
            us: value as f64 / 1000.0,
            share: self.above(value).unwrap_or(0.0),
        });
        let mut shares: Vec<_> = shares.take_while(|above| above.share > 0.0).collect();
        shares.reverse();
        shares.dedup_by_key(|above| above.share);
        shares.reverse();
        shares
    }
}
