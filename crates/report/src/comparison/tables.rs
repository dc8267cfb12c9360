//! A comparison as tables: each figure side by side, and what to make of the difference.

use std::collections::BTreeSet;

use blockyard_compare::{Basis, Change, Load, Row, StepRow, Verdict};
use indexmap::IndexMap;
use schemars::JsonSchema;
use serde::Serialize;

use super::Compared;
use super::figures::{is_rate, tenths, written};
use super::job_figures::value;
use super::side_costs;
use crate::text::format::count;
use crate::text::table::Table;

/// The tables of a comparison, and what they rest on.
#[derive(Clone, Debug, Serialize, JsonSchema)]
pub struct Tables {
    /// Of each further side, in their order.
    pub sides: Vec<SideTables>,
    /// What the sides cost; none where that is the same, or not known of one.
    pub costs: Option<Table>,
    /// The source of the intervals, a line for each kind.
    pub bases: Vec<String>,
}

/// How a side differs from the first.
#[derive(Clone, Debug, Serialize, JsonSchema)]
pub struct SideTables {
    /// Every figure that both have; of what only one of them did the rate.
    pub lines: Vec<Line>,
    /// Every load step that both have: its IOPS or TPS, and p99.
    pub steps: Vec<StepLine>,
}

/// A figure of the first side and of another, as text.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, JsonSchema)]
pub struct Line {
    /// As conditions name it; with the device where the job has several.
    pub figure: String,
    /// The first side's value.
    pub first: String,
    /// The other's.
    pub other: String,
    /// The change in percent; empty where one side has none.
    pub change: String,
    /// The 95 % interval of the change; empty where there is none.
    pub interval: String,
    /// Whether it is shown.
    pub verdict: LineVerdict,
    /// The change where it is shown, and else that it is not.
    pub brief: String,
}

/// Whether a difference is shown.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, JsonSchema)]
pub enum LineVerdict {
    /// More IOs, or less latency.
    #[serde(rename = "better")]
    Better,
    /// Fewer IOs, or more latency.
    #[serde(rename = "worse")]
    Worse,
    /// None is shown, and any of more than 5 % is ruled out.
    #[serde(rename = "alike within 5%")]
    Alike,
    /// None is shown.
    #[serde(rename = "no difference shown")]
    NotShown,
    /// There is no interval.
    #[serde(rename = "too little to tell")]
    Unknown,
    /// Only one side did any of it.
    #[serde(rename = "on one side only")]
    OneSided,
}

impl From<Verdict> for LineVerdict {
    fn from(verdict: Verdict) -> Self {
        match verdict {
            Verdict::Better => Self::Better,
            Verdict::Worse => Self::Worse,
            Verdict::Alike => Self::Alike,
            Verdict::NotShown => Self::NotShown,
            Verdict::Unknown => Self::Unknown,
        }
    }
}

impl LineVerdict {
    /// In words.
    #[must_use]
    pub fn in_words(self) -> &'static str {
        match self {
            Self::Better => "better",
            Self::Worse => "worse",
            Self::Alike => "alike within 5%",
            Self::NotShown => "no difference shown",
            Self::Unknown => "too little to tell",
            Self::OneSided => "on one side only",
        }
    }

    /// What stands in place of a change that is not shown.
    fn instead(self) -> Option<&'static str> {
        match self {
            Self::Alike => Some("alike"),
            Self::NotShown => Some("not shown"),
            Self::Unknown => Some("too little"),
            Self::Better | Self::Worse | Self::OneSided => None,
        }
    }
}

impl Line {
    /// A figure that both sides have.
    fn of(name: &str, row: &Row, side: usize) -> Option<Self> {
        let change: Change = (*row.changes.get(side.checked_sub(1)?)?)?;
        let (first, other) = (value(row, 0)?, value(row, side)?);
        let verdict = LineVerdict::from(change.verdict);
        let relative = tenths(change.relative);
        let interval = change.interval;
        let interval = interval.map(|(low, high)| format!("{} to {}", tenths(low), tenths(high)));
        Some(Self {
            figure: name.to_owned(),
            first: written(row.figure, first),
            other: written(row.figure, other),
            interval: interval.unwrap_or_default(),
            verdict,
            brief: verdict
                .instead()
                .map_or_else(|| relative.clone(), str::to_owned),
            change: relative,
        })
    }

    /// A rate that only one side has.
    fn of_one_side(name: &str, row: &Row, side: usize) -> Option<Self> {
        let (first, other) = (value(row, 0), value(row, side));
        if !is_rate(row.figure) || first.is_some() == other.is_some() {
            return None;
        }
        let shown = |value: Option<f64>| {
            value.map_or_else(|| "-".to_owned(), |value| written(row.figure, value))
        };
        Some(Self {
            figure: name.to_owned(),
            first: shown(first),
            other: shown(other),
            change: String::new(),
            interval: String::new(),
            verdict: LineVerdict::OneSided,
            brief: String::new(),
        })
    }

