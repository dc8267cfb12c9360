//! Several seeds: the range of the figures, and in how many of them a goal is met.

#![allow(clippy::unwrap_used, reason = "a test fails by panicking")]

use std::num::NonZeroU32;

use crate::common::base;
use crate::common::runs::{STALLS, Seen, run_with};
use blockyard_experiment::{Threads, Variant, simulate_seeds};
use blockyard_record::result::{RunResult, Status};
use blockyard_simulate::Options;

/// Chance decides its goal: the volumes of the profile differ.
const GP3: &str = "
{name: gp3, duration: 6s, warmup: 2s, seed: 4, storage: {data: {type: gp3, size: 100GiB}},
 workload: {readers: {kind: ranread, on: data, file_size: 10GiB, processes: 1}},
 goals: ['readers.latency.p99 < 1.1ms', 'readers.latency.mean < 0.55ms', 'readers.ios > 0']}
";

fn with(text: &str, sets: &[&str], seeds: Option<u32>) -> RunResult {
    let variant = Variant::of(&base(text, sets));
    let seeds = seeds.and_then(NonZeroU32::new);
    simulate_seeds(
        &variant,
        Options::default(),
        seeds,
        &Threads::all(),
        &mut (),
    )
    .unwrap()
}

#[test]
fn ranges_and_goals_agree_with_fresh_seeds() {
    let result = with(GP3, &[], None);
    let by_seed = result.by_seed.as_ref().unwrap();
    let fresh: Vec<_> = (4..12)
        .map(|seed| run_with(GP3, &[&format!("seed={seed}")], Options::default()).result)
        .collect();
    assert_eq!(by_seed.seeds, 8);
    for (goal, &met) in by_seed.goals_met.iter().enumerate() {
        let fresh = fresh.iter().filter(|result| result.goals[goal].met).count();
        assert_eq!(met as usize, fresh, "{}", result.goals[goal].goal);
    }
    assert!((1..8).contains(&by_seed.goals_met[1]), "{by_seed:?}");
    assert_eq!(by_seed.goals_met[2], 8);
    let range = &by_seed.totals[0];
    for (range, figure) in [
        (
            range.iops,
            fresh
                .iter()
                .map(|run| run.totals[0].iops)
                .collect::<Vec<_>>(),
        ),
        (
            range.latency_us.unwrap().p99,
            fresh
                .iter()
                .map(|run| run.totals[0].latency_us.unwrap().p99)
                .collect(),
        ),
    ] {
        let least = figure.iter().copied().fold(f64::INFINITY, f64::min);
        let most = figure.iter().copied().fold(0.0, f64::max);
        assert_eq!((range.min, range.max), (least, most));
        assert!(least < most);
    }
}

/// An engine whose pages are all in memory, with a few commits: hardly any IO, many accesses.
const SHOP: &str = "
{name: shop, duration: 4s, warmup: 1s, storage: {data: {type: gp3, size: 100GiB}},
 workload: {shop: {kind: oltp, engine: innodb, on: data, data_size: 64MiB, pool: 64MiB, cores: 4,
  threads: 4, transactions: {pay: {pages: 100, changes: 1, log: 1KiB, cpu: 1ms}}}},
 goals: ['shop.transactions.tps > 1']}
";

#[test]
fn transactions_have_their_ranges() {
    let result = with(SHOP, &[], Some(3));
    let by_seed = result.by_seed.unwrap();
    let fresh = (1..4).map(|seed| {
        let run = run_with(SHOP, &[&format!("seed={seed}")], Options::default());
        run.result.transactions.into_iter().next().unwrap()
    });
    let (tps, p99): (Vec<_>, Vec<_>) = fresh
        .map(|total| (total.tps, total.latency_us.unwrap().p99))
        .unzip();
    let [range] = &by_seed.transactions[..] else {
        panic!("{by_seed:?}")
    };
    let ends = |figures: &[f64]| {
        let least = figures.iter().copied().fold(f64::INFINITY, f64::min);
        (least, figures.iter().copied().fold(0.0, f64::max))
    };
    assert_eq!((range.tps.min, range.tps.max), ends(&tps));
    let found = range.latency_us.unwrap().p99;
    assert_eq!((found.min, found.max), ends(&p99));
    assert!(found.min < found.max, "{found:?}");
}

#[test]
fn all_else_is_the_first_seeds() {
    let alone = with(GP3, &[], Some(1));
    let mut several = with(GP3, &[], Some(3));
    assert_eq!(several.by_seed.take().unwrap().seeds, 3);
    let text = |result: &RunResult| serde_json::to_string(result).unwrap();
    assert_eq!(text(&several), text(&alone));
    assert_eq!(text(&alone), run_with(GP3, &[], Options::default()).bytes());
}

#[test]
fn what_would_take_long_runs_once_and_says_so() {
    let long = [
        "storage.data.iops=16000",
        "workload.readers.processes=40",
        "duration=5m",
    ];
    let result = with(GP3, &long, None);
    assert!(result.by_seed.is_none());
    assert!(
        result.notices[0].starts_with("one seed, as each takes "),
        "{:?}",
        result.notices
    );
    let middle = with(GP3, &[&long[..2], &["duration=2m"]].concat(), None);
    assert!((3..8).contains(&middle.by_seed.unwrap().seeds));
}

#[test]
fn a_run_that_was_stopped_has_no_further_seeds() {
    let mut seen = Seen {
        stop_after: Some(3),
        ..Seen::default()
    };
    let variant = Variant::of(&base(GP3, &[]));
    let options = Options::default();
    let run = simulate_seeds(&variant, options, None, &Threads::all(), &mut seen).unwrap();
    assert_eq!(run.status, Status::Interrupted);
    assert!(run.by_seed.is_none());
}

#[test]
fn a_run_shorter_than_its_tokens_says_what_it_carries() {
    let filled = ["workload.readers.processes=16", "warmup=0s"];
    let notices = |sets: &[&str]| with(GP3, &[&filled[..], sets].concat(), Some(1)).notices;
    let short = notices(&["duration=5s"]);
    assert!(
        short[0].starts_with(
            "the limit data.iops let through 20% more than its rate, from tokens saved"
        ),
        "{short:?}"
    );
    assert!(notices(&["duration=60s"]).is_empty());
    assert!(notices(&["duration=10s", "warmup=5s"]).is_empty());
    let idle = notices(&[
        "duration=0.5s",
        "interval=100ms",
        "workload.readers.processes=1",
    ]);
    assert!(
        idle[0].starts_with("its figures are of 0.5 s, less than"),
        "{idle:?}"
    );
}

#[test]
fn goals_on_stalls_are_met_in_so_many_seeds() {
    let by_seed = with(STALLS, &["duration=35s"], Some(3)).by_seed.unwrap();
    assert_eq!(by_seed.goals_met, [3, 0, 3, 0, 3]);
}
