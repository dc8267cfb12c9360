//! Outages of clusters: what they consisted of.

use blockyard_record::result::{Event, Outage, OutagePart, RunResult};
use blockyard_scenario::StepKind;
use indexmap::IndexSet;

use super::phrases::listed;
use crate::text::format::{clock, duration, grouped};
use crate::text::table::Table;

/// A table with the parts of all outages; events tell of each in a sentence.
pub(crate) fn outages(result: &RunResult) -> Option<Table> {
    let rows: Vec<_> = found(result)
        .flat_map(|(event, outage)| outage.parts.iter().map(move |part| row(event, part)))
        .collect();
    found(result).next()?;
    let columns = ["outage", "part", "from", "seconds", "source"];
    Some(Table::new("Outages by their parts", &columns, rows, 2).without_empty())
}

fn row(event: &Event, part: &OutagePart) -> Vec<String> {
    let on = event.on.as_deref().unwrap_or_default();
    let source = if part.assumed { "assumed" } else { "" };
    vec![
        format!("{on} at {}", clock(event.t_s)),
        name(part.step).to_owned(),
        clock(part.t_s),
        grouped(part.length_s, 1),
        source.to_owned(),
    ]
}

/// `its disks were unavailable for 51 s: 16 s until the loss was noticed, 5 s of fencing`.
pub(crate) fn parts(outage: &Outage) -> String {
    if outage.parts.is_empty() {
        return "its disks were unavailable for no time".to_owned();
    }
    let each = outage.parts.iter();
    let each: Vec<_> = each
        .map(|part| format!("{} {}", duration(part.length_s), goes_on(part.step)))
        .collect();
    let assumed = outage.parts.iter().filter(|part| part.assumed);
    let assumed: IndexSet<_> = assumed.map(|part| name(part.step)).collect();
    let assumed: Vec<_> = assumed.into_iter().collect();
    let rests = if assumed.is_empty() {
        String::new()
    } else {
        format!("; assumed: {}", listed(&assumed))
    };
    let whole = duration(outage.total_s);
    format!(
        "its disks were unavailable for {whole}: {}{rests}",
        listed(&each)
    )
}

/// All outages of a run in a few words: `1 outage of 51 s`; nothing without any.
pub(crate) fn in_brief(result: &RunResult) -> String {
    let lengths: Vec<_> = found(result)
        .map(|(_, outage)| duration(outage.total_s))
        .collect();
    match lengths.len() {
        0 => String::new(),
        1 => format!("an outage of {}", listed(&lengths)),
        many => format!("{many} outages of {}", listed(&lengths)),
    }
}

fn found(result: &RunResult) -> impl Iterator<Item = (&Event, &Outage)> {
    let events = result.events.iter();
    events.filter_map(|event| Some((event, event.outage.as_ref()?)))
}

/// What a step is called.
fn name(step: StepKind) -> &'static str {
    match step {
        StepKind::Detection => "detection",
        StepKind::Stop => "stop",
        StepKind::NoNode => "no node",
        StepKind::Fencing => "fencing",
        StepKind::Detach => "detach",
        StepKind::Attach => "attach",
        StepKind::Import => "import",
        StepKind::Recovery => "recovery",
        StepKind::Start => "start",
    }
}

/// How a sentence goes on after the time of a step.
fn goes_on(step: StepKind) -> &'static str {
    match step {
        StepKind::Detection => "until the loss was noticed",
        StepKind::Stop => "to stop",
        StepKind::NoNode => "without a node that could take over",
        StepKind::Fencing => "of fencing",
        StepKind::Detach => "to detach the disks",
        StepKind::Attach => "to attach them",
        StepKind::Import => "to import and mount",
        StepKind::Recovery => "of recovery",
        StepKind::Start => "to start",
    }
}
