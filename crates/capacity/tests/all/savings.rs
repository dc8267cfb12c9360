//! What saves money: held to fresh simulations with other seeds, and to the bills of `cost`.

#![allow(clippy::unwrap_used, reason = "a test fails by panicking")]

use blockyard_capacity::{Alternatives, Change, GivesUp, Least, Row, WhatIf, Worth, what_if};
use blockyard_cost::{Bill, Terms};
use blockyard_experiment::{Ran, ScenarioText, Threads, simulate_many};
use blockyard_record::Detail;
use proptest::prelude::*;

use crate::asking;

/// Enough for three seeds of each change.
const MOST_IOS: u64 = 20_000_000;

fn asked(text: &str) -> WhatIf {
    let text = format!("{{name: s, as_of: 2026-11-01, warmup: 1s, duration: 4s, {text}}}");
    WhatIf {
        sustained: true,
        ..asking::asked(asking::given(text, &[]), MOST_IOS)
    }
}

fn found(asked: &WhatIf) -> Alternatives {
    what_if(asked, &Threads::of(2), &mut ()).unwrap().unwrap()
}

fn saves(row: &Row) -> bool {
    matches!(row.worth, Worth::Cheaper | Worth::Trades) && row.dollars.is_some_and(|it| it < 0.0)
}

fn with(asked: &WhatIf, found: &Alternatives, sets: &[String]) -> ScenarioText {
    let emptied = found.sustained_sets.iter();
    asked.scenario.with(emptied.chain(sets).cloned())
}

fn per_month(text: &ScenarioText) -> f64 {
    let opened = text.open().unwrap();
    let bill = Bill::of(opened.scenario(), &opened.resolved, &Terms::default(), None);
    bill.unwrap().per_month.dollars()
}

/// What each saving is held to.
fn is_true(asked: &WhatIf) -> Result<usize, TestCaseError> {
    let all = found(asked);
    let now = per_month(&with(asked, &all, &[]));
    let saving: Vec<_> = all.changes.iter().filter(|row| saves(row)).collect();
    for row in &saving {
        let text = with(asked, &all, &row.sets);
        let dollars = per_month(&text) - now;
        prop_assert!(
            (dollars - row.dollars.unwrap()).abs() < 1e-6,
            "{dollars} {row:#?}"
        );
        let seeds = (100..104).map(|seed| text.with([format!("seed={seed}")]));
        let met = |ran: Ran| ran.result.unwrap().goals.iter().all(|goal| goal.met);
        let texts: Vec<_> = seeds.collect();
        let met = simulate_many(&texts, 2, Detail::Totals, met, &mut || false);
        prop_assert!(met.unwrap().unwrap().into_iter().all(|met| met), "{row:#?}");
        // What is called no worse is no less durable, whatever else it does.
        let from_io2 = |change: &Change| matches!(change, Change::Type { from, to, .. } if from == "io2" && to != "io2");
        let mut changes = std::iter::once(&row.change).chain(&row.also);
        prop_assert!(
            row.worth != Worth::Cheaper || !changes.any(from_io2),
            "{row:#?}"
        );
        prop_assert!(row.also.len() <= 2);
    }
    Ok(saving.len())
}

/// A volume that has more than the load takes, and the load.
fn layout() -> impl Strategy<Value = String> {
    let gp3 = (6..16_u64, 250..1000_u64).prop_map(|(thousands, mib)| {
        format!("type: gp3, size: 400GiB, iops: {thousands}000, throughput: {mib}MiB/s")
    });
    let io2 =
        (6..40_u64).prop_map(|thousands| format!("type: io2, size: 400GiB, iops: {thousands}000"));
    let gp2 = (1500..4000_u64).prop_map(|gib| format!("type: gp2, size: {gib}GiB"));
    let volume = prop_oneof![gp3, io2, gp2];
    (volume, 1..4_u32, 500..2500_u64).prop_map(|(volume, width, rate)| {
        format!(
            "host: {{instance: r6i.4xlarge}}, \
             storage: {{d: {{stripe: {{chunk: 64KiB, width: {width}}}, of: {{{volume}}}}}}}, \
             workload: {{r: {{kind: ranread, on: d, file_size: 40GiB, rate: {rate}/s}}}}, \
             goals: [r.latency.p99 < 4ms]"
        )
    })
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(6))]

    #[test]
    fn each_saving_meets_the_goals_with_other_seeds_at_the_price_that_is_said(text in layout()) {
        let savings = is_true(&asked(&text))?;
        prop_assert!(savings > 2, "{text}");
    }
}

#[test]
fn a_combination_saves_more_than_its_parts() {
    let all = found(&asked(
        "host: {instance: r6i.8xlarge}, \
         storage: {d: {type: gp3, size: 500GiB, iops: 16000, throughput: 1000MiB/s}}, \
         workload: {r: {kind: ranread, on: d, file_size: 100GiB, rate: 1000/s}}, \
         goals: [r.latency.p99 < 5ms]",
    ));
    let dollars = |sets: &[&str]| {
        let own = all.changes.iter().find(|row| row.sets == sets);
        own.unwrap_or_else(|| panic!("{:#?}", all.changes))
            .dollars
            .unwrap()
    };
    let volume = ["storage.d.throughput=125MiB/s", "storage.d.iops=3000"];
    assert!((dollars(&volume) + 100.0).abs() < 0.01);
    assert!((dollars(&["host.instance=r6i.4xlarge"]) + 735.84).abs() < 0.01);
    let first = &all
        .changes
        .iter()
        .find(|row| row.worth == Worth::Trades)
        .unwrap();
    assert_eq!(first.also.len(), 2, "{first:#?}");
    let parts = [&first.change].into_iter().chain(&first.also);
    for part in parts {
        let alone = all
            .changes
            .iter()
            .find(|row| row.also.is_empty() && row.change == *part);
        assert!(alone.is_none_or(|alone| alone.dollars > first.dollars));
    }
    assert!(
        first
            .gives_up
            .iter()
            .any(|it| matches!(it, GivesUp::Vcpu { before: 32, .. }))
    );
    assert!(all.tried > 5 && all.tried_together > 2);
}

