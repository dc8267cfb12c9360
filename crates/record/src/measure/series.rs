//! The statistics of one job on one device with one operation, and the totals
//! and load steps of the result that they come to.

use blockyard_model::units::{MIB, Nanos, SECOND};
use blockyard_model::workload::Offered;

use crate::measure::by_second::{BySecond, SecondStats};
use crate::measure::counters::Counts;
use crate::measure::histogram::Histogram;
use crate::measure::shape::{RunShape, SeriesKey, op_name};
use crate::result::{Busy, LatencyUs, Step, Total, seconds};

/// Running statistics of the load steps and of the whole run.
#[derive(Clone, Debug)]
pub(crate) struct Series {
    pub(crate) total: SeriesStats,
    pub(crate) steps: Vec<SeriesStats>,
    /// IOs a second of each interval.
    rates: Histogram,
}

/// What was done in a stretch of time.
#[derive(Clone, Debug, Default)]
pub struct SeriesStats {
    /// Latencies of the IOs that completed.
    pub latencies: Histogram,
    /// Their bytes.
    pub bytes: u64,
    /// How many of them failed.
    pub errors: u64,
    /// IOs a second in its best interval.
    pub peak_iops: u64,
    /// Length of the stretch, as far as the job had something to do.
    pub time: Nanos,
}

impl Series {
    pub(crate) fn new(steps: usize) -> Self {
        Self {
            total: SeriesStats::default(),
            steps: vec![SeriesStats::default(); steps],
            rates: Histogram::default(),
        }
    }

    /// Adds an interval of `length`, in which the job had something to do for `at_work`, to the
    /// whole and to load step `step`.
    pub(crate) fn add(
        &mut self,
        interval: &Counts,
        (length, at_work): (Nanos, Nanos),
        step: Option<usize>,
    ) {
        let ios = interval.latencies.count();
        if at_work == 0 && ios == 0 {
            return;
        }
        let rate = (u128::from(ios) * u128::from(SECOND) / u128::from(length)) as u64;
        self.rates.record(rate);
        let step = step.and_then(|step| self.steps.get_mut(step));
        for stats in [Some(&mut self.total), step].into_iter().flatten() {
            stats.latencies.merge(&interval.latencies);
            stats.bytes += interval.bytes;
            stats.errors += interval.errors;
            stats.peak_iops = stats.peak_iops.max(rate);
            stats.time += at_work;
        }
    }

    /// Rates over the intervals that had IO; none where all had.
    pub(crate) fn busy(&self) -> Option<Busy> {
        let mut busy = Histogram::default();
        let (mut idle, mut sum) = (0, 0.0);
        for (rate, count) in self.rates.buckets() {
            if rate == 0 {
                idle += count;
            } else {
                (0..count).for_each(|_| busy.record(rate));
                sum += rate as f64 * count as f64;
            }
        }
        if idle == 0 || busy.count() == 0 {
            return None;
        }
        let [p98] = busy.quantiles([0.98]);
        Some(Busy {
            share: busy.count() as f64 / self.rates.count() as f64,
            iops_mean: sum / busy.count() as f64,
            iops_p98: p98 as f64,
        })
    }
}

impl SeriesStats {
    /// IOs a second.
    pub fn iops(&self) -> f64 {
        per_second(self.latencies.count() as f64, self.time)
    }

    /// Throughput in MiB a second.
    pub fn mib_per_s(&self) -> f64 {
        per_second(self.bytes as f64 / MIB as f64, self.time)
    }

    /// Adds what was done in the same stretch elsewhere.
    pub(crate) fn add(&mut self, other: &Self) {
        self.latencies.merge(&other.latencies);
        self.bytes += other.bytes;
        self.errors += other.errors;
        self.time = self.time.max(other.time);
    }
}

/// `amount` a second over `time`; 0 over none.
fn per_second(amount: f64, time: Nanos) -> f64 {
    if time == 0 {
        0.0
    } else {
        amount * SECOND as f64 / time as f64
    }
}

/// A total for each series, whose seconds come first in `by_second`.
pub(crate) fn totals(shape: &RunShape, series: &[Series], by_second: &[BySecond]) -> Vec<Total> {
    let all = shape.series.iter().zip(series).zip(by_second);
    all.map(|((&key, series), by_second)| Total {
        busy: series.busy(),
        ..total(shape, key, &series.total, &by_second.total)
    })
    .collect()
}

/// The load steps, as far as the run got.
pub(crate) fn steps(
    shape: &RunShape,
    series: &[Series],
    by_second: &[BySecond],
    reached: Nanos,
) -> Vec<Step> {
    let mut found = Vec::new();
    for ((&key, series), by_second) in shape.series.iter().zip(series).zip(by_second) {
        let steps = &shape.jobs[key.job].steps;
        for (index, (&(from, offered), stats)) in steps.iter().zip(&series.steps).enumerate() {
            let to = steps.get(index + 1).map_or(shape.duration, |next| next.0);
            if stats.time == 0 {
                continue;
            }
            let (processes, rate) = match offered {
                Offered::Processes(processes) => (Some(processes), None),
                Offered::Rate(rate) => (None, Some(rate)),
            };
            found.push(Step {
                step: index + 1,
                from_s: seconds(from.max(shape.warmup)),
                to_s: seconds(to.min(reached)),
                processes,
                rate,
                total: total(shape, key, stats, &by_second.by_step[index]),
            });
        }
    }
    found
}

fn total(shape: &RunShape, key: SeriesKey, stats: &SeriesStats, by_second: &SecondStats) -> Total {
    Total {
        job: shape.jobs[key.job].name.clone(),
        device: shape.devices[key.device].clone(),
        op: op_name(key.op).into(),
        ios: stats.latencies.count(),
        bytes: stats.bytes,
        iops: stats.iops(),
        mib_per_s: stats.mib_per_s(),
        peak_iops: stats.peak_iops as f64,
        errors: stats.errors,
        latency_us: LatencyUs::of(&stats.latencies),
        mean_us: None,
        expected_us: None,
        worst_second: by_second.worst(),
        time_above: by_second.time_above(),
        busy: None,
    }
}
