//! What differs between runs, and whether the difference is shown or may be chance.
//!
//! A side is one run or several repeats; every side is compared with the first.
//! Figures come from merged histograms, never from averaged percentiles. Intervals are
//! for the relative change, from the variance of the figure's logarithm:
//!
//! - for simulations with the same seeds on both sides, from seed to seed: each ratio is
//!   of two runs with the same random numbers;
//! - for any other side with several runs, from run to run;
//! - for a side with one run, from its bins, by a block bootstrap: it captures what
//!   varies within a run, but not what varies from run to run. Where slow times last so long
//!   that the run shows too few of them, only what is beyond all of them counts as shown;
//! - for two sides with one run each whose bins are aligned, from the same blocks of
//!   both, so that load steps and cycles that both have do not count as chance.
//!
//! Each variance has its degrees of freedom; the interval is by Student's t with Welch's
//! approximation. The same call gives the same answer.

mod compared;
mod conditions;
mod evidence;
mod figures;
mod persistence;
mod recorded;
mod resample;
mod run;
mod seeds;
mod series_group;
mod sides;
mod spread;
mod steps;
#[cfg(test)]
mod tests;

pub use compared::{Basis, Change, Comparison, Outcome, Row, StepRow, Verdict};
pub use recorded::{Columns, Recorded, StepTimes};
pub use run::{Bin, Load, Run, Series, Step};
pub use series_group::{SeriesGroup, TRANSACTION};

use sides::Sides;

/// Compares every side with the first, and checks whether `conditions` such as
/// `readers.latency.p99 > +5%` hold.
///
/// # Errors
/// A line that quotes the condition that cannot be parsed, and says what is wrong with it
/// and which name is nearest.
pub fn compare(sides: &[Vec<Run>], conditions: &[String]) -> Result<Comparison, String> {
    let conditions = conditions::parse(sides, conditions)?;
    let runs = sides.iter().flatten();
    let groups = SeriesGroup::of(runs).into_iter().map(|group| {
        let own = Sides::new(sides, &group, None);
        (own.takes_no_time(), own.rows(&group))
    });
    let groups: Vec<_> = groups.collect();
    // What takes no time tells nothing beside what does.
    let all = groups.iter().all(|(free, rows)| *free || rows.is_empty());
    let told = groups.into_iter().filter(|(free, _)| all || !free);
    Ok(Comparison {
        rows: told.flat_map(|(_, rows)| rows).collect(),
        steps: steps::rows(sides),
        conditions: conditions
            .iter()
            .flat_map(|condition| conditions::outcomes(sides, condition))
            .collect(),
    })
}
