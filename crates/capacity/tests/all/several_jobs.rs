//! What changes of a layout bring where several jobs have goals: held to what comes of the
//! scenario once a change is made, and to the order in which goals stand in the file.

#![allow(clippy::unwrap_used, reason = "a test fails by panicking")]

use blockyard_capacity::{Alternatives, Change, Row, WhatIf, Worth, what_if};
use blockyard_experiment::{Ran, Threads, simulate_many};
use blockyard_record::Detail;
use proptest::prelude::*;

use crate::asking;

/// Few enough IOs that one seed is all that is affordable, and enough for all changes.
const FEW_IOS: u64 = 500_000;

fn asked(text: String, job: Option<&str>) -> WhatIf {
    WhatIf {
        job: job.map(str::to_owned),
        sustained: true,
        ..asking::asked(asking::given(text, &[]), FEW_IOS)
    }
}

fn found(asked: &WhatIf) -> Alternatives {
    what_if(asked, &Threads::of(2), &mut ()).unwrap().unwrap()
}

/// Whether a goal is met that the layout as it is misses.
fn repairs(found: &Alternatives, row: &Row) -> bool {
    let Some(came) = &row.came else { return false };
    let both = came.goals.iter().zip(&found.now.goals);
    both.into_iter()
        .any(|(then, now)| then.measured.met && !now.measured.met)
}

fn loses(found: &Alternatives, row: &Row) -> bool {
    let Some(came) = &row.came else { return false };
    let both = came.goals.iter().zip(&found.now.goals);
    both.into_iter()
        .any(|(then, now)| !then.measured.met && now.measured.met)
}

/// Goal by goal, whether it is met with each of these overrides, as `simulate` says.
fn simulated(found: &Alternatives, asked: &WhatIf) -> Vec<Vec<bool>> {
    let tried = found.changes.iter().filter(|row| row.came.is_some());
    let text = |row: &Row| {
        let mut text = asked.scenario.clone();
        text.sets
            .extend(found.sustained_sets.iter().chain(&row.sets).cloned());
        text
    };
    let texts: Vec<_> = tried.map(text).collect();
    let met = |ran: Ran| {
        let goals = ran.result.unwrap().goals;
        goals.iter().map(|goal| goal.met).collect::<Vec<_>>()
    };
    let all = simulate_many(&texts, 2, Detail::Totals, met, &mut || false);
    all.unwrap().unwrap()
}

/// Devices and jobs, each with a goal.
fn layout(jobs: &[(usize, u64, u64)], reversed: bool) -> String {
    let storage = ["{type: gp3, size: 200GiB}", "{type: gp2, size: 200GiB}"];
    let (mut devices, mut workload, mut goals) = (Vec::new(), Vec::new(), Vec::new());
    for (number, (device, rate, ms)) in jobs.iter().enumerate() {
        devices.push(format!("d{number}: {}", storage[*device]));
        let job =
            format!("j{number}: {{kind: ranread, on: d{number}, file_size: 1GiB, rate: {rate}/s}}");
        workload.push(job);
        goals.push(format!("j{number}.latency.p99 < {ms}ms"));
    }
    if reversed {
        goals.reverse();
    }
    format!(
        "{{name: s, as_of: 2026-10-01, warmup: 1s, duration: 3s, storage: {{{}}}, \
         workload: {{{}}}, goals: [{}]}}",
        devices.join(", "),
        workload.join(", "),
        goals.join(", ")
    )
}

