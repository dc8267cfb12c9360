//! A run as reports know it.

use std::collections::BTreeMap;
use std::sync::Arc;

use blockyard_cost::Bill;
use blockyard_experiment::Base;
use blockyard_experiment::advice::Advice;
use blockyard_explain::Facts;
pub use blockyard_explain::Names;
use blockyard_explain::{Entries, VolumeTable};
use blockyard_record::Latencies;
use blockyard_record::result::{EbsStatistics, Mode, RunResult};

/// What is known of a run. Of one that was read from another program's file that may be little:
/// then lists and tables are empty, and there are no facts.
#[derive(Debug)]
pub struct Run {
    /// Its name in reports.
    pub name: String,
    /// As in `result.json`. The mode of another program's run says nothing; see `foreign`.
    pub result: RunResult,
    /// The program whose file it was read from, as `iostat`; none of Blockyard's own runs.
    pub foreign: Option<String>,
    /// The scenario that it was asked to run; none of another program's run, or where it is not
    /// known. Runs are compared by what their scenarios ask for, and simulated again from them.
    pub scenario: Option<Arc<Base>>,
    /// What the devices are that it was observed on, if that is known.
    pub storage: Option<Arc<Base>>,
    /// What EBS itself counted of devices, where a file beside the run has it.
    pub ebs: BTreeMap<String, EbsStatistics>,
    /// What its figures say of its limits.
    pub facts: Option<Facts>,
    /// What would help it, tried.
    pub advice: Option<Advice>,
    /// What it costs; none where nothing is to be paid, or that is not known.
    pub bill: Option<Bill>,
    /// Why there is no bill, where one is due.
    pub unpriced: Option<String>,
    /// Seconds at its beginning that its totals leave out.
    pub warmup_s: f64,
    /// Seconds from row to row of its tables.
    pub interval_s: f64,
    /// What it did over time.
    pub tables: Tables,
    /// Latencies by interval under the tag JOB.DEVICE.OP; of transactions JOB.transaction.
    pub latencies: Arc<Latencies>,
    /// Of the whole run under the same tags, where another tool's file has no more: shares of IOs,
    /// rising, and the latencies in µs that they do not exceed.
    pub percentiles: BTreeMap<String, Vec<(f64, f64)>>,
}

#[cfg(test)]
impl Run {
    /// One of which nothing but its result is known.
    pub(crate) fn bare(name: &str, result: RunResult) -> Self {
        Self {
            name: name.to_owned(),
            result,
            foreign: None,
            scenario: None,
            storage: None,
            ebs: BTreeMap::new(),
            facts: None,
            advice: None,
            bill: None,
            unpriced: None,
            warmup_s: 0.0,
            interval_s: 1.0,
            tables: Tables::default(),
            latencies: Arc::default(),
            percentiles: BTreeMap::new(),
        }
    }
}

impl Run {
    /// Whether it is Blockyard's own, of this mode.
    #[must_use]
    pub fn is(&self, mode: Mode) -> bool {
        self.foreign.is_none() && self.result.mode == mode
    }

    /// How it was made, in a word: a mode, or the other program.
    #[must_use]
    pub fn made(&self) -> &str {
        match (&self.foreign, self.result.mode) {
            (Some(program), _) => program,
            (None, Mode::Simulate) => "simulate",
            (None, Mode::Bench) => "bench",
            (None, Mode::Emulate) => "emulate",
            (None, Mode::Observe) => "observe",
        }
    }
}

/// What a run did over time. Numbers that a row lacks are NaN.
#[derive(Debug, Default)]
pub struct Tables {
    /// By interval and series, in order of time.
    pub intervals: Intervals,
    /// By interval and volume, in order of time.
    pub volumes: VolumeRows,
    /// By interval and job that does transactions, in order of time.
    pub transactions: TransactionRows,
}

/// A row for each interval, job, device and operation.
#[derive(Debug, Default)]
pub struct Intervals {
    /// Start of the interval, in seconds.
    pub t_s: Vec<f64>,
    /// The job.
    pub job: Names,
    /// The device.
    pub device: Names,
    /// The operation.
    pub op: Names,
    /// IOs that completed.
    pub ios: Vec<u64>,
    /// Their bytes.
    pub bytes: Vec<u64>,
    /// Their mean latency in µs.
    pub latency_mean_us: Vec<f64>,
    /// IOs in flight.
    pub queue_depth: Vec<f64>,
}

impl Intervals {
    /// The time from row to row in seconds; 1 with fewer than two intervals.
    #[must_use]
    pub fn interval_s(&self) -> f64 {
        let first = self.t_s.iter().copied().fold(f64::INFINITY, f64::min);
        let later = self.t_s.iter().copied().filter(|start| *start > first);
        let second = later.fold(f64::INFINITY, f64::min);
        if second.is_finite() {
            second - first
        } else {
            1.0
        }
    }
}

/// A row for each interval and volume.
#[derive(Debug)]
pub struct VolumeRows {
    /// What it served, waited for, and might.
    pub served: VolumeTable,
    /// Its credit balance at the interval's end, in percent.
    pub balance_pct: Vec<f64>,
    /// The lowest credit balance of its host then.
    pub host_balance_pct: Vec<f64>,
}

impl Default for VolumeRows {
    fn default() -> Self {
        fn none<T>() -> Entries<T> {
            Entries {
                row: Vec::new(),
                limit: Names::default(),
                value: Vec::new(),
            }
        }
        Self {
            served: VolumeTable {
                t_s: Vec::new(),
                volume: Names::default(),
                ios: Vec::new(),
                bytes: Vec::new(),
                waits_us: none(),
                rates: none(),
            },
            balance_pct: Vec::new(),
            host_balance_pct: Vec::new(),
        }
    }
}

/// A row for each interval and job that does transactions.
#[derive(Debug, Default)]
pub struct TransactionRows {
    /// Start of the interval, in seconds.
    pub t_s: Vec<f64>,
    /// The job.
    pub job: Names,
    /// Transactions that ended in it.
    pub count: Vec<u64>,
    /// Their mean latency in µs.
    pub latency_mean_us: Vec<f64>,
}
