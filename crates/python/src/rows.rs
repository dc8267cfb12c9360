//! An interval's rows as Python tuples, in the column order of the tables.

use blockyard_record::limit_names::name_beside_volume;
use blockyard_record::{Interval, IntervalRow, Plan, VolumeRow, op_name};
use pyo3::prelude::*;
use pyo3::types::{PyList, PyTuple};

/// Names that the rows of a run refer to.
#[derive(Debug)]
pub(crate) struct Names {
    /// (job, device, operation) of each series.
    series: Vec<(String, String, &'static str)>,
    /// Each volume's name and the (name, index) of its limits, the host's first.
    volumes: Vec<(String, Vec<(String, usize)>)>,
}

impl Names {
    pub(crate) fn new(plan: &Plan) -> Self {
        let series = plan.series.iter().map(|key| {
            (
                plan.jobs[key.job].name.clone(),
                plan.devices[key.device].clone(),
                op_name(key.op),
            )
        });
        let volumes = (0..).zip(&plan.volumes).map(|(index, name)| {
            let limits = &plan.limits;
            let named = |limit| (name_beside_volume(&limits[limit]), limit.index());
            let named = limits.over(index).map(named);
            (name.clone(), named.collect())
        });
        Self {
            series: series.collect(),
            volumes: volumes.collect(),
        }
    }

    /// `(job rows, volume rows)` of an interval.
    pub(crate) fn rows<'py>(
        &self,
        py: Python<'py>,
        interval: &Interval,
    ) -> PyResult<(Bound<'py, PyList>, Bound<'py, PyList>)> {
        let jobs: Vec<_> = interval
            .rows
            .iter()
            .map(|row| self.job_row(py, row))
            .collect::<PyResult<_>>()?;
        let volumes: Vec<_> = interval
            .volumes
            .iter()
            .map(|row| self.volume_row(py, row, &interval.rates))
            .collect::<PyResult<_>>()?;
        Ok((PyList::new(py, jobs)?, PyList::new(py, volumes)?))
    }

    fn job_row<'py>(&self, py: Python<'py>, row: &IntervalRow) -> PyResult<Bound<'py, PyTuple>> {
        let (job, device, op) = &self.series[row.series];
        let head = (row.t_s, job, device, op, row.ios, row.bytes).into_pyobject(py)?;
        let latencies = row.latency_us.map_or([None; 6], |us| {
            [us.mean, us.p50, us.p95, us.p99, us.p99_9, us.max].map(Some)
        });
        let tail = (row.queue_depth,).into_pyobject(py)?;
        let whole = head.add(PyTuple::new(py, latencies)?)?.add(tail)?;
        Ok(whole.cast_into()?)
    }

    fn volume_row<'py>(
        &self,
        py: Python<'py>,
        row: &VolumeRow,
        rates: &[u64],
    ) -> PyResult<Bound<'py, PyTuple>> {
        let (name, limits) = &self.volumes[row.volume];
        let held: Vec<_> = limits
            .iter()
            .zip(&row.held_us)
            .map(|((limit, _), held)| (limit, held))
            .collect();
        let rate = |(limit, index): &(String, usize)| (limit.clone(), rates[*index]);
        let in_force: Vec<_> = limits.iter().map(rate).collect();
        (
            row.t_s,
            name,
            row.ios,
            row.bytes,
            held,
            row.balance_pct,
            in_force,
        )
            .into_pyobject(py)
    }
}
