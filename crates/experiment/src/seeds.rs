//! The seeds of a scenario: one run recorded in full, and the range of the figures over all.

use std::num::NonZeroU32;

use blockyard_record::Observer;
use blockyard_record::result::{BySeed, RunResult, Status};
use blockyard_simulate::Options;

use crate::budget::{Budget, FOR_SEEDS, Work};
use crate::error::Error;
use crate::executor::Executor;
use crate::study::Lab;
use crate::variant::Variant;
use crate::watch::Watch;
use blockyard_record::thresholds::{FEWEST, SEEDS};

/// Runs a variant while `observer` watches, then with further seeds, the next ones, on `executor`,
/// and adds the range of its figures to the result.
///
/// `seeds` is how many in all; without it as many, up to 8, as take no more than 8 million IOs.
/// Where that allows fewer than 3, only one runs, and a notice in the result says so. A run that is
/// stopped among its further seeds is interrupted, though its own figures are whole.
///
/// # Errors
/// As [`blockyard_simulate::simulate`], or if the executor fails.
pub fn simulate_seeds(
    variant: &Variant,
    options: Options,
    seeds: Option<NonZeroU32>,
    executor: &dyn Executor,
    observer: &mut dyn Observer,
) -> Result<RunResult, Error> {
    let opened = variant.open()?;
    let mut result = opened.simulate(options, observer)?;
    if result.status != Status::Complete {
        return Ok(result);
    }
    let work = Work::of(&result, opened.scenario());
    let count = match (seeds, affordable(work)) {
        (Some(count), _) => count.get(),
        (None, Some(count)) => count,
        (None, None) => {
            result.notices.push(too_long(work));
            1
        }
    };
    if count == 1 {
        return Ok(result);
    }
    let further = variant.by_seed(count).split_off(1);
    let mut watch = Watching(observer);
    let mut lab = Lab::new(executor, FOR_SEEDS, &mut watch);
    match lab.ask(&further) {
        Err(Error::Stopped) => result.status = Status::Interrupted,
        Err(error) => return Err(error),
        Ok(answers) => {
            let others = answers.into_iter().map(|answer| Ok(answer?.result));
            let others = others.collect::<Result<Vec<_>, Error>>()?;
            let all: Vec<_> = [&result].into_iter().chain(&others).collect();
            result.by_seed = Some(BySeed::of(&all));
        }
    }
    Ok(result)
}

/// How many seeds in all, where each takes so much; none if too few are affordable to be worth
/// their time.
fn affordable(each: Work) -> Option<u32> {
    let further = Budget::of(FOR_SEEDS).affords(each.ios);
    let count = u32::try_from(further).map_or(SEEDS, |further| further.saturating_add(1));
    (count >= FEWEST).then_some(count.min(SEEDS))
}

fn too_long(each: Work) -> String {
    format!(
        "one seed, as each takes {:.1} million {}: how far its figures come from chance is not \
         shown; --seeds {SEEDS} shows it",
        each.ios as f64 / 1e6,
        each.unit()
    )
}

/// Whoever watches a run can stop its further seeds.
struct Watching<'a>(&'a mut dyn Observer);

impl Watch for Watching<'_> {
    fn stopped(&mut self) -> bool {
        self.0.stopped()
    }
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used, reason = "a test fails by panicking")]

    use super::*;
    use crate::scenario::ScenarioText;

    const SHOP: &str = "
{name: shop, duration: 3s, warmup: 1s, storage: {data: {type: gp3, size: 100GiB}},
 workload: {shop: {kind: oltp, engine: innodb, on: data, data_size: 64MiB, pool: 64MiB, cores: 4,
  threads: 4, transactions: {pay: {pages: 100, changes: 1, log: 1KiB, cpu: 1ms}}}}}
";

    /// An access to a page takes about as long to simulate as an IO does, and most need none.
    #[test]
    fn accesses_to_pages_take_their_time_too() {
        let text = ScenarioText {
            text: SHOP.into(),
            file_name: "shop.yaml".into(),
            sets: Vec::new(),
        };
        let opened = text.open().unwrap();
        let run = opened.simulate(Options::default(), &mut ()).unwrap();
        let ios: u64 = run.totals.iter().map(|total| total.ios).sum();
        let accesses = 100 * run.transactions[0].count;
        // Of two seconds of three.
        let expected = 3 * (ios + accesses) / 2;
        let work = Work::of(&run, opened.scenario());
        assert!(
            work.ios.abs_diff(expected) <= expected / 1000,
            "{work:?} {expected}"
        );
        assert!(too_long(work).contains(" million IOs and accesses to pages: how far"));
    }
}
