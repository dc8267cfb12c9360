//! One device that was watched: what it did, beside what it takes where nothing delays it.

use std::cell::OnceCell;

use blockyard_record::thresholds::SLOW;

use super::known::{Known, Use, usual_us};
use super::seen::{Seen, SeenDevice, SeenInterval};
use crate::limits::id::LimitId;

/// Without knowledge of the storage, a device that has IO in flight for a smaller share of the time
/// is none that anybody waits for.
const IDLE: f64 = 0.1;

/// A limit that throttles is used up over seconds, as what is left in a pause is spent in the next
/// burst: of intervals that used less than this share of it none was at it.
const LEAST_BUSY: f64 = 0.5;

/// A device that was watched, with what is known of it.
#[derive(Debug)]
pub(super) struct Watched<'a> {
    pub(super) device: &'a SeenDevice,
    pub(super) seen: &'a Seen,
    pub(super) known: Option<Known<'a>>,
    /// By interval, how long its IO takes where nothing delays it, summed, in microseconds.
    pub(super) expected_us: Vec<f64>,
    /// What `busy_while_slow` found, which looks at all intervals.
    busy_while_slow: OnceCell<f64>,
    /// The baselines at which it was slow.
    pub(super) stood_at: OnceCell<Vec<LimitId>>,
}

impl<'a> Watched<'a> {
    pub(super) fn of(seen: &'a Seen, device: &'a SeenDevice, known: Option<Known<'a>>) -> Self {
        let usual = usual_us(device).unwrap_or(0.0);
        let expected = |own: &SeenInterval| match &known {
            Some(known) => known.expected_us(own),
            None => usual * own.ios() as f64,
        };
        Self {
            device,
            seen,
            expected_us: device.intervals.iter().map(expected).collect(),
            known,
            busy_while_slow: OnceCell::new(),
            stood_at: OnceCell::new(),
        }
    }

    /// Whether all IO has a latency.
    pub(super) fn has_latencies(&self) -> bool {
        let each = self.device.intervals.iter();
        each.map(SeenInterval::us).all(f64::is_finite)
    }

    /// Whether somebody may wait for it without that it shows.
    pub(super) fn is_unsure(&self) -> bool {
        self.known.is_none() && self.device.busy.is_none_or(|busy| busy.share > IDLE)
    }

    /// How much of each limit an interval used.
    pub(super) fn used(&self, place: usize, others: &[&Self]) -> Vec<Use> {
        let Some(known) = &self.known else {
            return Vec::new();
        };
        let own = &self.device.intervals[place];
        let beside = others
            .iter()
            .filter_map(|one| one.device.intervals.get(place));
        let all: Vec<_> = std::iter::once(own).chain(beside).collect();
        known.used(self.device, &all, self.seen.interval_s, self.busy_share())
    }

    fn busy_share(&self) -> f64 {
        *self.busy_while_slow.get_or_init(|| self.busy_while_slow())
    }

    /// The share of the time with IO in flight, of the slow intervals: bursts reach a limit in a
    /// part of them. At least they have the time in which the device was hardly ever idle, and what
    /// the others leave, taken for a queue at a single server: n in flight in the mean for
    /// n / (n + 1) of the time. Below [`LEAST_BUSY`] no limit holds.
    fn busy_while_slow(&self) -> f64 {
        let Some(busy) = self.device.busy else {
            return 1.0;
        };
        let length_us = self.seen.interval_s * 1e6;
        let each = self.device.intervals.iter().enumerate();
        let (slow, fast): (Vec<_>, Vec<_>) = each.partition(|(place, _)| self.is_slow(*place));
        let of_fast = fast
            .iter()
            .map(|(_, own)| own.us() / (own.us() + length_us));
        let of_fast: f64 = of_fast.sum();
        let left = busy.share * self.device.intervals.len() as f64 - of_fast;
        let full = busy.full_s / self.seen.interval_s;
        (left.max(full) / slow.len().max(1) as f64).clamp(LEAST_BUSY, 1.0)
    }

    pub(super) fn is_slow(&self, place: usize) -> bool {
        let own = &self.device.intervals[place];
        own.ios() > 0 && own.us() > SLOW * self.expected_us[place]
    }

    pub(super) fn active(&self) -> usize {
        let each = self.device.intervals.iter();
        each.filter(|own| own.ios() > 0).count()
    }

    pub(super) fn ios(&self) -> u64 {
        self.device.intervals.iter().map(SeenInterval::ios).sum()
    }

    /// The same without empty writes.
    pub(super) fn data_ios(&self) -> f64 {
        let each = self.device.intervals.iter();
        each.map(|own| own.without_empty().ios() as f64).sum()
    }

    pub(super) fn us(&self) -> f64 {
        self.device.intervals.iter().map(SeenInterval::us).sum()
    }

    pub(super) fn flush_us(&self) -> f64 {
        let each = self.device.intervals.iter();
        each.map(|own| own.flushes.us)
            .filter(|us| us.is_finite())
            .sum()
    }

    pub(super) fn flushes_in_flight(&self) -> f64 {
        self.flush_us() / 1e6 / (self.active() as f64 * self.seen.interval_s)
    }
}
