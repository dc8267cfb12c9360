//! What a reader must know before the figures: what went wrong, or cannot be trusted.

use blockyard_record::result::{Mode, Status};

use super::phrases::{counted, named, share};
use super::replayed::other_end;
use super::shortfall::behind;
use super::thresholds::TRUSTED_MS;
use super::transaction_bottleneck::unsettled;
use super::transactions::stops;
use crate::Run;
use crate::text::format::{duration, latency, sentence, sentence_with};
use crate::text::provenance;

/// Sentences of warning; none for a run that ended well and met its goals.
pub(crate) fn caveats(run: &Run) -> Vec<String> {
    let mut said = ending(run);
    said.extend(failures(run));
    said.extend(notices(run));
    said.extend(other_end(run).iter().map(|said| sentence(said)));
    said.extend(assumed(run));
    said.extend(lateness(run));
    said.extend(missed_goals(run));
    said.extend(open_loops(run));
    said.extend(cycles(run));
    said
}

/// How the run ended, unless it was at its end.
fn ending(run: &Run) -> Vec<String> {
    let result = &run.result;
    let after = duration(result.duration_s);
    let ended = match result.status {
        Status::Failed => {
            let reason = result.reason.as_deref().filter(|why| !why.is_empty());
            let reason = reason.unwrap_or("unknown");
            Some(format!("The run failed after {after}: {reason}."))
        }
        // A service is ended by interrupting it.
        Status::Interrupted if result.mode != Mode::Emulate => {
            Some(format!("The run was interrupted after {after}."))
        }
        Status::Interrupted | Status::Complete => None,
    };
    let stops = stops(result).into_iter().map(|stop| sentence(&stop));
    ended.into_iter().chain(stops).collect()
}

/// What failed, was damaged, or was not done at all.
fn failures(run: &Run) -> Vec<String> {
    let result = &run.result;
    let failed = result.totals.iter().filter(|total| total.errors > 0);
    let failed = failed.map(|total| {
        let errors = counted(total.errors, &total.op);
        format!("{errors} of {} on {} failed.", total.job, total.device)
    });
    let mut said: Vec<_> = failed.collect();
    let verified = result.machine.as_ref().and_then(|it| it.verified);
    if let Some(verified) = verified.filter(|verified| verified.bad > 0) {
        let bad = counted(verified.bad, "block");
        said.push(format!("{bad} did not hold what had been written."));
    }
    // Other programs' transactions come without their IO.
    if result.totals.iter().all(|total| total.ios == 0) && result.transactions.is_empty() {
        said.push("No IO completed.".to_owned());
    }
    said
}

fn notices(run: &Run) -> Vec<String> {
    let names = named(&run.result);
    let notices = run.result.notices.iter();
    notices
        .map(|notice| sentence_with(notice, &names))
        .collect()
}

fn assumed(run: &Run) -> Vec<String> {
    let assumed = provenance::assumed(&run.result, true);
    assumed.iter().map(|line| sentence(line)).collect()
}

fn lateness(run: &Run) -> Option<String> {
    // Of a bench a notice says it.
    let late = run.result.lateness_us.filter(|_| run.is(Mode::Emulate))?;
    (late.p99 > 1000.0 * TRUSTED_MS).then(|| {
        format!(
            "This machine was too slow for the emulation: 1% of the answers went out more than {} \
             after the model's time. Its latencies are too long.",
            latency(late.p99)
        )
    })
}

/// Goals that were missed, that some seeds miss, or that depend on assumptions.
fn missed_goals(run: &Run) -> Vec<String> {
    goals(run, |outcome| match outcome {
        Outcome::Missed => Some("Goal missed"),
        Outcome::MetBySome => Some("Goal not always met"),
        Outcome::MetIfAssumed => Some("Goal met, as far as assumptions hold"),
        Outcome::Met => None,
    })
}

/// The goals that were met with all seeds and depend on no assumption.
pub(crate) fn goals_met(run: &Run) -> Vec<String> {
    goals(run, |outcome| {
        (outcome == Outcome::Met).then_some("Goal met")
    })
}

/// What became of a goal.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Outcome {
    Missed,
    /// Other seeds miss it.
    MetBySome,
    /// It depends on assumptions.
    MetIfAssumed,
    Met,
}

/// A sentence for each goal whose outcome is `told`.
fn goals(run: &Run, told: impl Fn(Outcome) -> Option<&'static str>) -> Vec<String> {
    let goals = run.result.goals.iter().enumerate();
    let sentences = goals.filter_map(|(place, goal)| {
        let behind = provenance::behind(goal);
        let (met, of) = met(run, place);
        let outcome = if !goal.met {
            Outcome::Missed
        } else if met < of {
            Outcome::MetBySome
        } else if !behind.is_empty() {
            Outcome::MetIfAssumed
        } else {
            Outcome::Met
        };
        let chance = if of > 1 {
            format!("; met in {met} of {of} seeds")
        } else {
            String::new()
        };
        let (stated, measured) = (&goal.goal, &goal.measured);
        let told = told(outcome)?;
        Some(format!("{told}: {stated}; {measured}{behind}{chance}."))
    });
    sentences.collect()
}

/// With how many seeds a goal was met, and of how many.
fn met(run: &Run, place: usize) -> (u32, u32) {
    let result = &run.result;
    match &result.by_seed {
        Some(by_seed) => (by_seed.goals_met[place], by_seed.seeds),
        None => (u32::from(result.goals[place].met), 1),
    }
}

fn open_loops(run: &Run) -> Vec<String> {
    let mut said = Vec::new();
    if let Some(facts) = &run.facts {
        let names = named(&run.result);
        said = behind(&run.result, facts);
        let unsettled = unsettled(facts);
        said.extend(unsettled.iter().map(|line| sentence_with(line, &names)));
    }
    for own in &run.result.open_loop {
        for (count, what) in [(own.late, "late"), (own.skipped, "skipped")] {
            if count > 0 {
                let part = share(count as f64 / own.offered as f64);
                let ios = counted(count, "IO");
                said.push(format!("{}: {ios} {what}, {part} of those due.", own.job));
            }
        }
    }
    said
}

fn cycles(run: &Run) -> Vec<String> {
    let daemons = run.facts.iter().flat_map(|facts| &facts.write_daemons);
    let over = daemons.filter(|daemons| daemons.over > 0);
    let sentences = over.map(|daemons| {
        let alarming = if daemons.longest_s < daemons.alert_s {
            ""
        } else {
            ", which calls for an alert"
        };
        format!(
            "{} of {} of {} took longer than the {} from one to the next; the longest took \
             {}{alarming}.",
            daemons.over,
            counted(daemons.cycles as u64, "write-daemon cycle"),
            daemons.job,
            duration(daemons.every_s),
            duration(daemons.longest_s),
        )
    });
    sentences.collect()
}