    /// What it has in a table.
    pub(crate) fn cells(&self) -> Vec<String> {
        let verdict = self.verdict.in_words().to_owned();
        let Self {
            figure,
            first,
            other,
            change,
            interval,
            ..
        } = self.clone();
        vec![figure, first, other, change, interval, verdict]
    }
}

/// A load step of the first side and of another, as text.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, JsonSchema)]
pub struct StepLine {
    /// Of the job and its operation.
    pub name: String,
    /// What the job offered in it.
    pub load: String,
    /// IOPS or TPS.
    pub rate: Line,
    /// None without latencies.
    pub p99: Option<Line>,
}

impl Compared {
    /// Its tables.
    #[must_use]
    pub fn tables(&self) -> Tables {
        let side = |side| SideTables {
            lines: lines(&self.rows, side),
            steps: steps(&self.steps, side),
        };
        Tables {
            sides: (1..self.sides.len()).map(side).collect(),
            costs: side_costs::table(&self.sides, &self.costs),
            bases: self.bases(),
        }
    }

    /// The source of the intervals, a line for each kind.
    fn bases(&self) -> Vec<String> {
        let mut lines = Vec::new();
        if let [first, .., last] | [first @ last] = self.seeds[..] {
            let sides = if self.sides.len() == 2 { "both" } else { "all" };
            let seeds = self.seeds.len();
            lines.push(format!(
                "{sides} sides simulated with {seeds} seeds, {first} to {last}: figures are means \
                 over these"
            ));
        }
        let changes = self.rows.iter().flat_map(|row| &row.changes).flatten();
        for basis in changes.filter_map(|change| change.basis) {
            let line = format!("95% intervals: by how {}", varies(basis));
            if !lines.contains(&line) {
                lines.push(line);
            }
        }
        lines
    }
}

fn varies(basis: Basis) -> &'static str {
    match basis {
        Basis::PairedSeeds => "the ratio varies from seed to seed",
        Basis::Repeats => "figures vary from run to run",
        Basis::Blocks => "figures vary within the one run of each side",
        Basis::Mixed => "figures vary from run to run, or within the only one",
    }
}

fn lines(rows: &[Row], side: usize) -> Vec<Line> {
    let devices: BTreeSet<_> = rows
        .iter()
        .filter_map(|row| Some((&row.group.job, row.group.device.as_ref()?)))
        .collect();
    let on_several = |job: &String| devices.iter().filter(|(own, _)| *own == job).count() > 1;
    let line = |row: &Row| {
        let name = name(row, on_several(&row.group.job));
        Line::of(&name, row, side).or_else(|| Line::of_one_side(&name, row, side))
    };
    rows.iter().filter_map(line).collect()
}

/// As conditions name a figure.
fn name(row: &Row, with_device: bool) -> String {
    let device = row.group.device.as_deref().filter(|_| with_device);
    let op = row.group.op.as_deref();
    let parts = [Some(row.group.job.as_str()), device, op, Some(row.figure)].into_iter();
    let parts = parts.flatten().filter(|part| !part.is_empty());
    parts.collect::<Vec<_>>().join(".")
}

fn steps(rows: &[StepRow], side: usize) -> Vec<StepLine> {
    let mut steps: IndexMap<(String, String), Vec<&Row>> = IndexMap::new();
    for StepRow { load, time, row } in rows {
        let parts = [Some(row.group.job.as_str()), row.group.op.as_deref()].into_iter();
        let parts: Vec<_> = parts.flatten().filter(|part| !part.is_empty()).collect();
        let times = match time {
            0 | 1 => String::new(),
            time => format!(" ({time})"),
        };
        let offered = format!("{}{times}", offered(*load));
        steps
            .entry((parts.join("."), offered))
            .or_default()
            .push(row);
    }
    let step = |((name, load), rows): ((String, String), Vec<&Row>)| {
        let row = |figure| rows.iter().find(|row| row.figure == figure);
        let line = |row: &&Row| Line::of(row.figure, row, side);
        Some(StepLine {
            name,
            load,
            rate: row("tps").or_else(|| row("iops")).and_then(line)?,
            p99: row("latency.p99").and_then(line),
        })
    };
    steps.into_iter().filter_map(step).collect()
}

/// What a job offers in a step: `4 processes`, `6,000/s`.
fn offered(load: Load) -> String {
    match load {
        Load::Rate(rate) => format!("{}/s", count(rate)),
        Load::Processes(1) => "1 process".to_owned(),
        Load::Processes(processes) => format!("{} processes", count(processes)),
    }
}