/// A device and what is asked of it: from little to more than it has.
fn job() -> impl Strategy<Value = (usize, u64, u64)> {
    let gp3 = (Just(0), 500..4500_u64, 1..8_u64);
    let gp2 = (Just(1), 100..1500_u64, 1..8_u64);
    prop_oneof![gp3, gp2]
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(8))]

    #[test]
    fn what_meets_a_goal_comes_first_and_does_so(
        jobs in prop::collection::vec(job(), 2..4_usize),
    ) {
        let forward = asked(layout(&jobs, false), None);
        let all = found(&forward);
        let lead = all.changes.iter().take_while(|row| repairs(&all, row)).count();
        prop_assert!(
            all.changes[lead..].iter().all(|row| !repairs(&all, row)),
            "{:#?}", all.changes
        );
        for row in &all.changes {
            prop_assert_eq!(row.worth == Worth::Meets, repairs(&all, row), "{:#?}", row);
            let no_worse = matches!(row.worth, Worth::Cheaper | Worth::Pays | Worth::Nothing);
            prop_assert!(!(no_worse && loses(&all, row)), "{:#?}", row);
        }
        // Each does what is said of it.
        let tried = all.changes.iter().filter_map(|row| row.came.as_ref());
        let said = tried.map(|came| came.goals.iter().map(|goal| goal.measured.met).collect());
        prop_assert_eq!(simulated(&all, &forward), said.collect::<Vec<Vec<_>>>());
        // The order of the goals changes nothing.
        let other = found(&asked(layout(&jobs, true), None));
        let told = |found: &Alternatives| -> Vec<_> {
            let row = |row: &Row| {
                let job = row.came.as_ref().map(|came| came.job.clone());
                (row.sets.clone(), row.worth, job)
            };
            found.changes.iter().map(row).collect()
        };
        prop_assert_eq!(&all.now.leads, &other.now.leads);
        prop_assert_eq!(told(&all), told(&other));
    }
}

fn two(goals: &str) -> String {
    format!(
        "{{name: two, as_of: 2026-11-01, duration: 6s, \
         storage: {{data: {{type: gp3, size: 200GiB}}, wal: {{type: gp3, size: 20GiB}}}}, \
         workload: {{reads: {{kind: ranread, on: data, file_size: 100GiB, rate: 2000/s}}, \
         wal: {{kind: access_spec, on: wal, file_size: 10GiB, \
         pattern: {{size: 8KiB, read: 0%, random: 100%}}, rate: 3300/s}}}}, goals: [{goals}]}}"
    )
}

#[test]
fn the_cure_of_the_second_job_is_named_first() {
    let goals = ["reads.latency.p99 < 5ms", "wal.latency.p99 < 5ms"];
    for order in [goals.join(", "), format!("{}, {}", goals[1], goals[0])] {
        let found = found(&asked(two(&order), None));
        assert_eq!(found.now.leads, "wal");
        // Two volumes of 20 GiB are cheaper than the IOPS that are due, and these than 1,000.
        let first: Vec<_> = found.changes.iter().take(3).collect();
        assert!(matches!(&first[0].change, Change::Volumes { device, .. } if device == "wal"));
        assert!(matches!(
            &first[1].change,
            Change::Iops { to: 3600..4000, .. }
        ));
        assert_eq!(first[2].sets, ["storage.wal.iops=4000"]);
        for row in first {
            assert_eq!(row.worth, Worth::Meets);
            let came = row.came.as_ref().unwrap();
            assert_eq!(came.job, "wal");
            assert!(came.goals.iter().all(|goal| goal.measured.met), "{row:#?}");
        }
        assert!(
            found.changes[3..]
                .iter()
                .all(|row| row.worth == Worth::Meets || row.worth > Worth::Cheaper)
        );
    }
}

#[test]
fn what_one_job_gains_and_another_loses_is_not_called_no_worse() {
    // Faster reads, whose processes then take more of the instance that both go through.
    let text = "{name: shared, as_of: 2026-10-01, warmup: 1s, duration: 3s, \
         host: {instance: r5.large}, \
         storage: {a: {type: gp3, size: 100GiB}, b: {type: gp3, size: 100GiB}}, \
         workload: {fast: {kind: ranread, on: a, file_size: 1GiB, processes: 48}, \
         other: {kind: ranread, on: b, file_size: 1GiB, processes: 2}}}";
    let found = found(&asked(text.to_owned(), None));
    let row = found
        .changes
        .iter()
        .find(|row| row.sets == ["storage.a.iops=4000"])
        .unwrap();
    let jobs = &row.came.as_ref().unwrap().jobs;
    assert!(jobs[0].gain > 0.01 && jobs[1].gain < -0.01, "{row:#?}");
    assert_eq!(row.worth, Worth::Mixed);
}
