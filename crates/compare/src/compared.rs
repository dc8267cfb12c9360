//! The outcome of a comparison.

use blockyard_record::thresholds::{ALIKE, MANY_TIMES, RESOLUTION};
use schemars::JsonSchema;
use serde::Serialize;

use crate::run::Load;
use crate::series_group::SeriesGroup;

/// What differs between the sides.
#[derive(Clone, Debug, PartialEq, Serialize, JsonSchema)]
pub struct Comparison {
    /// Every figure of every job, device and operation.
    pub rows: Vec<Row>,
    /// The same of each load step that all sides have, job by job and step by step.
    pub steps: Vec<StepRow>,
    /// The outcome of each condition, against each further side.
    pub conditions: Vec<Outcome>,
}

/// One figure of a load step, side by side.
#[derive(Clone, Debug, PartialEq, Serialize, JsonSchema)]
pub struct StepRow {
    /// What the job offered.
    pub load: Load,
    /// Which of the job's steps with this load it is, from 1.
    pub time: usize,
    /// The figure.
    #[serde(flatten)]
    pub row: Row,
}

/// One figure, side by side.
#[derive(Clone, Debug, PartialEq, Serialize, JsonSchema)]
pub struct Row {
    /// What it is about.
    #[serde(flatten)]
    pub group: SeriesGroup,
    /// The figure, as goals name it: `iops`, `latency.p99`; of transactions `tps`.
    pub figure: &'static str,
    /// Its value on each side, over all its runs: IOs, transactions and MiB a second,
    /// latencies in microseconds. None where nothing was measured.
    pub values: Vec<Option<f64>>,
    /// How each further side differs from the first; none where either has no value, or
    /// the first has 0.
    pub changes: Vec<Option<Change>>,
}

/// How a figure differs from the first side's.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, JsonSchema)]
pub struct Change {
    /// The relative change: 0.05 is 5 % more.
    pub relative: f64,
    /// Its 95 % interval; none if there is too little data.
    pub interval: Option<(f64, f64)>,
    /// What the interval rests on; none without one.
    pub basis: Option<Basis>,
    /// Whether it is shown.
    pub verdict: Verdict,
}

/// What tells chance from a difference.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, JsonSchema)]
pub enum Basis {
    /// Simulations of both sides with the same seeds: how the ratio varies from seed to
    /// seed.
    #[serde(rename = "paired seeds")]
    PairedSeeds,
    /// Several runs of each side: how figures vary from run to run.
    #[serde(rename = "repeats")]
    Repeats,
    /// One run of each side: how figures vary within it.
    #[serde(rename = "blocks of one run")]
    Blocks,
    /// Several runs of one side, one of the other.
    #[serde(rename = "repeats, and blocks of one run")]
    Mixed,
}

/// Whether a figure is shown to differ.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, JsonSchema)]
pub enum Verdict {
    /// More IOs, or less latency.
    #[serde(rename = "better")]
    Better,
    /// Fewer IOs, or more latency.
    #[serde(rename = "worse")]
    Worse,
    /// No difference is shown, and the interval rules out any of more than 5 %.
    #[serde(rename = "alike within 5%")]
    Alike,
    /// The interval includes zero, or the difference is smaller than histograms resolve.
    #[serde(rename = "no difference shown")]
    NotShown,
    /// There is no interval, and the difference is no large factor.
    #[serde(rename = "too little to tell")]
    Unknown,
}

impl Verdict {
    fn shown(relative: f64, more_is_better: bool) -> Self {
        match (relative > 0.0) == more_is_better {
            true => Self::Better,
            false => Self::Worse,
        }
    }

    /// Whether there is an interval, and it shows no difference.
    pub(crate) fn is_none_shown(self) -> bool {
        matches!(self, Self::NotShown | Self::Alike)
    }
}

/// The outcome of a condition.
#[derive(Clone, Debug, PartialEq, Serialize, JsonSchema)]
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

impl Change {
    /// A change, with its interval if there is one, in a figure that is better when
    /// larger or when smaller.
    pub(crate) fn new(
        relative: f64,
        interval: Option<((f64, f64), Basis)>,
        more_is_better: bool,
    ) -> Self {
        let (interval, basis) = interval.unzip();
        let verdict = match interval {
            None => Verdict::Unknown,
            Some((low, high)) if (low <= 0.0 && high >= 0.0) || relative.abs() < RESOLUTION => {
                if low >= -ALIKE && high <= ALIKE {
                    Verdict::Alike
                } else {
                    Verdict::NotShown
                }
            }
            Some(_) => Verdict::shown(relative, more_is_better),
        };
        Self {
            relative,
            interval,
            basis,
            verdict,
        }
    }

    /// With a verdict by its size alone if it has no interval.
    pub(crate) fn by_size(self, more_is_better: bool) -> Self {
        let factor = 1.0 + self.relative;
        let is_many = factor.max(1.0 / factor) >= MANY_TIMES;
        match self.interval {
            None if is_many => Self {
                verdict: Verdict::shown(self.relative, more_is_better),
                ..self
            },
            _ => self,
        }
    }
}
