//! The accounts of one job on one device with one operation, and the totals
//! and load steps of the result that they come to.

use blockyard_model::units::{MIB, Nanos, SECOND};
use blockyard_model::workload::Offered;

use crate::figures::{latency_us, seconds};
use crate::histogram::Histogram;
use crate::plan::{Plan, SeriesKey, op_name};
use crate::result::{Busy, Step, Total};
use crate::tally::Counts;

/// Running accounts of the load steps and of the whole run.
#[derive(Clone, Debug)]
pub(crate) struct Series {
    pub(crate) total: Account,
    pub(crate) steps: Vec<Account>,
    /// IOs a second of each interval.
    rates: Histogram,
}

/// What was done in a stretch of time.
#[derive(Clone, Debug, Default)]
pub struct Account {
    /// Latencies of the IOs that completed.
    pub latencies: Histogram,
    /// Their bytes.
    pub bytes: u64,
    /// How many of them failed.
    pub errors: u64,
    /// IOs a second in its best interval.
    pub peak_iops: u64,
    /// Length of the stretch.
    pub time: Nanos,
}

impl Series {
    pub(crate) fn new(steps: usize) -> Self {
        Self {
            total: Account::default(),
            steps: vec![Account::default(); steps],
            rates: Histogram::default(),
        }
    }

    /// Adds an interval of `length` to the whole and to load step `step`.
    pub(crate) fn add(&mut self, interval: &Counts, length: Nanos, step: Option<usize>) {
        let ios = interval.latencies.count();
        let rate = (u128::from(ios) * u128::from(SECOND) / u128::from(length)) as u64;
        self.rates.record(rate);
        let step = step.and_then(|step| self.steps.get_mut(step));
        for account in [Some(&mut self.total), step].into_iter().flatten() {
            account.latencies.merge(&interval.latencies);
            account.bytes += interval.bytes;
            account.errors += interval.errors;
            account.peak_iops = account.peak_iops.max(rate);
            account.time += length;
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

impl Account {
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

/// A total for each series.
pub(crate) fn totals(plan: &Plan, series: &[Series]) -> Vec<Total> {
    let all = plan.series.iter().zip(series);
    all.map(|(&key, series)| Total {
        busy: series.busy(),
        ..total(plan, key, &series.total)
    })
    .collect()
}

/// The load steps, as far as the run got.
pub(crate) fn steps(plan: &Plan, series: &[Series], reached: Nanos) -> Vec<Step> {
    let mut found = Vec::new();
    for (&key, series) in plan.series.iter().zip(series) {
        let steps = &plan.jobs[key.job].steps;
        for (index, (&(from, offered), account)) in steps.iter().zip(&series.steps).enumerate() {
            let to = steps.get(index + 1).map_or(plan.duration, |next| next.0);
            if account.time == 0 {
                continue;
            }
            let (processes, rate) = match offered {
                Offered::Processes(processes) => (Some(processes), None),
                Offered::Rate(rate) => (None, Some(rate)),
            };
            found.push(Step {
                step: index + 1,
                from_s: seconds(from.max(plan.warmup)),
                to_s: seconds(to.min(reached)),
                processes,
                rate,
                total: total(plan, key, account),
            });
        }
    }
    found
}

fn total(plan: &Plan, key: SeriesKey, account: &Account) -> Total {
    Total {
        job: plan.jobs[key.job].name.clone(),
        device: plan.devices[key.device].clone(),
        op: op_name(key.op).into(),
        ios: account.latencies.count(),
        bytes: account.bytes,
        iops: account.iops(),
        mib_per_s: account.mib_per_s(),
        peak_iops: account.peak_iops as f64,
        errors: account.errors,
        latency_us: latency_us(&account.latencies),
        busy: None,
    }
}
