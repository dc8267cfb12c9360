//! Whether intervals cover as often as they claim, and find real differences.

use super::synthetic::{Like, PLAIN, run};
use crate::{Change, Run, Verdict, compare};

const TRIALS: u64 = 100;
/// The figures tested; the 99.9th percentile would need more IOs.
const FIGURES: [&str; 6] = [
    "iops",
    "mib_per_s",
    "latency.mean",
    "latency.p50",
    "latency.p95",
    "latency.p99",
];

fn changes(sides: [Vec<Run>; 2]) -> Vec<Change> {
    let rows = compare(&sides, &[]).unwrap().rows;
    let change = |figure: &&str| {
        let row = rows.iter().find(|row| row.figure == *figure).unwrap();
        row.changes[0].unwrap()
    };
    FIGURES.iter().map(change).collect()
}

fn other(like: Like) -> Like {
    Like {
        latency: 1.05,
        rate: 0.97,
        ..like
    }
}

/// In many comparisons of runs with a known difference, the number of intervals that
/// include it, figure by figure. Nearly all comparisons have intervals.
fn covered(repeats: u64, like: Like, other: Like) -> Vec<u64> {
    let (mut covered, mut known) = (vec![0; FIGURES.len()], 0);
    for trial in 0..TRIALS {
        let side = |like, side| {
            let seeds = (0..repeats).map(|repeat| (trial * 2 + side) * repeats + repeat);
            seeds.map(|seed| run(like, seed)).collect()
        };
        let found = changes([side(like, 0), side(other, 1)]);
        for (place, change) in found.into_iter().enumerate() {
            let more = if place < 2 { other.rate } else { other.latency };
            let holds = |(low, high)| (low..=high).contains(&(more - 1.0));
            covered[place] += u64::from(change.interval.is_none_or(holds));
            known += u64::from(change.interval.is_some());
        }
    }
    assert!(known >= TRIALS * FIGURES.len() as u64 * 19 / 20, "{known}");
    covered
}

#[test]
fn nine_in_ten_intervals_of_single_runs_cover_the_truth() {
    let covered = covered(1, PLAIN, other(PLAIN));
    assert!(
        covered.iter().all(|&times| times >= TRIALS * 9 / 10),
        "{covered:?}"
    );
}

#[test]
fn nine_in_ten_intervals_of_unlike_lengths_cover_the_truth() {
    let longer = Like {
        bins: 90,
        ..other(PLAIN)
    };
    let covered = covered(1, PLAIN, longer);
    assert!(
        covered.iter().all(|&times| times >= TRIALS * 9 / 10),
        "{covered:?}"
    );
}

#[test]
fn nine_in_ten_intervals_of_repeats_cover_the_truth() {
    let short = Like { bins: 20, ..PLAIN };
    let covered = covered(3, short, other(short));
    assert!(
        covered.iter().all(|&times| times >= TRIALS * 9 / 10),
        "{covered:?}"
    );
}

#[test]
fn nine_in_ten_times_the_same_is_no_difference() {
    let mut shown = [0; FIGURES.len()];
    for trial in 0..TRIALS {
        let found = changes([vec![run(PLAIN, 2 * trial)], vec![run(PLAIN, 2 * trial + 1)]]);
        for (shown, change) in shown.iter_mut().zip(found) {
            *shown += u64::from(matches!(change.verdict, Verdict::Better | Verdict::Worse));
        }
    }
    assert!(shown.iter().all(|&times| times <= TRIALS / 10), "{shown:?}");
}

#[test]
fn long_runs_show_five_percent() {
    let long = Like { bins: 900, ..PLAIN };
    for seed in 0..10 {
        let found = changes([
            vec![run(long, 2 * seed)],
            vec![run(other(long), 2 * seed + 1)],
        ]);
        for (figure, change) in FIGURES.iter().zip(&found) {
            assert_eq!(change.verdict, Verdict::Worse, "{figure} {change:?}");
        }
    }
}

/// What both runs do at the same time is not chance: if it counted as chance, latencies
/// that span a factor of 64 would hide five percent.
#[test]
fn load_steps_hide_nothing() {
    let stepped = Like {
        bins: 600,
        steps: true,
        ..PLAIN
    };
    let found = changes([vec![run(stepped, 1)], vec![run(other(stepped), 2)]]);
    for (figure, change) in FIGURES.iter().zip(&found) {
        assert_eq!(change.verdict, Verdict::Worse, "{figure} {change:?}");
    }
}

/// A difference in one load step of four is a difference in the whole: how it varies from
/// step to step is not chance.
#[test]
fn a_difference_in_one_load_step_is_shown() {
    let stepped = Like {
        bins: 120,
        steps: true,
        ..PLAIN
    };
    let twice = Like {
        latency: 2.0,
        rate: 0.5,
        ..stepped
    };
    let mut partly = run(stepped, 2);
    partly.series[0].bins[90..].clone_from_slice(&run(twice, 2).series[0].bins[90..]);
    let found = changes([vec![run(stepped, 1)], vec![partly]]);
    for (figure, change) in FIGURES
        .iter()
        .zip(&found)
        .filter(|(f, _)| **f != "latency.p50")
    {
        assert_eq!(change.verdict, Verdict::Worse, "{figure} {change:?}");
    }
}

