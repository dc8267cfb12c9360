//! Names that the rows of a run refer to.

use super::observer::IntervalRow;
use super::shape::{RunShape, op_name};

/// Names that the rows of a run refer to.
#[derive(Clone, Debug)]
pub struct RowNames {
    /// What each series is of.
    pub series: Vec<SeriesName>,
    /// The jobs.
    pub jobs: Vec<String>,
    /// Each volume's name and the (name, index) of its limits, its host's first.
    pub volumes: Vec<(String, Vec<(String, usize)>)>,
}

/// What a row of intervals is of.
#[derive(Clone, Debug)]
pub struct SeriesName {
    /// The job.
    pub job: String,
    /// The device.
    pub device: String,
    /// The operation.
    pub op: &'static str,
}

impl RowNames {
    /// Those of a run.
    #[must_use]
    pub fn new(shape: &RunShape) -> Self {
        let series = shape.series.iter().map(|key| SeriesName {
            job: shape.jobs[key.job].name.clone(),
            device: shape.devices[key.device].clone(),
            op: op_name(key.op),
        });
        let volumes = (0..).zip(&shape.volumes).map(|(index, name)| {
            let limits = &shape.limits;
            let named = |limit| (shape.owners().beside_volume(&limits[limit]), limit.index());
            let named = limits.over(index).map(named);
            (name.clone(), named.collect())
        });
        Self {
            series: series.collect(),
            jobs: shape.jobs.iter().map(|job| job.name.clone()).collect(),
            volumes: volumes.collect(),
        }
    }

    /// Each row with the names it refers to.
    pub fn of<'a>(
        &'a self,
        rows: &'a [IntervalRow],
    ) -> impl Iterator<Item = (&'a SeriesName, &'a IntervalRow)> {
        rows.iter().map(|row| (&self.series[row.series], row))
    }
}
