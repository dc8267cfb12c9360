//! What was done load step by load step, with all latencies: what runs with other seeds are
//! compared by.

use blockyard_model::units::Nanos;
use blockyard_model::workload::Offered;

use crate::measure::histogram::{Histogram, Packed};
use crate::measure::series::{Series, SeriesStats};
use crate::measure::shape::{RunShape, op_name};

/// What a job did, on a device with one operation or in transactions, without the warm-up.
#[derive(Clone, Debug)]
pub struct SeriesSteps {
    /// The job.
    pub job: String,
    /// The device; empty of transactions.
    pub device: String,
    /// As results call operations, or `transaction`.
    pub op: String,
    /// One for each load step of the job.
    pub steps: Vec<StepStats>,
}

/// What was done in a load step.
#[derive(Clone, Debug)]
pub struct StepStats {
    /// What the job offered.
    pub offered: Offered,
    /// How long it was, without the warm-up.
    pub time: Nanos,
    /// Bytes of the IOs that completed.
    pub bytes: u64,
    /// Their latencies.
    pub latencies: Packed,
}

/// Of the IO of all jobs.
pub(crate) fn of_ios(shape: &RunShape, series: &[Series]) -> Vec<SeriesSteps> {
    let all = shape.series.iter().zip(series);
    all.map(|(key, series)| {
        let steps = shape.jobs[key.job].steps.iter().zip(&series.steps);
        let step = |(&(_, offered), stats): (&(Nanos, Offered), &SeriesStats)| StepStats {
            offered,
            time: stats.time,
            bytes: stats.bytes,
            latencies: Packed::from(&stats.latencies),
        };
        SeriesSteps {
            job: shape.jobs[key.job].name.clone(),
            device: shape.devices[key.device].clone(),
            op: op_name(key.op).into(),
            steps: steps.map(step).collect(),
        }
    })
    .collect()
}

impl StepStats {
    /// Of transactions.
    pub(crate) fn of_transactions(offered: Offered, time: Nanos, latencies: &Histogram) -> Self {
        Self {
            offered,
            time,
            bytes: 0,
            latencies: Packed::from(latencies),
        }
    }
}
