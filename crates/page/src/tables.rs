//! The tables of a run, column by column, by the names that a run directory's have.

use blockyard_explain::{Entries, Names, VolumeTable};
use blockyard_record::result::LatencyUs;
use blockyard_record::{IntervalRow, RowNames, TransactionRow, VolumeRow};
use blockyard_report as report;
use serde::{Deserialize, Serialize};

/// The tables of a run.
#[derive(Debug, Default, Serialize, Deserialize)]
pub(crate) struct Tables {
    pub(crate) intervals: Intervals,
    pub(crate) volumes: Volumes,
    pub(crate) transactions: Transactions,
}

/// A row for each interval and series.
#[derive(Debug, Default, Serialize, Deserialize)]
pub(crate) struct Intervals {
    t_s: Vec<f64>,
    job: Vec<String>,
    device: Vec<String>,
    op: Vec<String>,
    ios: Vec<u64>,
    bytes: Vec<u64>,
    #[serde(flatten)]
    latency: Latencies,
    queue_depth: Vec<f64>,
}

/// A row for each interval and volume.
#[derive(Debug, Default, Serialize, Deserialize)]
pub(crate) struct Volumes {
    t_s: Vec<f64>,
    volume: Vec<String>,
    ios: Vec<u64>,
    bytes: Vec<u64>,
    throttled_us: Vec<Vec<(String, f64)>>,
    balance_pct: Vec<Option<f64>>,
    host_balance_pct: Vec<Option<f64>>,
    limits: Vec<Vec<(String, u64)>>,
}

/// A row for each interval and job that does transactions.
#[derive(Debug, Default, Serialize, Deserialize)]
pub(crate) struct Transactions {
    t_s: Vec<f64>,
    job: Vec<String>,
    count: Vec<u64>,
    tps: Vec<f64>,
    #[serde(flatten)]
    latency: Latencies,
    dirty_pages: Vec<u64>,
    checkpoint_age: Vec<u64>,
}

/// Latencies, as both tables have them.
#[derive(Debug, Default, Serialize, Deserialize)]
struct Latencies {
    latency_mean_us: Vec<Option<f64>>,
    latency_p50_us: Vec<Option<f64>>,
    latency_p95_us: Vec<Option<f64>>,
    latency_p99_us: Vec<Option<f64>>,
    latency_p99_9_us: Vec<Option<f64>>,
    latency_max_us: Vec<Option<f64>>,
}

impl Latencies {
    /// `mean_us` is the mean where no more is known.
    fn push(&mut self, us: Option<LatencyUs>, mean_us: Option<f64>) {
        self.latency_mean_us.push(us.map(|us| us.mean).or(mean_us));
        self.latency_p50_us.push(us.map(|us| us.p50));
        self.latency_p95_us.push(us.map(|us| us.p95));
        self.latency_p99_us.push(us.map(|us| us.p99));
        self.latency_p99_9_us.push(us.map(|us| us.p99_9));
        self.latency_max_us.push(us.map(|us| us.max));
    }
}

impl Tables {
    pub(crate) fn push_interval(&mut self, names: &RowNames, row: &IntervalRow) {
        let (of, to) = (&names.series[row.series], &mut self.intervals);
        to.t_s.push(row.t_s);
        to.job.push(of.job.clone());
        to.device.push(of.device.clone());
        to.op.push(of.op.to_owned());
        to.ios.push(row.ios);
        to.bytes.push(row.bytes);
        to.latency.push(row.latency_us, row.mean_us);
        to.queue_depth.push(row.queue_depth);
    }

    /// `rates` are those of all limits.
    pub(crate) fn push_volume(&mut self, names: &RowNames, row: &VolumeRow, rates: &[u64]) {
        let ((name, limits), to) = (&names.volumes[row.volume], &mut self.volumes);
        to.t_s.push(row.t_s);
        to.volume.push(name.clone());
        to.ios.push(row.ios);
        to.bytes.push(row.bytes);
        let waits = limits.iter().zip(&row.throttled_us);
        let waits = waits.map(|((name, _), &us)| (name.clone(), us));
        to.throttled_us.push(waits.collect());
        to.balance_pct.push(row.balance_pct);
        to.host_balance_pct.push(row.host_balance_pct);
        // What does not hold now has no rate.
        let held = limits.iter().filter(|(_, index)| rates[*index] > 0);
        let held = held.map(|(name, index)| (name.clone(), rates[*index]));
        to.limits.push(held.collect());
    }

    pub(crate) fn push_transactions(&mut self, names: &RowNames, row: &TransactionRow) {
        let to = &mut self.transactions;
        to.t_s.push(row.t_s);
        to.job.push(names.jobs[row.job].clone());
        to.count.push(row.count);
        to.tps.push(row.tps);
        to.latency.push(row.latency_us, None);
        to.dirty_pages.push(row.dirty_pages);
        to.checkpoint_age.push(row.checkpoint_age);
    }

    /// The table of volumes as facts take it.
    pub(crate) fn volumes(&self) -> VolumeTable {
        let volumes = &self.volumes;
        VolumeTable {
            t_s: volumes.t_s.clone(),
            volume: names(volumes.volume.iter()),
            ios: volumes.ios.clone(),
            bytes: volumes.bytes.clone(),
            // What did not wait is left out, as it is most.
            waits_us: entries(&volumes.throttled_us, |us| us > 0.0),
            rates: entries(&volumes.limits, |_| true),
        }
    }

    /// The same as reports take them.
    pub(crate) fn for_report(&self) -> report::Tables {
        let (intervals, volumes, transactions) =
            (&self.intervals, &self.volumes, &self.transactions);
        report::Tables {
            intervals: report::Intervals {
                t_s: intervals.t_s.clone(),
                job: names(intervals.job.iter()),
                device: names(intervals.device.iter()),
                op: names(intervals.op.iter()),
                ios: intervals.ios.clone(),
                bytes: intervals.bytes.clone(),
                latency_mean_us: floats(&intervals.latency.latency_mean_us),
                queue_depth: intervals.queue_depth.clone(),
            },
            volumes: report::VolumeRows {
                served: self.volumes(),
                balance_pct: floats(&volumes.balance_pct),
                host_balance_pct: floats(&volumes.host_balance_pct),
            },
            transactions: report::TransactionRows {
                t_s: transactions.t_s.clone(),
                job: names(transactions.job.iter()),
                count: transactions.count.clone(),
                latency_mean_us: floats(&transactions.latency.latency_mean_us),
            },
        }
    }
}

fn floats(values: &[Option<f64>]) -> Vec<f64> {
    values
        .iter()
        .map(|value| value.unwrap_or(f64::NAN))
        .collect()
}

/// A column of names, each of them once.
fn names<'a>(column: impl Iterator<Item = &'a String>) -> Names {
    let mut found = Names::default();
    for name in column {
        // There are few.
        let known = found.names.iter().position(|known| known == name);
        found.index.push(known.unwrap_or(found.names.len()));
        if known.is_none() {
            found.names.push(name.clone());
        }
    }
    found
}

fn entries<T: Copy>(rows: &[Vec<(String, T)>], counts: impl Fn(T) -> bool) -> Entries<T> {
    let numbered = rows.iter().enumerate();
    let each = numbered.flat_map(|(row, entries)| entries.iter().map(move |entry| (row, entry)));
    let kept: Vec<_> = each.filter(|(_, (_, value))| counts(*value)).collect();
    Entries {
        row: kept.iter().map(|(row, _)| *row).collect(),
        limit: names(kept.iter().map(|(_, (name, _))| name)),
        value: kept.iter().map(|(_, (_, value))| *value).collect(),
    }
}
