//! Parts of the time of runs that charts name: warm-up, load steps, events, bursts of writes.

use blockyard_record::result::Event;
use blockyard_scenario::EventKind;

use crate::Run;
use crate::figure::Span;
use crate::words::steps::{load_of, steps_of};

/// Warm-up, load steps and events, as far as all runs have them.
pub(crate) fn spans(runs: &[&Run]) -> Vec<Span> {
    let Some((first, others)) = runs.split_first() else {
        return Vec::new();
    };
    let others: Vec<_> = others.iter().map(|run| of_run(run)).collect();
    let mut found = of_run(first);
    found.retain(|span| others.iter().all(|other| other.contains(span)));
    found
}

fn of_run(run: &Run) -> Vec<Span> {
    let mut found = Vec::new();
    if run.warmup_s > 0.0 {
        found.push(span("warm-up", 0.0, run.warmup_s));
    }
    let stepped = steps_of(&run.result);
    for (job, steps) in &stepped {
        for step in steps {
            let load = load_of(step);
            let label = if stepped.len() == 1 {
                load
            } else {
                format!("{job}: {load}")
            };
            found.push(span(label, step.from_s, step.to_s));
        }
    }
    found.extend(events(run));
    found.extend(heavy_writes(run));
    found
}

/// Bursts of writes in the background, of an observation of one device, each with what comes before
/// the next: every other span is shaded.
fn heavy_writes(run: &Run) -> Vec<Span> {
    let observed = run.result.observed.as_ref();
    let Some([device]) = observed.map(|observed| &observed.devices[..]) else {
        return Vec::new();
    };
    let bursts = device.load.iter().flat_map(|load| &load.heavy_writes);
    let nexts = bursts.clone().skip(1).map(|next| next.from_s);
    let nexts = nexts.chain([run.result.duration_s]);
    let pairs = bursts.zip(nexts).flat_map(|(burst, next)| {
        let rest = span("", burst.to_s, next);
        [span("writes", burst.from_s, burst.to_s), rest]
    });
    // One without length would be an event.
    pairs.filter(|span| span.start < span.end).collect()
}

/// The times at which events began or were over, in order, each once with all that it saw.
fn events(run: &Run) -> Vec<Span> {
    let mut found: Vec<(f64, String)> = Vec::new();
    for event in &run.result.events {
        found.push((event.t_s, event.what.clone()));
        found.extend(end_of(event, run.result.duration_s));
    }
    found.sort_by(|(one, _), (other, _)| one.total_cmp(other));
    let times = found.chunk_by(|(one, _), (other, _)| one == other);
    times.map(at_once).collect()
}

/// What happened at the same time.
fn at_once(happened: &[(f64, String)]) -> Span {
    let at = happened.first().map_or(0.0, |(at, _)| *at);
    let mut said: Vec<&str> = Vec::new();
    for (_, what) in happened {
        if !said.contains(&what.as_str()) {
            said.push(what);
        }
    }
    span(said.join(", "), at, at)
}

/// When an event was over and what happened then, of what the run saw the end of.
fn end_of(event: &Event, duration_s: f64) -> Option<(f64, String)> {
    let until = event.until_s?;
    let said = over(event.kind, event.on.as_deref()?)?;
    (event.t_s < until && until < duration_s).then_some((until, said))
}

/// What happens when an event of a kind is over.
fn over(kind: EventKind, on: &str) -> Option<String> {
    let said = match kind {
        EventKind::Fail => format!("{on} returns"),
        EventKind::Cut => format!("{on} is restored"),
        EventKind::Resume => format!("TCP sends again over {on}"),
        EventKind::Pause => format!("{on} resumes"),
        EventKind::Degrade => format!("{on} is whole again"),
        EventKind::Modify => format!("{on} is optimised"),
        EventKind::Failover | EventKind::Switch => format!("{on} works again"),
        EventKind::Trouble => format!("{on} commits again"),
        EventKind::StateTransfer => format!("{on} has a copy of all data, or has lost it"),
        EventKind::CatchUp => format!("{on} has caught up"),
        EventKind::Silent => format!("{on} is given up or heard again"),
        EventKind::NoQuorum => format!("{on} has a quorum again"),
        EventKind::Asynchronous => format!("{on} is replicated semi-synchronously again"),
        EventKind::Takeover => format!("the new primary of {on} is ready"),
        EventKind::Frozen => format!("{on} goes on"),
        EventKind::Grow
        | EventKind::Reconnect
        | EventKind::SplitBrain
        | EventKind::Discarded
        | EventKind::Add
        | EventKind::Fault
        | EventKind::Set
        | EventKind::Left
        | EventKind::Outdated
        | EventKind::LogFull
        | EventKind::NotPromoted
        | EventKind::Note => {
            return None;
        }
    };
    Some(said)
}

fn span(label: impl Into<String>, start: f64, end: f64) -> Span {
    Span {
        label: label.into(),
        start,
        end,
    }
}
