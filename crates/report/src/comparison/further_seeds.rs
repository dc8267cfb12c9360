//! Further seeds: simulated runs are simulated again, with the same seeds on every side.
//!
//! How, and how often, stands in [`blockyard_experiment`].

use blockyard_experiment::{Fewer, Paired, Side as Simulated};
use blockyard_record::result::{Mode, Status};
use blockyard_record::thresholds::SEEDS;

use super::side::Side;
use crate::Run;
use crate::text::format::number;

/// Whether the sides were simulated again, with the same seeds on each.
#[derive(Debug, Default)]
pub enum Again {
    /// They were not: only what was recorded is compared.
    #[default]
    No,
    /// What became of it.
    Simulated(Paired),
    /// They cannot be any more: why, in one line.
    Refused(String),
}

/// What [`blockyard_experiment::paired`] needs to simulate all sides again; none unless each is one
/// complete simulation whose scenario is known.
#[must_use]
pub fn simulated(sides: &[Side<'_>]) -> Option<Vec<Simulated>> {
    let one = |side: &Side<'_>| {
        let run = Some(side.first).filter(|run| side.more.is_empty() && is_whole(run))?;
        Some(Simulated {
            base: run.scenario.clone()?,
            result: run.result.clone(),
        })
    };
    sides.iter().map(one).collect()
}

fn is_whole(run: &Run) -> bool {
    run.is(Mode::Simulate) && run.result.status == Status::Complete
}

impl Again {
    /// The simulations, if there are any.
    pub(crate) fn paired(&self) -> Option<&Paired> {
        match self {
            Self::Simulated(paired) => Some(paired).filter(|paired| !paired.seeds.is_empty()),
            Self::No | Self::Refused(_) => None,
        }
    }

    /// Why there are fewer than could be, in a sentence; none if there is nothing to say.
    pub(crate) fn note(&self, sides: &[Side<'_>]) -> Option<String> {
        let paired = match self {
            Self::No => return None,
            Self::Refused(why) => {
                return Some(format!("not simulated again with other seeds: {why}"));
            }
            Self::Simulated(paired) => paired,
        };
        Some(match paired.why? {
            Fewer::Longer => {
                let seeds = paired.seeds.len();
                format!("{seeds} seeds, as {SEEDS} would take longer")
            }
            Fewer::OtherFigures { side } => {
                let name = &sides.get(side)?.first.name;
                format!(
                    "simulated again, {name} gives other figures, as by another version of \
                     Blockyard: only what was recorded is compared"
                )
            }
            Fewer::TooLong { ios } => {
                let names = sides.iter().map(|side| side.first.name.as_str());
                let names = names.collect::<Vec<_>>().join(" and ");
                let ios = number(ios as f64);
                format!(
                    "one seed each: {names} would take long to simulate again ({ios} IOs a seed); \
                     --seeds {SEEDS} does it all the same"
                )
            }
        })
    }
}
