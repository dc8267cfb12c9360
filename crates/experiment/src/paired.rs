//! The study of a comparison: simulated runs again, with the same seeds on every side.
//!
//! A simulation is one draw of many. How far its figures come from chance shows when it is drawn
//! again; with the same seeds on all sides these draw alike, and what remains is the difference.

use std::num::NonZeroU32;
use std::sync::Arc;

use blockyard_compare::{Bin, Load, Run, Series, Step};
use blockyard_model::workload::Offered;
use blockyard_record::result::RunResult;
use blockyard_record::{SeriesSteps, StepStats};

use crate::answer::{Answer, Answered};
use crate::budget::{Budget, FOR_SEEDS, Work};
use crate::error::Error;
use crate::executor::Executor;
use crate::study::Lab;
use crate::variant::{Base, Variant};
use crate::watch::Watch;
use blockyard_record::thresholds::{FEWEST, SEEDS};

/// A side of a comparison: one simulated run, read back.
#[derive(Clone, Debug)]
pub struct Side {
    /// Its scenario.
    pub base: Arc<Base>,
    /// Its result.
    pub result: RunResult,
}

/// The sides with further seeds.
#[derive(Debug, Default)]
pub struct Paired {
    /// The seeds that each side has; empty where nothing was simulated again.
    pub seeds: Vec<u64>,
    /// The runs of each side, in the order of the seeds.
    pub sides: Vec<Vec<Run>>,
    /// Why there are fewer seeds than could be.
    pub why: Option<Fewer>,
}

/// Why a comparison has fewer seeds than could be.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Fewer {
    /// More would take longer than is affordable.
    Longer,
    /// Even the fewest would; so nothing was simulated.
    TooLong {
        /// How many IOs one seed of all sides takes.
        ios: u64,
    },
    /// With its own seed the run of this side has other figures, as by another version.
    OtherFigures {
        /// Its number.
        side: usize,
    },
}

/// Simulates all sides again, with `seeds` seeds from the first side's on; without a number with
/// as many, up to 8, as take no more than 8 million IOs, and none if that is fewer than 3 or a side
/// was run by interval.
///
/// # Errors
/// If `watch` stops it, the executor fails, or a side cannot be simulated.
pub fn paired(
    sides: &[Side],
    seeds: Option<NonZeroU32>,
    executor: &dyn Executor,
    watch: &mut dyn Watch,
) -> Result<Paired, Error> {
    // A run by interval has no latencies to pair; its rows are compared.
    if sides.iter().any(|side| side.result.by_interval_s.is_some()) {
        return Ok(Paired::default());
    }
    let each = |side: &Side| Work::of(&side.result, side.base.opened().scenario()).ios;
    let ios: u64 = sides.iter().map(each).sum();
    let affordable = u32::try_from(Budget::of(FOR_SEEDS).affords(ios)).unwrap_or(SEEDS);
    let (count, why) = match seeds {
        Some(seeds) => (seeds.get(), None),
        None if affordable < FEWEST => {
            return Ok(Paired {
                why: Some(Fewer::TooLong { ios }),
                ..Paired::default()
            });
        }
        None if affordable < SEEDS => (affordable, Some(Fewer::Longer)),
        None => (SEEDS, None),
    };
    let first = sides.first().map_or(0, |side| side.result.seed);
    let seeds: Vec<_> = (0..count)
        .map(|more| first.wrapping_add(more.into()))
        .collect();
    let most_ios = ios.saturating_mul(count.into());
    let answers = simulated(sides, &seeds, &mut Lab::new(executor, most_ios, watch))?;
    for (number, (side, answers)) in sides.iter().zip(&answers).enumerate() {
        let mut own = answers
            .iter()
            .filter(|it| it.opened.seed() == side.result.seed);
        let own = own.next().map(|own| is_the_same(&side.result, &own.result));
        if !own.unwrap_or(false) {
            return Ok(Paired {
                why: Some(Fewer::OtherFigures { side: number }),
                ..Paired::default()
            });
        }
    }
    let runs = |answers: &Vec<Answer>| answers.iter().take(seeds.len()).map(run).collect();
    Ok(Paired {
        sides: answers.iter().map(runs).collect(),
        seeds,
        why,
    })
}

/// All sides with each of `seeds`, then with their own where that is another one.
fn simulated(sides: &[Side], seeds: &[u64], lab: &mut Lab<'_>) -> Result<Vec<Vec<Answer>>, Error> {
    let variants = |side: &Side| -> Vec<Variant> {
        let own = side.result.seed;
        let own = (!seeds.contains(&own)).then_some(own);
        let all = seeds.iter().copied().chain(own);
        let itself = Variant::of(&side.base);
        all.map(|seed| itself.clone().seeded(seed)).collect()
    };
    let batches: Vec<_> = sides.iter().map(variants).collect();
    let all = batches.concat();
    let mut answers: Vec<Answered> = Vec::new();
    for batch in all.chunks(lab.width().max(1)) {
        answers.extend(lab.ask(batch)?);
        let last = answers.iter().rev().take(batch.len()).flatten();
        lab.budget.spend(last.map(|answer| answer.work().ios).sum());
        lab.tried(format!("{} of {} simulations", answers.len(), all.len()));
    }
    let mut answers = answers.into_iter();
    let of_side = |batch: &Vec<Variant>| answers.by_ref().take(batch.len()).collect();
    batches.iter().map(of_side).collect()
}

/// Whether a run that was read back has the figures of one that was just simulated.
pub(crate) fn is_the_same(read: &RunResult, fresh: &RunResult) -> bool {
    (&read.totals, &read.steps) == (&fresh.totals, &fresh.steps)
}

/// The run of an answer as comparisons look at it: a bin for each load step.
fn run(answer: &Answer) -> Run {
    let done = |own: &&SeriesSteps| own.steps.iter().any(|step| step.latencies.count() > 0);
    let series = answer.by_step.iter().filter(done);
    let mut steps: Vec<Step> = Vec::new();
    for own in series.clone() {
        if steps.iter().all(|step| step.job != own.job) {
            steps.extend((1..).zip(&own.steps).map(|(number, step)| Step {
                job: own.job.clone(),
                load: match step.offered {
                    Offered::Processes(processes) => Load::Processes(processes),
                    Offered::Rate(rate) => Load::Rate(rate),
                },
                bins: number..=number,
            }));
        }
    }
    let of_series = |own: &SeriesSteps| Series {
        job: own.job.clone(),
        device: own.device.clone(),
        op: own.op.clone(),
        bins: (1..)
            .zip(&own.steps)
            .map(|(number, step)| bin(number, step))
            .collect(),
        percentiles: Vec::new(),
    };
    Run {
        series: series.map(of_series).collect(),
        steps,
        seed: Some(answer.opened.seed()),
        by_step: true,
    }
}

fn bin(number: usize, step: &StepStats) -> Bin {
    let count = step.latencies.count();
    Bin {
        step: number,
        length_s: step.time as f64 / 1e9,
        ios: count,
        bytes: step.bytes,
        timed: (count, count as f64 * step.latencies.mean()),
        latencies: step.latencies.clone(),
    }
}
