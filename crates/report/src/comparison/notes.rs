//! What to keep in mind of a comparison.

use std::collections::BTreeSet;

use blockyard_record::result::Mode;
use indexmap::IndexMap;

use super::burst_credits::Ends;
use super::journal_mirrors;
use super::recorded::busy_time;
use super::side::Side;
use crate::text::format::duration;
use crate::text::provenance::assumed;
use crate::words::amounts::done;
use crate::words::events::failures;
use crate::words::outages::in_brief;
use crate::words::stalls::stalls;
use crate::words::transaction_bottleneck::unsettled;

/// With fewer repeats than this, Student's t makes intervals very wide.
const FEW: usize = 5;

/// A run that measured less than this says little of storage, which varies from second to second.
/// Simulations say themselves, in their notices, where they are too short.
const SHORT_S: f64 = 10.0;

/// How mirrors of journals fared, then what to keep in mind, each reason once with the sides that
/// it is of. `ends` are the burst credits that sides live on.
pub(crate) fn of(sides: &[Side<'_>], ends: &[Option<Ends>]) -> Vec<String> {
    let mut reasons: IndexMap<String, Vec<&str>> = IndexMap::new();
    for (side, ends) in sides.iter().zip(ends) {
        let outages: BTreeSet<_> = side.runs().map(|run| in_brief(&run.result)).collect();
        let outages = outages.into_iter().filter(|outage| !outage.is_empty());
        for reason in warnings(side, ends.as_ref()).into_iter().chain(outages) {
            reasons.entry(reason).or_default().push(&side.name);
        }
    }
    let reasons = reasons.into_iter();
    let lines = reasons.map(|(reason, of)| format!("{}: {reason}", of.join(", ")));
    journal_mirrors::side_by_side(sides)
        .into_iter()
        .chain(lines)
        .collect()
}

fn warnings(side: &Side<'_>, ends: Option<&Ends>) -> Vec<String> {
    let run = side.first;
    let result = &run.result;
    let mut found: Vec<_> = ends.map(Ends::note).into_iter().collect();
    found.extend(result.notices.iter().cloned());
    found.extend(Some(failures(result)).filter(|failed| !failed.is_empty()));
    found.extend(assumed(result, false));
    found.extend(done(result));
    found.extend(stalls(result));
    if let Some(facts) = run
        .facts
        .as_ref()
        .filter(|_| !result.transactions.is_empty())
    {
        found.extend(unsettled(facts));
    }
    let (runs, simulated) = (side.len(), run.is(Mode::Simulate));
    found.extend(busy_time(run));
    let measured_s = result.duration_s - run.warmup_s;
    if !simulated && measured_s < SHORT_S {
        found.push(format!("only {} measured", duration(measured_s)));
    }
    if (2..FEW).contains(&runs) {
        found.push(format!(
            "{runs} runs say little about chance; {FEW} say more"
        ));
    }
    if runs == 1 && !simulated {
        found
            .push("one run does not show variation from run to run, or from day to day".to_owned());
    }
    found
}
