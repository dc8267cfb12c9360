//! Comparisons with the same seeds on both sides.

#![allow(clippy::unwrap_used, reason = "a test fails by panicking")]

use std::num::NonZeroU32;
use std::sync::Arc;

use crate::common::base;
use blockyard_compare::{Comparison, compare};
use blockyard_experiment::{Base, Fewer, Inline, Side, Variant, paired};
use blockyard_record::result::{RunResult, Total};
use blockyard_simulate::Options;

/// Two jobs whose load steps are not the same, on volumes that differ by chance.
const GP3: &str = "
{name: gp3, duration: 8s, warmup: 1s, seed: 3, storage: {data: {type: gp3, size: 100GiB}},
 workload: {
  readers: {kind: ranread, on: data, file_size: 10GiB, processes: [1, 4]},
  others: {kind: ranread, on: data, file_size: 10GiB, processes: 2}}}
";

fn alone(base: &Arc<Base>, seed: u64) -> RunResult {
    let opened = Variant::of(base).seeded(seed).open().unwrap();
    opened.simulate(Options::default(), &mut ()).unwrap()
}

fn sides() -> [Side; 2] {
    [(&[][..], 3), (&["storage.data.latency=io2"][..], 7)].map(|(sets, seed)| {
        let base = base(GP3, sets);
        // As it is read back.
        let text = serde_json::to_string(&alone(&base, seed)).unwrap();
        let result = RunResult::read(&text).unwrap();
        Side { base, result }
    })
}

fn compared(sides: &[Side], conditions: &[&str]) -> Comparison {
    let found = paired(sides, NonZeroU32::new(3), &Inline, &mut ()).unwrap();
    assert_eq!((&found.seeds[..], found.why), (&[3, 4, 5][..], None));
    let conditions: Vec<_> = conditions.iter().map(|&it| it.to_owned()).collect();
    compare(&found.sides, &conditions).unwrap()
}

/// The geometric mean of a figure over the seeds of a side.
fn mean(base: &Arc<Base>, of: impl Fn(&RunResult) -> f64) -> f64 {
    let logarithms = [3, 4, 5].map(|seed| of(&alone(base, seed)).ln());
    (logarithms.iter().sum::<f64>() / 3.0).exp()
}

fn close(a: Option<f64>, b: f64) {
    assert!((a.unwrap() / b - 1.0).abs() < 1e-9, "{a:?} {b}");
}

#[test]
fn figures_are_those_of_runs_with_the_same_seeds() {
    let sides = sides();
    let found = compared(&sides, &[]);
    type Figure = fn(&Total) -> f64;
    let figures: [(&str, Figure); 3] = [
        ("iops", |total| total.iops),
        ("mib_per_s", |total| total.mib_per_s),
        ("latency.p99", |total| total.latency_us.unwrap().p99),
    ];
    for (figure, of) in figures {
        for job in ["readers", "others"] {
            let mut rows = found.rows.iter();
            let row = rows.find(|row| row.figure == figure && row.group.job == job);
            for (side, &value) in sides.iter().zip(&row.unwrap().values) {
                let own = |run: &RunResult| {
                    let total = run.totals.iter().find(|total| total.job == job);
                    of(total.unwrap())
                };
                close(value, mean(&side.base, own));
            }
        }
        for (step, row) in found
            .steps
            .iter()
            .filter(|row| row.row.figure == figure)
            .enumerate()
        {
            let own = |run: &RunResult| {
                let mut steps = run.steps.iter().filter(|it| it.total.job == "readers");
                of(&steps.nth(step).unwrap().total)
            };
            close(row.row.values[0], mean(&sides[0].base, own));
        }
    }
}

/// The steps of one job are not the other's, and all the time counts once.
#[test]
fn all_jobs_together_are_the_sum_of_their_rates() {
    let sides = sides();
    let found = compared(&sides, &["all.iops > 1"]);
    let both = mean(&sides[1].base, |run| {
        run.totals.iter().map(|it| it.iops).sum()
    });
    assert_eq!(found.conditions[0].measured, format!("{both:.0}"));
}

#[test]
fn a_run_with_other_figures_is_not_compared_by_seeds() {
    let mut sides = sides();
    sides[1].result.totals[0].ios += 1;
    let found = paired(&sides, NonZeroU32::new(2), &Inline, &mut ()).unwrap();
    assert_eq!(found.why, Some(Fewer::OtherFigures { side: 1 }));
    assert!(found.seeds.is_empty() && found.sides.is_empty());
}

#[test]
fn as_many_seeds_as_are_affordable() {
    let seeds = |ios: u64| {
        let mut sides = sides();
        let measured = 7 * ios / 8;
        sides[0].result.totals[0].ios = measured;
        sides[0].result.totals.truncate(1);
        sides[1].result.totals.clear();
        paired(&sides, None, &Inline, &mut ()).unwrap().why
    };
    assert_eq!(
        seeds(8_000_000 / 2),
        Some(Fewer::TooLong { ios: 4_000_000 })
    );
    // With other figures than it has, nothing is compared; but it was simulated.
    assert_eq!(seeds(8_000_000 / 3), Some(Fewer::OtherFigures { side: 0 }));
}
