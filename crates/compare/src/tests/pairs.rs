//! Simulations with the same seeds on both sides.

use blockyard_model::random::Stream;

use super::synthetic::{Like, PLAIN, run};
use crate::{Basis, Change, Run, Verdict, compare};

const SEEDS: u64 = 8;

/// Runs of which each seed shifts the level by up to a half, on whatever storage it is.
fn simulated(like: Like, trial: u64, own: u64) -> Vec<Run> {
    let seeds = (trial * SEEDS..).take(SEEDS as usize);
    let one = |seed| {
        let level = f64::exp(Stream::new(seed, "level").unit() - 0.5);
        let like = Like {
            latency: like.latency * level,
            ..like
        };
        Run {
            seed: Some(seed),
            by_step: false,
            ..run(like, 2 * seed + own)
        }
    };
    seeds.map(one).collect()
}

fn change(sides: &[Vec<Run>], figure: &str) -> Change {
    let rows = compare(sides, &[]).unwrap().rows;
    let row = rows.iter().find(|row| row.figure == figure).unwrap();
    row.changes[0].unwrap()
}

const SLOWER: Like = Like {
    latency: 1.1,
    bins: 20,
    ..PLAIN
};

#[test]
fn what_a_seed_does_to_both_sides_hides_nothing() {
    let like = Like { bins: 20, ..PLAIN };
    let mut sides = [simulated(like, 0, 0), simulated(SLOWER, 0, 1)];
    let paired = change(&sides, "latency.mean");
    assert_eq!(
        (paired.basis, paired.verdict),
        (Some(Basis::PairedSeeds), Verdict::Worse)
    );
    // In whichever order the runs come.
    sides[1].reverse();
    assert_eq!(change(&sides, "latency.mean").interval, paired.interval);
    // Of what has no seeds, the same figures show nothing.
    sides.iter_mut().flatten().for_each(|run| run.seed = None);
    let repeated = change(&sides, "latency.mean");
    assert_eq!(
        (repeated.basis, repeated.verdict),
        (Some(Basis::Repeats), Verdict::NotShown)
    );
}

#[test]
fn nine_in_ten_intervals_of_pairs_cover_the_truth() {
    let like = Like { bins: 20, ..PLAIN };
    let covers = |trial| {
        let sides = [simulated(like, trial, 0), simulated(SLOWER, trial, 1)];
        let (low, high) = change(&sides, "latency.mean").interval.unwrap();
        (low..=high).contains(&0.1)
    };
    let covered = (0..200).filter(|&trial| covers(trial)).count();
    assert!((180..200).contains(&covered), "{covered}");
}

#[test]
fn other_seeds_are_no_pairs() {
    let like = Like { bins: 20, ..PLAIN };
    let sides = [simulated(like, 0, 0), simulated(like, 1, 0)];
    assert_eq!(change(&sides, "iops").basis, Some(Basis::Repeats));
    let twice = [simulated(like, 0, 0), simulated(like, 0, 0)].concat();
    let sides = [twice.clone(), twice];
    assert_eq!(change(&sides, "iops").basis, Some(Basis::Repeats));
}

#[test]
fn what_is_equal_but_for_little_chance_is_alike() {
    let sides = [simulated(PLAIN, 0, 0), simulated(PLAIN, 0, 1)];
    assert_eq!(change(&sides, "iops").verdict, Verdict::Alike);
}
