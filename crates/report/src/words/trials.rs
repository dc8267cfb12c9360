//! What would help a simulated run, as it was tried: simulated again with one thing changed.
//!
//! What is tried, what counts as moved and how much is affordable stands in `crates/experiment`.
//! Without advice nothing was tried.

use blockyard_experiment::advice::{Advice, Moved, Untried};
use blockyard_explain::{Facts, InIos, LimitId, Next, Raising};
use blockyard_record::result::Mode;

use crate::Run;
use crate::text::format::number;

/// Of a run that was made without advice.
const NOT_ASKED: &str = "What is said here without figures was not tried; `blockyard simulate` \
                         tries it, but for --no-advice.";

/// The trials of a run; none of one that was not simulated.
pub(crate) fn trials(run: &Run) -> Option<&Advice> {
    run.advice.as_ref().filter(|_| run.is(Mode::Simulate))
}

/// What raising a limit moved; none if that was not tried.
pub(crate) fn raising<'a>(advice: Option<&'a Advice>, limit: &LimitId) -> Option<&'a [Moved]> {
    let mut raised = advice?.raised.iter();
    raised
        .find(|(known, _)| known == limit)
        .map(|(_, moved)| moved.as_slice())
}

/// What silence of a job moved of the others; none if that was not tried.
pub(crate) fn without<'a>(advice: Option<&'a Advice>, job: &str) -> Option<&'a [Moved]> {
    let mut silent = advice?.without.iter();
    silent
        .find(|(known, _)| known == job)
        .map(|(_, moved)| moved.as_slice())
}

/// Which limit comes next: the one that was met, or where that was not tried is seen.
pub(crate) fn next(
    advice: Option<&Advice>,
    facts: &Facts,
    limit: &LimitId,
    seen: &Raising,
) -> Next {
    let mut beyond = advice.into_iter().flat_map(|advice| &advice.beyond);
    let Some((_, met)) = beyond.find(|(known, _)| known == limit) else {
        return seen.next.clone();
    };
    let lasts = seen.lasts.as_ref().map(|lasts| &lasts.limit);
    let mut others = met
        .iter()
        .filter(|&one| one != limit && Some(one) != lasts)
        .flat_map(|one| facts.limits.iter().filter(move |own| own.limit == *one));
    let Some(first) = others.next() else {
        return Next::Nothing;
    };
    let found = InIos {
        limit: first.limit.clone(),
        value: (first.value, first.unit),
        ios: in_ios(&seen.next, &first.limit),
    };
    let helped = raising(advice, limit).is_some_and(|moved| !moved.is_empty());
    if helped {
        Next::UpTo(found)
    } else {
        Next::AtOnce(found)
    }
}

/// A limit in IOs, where it is the one that is `seen` to come next.
fn in_ios(seen: &Next, limit: &LimitId) -> Option<(f64, f64)> {
    match seen {
        Next::UpTo(seen) | Next::AtOnce(seen) if seen.limit == *limit => seen.ios,
        Next::UpTo(_) | Next::AtOnce(_) | Next::Nothing => None,
    }
}

/// Why something was not tried; empty where all was, or nothing can be.
pub(crate) fn note(run: &Run) -> String {
    if !run.is(Mode::Simulate) {
        return String::new();
    }
    let Some(advice) = &run.advice else {
        return NOT_ASKED.to_owned();
    };
    let why = match &advice.untried {
        None => return String::new(),
        Some(Untried::Stopped) => "the run was interrupted".to_owned(),
        Some(Untried::Failed { reason }) => reason.clone(),
        Some(Untried::TooLong { ios, most_ios }) => format!(
            "a trial takes {} IOs, and no more than {} are simulated for advice",
            number(*ios as f64),
            number(*most_ios as f64),
        ),
    };
    format!("What is said here without figures was not tried: {why}.")
}
