//! What is measured of a run that is carried by interval: amounts and means, no percentiles.

mod result;
mod rows;
mod storage;
mod sums;

use blockyard_model::by_interval::Period;
use blockyard_model::units::Nanos;

use self::sums::{OfLimit, Offered, Whole};
use crate::measure::observer::Interval;
use crate::measure::shape::RunShape;
use crate::result::seconds;

/// Measures a run by interval, from what happened in each.
#[derive(Debug)]
pub struct ByIntervalRecorder {
    shape: RunShape,
    start: Nanos,
    series: Vec<OfSeries>,
    limits: Vec<OfLimit>,
    /// Volume by volume, then host by host.
    served: Vec<Served>,
    /// Job by job.
    offered: Vec<Offered>,
    /// By limit: what was there at the start, and what is left now, in percent.
    started_pct: Vec<f64>,
    balances_pct: Vec<f64>,
}

/// What a job did on its device with one operation.
#[derive(Clone, Debug, Default)]
struct OfSeries {
    ios: Whole,
    bytes: Whole,
    /// Without the warm-up.
    total: Sum,
    peak_iops: f64,
}

/// IOs, their bytes, and their latencies added up, in seconds.
#[derive(Clone, Copy, Debug, Default)]
struct Sum {
    ios: u64,
    bytes: u64,
    latency_s: f64,
}

#[derive(Clone, Debug, Default)]
struct Served {
    ios: Whole,
    bytes: Whole,
    total: Sum,
    peak: (f64, f64),
}

impl ByIntervalRecorder {
    /// Of the run that `shape` describes, which starts with these balances of its limits, in
    /// percent.
    #[must_use]
    pub fn new(shape: RunShape, balances_pct: Vec<f64>) -> Self {
        let owners = shape.volumes.len() + shape.hosts.len();
        Self {
            start: 0,
            series: vec![OfSeries::default(); shape.series.len()],
            limits: vec![OfLimit::new(shape.jobs.len()); shape.limits.len()],
            served: vec![Served::default(); owners],
            offered: vec![Offered::default(); shape.jobs.len()],
            started_pct: balances_pct.clone(),
            balances_pct,
            shape,
        }
    }

    /// The shape of the run.
    #[must_use]
    pub fn shape(&self) -> &RunShape {
        &self.shape
    }

    /// An interval ended at `end`; gives its rows.
    pub fn interval(&mut self, end: Nanos, period: &Period) -> Interval {
        let length_s = seconds(end - self.start);
        let counted = self.start >= self.shape.warmup;
        let rows = (0..self.series.len()).map(|series| self.row(series, period, length_s, counted));
        let rows = rows.collect();
        let volumes =
            (0..self.shape.volumes.len()).map(|it| self.volume(it, period, length_s, counted));
        let volumes: Vec<_> = volumes.collect();
        for host in 0..self.shape.hosts.len() {
            let over = (0..volumes.len()).filter(|&it| self.shape.limits.host_of(it) == host);
            let sum = over.fold((0, 0), |sum: (u64, u64), volume| {
                (sum.0 + volumes[volume].ios, sum.1 + volumes[volume].bytes)
            });
            self.served[volumes.len() + host].add(sum, length_s, counted);
        }
        let waiting = period.waiting.iter().zip(&period.held);
        for (limit, (waiting, &held)) in self.limits.iter_mut().zip(waiting) {
            if counted {
                limit.add(waiting, held);
            }
        }
        for (offered, job) in self.offered.iter_mut().zip(&period.jobs) {
            offered.add(end, job);
        }
        self.balances_pct.clone_from(&period.balances_pct);
        self.start = end;
        Interval {
            done_s: seconds(end),
            rows,
            volumes,
            rates: self
                .shape
                .limits
                .iter()
                .map(|(_, limit)| limit.rate)
                .collect(),
            transactions: Vec::new(),
        }
    }

    /// How far the run got.
    fn measured_s(&self) -> f64 {
        seconds(self.start.saturating_sub(self.shape.warmup))
    }
}

impl Sum {
    fn add(&mut self, other: Self) {
        self.ios += other.ios;
        self.bytes += other.bytes;
        self.latency_s += other.latency_s;
    }

    fn mean_us(&self) -> Option<f64> {
        (self.ios > 0).then(|| 1e6 * self.latency_s / self.ios as f64)
    }
}

impl Served {
    fn add(&mut self, (ios, bytes): (u64, u64), length_s: f64, counted: bool) {
        if !counted {
            return;
        }
        self.total.ios += ios;
        self.total.bytes += bytes;
        self.peak.0 = self.peak.0.max(ios as f64 / length_s);
        self.peak.1 = self.peak.1.max(bytes as f64 / length_s);
    }
}
