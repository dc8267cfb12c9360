//! In what the runs of a comparison differ before any figure: scenario, kind of run, storage.

use std::collections::BTreeMap;

use blockyard_record::result::{Mode, Target};
use blockyard_scenario::{FieldChange, ReplayedRecording};
use schemars::JsonSchema;
use serde::Serialize;

use super::comparability::mean_kib;
use super::side::Side;
use crate::Run;
use crate::text::format::{duration, number};
use crate::words::modes::made;

/// A value that is not the same.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, JsonSchema)]
pub struct Changed {
    /// Of the scenario, as `storage.data.iops`; `target.data`: where a device really is;
    /// `recording.job`: what a job replayed.
    pub field: String,
    /// What the first side has there.
    pub first: String,
    /// What the other has there.
    pub other: String,
}

/// In what a side differs from the first.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, JsonSchema)]
pub struct Differing {
    /// From 1.
    pub side: usize,
    /// None where a scenario is not known.
    pub changes: Option<Vec<Changed>>,
    /// The same for people, a line each.
    pub lines: Vec<String>,
}

/// In what a side, the `number`th, differs from the first; not by the seed if seeds are `paired`.
pub(crate) fn of(first: &Side<'_>, number: usize, other: &Side<'_>, paired: bool) -> Differing {
    let (one, two) = (first.first, other.first);
    let mut lines = Vec::new();
    if one.made() != two.made() {
        let [made, other_made] = [one, two].map(made);
        lines.push(format!(
            "{} is {made}, {} {other_made}",
            first.name, other.name
        ));
    }
    let (Some(mine), Some(theirs)) = (&one.scenario, &two.scenario) else {
        let unknown = [first, other].into_iter();
        let unknown = unknown.filter(|side| side.first.scenario.is_none());
        lines.extend(unknown.map(|side| {
            let known = known(side.first);
            format!("{}: scenario not known; {known}", side.name)
        }));
        return Differing {
            side: number,
            changes: None,
            lines,
        };
    };
    let found = mine.opened().loaded.differences(&theirs.opened().loaded);
    let (seeds, others): (Vec<_>, Vec<_>) = found
        .iter()
        .cloned()
        .partition(|change| change.path == "seed");
    let same = others.is_empty();
    if same {
        let modelled = real(one).is_empty() && real(two).is_empty();
        let seeds = seeds.iter().map(|seeds| by_seed(seeds, modelled));
        lines.push(format!("the same scenario{}", seeds.collect::<String>()));
    }
    let changes = if same || paired { others } else { found };
    let changes: Vec<_> = changes
        .into_iter()
        .map(Changed::from)
        .chain(targets(one, two))
        .chain(recordings(one, two))
        .collect();
    lines.extend(changes.iter().map(Changed::line));
    Differing {
        side: number,
        changes: Some(changes),
        lines,
    }
}

impl From<FieldChange> for Changed {
    fn from(FieldChange { path, first, other }: FieldChange) -> Self {
        Self {
            field: path,
            first,
            other,
        }
    }
}

impl Changed {
    fn line(&self) -> String {
        format!("{}: {} -> {}", self.field, self.first, self.other)
    }
}

/// Real storage differs by more than chance: it may be that of another host.
fn by_seed(FieldChange { first, other, .. }: &FieldChange, modelled: bool) -> String {
    let chance = ": what differs in the runs is chance";
    let chance = if modelled { chance } else { "" };
    format!(" with seeds {first} and {other}{chance}")
}

/// Devices that were really somewhere else.
fn targets(one: &Run, two: &Run) -> Vec<Changed> {
    let theirs: BTreeMap<_, _> = real(two).iter().map(|it| (&it.device, it)).collect();
    let change = |mine: &Target| {
        let (first, other) = (place(mine), place(theirs.get(&mine.device)?));
        (first != other).then(|| Changed {
            field: format!("target.{}", mine.device),
            first,
            other,
        })
    };
    real(one).iter().filter_map(change).collect()
}

/// Jobs of one scenario that replayed other IOs.
fn recordings(one: &Run, two: &Run) -> Vec<Changed> {
    let theirs = &two.result.recordings;
    let change = |mine: &ReplayedRecording| {
        let other = theirs.iter().find(|other| other.job == mine.job)?;
        let said = |own: &ReplayedRecording| {
            let ios = number(own.ios as f64);
            format!("{ios} IOs, digest {}", own.digest)
        };
        (mine.digest != other.digest).then(|| Changed {
            field: format!("recording.{}", mine.job),
            first: said(mine),
            other: said(other),
        })
    };
    one.result.recordings.iter().filter_map(change).collect()
}

fn real(run: &Run) -> &[Target] {
    match &run.result.machine {
        Some(machine) if run.is(Mode::Bench) => &machine.targets,
        _ => &[],
    }
}

fn place(target: &Target) -> String {
    let path = Some(target.path.as_str());
    let block_device = target.block_device.as_deref();
    let parts = [path, block_device, target.model.as_deref()].into_iter();
    let parts = parts.flatten().filter(|part| !part.is_empty());
    parts.collect::<Vec<_>>().join(", ")
}

/// What is known of a run without a scenario.
fn known(run: &Run) -> String {
    let size = |op| {
        let size = mean_kib(run, op).filter(|&size| size != 0.0)?;
        Some(format!("{op}s of {} KiB", number(size)))
    };
    let sizes = ["read", "write"].into_iter().filter_map(size);
    let parts: Vec<_> = [duration(run.result.duration_s)]
        .into_iter()
        .chain(sizes)
        .collect();
    parts.join(", ")
}
