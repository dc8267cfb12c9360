//! What a demand job is built from, and what it says of itself.

use alloc::string::String;
use alloc::vec;
use alloc::vec::Vec;

use crate::request::Op;
use crate::spec::Region;
use crate::units::{Bytes, Nanos, SECOND};
use crate::workload::describe::{Describe, FileUse, LoopType, Offered};
use crate::workload::spec::Arrivals;

/// Devices read and write whole sectors.
const SECTOR: Bytes = 512;

/// The rates of a [`DemandStep`] are IOs in this time, so that a few an hour are a rate.
pub const RATES_PER: Nanos = 1000 * SECOND;

/// `demand`: IOs that come due by rates known for each interval, at random places of a file.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct DemandSpec {
    /// The job's name.
    pub name: String,
    /// The file.
    pub file: Region,
    /// What comes due, rising in time, the first at 0.
    pub steps: Vec<DemandStep>,
    /// How gaps are drawn.
    pub arrivals: Arrivals,
    /// Most IOs in flight; what is due beyond waits, and its latency counts.
    pub max_outstanding: u32,
}

/// What comes due from some time on, until the next step.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct DemandStep {
    /// Its begin.
    pub from: Nanos,
    /// Reads in [`RATES_PER`].
    pub reads: u64,
    /// Writes in [`RATES_PER`].
    pub writes: u64,
    /// Bytes of each: a multiple of 512, at most the file.
    pub size: Bytes,
}

impl DemandStep {
    /// IOs a second.
    pub fn per_s(&self) -> f64 {
        (self.reads + self.writes) as f64 / (RATES_PER / SECOND) as f64
    }
}

impl Describe for DemandSpec {
    fn name(&self) -> &str {
        &self.name
    }

    fn files(&self) -> Vec<FileUse> {
        let steps = self.steps.iter();
        let reads = steps.clone().any(|step| step.reads > 0);
        let writes = steps.clone().any(|step| step.writes > 0);
        let largest_io = steps.map(|step| step.size).max().unwrap_or(SECTOR);
        vec![FileUse {
            region: self.file,
            unit: SECTOR,
            ops: match (reads, writes) {
                (true, true) => &[Op::Read, Op::Write],
                (false, true) => &[Op::Write],
                _ => &[Op::Read],
            },
            in_flight: self.max_outstanding.into(),
            largest_io,
            least_size: largest_io,
        }]
    }

    fn regions_mut(&mut self) -> Vec<&mut Region> {
        vec![&mut self.file]
    }

    fn loop_type(&self) -> LoopType {
        LoopType::Open {
            latency_limit: None,
        }
    }

    fn steps(&self) -> Vec<(Nanos, Offered)> {
        let steps = self.steps.iter();
        let offered =
            |step: &DemandStep| (step.from, Offered::Rate(libm::round(step.per_s()) as u64));
        steps.map(offered).collect()
    }
}
