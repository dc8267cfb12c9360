//! The outcome of a comparison.

use serde::Serialize;

use crate::series_group::SeriesGroup;

/// What differs between the sides.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct Comparison {
    /// Every figure of every job, device and operation.
    pub rows: Vec<Row>,
    /// What became of each condition, against each further side.
    pub conditions: Vec<Outcome>,
}

/// One figure, side by side.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct Row {
    /// What it is about.
    #[serde(flatten)]
    pub group: SeriesGroup,
    /// The figure, as goals name it: `iops`, `latency.p99`.
    pub figure: &'static str,
    /// Its value on each side, over all its runs: IOs and MiB a second, latencies
    /// in microseconds. None where nothing was measured.
    pub values: Vec<Option<f64>>,
    /// How each further side differs from the first; none where either has no value, or
    /// the first has 0.
    pub changes: Vec<Option<Change>>,
}

/// How a figure differs from the first side's.
#[derive(Clone, Copy, Debug, PartialEq, Serialize)]
pub struct Change {
    /// The relative change: 0.05 is 5 % more.
    pub relative: f64,
    /// Its 95 % interval; none if there is too little data.
    pub interval: Option<(f64, f64)>,
    /// Whether it is shown.
    pub verdict: Verdict,
}

/// Whether a figure is shown to differ.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize)]
pub enum Verdict {
    /// More IOs, or less latency.
    #[serde(rename = "better")]
    Better,
    /// Fewer IOs, or more latency.
    #[serde(rename = "worse")]
    Worse,
    /// The interval includes zero, or the difference is smaller than histograms resolve.
    #[serde(rename = "no difference shown")]
    NotShown,
    /// There is no interval.
    #[serde(rename = "too little to tell")]
    Unknown,
}

/// What became of a condition.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct Outcome {
    /// The condition, as the user wrote it.
    pub condition: String,
    /// The side that was compared with the first, from 1.
    pub side: usize,
    /// Whether it holds.
    pub holds: bool,
    /// What was measured.
    pub measured: String,
}

/// Smaller changes count as none: histogram buckets are this wide.
const RESOLUTION: f64 = 0.001;

impl Change {
    /// A change, with its interval if there is one, in a figure that is better when
    /// larger or when smaller.
    pub(crate) fn new(relative: f64, interval: Option<(f64, f64)>, more_is_better: bool) -> Self {
        let verdict = match interval {
            None => Verdict::Unknown,
            Some((low, high)) if low <= 0.0 && high >= 0.0 => Verdict::NotShown,
            Some(_) if relative.abs() < RESOLUTION => Verdict::NotShown,
            Some(_) if (relative > 0.0) == more_is_better => Verdict::Better,
            Some(_) => Verdict::Worse,
        };
        Self {
            relative,
            interval,
            verdict,
        }
    }
}
