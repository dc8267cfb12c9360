//! What is counted of one series while an interval runs.

use blockyard_model::units::Nanos;

use crate::figures::{latency_us, seconds};
use crate::histogram::Histogram;
use crate::intervals::IntervalRow;

/// The IOs of a series in the running interval.
#[derive(Clone, Debug, Default)]
pub(crate) struct Counts {
    pub(crate) latencies: Histogram,
    pub(crate) bytes: u64,
    pub(crate) errors: u64,
    in_flight: u64,
    /// Time IOs were in flight since the interval's start, less what is added
    /// at its end for those still in flight; wraps, the sum does not.
    flight_time: u64,
}

impl Counts {
    /// An IO was issued, `within` the interval.
    #[inline]
    pub(crate) fn issued(&mut self, within: Nanos) {
        self.in_flight += 1;
        self.flight_time = self.flight_time.wrapping_sub(within);
    }

    /// An IO completed, `within` the interval.
    #[inline]
    pub(crate) fn completed(&mut self, within: Nanos, latency: Nanos, bytes: u64) {
        self.in_flight -= 1;
        self.flight_time = self.flight_time.wrapping_add(within);
        self.latencies.record(latency);
        self.bytes += bytes;
    }

    /// The row of the interval that ends now.
    pub(crate) fn row(&self, series: usize, start: Nanos, length: Nanos) -> IntervalRow {
        let flight = self
            .flight_time
            .wrapping_add(self.in_flight.wrapping_mul(length));
        IntervalRow {
            t_s: seconds(start),
            series,
            ios: self.latencies.count(),
            bytes: self.bytes,
            latency_us: latency_us(&self.latencies),
            queue_depth: flight as f64 / length as f64,
        }
    }

    /// Adds what another thread counted in the same interval.
    pub(crate) fn add(&mut self, other: &Self) {
        self.latencies.merge(&other.latencies);
        self.bytes += other.bytes;
        self.errors += other.errors;
        self.in_flight += other.in_flight;
        self.flight_time = self.flight_time.wrapping_add(other.flight_time);
    }

    /// Begins the next interval with the IOs that are in flight.
    pub(crate) fn roll(&mut self) {
        self.latencies.clear();
        (self.bytes, self.errors, self.flight_time) = (0, 0, 0);
    }

    /// Begins the next interval and gives the one that ended after `length`,
    /// closed: nothing is in flight in it any more.
    pub(crate) fn take(&mut self, length: Nanos) -> Self {
        let next = Self {
            in_flight: self.in_flight,
            ..Self::default()
        };
        let mut ended = std::mem::replace(self, next);
        let rest = ended.in_flight.wrapping_mul(length);
        ended.flight_time = ended.flight_time.wrapping_add(rest);
        ended.in_flight = 0;
        ended
    }
}
