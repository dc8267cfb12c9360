//! The study of a run's advice: what would help it, tried with one thing changed at a time.
//!
//! What was waited for, a limit or a part of a link, is raised by a half; a mirror that waits for
//! its link acknowledges from the peer's memory, and reads locally; a job that took others' tokens
//! falls silent; and the limits that nothing waited for are raised together. A replay whose
//! recording does not decide what an IO waits for is also carried out by its recorded times. Where
//! several jobs share the storage a limit is also raised so far that it holds up nothing: which one
//! comes next depends on how much more each of them then does. Seed and all random numbers stay, so
//! that what moves is moved by the change.

mod cases;
mod moved;
mod open;
mod trials;

use std::sync::Arc;

use blockyard_explain::{Facts, LimitId, waited};
use blockyard_record::result::{Mode, RunResult, Status};

pub use self::cases::FACTOR;
use self::cases::{Case, Tries, cases};
pub use self::moved::{Done, Moved};
pub use self::open::{Open, OpenDone};
pub use self::trials::{Advice, Untried};
use crate::answer::{Answer, Answered};
use crate::budget::{FOR_ADVICE, Work};
use crate::error::Error;
use crate::executor::Executor;
use crate::paired::is_the_same;
use crate::study::{Lab, Study};
use crate::variant::{Base, Variant};
use crate::watch::Watch;
use blockyard_record::thresholds::FELT;

/// Tries what would help the run of `base` that had `result`, on `executor`: as much as
/// 20 million IOs allow, what was waited for most first. Of a run that was not simulated, or not to
/// its end, nothing is tried. If `watch` stops it, that is what is found.
///
/// # Errors
/// If the executor fails, or a variant cannot be simulated.
pub fn advise(
    base: &Arc<Base>,
    result: &RunResult,
    facts: &Facts,
    executor: &dyn Executor,
    watch: &mut dyn Watch,
) -> Result<Advice, Error> {
    let cases = cases(facts, &base.opened().resolved);
    let is_whole = result.mode == Mode::Simulate && result.status == Status::Complete;
    if !is_whole || cases.is_empty() {
        return Ok(Advice::default());
    }
    let mut lab = Lab::new(executor, FOR_ADVICE, watch);
    let work = Work::of(result, base.opened().scenario()).ios.max(1);
    let all = cases.len();
    let cases = affordable(cases, work, lab.budget.left());
    let untried = (cases.len() < all).then_some(Untried::TooLong {
        ios: work,
        most_ios: lab.budget.most(),
    });
    let mut study = Advising {
        base,
        result,
        cases,
        found: Advice {
            untried,
            ..Advice::default()
        },
        asked: false,
    };
    if study.cases.is_empty() {
        return Ok(study.found);
    }
    match lab.conduct(&mut study) {
        Err(Error::Stopped) => Ok(Advice {
            untried: Some(Untried::Stopped),
            ..Advice::default()
        }),
        Err(error) => Err(error),
        Ok(()) => Ok(study.found),
    }
}

/// The first cases, as many as may be tried.
fn affordable(cases: Vec<Case>, work: u64, most: u64) -> Vec<Case> {
    let mut left = most as f64;
    let fits = |case: &Case| {
        left -= case.cost * work as f64;
        left >= 0.0
    };
    cases.into_iter().take_while(fits).collect()
}

/// The study: one batch of all cases.
struct Advising<'a> {
    base: &'a Arc<Base>,
    result: &'a RunResult,
    cases: Vec<Case>,
    found: Advice,
    asked: bool,
}

impl Study for Advising<'_> {
    fn next(&mut self, answers: Vec<Answered>, lab: &mut Lab<'_>) -> Result<Vec<Variant>, Error> {
        if self.asked {
            let answers = answers.into_iter().collect::<Result<Vec<_>, _>>()?;
            let took = answers.iter().map(|answer| answer.work().ios);
            lab.budget.spend(took.sum());
            self.sort(&answers)?;
            return Ok(Vec::new());
        }
        self.asked = true;
        let with = |case: &Case| Variant::of(self.base).with(case.edits.clone());
        Ok(self.cases.iter().map(with).collect())
    }
}

impl Advising<'_> {
    /// Notes the outcome of each case.
    fn sort(&mut self, answers: &[Answer]) -> Result<(), Error> {
        let found = &mut self.found;
        for (case, after) in std::mem::take(&mut self.cases).into_iter().zip(answers) {
            let moved = |but: &str| moved::all(self.result, &after.result, but);
            match case.tries {
                Tries::Limit(changed) => found.raised.push((changed, moved(""))),
                Tries::Far { limit, jobs } => {
                    let next = waited_for(after, &jobs).map_err(Error::Input)?;
                    found.beyond.push((limit, next));
                }
                Tries::Link(changed) => found.links.push((changed, moved(""))),
                Tries::Mirror(changed) => found.mirrors.push((changed, moved(""))),
                Tries::Silence(changed) => found.without.push({
                    let moved = moved(&changed);
                    (changed, moved)
                }),
                Tries::Open(job) => {
                    let open = Open::of(&job, &after.result);
                    found.open.push((job, open));
                }
                Tries::Idle => {
                    found.idle_matter = Some(!is_the_same(self.result, &after.result));
                }
            }
        }
        Ok(())
    }
}

/// The limits that IOs of `jobs` waited for, the one with most first; none if that is not felt.
fn waited_for(answer: &Answer, jobs: &[String]) -> Result<Vec<LimitId>, String> {
    let result = &answer.result;
    let is_own = |job: &str| jobs.iter().any(|own| own == job);
    let times = result.limits.iter().flat_map(|limit| {
        let own = limit.jobs.iter().filter(|share| is_own(&share.job));
        own.map(|share| {
            let time = share.throttled_s + share.lag_s;
            (limit.owner.as_str(), limit.limit.as_str(), time)
        })
    });
    let times: Vec<_> = times.collect();
    let own = result.totals.iter().filter(|total| is_own(&total.job));
    let latency_s = own.filter_map(|total| Some(total.ios as f64 * total.mean()? / 1e6));
    let waited_s: f64 = times.iter().map(|(.., time)| time).sum();
    if waited_s < FELT * latency_s.sum::<f64>() {
        return Ok(Vec::new());
    }
    let found = waited(times, &answer.opened.resolved.storage)?;
    let felt = found.into_iter().filter(|waited| waited.share >= FELT);
    Ok(felt.map(|waited| waited.limit).collect())
}