#[test]
fn what_needs_two_limits_raised_is_found() {
    // The volume has 3,000 IOPS, the instance 6,000 in the long run.
    let all = found(&asked(
        "host: {instance: m5.xlarge}, storage: {d: {type: gp3, size: 300GiB}}, \
         workload: {r: {kind: ranread, on: d, file_size: 100GiB, rate: 8000/s}}, \
         goals: [r.latency.p99 < 5ms]",
    ));
    let first = all.changes.first().unwrap();
    assert_eq!(first.worth, Worth::Meets, "{:#?}", all.changes);
    let changes: Vec<_> = [&first.change].into_iter().chain(&first.also).collect();
    assert!(
        changes
            .iter()
            .any(|it| matches!(it, Change::Instance { .. })),
        "{first:#?}"
    );
    assert!(
        changes.iter().any(|it| matches!(it, Change::Iops { .. })),
        "{first:#?}"
    );
    let single = all.changes.iter().filter(|row| row.also.is_empty());
    assert!(single.into_iter().all(|row| row.worth != Worth::Meets));
}

#[test]
fn another_type_has_what_the_load_takes_and_says_where_that_is_too_much() {
    let gp3 = |volume: &str, rate: u64| {
        let all = found(&asked(&format!(
            "storage: {{d: {{{volume}}}}}, \
             workload: {{r: {{kind: ranread, on: d, file_size: 10GiB, rate: {rate}/s}}}}, \
             goals: [r.latency.p99 < 5ms]"
        )));
        let is_it = |row: &&Row| {
            row.also.is_empty()
                && matches!(&row.change, Change::Type { to, size: None, .. } if to == "gp3")
        };
        all.changes
            .iter()
            .find(is_it)
            .cloned()
            .unwrap_or_else(|| panic!("{all:#?}"))
    };
    // 1,500 reads of 8 KiB do not take the 250 MiB/s of a gp2.
    let row = gp3("type: gp2, size: 600GiB", 1500);
    let figures = |row: &Row| match row.change {
        Change::Type {
            iops, throughput, ..
        } => (iops, throughput),
        _ => (None, None),
    };
    assert_eq!(figures(&row), (Some(3000), Some(125)), "{row:#?}");
    assert!(saves(&row), "{row:#?}");
    let row = gp3("type: io2, size: 500GiB, iops: 120000", 100_000);
    let said = row.refused.as_deref().unwrap();
    assert!(
        said.starts_with("a `gp3` has at most 80,000 IOPS in the long run"),
        "{said}"
    );
}

#[test]
fn an_instance_keeps_what_is_asked_of_it() {
    let mut asked = asked(
        "host: {instance: r6i.8xlarge}, storage: {d: {type: gp3, size: 100GiB}}, \
         workload: {r: {kind: ranread, on: d, file_size: 10GiB, rate: 500/s}}, \
         goals: [r.latency.p99 < 5ms]",
    );
    asked.least = Least {
        vcpu: Some(16),
        memory_mib: Some(200 << 10),
    };
    let all = found(&asked);
    for given in all.changes.iter().flat_map(|row| &row.gives_up) {
        match *given {
            GivesUp::Vcpu { after, .. } => assert!(after >= 16),
            GivesUp::Memory { after, .. } => assert!(after >= 200 << 10),
            _ => {}
        }
    }
    assert!(
        all.changes
            .iter()
            .any(|row| matches!(row.change, Change::Instance { .. }) && saves(row))
    );
}

#[test]
fn either_leg_of_a_mirror_can_take_what_the_busier_one_does() {
    // The far leg serves no reads before a failure.
    let all = found(&asked(
        "hosts: {one: {instance: r6i.4xlarge, zone: us-east-1a}, \
         two: {instance: r6i.4xlarge, zone: us-east-1a}}, \
         zones: {within: 0.2ms}, links: {l: {between: [one, two], bandwidth: 5Gbit/s}}, \
         storage: {d: {mirror: {link: l, read: local, legs: { \
         near: {type: io2, size: 100GiB, iops: 8000, host: one}, \
         far: {type: io2, size: 100GiB, iops: 8000, host: two}}}}}, \
         workload: {w: {kind: access_spec, on: d, file_size: 10GiB, rate: 1500/s, \
         pattern: {size: 8KiB, read: 70%, random: 100%}}}, goals: [w.read.latency.p99 < 5ms]",
    ));
    let fewer = |row: &&Row| {
        matches!(
            row.change,
            Change::Iops {
                volumes: 2,
                to: 1600..2000,
                ..
            }
        )
    };
    let row = all.changes.iter().find(fewer);
    assert_eq!(row.unwrap().sets.len(), 2, "{:#?}", all.changes);
    assert!(row.is_some_and(saves));
}
