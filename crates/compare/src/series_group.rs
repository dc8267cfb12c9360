//! What figures are about: a series, or several series of a job together.

use schemars::JsonSchema;
use serde::Serialize;

use crate::run::{Run, Series};

/// The operation of series that have a job's transactions, which are on no one device.
pub const TRANSACTION: &str = "transaction";

/// A job's operations on its devices. If none is named, all count together, as in goals:
/// for operations these are reads and writes.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, JsonSchema)]
pub struct SeriesGroup {
    /// The job.
    pub job: String,
    /// The device; none for all.
    pub device: Option<String>,
    /// The operation, or `transaction`; none for reads and writes.
    pub op: Option<String>,
}

impl SeriesGroup {
    /// What there is to compare in `runs`, job by job: its transactions, the whole job where
    /// it has several series, an operation where several devices have it and it is not all
    /// that the job does, each series.
    pub(crate) fn of<'a>(runs: impl Iterator<Item = &'a Run> + Clone) -> Vec<Self> {
        let series = || runs.clone().flat_map(|run| &run.series);
        let mut groups = Vec::new();
        for job in distinct(series().map(|series| series.job.as_str())) {
            let pairs = distinct(
                series()
                    .filter(|series| series.job == job)
                    .map(|series| (series.device.as_str(), series.op.as_str())),
            );
            let (transactions, pairs): (Vec<_>, Vec<_>) =
                pairs.into_iter().partition(|(_, op)| *op == TRANSACTION);
            let group = |device: Option<&str>, op: Option<&str>| Self {
                job: job.to_owned(),
                device: device.map(str::to_owned),
                op: op.map(str::to_owned),
            };
            if !transactions.is_empty() {
                groups.push(group(None, Some(TRANSACTION)));
            }
            let devices_with = |wanted| pairs.iter().filter(|(_, op)| *op == wanted).count();
            let (reads, writes) = (devices_with("read"), devices_with("write"));
            if reads + writes > 1 {
                groups.push(group(None, None));
            }
            for op in distinct(pairs.iter().map(|(_, op)| *op)) {
                let is_all = matches!(op, "read" | "write") && devices_with(op) == reads + writes;
                if devices_with(op) > 1 && !is_all {
                    groups.push(group(None, Some(op)));
                }
            }
            let each = pairs
                .iter()
                .map(|(device, op)| group(Some(device), Some(op)));
            groups.extend(each);
        }
        groups
    }

    /// What its figures count: [`crate::figures::FIGURES`] are named for IOs.
    pub(crate) fn figure(&self, named: &'static str) -> &'static str {
        match (self.op.as_deref(), named) {
            (Some(TRANSACTION), "iops") => "tps",
            _ => named,
        }
    }

    /// The name of the stream of random numbers of its comparisons. It decides results,
    /// so it stays as it was, whatever the type is called.
    pub(crate) fn stream(&self) -> String {
        let Self { job, device, op } = self;
        format!("compare Subject {{ job: {job:?}, device: {device:?}, op: {op:?} }}")
    }

    /// Whether it includes `series`.
    pub(crate) fn includes(&self, series: &Series) -> bool {
        let op = match self.op.as_deref() {
            Some(op) => series.op == op,
            None => matches!(series.op.as_str(), "read" | "write"),
        };
        let device = self.device.as_ref();
        series.job == self.job && op && device.is_none_or(|device| *device == series.device)
    }
}

/// Each of `items` once, in order of first appearance.
pub(crate) fn distinct<T: PartialEq>(items: impl Iterator<Item = T>) -> Vec<T> {
    let mut seen = Vec::new();
    for item in items {
        if !seen.contains(&item) {
            seen.push(item);
        }
    }
    seen
}
