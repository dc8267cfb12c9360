//! Conditions on comparisons.

use super::synthetic::{Like, PLAIN, run};
use crate::compare;

fn outcome(latency: f64, condition: &str) -> (bool, String) {
    let other = Like { latency, ..PLAIN };
    let sides = [vec![run(PLAIN, 1)], vec![run(other, 2)]];
    let mut outcomes = compare(&sides, &[condition.to_owned()]).unwrap().conditions;
    let outcome = outcomes.remove(0);
    assert_eq!((outcome.condition.as_str(), outcome.side), (condition, 1));
    (outcome.holds, outcome.measured)
}

#[test]
fn a_change_holds_beyond_the_bound_and_if_it_is_shown() {
    assert!(outcome(1.5, "readers.latency.p99 > +5%").0);
    assert!(outcome(1.5, "readers.read.latency.mean > +5%").0);
    assert!(outcome(0.5, "readers.latency.p50 <= -20%").0);
    assert!(!outcome(1.5, "readers.latency.p99 > +80%").0);
    // Beyond the bound, but no further than chance alone moves it.
    let (holds, measured) = outcome(1.0, "readers.latency.p99 > -90%");
    assert!(!holds, "{measured}");
    assert!(
        measured.contains("% (-") && measured.contains("% to +"),
        "{measured}"
    );
}

#[test]
fn a_value_is_the_other_sides() {
    let (holds, measured) = outcome(3.0, "readers.latency.mean > 2ms");
    let milliseconds: f64 = measured.strip_suffix("ms").unwrap().parse().unwrap();
    assert!(holds && (2.8..3.2).contains(&milliseconds), "{measured}");
    assert!(!outcome(1.0, "readers.latency.mean > 2ms").0);
    assert!(outcome(1.0, "readers.iops < 1000").0);
}

/// A run of a job whose transactions are twice as many, or take twice as long, beside IO that is
/// as ever.
fn with_transactions(like: Like, seed: u64) -> crate::Run {
    let mut all = run(PLAIN, seed);
    let transactions = run(like, seed).series.remove(0);
    all.series.push(crate::Series {
        op: crate::TRANSACTION.to_owned(),
        device: String::new(),
        ..transactions
    });
    all
}

#[test]
fn conditions_on_transactions_are_held_to_these() {
    let outcome = |like, condition: &str| {
        let sides = [
            vec![with_transactions(PLAIN, 1)],
            vec![with_transactions(like, 2)],
        ];
        let mut outcomes = compare(&sides, &[condition.to_owned()]).unwrap().conditions;
        outcomes.remove(0)
    };
    let fewer = Like { rate: 0.5, ..PLAIN };
    let slower = Like {
        latency: 2.0,
        ..PLAIN
    };
    assert!(outcome(fewer, "readers.transactions.tps < -5%").holds);
    assert!(!outcome(fewer, "readers.iops < -5%").holds);
    assert!(!outcome(slower, "readers.transactions.tps < -5%").holds);
    assert!(outcome(slower, "readers.transactions.latency.p99 > +50%").holds);
    assert!(!outcome(slower, "readers.latency.p99 > +50%").holds);
    let level = outcome(fewer, "readers.transactions.tps < 75");
    assert!(
        level.holds && !level.measured.contains('%'),
        "{}",
        level.measured
    );
    let level = outcome(slower, "readers.transactions.latency.mean > 1.5ms");
    assert!(
        level.holds && level.measured.ends_with("ms"),
        "{}",
        level.measured
    );
}

#[test]
fn what_was_not_measured_holds() {
    let mut other = run(PLAIN, 2);
    other.series.clear();
    let condition = "readers.iops < -5%".to_owned();
    let outcomes = compare(&[vec![run(PLAIN, 1)], vec![other]], &[condition]).unwrap();
    let outcome = &outcomes.conditions[0];
    assert!(outcome.holds);
    assert_eq!(outcome.measured, "nothing was measured");
}

#[test]
fn without_an_interval_the_change_decides() {
    let short = Like { bins: 5, ..PLAIN };
    let slower = Like {
        latency: 1.5,
        ..short
    };
    let condition = "readers.latency.p50 > +5%".to_owned();
    let sides = [vec![run(short, 1)], vec![run(slower, 2)]];
    let outcomes = compare(&sides, &[condition]).unwrap();
    let outcome = &outcomes.conditions[0];
    assert!(outcome.holds);
    assert!(
        outcome.measured.ends_with("(no interval)"),
        "{}",
        outcome.measured
    );
}

#[test]
fn what_is_not_compared_is_refused() {
    let sides = [vec![run(PLAIN, 1)], vec![run(PLAIN, 2)]];
    let cases = [
        (
            "readers.errors > 0",
            "`readers.errors > 0`: not compared; compared are iops, mib_per_s, latency.mean, latency.p50, latency.p95, latency.p99, latency.p99_9, of transactions transactions.tps and the like",
        ),
        (
            "readers.transactions.tps < -5%",
            "`readers.transactions.tps < -5%`: no run has any transaction of it",
        ),
        (
            "readers.read.transactions.tps < -5%",
            "`readers.read.transactions.tps < -5%`: not compared; compared are iops, mib_per_s, latency.mean, latency.p50, latency.p95, latency.p99, latency.p99_9, of transactions transactions.tps and the like",
        ),
        (
            "readers.write.iops < -5%",
            "`readers.write.iops < -5%`: no run has any such IO",
        ),
        (
            "redaers.iops < -5%",
            "`redaers.iops < -5%`: no job is called `redaers`; did you mean `readers`?",
        ),
    ];
    for (condition, message) in cases {
        assert_eq!(
            compare(&sides, &[condition.to_owned()]).unwrap_err(),
            message
        );
    }
}
