//! How far a simulation's figures come from chance: the same scenario with other seeds.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use super::{LatencyUs, RunResult, Total};

/// Simulation: ranges over several seeds, while all else is of the result's own seed; none with one
/// seed.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct BySeed {
    /// Number of seeds, from the result's own on.
    pub seeds: u32,
    /// Ranges of a total's figures.
    pub totals: Vec<TotalRange>,
    /// Ranges of a job's transactions.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub transactions: Vec<TransactionRange>,
    /// Per goal: the number of seeds that met it.
    pub goals_met: Vec<u32>,
}

/// Ranges of a total's figures.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct TotalRange {
    /// Job.
    pub job: String,
    /// Device.
    pub device: String,
    /// `read`, `write`, `flush` or `trim`.
    pub op: String,
    /// IOs per second.
    pub iops: Range,
    /// Latency; none where no seed had any.
    pub latency_us: Option<LatencyRange>,
}

/// Ranges of a job's transactions.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct TransactionRange {
    /// Job.
    pub job: String,
    /// Transactions per second.
    pub tps: Range,
    /// Latency; none where no seed had any.
    pub latency_us: Option<LatencyRange>,
}

/// Ranges of latency, in microseconds.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct LatencyRange {
    /// Mean.
    pub mean: Range,
    /// Median.
    pub p50: Range,
    /// 99th percentile.
    pub p99: Range,
}

/// Minimum and maximum of a figure.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct Range {
    /// Minimum.
    pub min: f64,
    /// Maximum.
    pub max: f64,
}

impl BySeed {
    /// Of the results of one scenario with each of the seeds.
    pub fn of(results: &[&RunResult]) -> Self {
        let totals = results.first().map_or(&[][..], |first| &first.totals);
        let transactions = results.first().map_or(&[][..], |first| &first.transactions);
        let goals = results.first().map_or(0, |first| first.goals.len());
        let met = |goal: usize| {
            let met = results.iter().filter(|result| result.goals[goal].met);
            met.count() as u32
        };
        Self {
            seeds: results.len() as u32,
            totals: totals
                .iter()
                .map(|total| TotalRange::of(total, results))
                .collect(),
            transactions: transactions
                .iter()
                .map(|total| TransactionRange::of(&total.job, results))
                .collect(),
            goals_met: (0..goals).map(met).collect(),
        }
    }
}

impl TotalRange {
    fn of(total: &Total, results: &[&RunResult]) -> Self {
        let alike = |other: &&Total| {
            (&other.job, &other.device, &other.op) == (&total.job, &total.device, &total.op)
        };
        let all = results.iter().flat_map(|result| &result.totals);
        let all: Vec<_> = all.filter(alike).collect();
        Self {
            job: total.job.clone(),
            device: total.device.clone(),
            op: total.op.clone(),
            iops: Range::over(all.iter().map(|total| total.iops)).unwrap_or(Range::ZERO),
            latency_us: LatencyRange::over(all.iter().filter_map(|total| total.latency_us)),
        }
    }
}

impl TransactionRange {
    fn of(job: &str, results: &[&RunResult]) -> Self {
        let all = results.iter().flat_map(|result| &result.transactions);
        let all: Vec<_> = all.filter(|total| total.job == job).collect();
        Self {
            job: job.to_owned(),
            tps: Range::over(all.iter().map(|total| total.tps)).unwrap_or(Range::ZERO),
            latency_us: LatencyRange::over(all.iter().filter_map(|total| total.latency_us)),
        }
    }
}

impl LatencyRange {
    /// None over nothing.
    fn over(latencies: impl Iterator<Item = LatencyUs> + Clone) -> Option<Self> {
        let of = |figure: fn(LatencyUs) -> f64| Range::over(latencies.clone().map(figure));
        Some(Self {
            mean: of(|us| us.mean)?,
            p50: of(|us| us.p50)?,
            p99: of(|us| us.p99)?,
        })
    }
}

impl Range {
    const ZERO: Self = Self { min: 0.0, max: 0.0 };

    /// None over nothing.
    fn over(figures: impl Iterator<Item = f64> + Clone) -> Option<Self> {
        let min = figures.clone().min_by(f64::total_cmp)?;
        let max = figures.max_by(f64::total_cmp)?;
        Some(Self { min, max })
    }
}