#[test]
fn nine_in_ten_intervals_of_stepped_runs_cover_the_truth() {
    let stepped = Like {
        bins: 80,
        steps: true,
        ..PLAIN
    };
    let covered = covered(1, stepped, other(stepped));
    assert!(
        covered.iter().all(|&times| times >= TRIALS * 9 / 10),
        "{covered:?}"
    );
}

#[test]
fn the_same_call_gives_the_same_answer() {
    let sides = || [vec![run(PLAIN, 1)], vec![run(other(PLAIN), 2)]];
    assert_eq!(compare(&sides(), &[]), compare(&sides(), &[]));
}

#[test]
fn too_little_shows_nothing() {
    let short = Like { bins: 7, ..PLAIN };
    let twice = Like {
        latency: 2.0,
        ..short
    };
    for change in changes([vec![run(short, 1)], vec![run(twice, 2)]]) {
        assert_eq!((change.interval, change.verdict), (None, Verdict::Unknown));
    }
    // About 12,000 IOs have 12 above the 99.9th percentile; a third of that has too few.
    let tail = |bins| {
        let like = Like { bins, ..PLAIN };
        let rows = compare(&[vec![run(like, 1)], vec![run(like, 2)]], &[])
            .unwrap()
            .rows;
        let row = rows.into_iter().find(|row| row.figure == "latency.p99_9");
        row.unwrap().changes[0].unwrap().interval
    };
    assert!(tail(120).is_some() && tail(40).is_none());
}

/// Histograms cannot tell apart values that are closer than their buckets.
#[test]
fn less_than_a_bucket_is_no_difference() {
    let mut slower = run(PLAIN, 1);
    for bin in &mut slower.series[0].bins {
        bin.length_s *= 1.0005;
    }
    for change in changes([vec![run(PLAIN, 1)], vec![slower]]) {
        assert_eq!(change.verdict, Verdict::Alike, "{change:?}");
    }
}

/// Slow phases of 5 s and of 20 s, in which IOs take half as long again.
const PHASED: [Like; 2] = [
    Like {
        bins: 120,
        phases: Some(5.0),
        ..PLAIN
    },
    Like {
        bins: 600,
        phases: Some(20.0),
        ..PLAIN
    },
];

/// Runs that differ in nothing but the phases that they happened to have. Where there are too few
/// of these to tell, that is said, not guessed.
#[test]
fn slow_phases_are_no_difference() {
    let [short, long] = PHASED;
    let too_short = Like {
        phases: Some(20.0),
        ..short
    };
    for (like, pairs) in [(short, 80), (long, 12), (too_short, 60)] {
        let mut shown = [0; FIGURES.len()];
        for pair in 0..pairs {
            let found = changes([0, 1].map(|side| vec![run(like, 2 * pair + side)]));
            for (shown, change) in shown.iter_mut().zip(found) {
                *shown += u64::from(matches!(change.verdict, Verdict::Better | Verdict::Worse));
            }
        }
        // One in twenty, and twice the deviation that chance gives so many.
        let most = pairs / 20 + (2.0 * (pairs as f64 * 0.0475).sqrt()).round() as u64;
        assert!(
            shown.iter().all(|&times| times <= most),
            "{like:?} {shown:?}"
        );
    }
}

#[test]
fn long_runs_with_slow_phases_show_ten_percent() {
    let long = Like {
        bins: 1800,
        ..PHASED[0]
    };
    let slower = Like {
        latency: 1.1,
        rate: 0.9,
        ..long
    };
    for seed in 0..5 {
        let found = changes([vec![run(long, 2 * seed)], vec![run(slower, 2 * seed + 1)]]);
        for (figure, change) in FIGURES.iter().zip(&found) {
            assert_eq!(change.verdict, Verdict::Worse, "{figure} {change:?}");
        }
    }
}

/// One phase of a minute or two in a run of two: nobody can tell whether the other storage has it.
#[test]
fn a_phase_as_long_as_the_run_is_too_little_to_tell() {
    let two_minutes = Like { bins: 120, ..PLAIN };
    let slow = Like {
        latency: 1.5,
        rate: 0.7,
        ..PLAIN
    };
    let mut slower = run(two_minutes, 1);
    slower.series[0].bins[60..].clone_from_slice(&run(slow, 2).series[0].bins);
    for change in changes([vec![run(two_minutes, 3)], vec![slower]]) {
        assert_eq!((change.interval, change.verdict), (None, Verdict::Unknown));
    }
}

/// What is larger than such a phase is shown all the same.
#[test]
fn a_difference_beyond_every_phase_is_shown() {
    let slow = |slow: f64| Like {
        latency: 2.0 * slow,
        rate: 0.5 / slow,
        ..PLAIN
    };
    let mut drifting = run(slow(1.0), 1);
    let later = run(slow(1.2), 2).series.remove(0).bins;
    drifting.series[0].bins.extend(later);
    let steady = run(Like { bins: 120, ..PLAIN }, 3);
    let found = changes([vec![steady], vec![drifting]]);
    for (figure, change) in FIGURES.iter().zip(&found) {
        assert_eq!(change.verdict, Verdict::Worse, "{figure} {change:?}");
    }
}
