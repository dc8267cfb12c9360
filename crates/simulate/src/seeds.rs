//! A simulation with several seeds: one is told of in full, all in their range.

use std::io;
use std::num::NonZeroU32;
use std::sync::atomic::AtomicBool;
use std::thread;

use blockyard_record::result::{BySeed, RunResult, Status, TransactionTotal};
use blockyard_record::{Detail, Observer};
use blockyard_scenario::Resolved;
use blockyard_scenario::schema::Scenario;
use rayon::prelude::*;

use crate::parallel::{Unwatched, in_parallel};
use crate::{Options, simulate};

/// How many seeds show how far a figure comes from chance, where they cost little: a figure of
/// a further seed lies outside the range of eight in two of nine cases.
const SEEDS: u32 = 8;
/// Fewer say too little to be worth their time.
const FEWEST: u32 = 3;
/// What is simulated beyond the first seed without being asked for: some seconds on a processor.
/// A page that an engine accesses counts as an IO.
const MOST_IOS: u64 = 8_000_000;

/// Runs `scenario` as [`simulate`] does, then with further seeds, the next ones, on all
/// processors, and adds to the result between what its figures lie.
///
/// Without `seeds` with as many, up to 8, as take no more than 8 million IOs; where that allows
/// fewer than 3, with one, and the result says so in a notice. A run that is stopped among its
/// further seeds is interrupted, though its own figures are whole.
///
/// # Errors
/// As [`simulate`], or if threads cannot be started.
pub fn simulate_seeds(
    scenario: &Scenario,
    resolved: &Resolved,
    options: Options,
    seeds: Option<NonZeroU32>,
    observer: &mut dyn Observer,
) -> io::Result<RunResult> {
    let mut result = simulate(scenario, resolved, options, observer)?;
    if result.status != Status::Complete {
        return Ok(result);
    }
    let (ios, of) = work(&result, scenario);
    let count = match seeds {
        Some(count) => count.get(),
        None => match u32::try_from(MOST_IOS / ios.max(1)).map_or(SEEDS, |more| 1 + more) {
            few if few < FEWEST => {
                result.notices.push(too_long(ios, of));
                1
            }
            enough => enough.min(SEEDS),
        },
    };
    if count == 1 {
        return Ok(result);
    }
    let threads = thread::available_parallelism().map_or(1, Into::into);
    let further = |stop: &AtomicBool| further(scenario, resolved, count, stop);
    match in_parallel(threads, &mut || observer.stopped(), further)? {
        None => result.status = Status::Interrupted,
        Some(others) => {
            let others = others?;
            let all: Vec<_> = [&result].into_iter().chain(&others).collect();
            result.by_seed = Some(BySeed::of(&all));
        }
    }
    Ok(result)
}

/// The results of all seeds but the first, in their order.
fn further(
    scenario: &Scenario,
    resolved: &Resolved,
    count: u32,
    stop: &AtomicBool,
) -> io::Result<Vec<RunResult>> {
    let seeds = (1..count).into_par_iter();
    let runs = seeds.map(|further| {
        let scenario = Scenario {
            seed: scenario.seed.wrapping_add(further.into()),
            ..scenario.clone()
        };
        let options = Options {
            detail: Detail::Totals,
            ..Options::default()
        };
        simulate(&scenario, resolved, options, &mut Unwatched(stop))
    });
    runs.collect()
}

/// How many IOs and accesses to pages a run had, with those of its warm-up, and what they are.
fn work(result: &RunResult, scenario: &Scenario) -> (u64, &'static str) {
    let ios: u64 = result.totals.iter().map(|total| total.ios).sum();
    let accesses: f64 = result.transactions.iter().map(accesses).sum();
    let counted = ios + accesses as u64;
    let (warmup, whole) = (scenario.warmup.nanos(), scenario.duration.nanos());
    let measured = whole.saturating_sub(warmup).max(1);
    let of = match accesses > 0.0 {
        true => "IOs and accesses to pages",
        false => "IOs",
    };
    ((counted as f64 * whole as f64 / measured as f64) as u64, of)
}

/// How many pages transactions accessed.
fn accesses(total: &TransactionTotal) -> f64 {
    let each = total.engine.as_ref();
    each.map_or(0.0, |it| it.accesses_per_transaction * total.count as f64)
}

fn too_long(ios: u64, of: &str) -> String {
    format!(
        "one seed, as each takes {:.1} million {of}: how far its figures come from chance is not \
         shown; --seeds {SEEDS} shows it",
        ios as f64 / 1e6
    )
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used, reason = "a test fails by panicking")]

    use super::*;

    const SHOP: &str = "
{name: shop, duration: 3s, warmup: 1s, storage: {data: {type: gp3, size: 100GiB}},
 workload: {shop: {kind: oltp, engine: innodb, on: data, data_size: 64MiB, pool: 64MiB, cores: 4,
  threads: 4, transactions: {pay: {pages: 100, changes: 1, log: 1KiB, cpu: 1ms}}}}}
";

    /// An access to a page takes about as long to simulate as an IO does, and most need none.
    #[test]
    fn accesses_to_pages_take_their_time_too() {
        let loaded = blockyard_scenario::load(SHOP, "shop.yaml", &[]).unwrap();
        let scenario = &loaded.scenario;
        let resolved = loaded.resolve().unwrap();
        let never = &AtomicBool::new(false);
        let run = simulate(
            scenario,
            &resolved,
            Options::default(),
            &mut Unwatched(never),
        );
        let run = run.unwrap();
        let ios: u64 = run.totals.iter().map(|total| total.ios).sum();
        let accesses = 100 * run.transactions[0].count;
        // Of two seconds of three.
        let expected = 3 * (ios + accesses) / 2;
        let (found, of) = work(&run, scenario);
        assert!(
            found.abs_diff(expected) <= expected / 1000,
            "{found} {expected}"
        );
        assert_eq!(of, "IOs and accesses to pages");
        assert!(too_long(found, of).contains(" million IOs and accesses to pages: how far"));
    }
}
