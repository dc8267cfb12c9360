//! Events of scenarios: what each kind does, and that none hangs a run or loses an IO.

#![allow(
    clippy::panic,
    clippy::unwrap_used,
    reason = "a test fails by panicking"
)]

use crate::common::{Run, near, run, run_with, scenario};
use blockyard_record::result::{Event, EventEffect};
use blockyard_scenario::{EventKind, load};
use blockyard_simulate::Options;
use proptest::prelude::*;

/// The example of a kind, with its only event.
fn example(kind: &str) -> (Run, Event) {
    let run = run(&scenario(&format!("examples/event-{kind}.yaml")));
    let [event] = run.result.events.as_slice() else {
        panic!("{:?}", run.result.events);
    };
    let event = event.clone();
    (run, event)
}

fn effect(event: &Event) -> EventEffect {
    event.effect.unwrap()
}

/// IOs a second from one second to another.
fn rate(run: &Run, name: &str, from: usize, to: usize) -> f64 {
    let ios = &run.ios(name)[from..to];
    ios.iter().sum::<u64>() as f64 / ios.len() as f64
}

#[test]
fn of_a_stripe_half_the_reads_fail_with_one_of_two_volumes() {
    let (run, event) = example("fail");
    assert_eq!(
        (event.kind, event.on.as_deref()),
        (EventKind::Fail, Some("data.0"))
    );
    assert_eq!((event.t_s, event.until_s), (20.0, Some(30.0)));
    let did = effect(&event);
    near("before", did.iops_before.unwrap(), 6000.0, 0.01);
    near("after", did.iops_after.unwrap(), 6000.0, 0.01);
    // Each process alternates at random between a read that takes its time and one that fails
    // after a millisecond: as many of each.
    let failed = did.failed_ios as f64 / 10.0;
    near("failed", failed, did.iops_during.unwrap(), 0.03);
    assert!(failed < 3000.0, "{failed}");
    assert_eq!((did.outage_s, did.recovered_s), (0.0, Some(0.0)));
    let total = run.total("readers.data.read");
    assert_eq!(total.errors, did.failed_ios);
    assert_eq!(total.ios, run.ios("readers.data.read").iter().sum::<u64>());
}

/// A database has its log on one device and its data on another.
#[test]
fn what_happens_beside_a_job_is_neither_before_nor_after_an_event() {
    let run = run("{name: t, as_of: 2026-10-01, duration: 24s, \
         storage: {d: {type: gp3, size: 100GiB}, j: {type: gp3, size: 100GiB}}, \
         workload: {shop: {kind: oltp, engine: innodb, on: {data: d, log: j}, data_size: 1GiB, \
         pool: 256MiB, threads: 8, cores: 8, \
         transactions: {t: {pages: 4, changes: 1, log: 1KiB, cpu: 100us}}}}, \
         events: [{at: 6s, pause: j, for: 4s}, {at: 16s, degrade: d, to: 25%, for: 4s}]}");
    let [pause, degrade] = run.result.events.as_slice() else {
        panic!("{:?}", run.result.events);
    };
    // Of each only what its device did while nothing else happened, the second after aside.
    let log = rate(&run, "shop.j.write", 11, 16);
    near("after", effect(pause).iops_after.unwrap(), log, 0.01);
    let data =
        |from, to| rate(&run, "shop.d.read", from, to) + rate(&run, "shop.d.write", from, to);
    near(
        "before",
        effect(degrade).iops_before.unwrap(),
        data(11, 16),
        0.01,
    );
    near(
        "after",
        effect(degrade).iops_after.unwrap(),
        data(21, 24),
        0.01,
    );
}

#[test]
fn after_a_pause_what_came_due_meanwhile_is_made_up_for() {
    let (run, event) = example("pause");
    assert_eq!((event.kind, event.until_s), (EventKind::Pause, Some(30.0)));
    let did = effect(&event);
    near("before", did.iops_before.unwrap(), 2000.0, 0.01);
    near("outage", did.outage_s, 10.0, 0.001);
    assert_eq!((did.failed_ios, did.iops_during), (0, Some(0.0)));
    // 20,000 reads wait, and 3,000 tokens lie ready: 17 s at 1,000 more than come due.
    near(
        "made up for",
        rate(&run, "readers.data.read", 31, 46),
        3000.0,
        0.01,
    );
    near(
        "caught up",
        rate(&run, "readers.data.read", 49, 60),
        2000.0,
        0.02,
    );
    assert_eq!(
        run.result.open_loop[0].offered,
        run.result.open_loop[0].served + run.result.open_loop[0].backlog
    );
}

#[test]
fn a_degraded_volume_delivers_its_share() {
    let (run, event) = example("degrade");
    assert_eq!(event.what, "data degrades to 30%");
    let did = effect(&event);
    near("before", did.iops_before.unwrap(), 1500.0, 0.02);
    near("during", did.iops_during.unwrap(), 900.0, 0.02);
    near(
        "made up for",
        rate(&run, "readers.data.read", 121, 140),
        3000.0,
        0.01,
    );
    let rates: Vec<_> = run
        .intervals
        .iter()
        .map(|interval| interval.rates[0])
        .collect();
    assert_eq!(
        (rates[59], rates[60], rates[119], rates[120]),
        (3000, 900, 900, 3000)
    );
}

#[test]
fn what_is_not_stated_of_a_degradation_is_the_seeds() {
    let text = scenario("examples/event-degrade.yaml");
    let text = text.replace("degrade: data, to: 30%, for: 1m", "degrade: data");
    let drawn = |seed: u64| {
        let sets = [format!("seed={seed}"), "duration=90s".into()];
        let run = run_with(
            &text,
            &sets.each_ref().map(String::as_str),
            Options::default(),
        );
        let event = run.result.events[0].clone();
        (event.what, event.until_s)
    };
    let (first, second) = (drawn(1), drawn(2));
    assert_eq!(first, drawn(1));
    assert!(first != second);
    assert!((120.0..=660.0).contains(&first.1.unwrap()), "{first:?}");
}

#[test]
fn a_modified_gp2_volume_has_its_new_limits_once_it_is_optimised() {
    let (run, event) = example("modify");
    assert_eq!((event.t_s, event.until_s), (60.0, Some(90.0)));
    assert_eq!(event.what, "data is modified to gp3 of 100GiB");
    let reads = |from, to| rate(&run, "readers.data.read", from, to);
    near("with credits", reads(1, 38), 3000.0, 0.01);
    near("without", reads(42, 60), 300.0, 0.01);
    near("while it is optimised", reads(60, 90), 300.0, 0.01);
    // From here on limits hold that had a full second.
    near("then", reads(91, 120), 3000.0, 0.01);
    let balances = run.intervals.iter().map(|it| it.volumes[0].balance_pct);
    let balances: Vec<_> = balances.collect();
    assert!(balances[88].is_some() && balances[90].is_none());
    assert!(run.result.volumes[0].burst_balance_pct.is_empty());
    assert!(run.result.volumes[0].burst_balance_lasts_s.is_empty());
    assert_eq!(run.intervals[95].rates, [3000, 0, 125 << 20]);
}

#[test]
fn a_gp3_volume_that_becomes_gp2_has_credits_from_then_on() {
    let text = scenario("examples/event-modify.yaml");
    let text = text
        .replace(
            "type: gp2, size: 100GiB, burst_balance: 2%",
            "type: gp3, size: 100GiB, iops: 6000",
        )
        .replace("modify: data, type: gp3", "modify: data, type: gp2");
    let run = run(&text);
    let reads = |from, to| rate(&run, "readers.data.read", from, to);
    near("before", reads(1, 60), 6000.0, 0.01);
    // No more than was asked for is certain while it is optimised.
    near("from then on", reads(61, 120), 3000.0, 0.01);
    let balance = |interval: usize| run.intervals[interval].volumes[0].balance_pct;
    assert_eq!((balance(0), balance(88)), (None, None));
    near(
        "credits",
        balance(119).unwrap(),
        100.0 - 30.0 * 2700.0 / 54_000.0,
        0.01,
    );
    let credits = run
        .result
        .resolved
        .iter()
        .find(|it| it.limit == "iops_credits")
        .unwrap();
    assert!(
        credits.note.ends_with("modified at 1m, holds from 90s on"),
        "{}",
        credits.note
    );
}

#[test]
fn a_stripe_that_has_grown_serves_only_new_files_faster() {
    let (run, event) = example("grow");
    assert_eq!(event.what, "data grows by 200GiB");
    for (name, from, to) in [("old", 1, 20), ("old", 21, 40), ("new", 21, 40)] {
        near(
            name,
            rate(&run, &format!("{name}.data.read"), from, to),
            6000.0,
            0.01,
        );
    }
    let names: Vec<_> = run
        .result
        .volumes
        .iter()
        .map(|volume| volume.name.as_str())
        .collect();
    assert_eq!(names, ["data.0", "data.1", "data.2", "data.3"]);
    let before = |interval: usize| run.intervals[interval].volumes[2].ios;
    assert_eq!(before(19), 0);
    near("a new volume", before(21) as f64, 3000.0, 0.01);
    near(
        "together",
        effect(&event).iops_after.unwrap(),
        12_000.0,
        0.01,
    );
}

#[test]
fn added_processes_are_a_load_step() {
    let (run, event) = example("add");
    assert_eq!(event.what, "readers: 8 processes more");
    let steps: Vec<_> = run
        .result
        .steps
        .iter()
        .map(|it| (it.from_s, it.processes))
        .collect();
    assert_eq!(steps, [(0.0, Some(2)), (30.0, Some(10))]);
    let mean = |step: usize| run.result.steps[step].total.latency_us.unwrap().mean;
    // Ten in flight at the volume's 3,000 IOPS.
    near("ten in flight", mean(1) * 3000.0 / 1e6, 10.0, 0.01);
    assert!(mean(1) > 4.0 * mean(0), "{} and {}", mean(0), mean(1));
}

#[test]
fn goals_may_name_a_step_that_an_event_begins() {
    let text = scenario("examples/event-add.yaml") + "goals: readers.step 2.iops > 2000\n";
    assert!(run(&text).result.goals[0].met);
    let none = scenario("examples/event-add.yaml") + "goals: readers.step 3.iops > 2000\n";
    assert!(load(&none, "none.yaml", &[]).is_err());
}

/// Scenarios with events, short and small, of a host, a stripe and a volume of their own.
fn eventful() -> impl Strategy<Value = String> {
    let target = prop::sample::select(vec!["data", "data.0", "data.1", "wij"]);
    let event = (0_u64..80, 0_u8..6, target, 1_u64..30, 1_u64..89);
    let loads = prop::sample::select(vec![
        "{kind: ranread, on: data, file_size: 1GiB, processes: 5}",
        "{kind: ranread, on: wij, file_size: 1GiB, rate: 3000/s, max_outstanding: 40}",
        "{kind: access_spec, on: data, file_size: 1GiB, processes: 3, fsync_every: 4, \
         pattern: {size: 128KiB, read: 30%, random: 50%}}",
        "{kind: ranwrite, on: {data: data, wij: wij, journal: wij}, file_size: 1GiB, cache: 64MiB, \
         processes: 4, wij: {file_size: 1GiB}, wdparm: {daemons: 2, outstanding: 4, per_daemon: 2}, \
         cycle: 2s}",
    ]);
    let width = prop::sample::select(vec![(2, "zero"), (2, "gp3"), (3, "gp2")]);
    let jobs = prop::collection::vec(loads, 1..4);
    let host = prop::sample::select(vec!["", "host: {instance: r4.large}\n"]);
    (prop::collection::vec(event, 1..8), jobs, width, host, any::<u16>()).prop_map(
        |(mut events, jobs, (width, latency), host, seed)| {
            let mut text = format!(
                "name: t\nduration: 10s\ninterval: 100ms\nseed: {seed}\n{host}storage:\n  data:\n    \
                 stripe: {{chunk: 64KiB, width: {width}}}\n    \
                 of: {{type: gp2, size: 20GiB, burst_balance: 1%, latency: {latency}}}\n  \
                 wij: {{type: gp3, size: 50GiB}}\nworkload:\n"
            );
            for (number, job) in jobs.iter().enumerate() {
                text += &format!("  job{number}: {job}\n");
            }
            text += "events:\n  - {at: 0ms, degrade: wij, to: 80%, for: 1ms}\n";
            events.sort_by_key(|event| event.0);
            for (at, kind, on, length, share) in events {
                let (at, length) = (at * 100, length * 100);
                let what = match kind {
                    0 | 1 => format!("fail: {on}, for: {length}ms"),
                    2 => format!("pause: {on}, for: {length}ms"),
                    3 => format!("degrade: {on}, to: {share}%, for: {length}ms"),
                    4 => format!("modify: {on}, type: gp3, iops: 4000, optimising: {length}ms"),
                    _ => "add: job0, processes: 2".to_owned(),
                };
                text += &format!("  - {{at: {at}ms, {what}}}\n");
            }
            text
        },
    )
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(40))]
    /// No order of events hangs a run or loses an IO: each is completed, failed, or in flight at
    /// the end. Orders that cannot be are refused, and so are processes for an open loop: of these
    /// as many events are left out as it takes.
    #[test]
    fn each_io_completes_fails_or_is_in_flight_at_the_end(text in eventful()) {
        let mut text = text;
        let (loaded, resolved) = loop {
            let loaded = load(&text, "test.yaml", &[]).unwrap();
            match loaded.resolve() {
                Ok(resolved) => break (loaded, resolved),
                // The last event that cannot follow the others goes.
                Err(_) => text.truncate(text.trim_end().rfind('\n').unwrap() + 1),
            }
        };
        let folder = std::env::temp_dir();
        let log = folder.join(format!("events-{}-{:x}.csv", std::process::id(), hash(&text)));
        let options = Options { io_log: Some(log.clone()), ..Options::default() };
        let result = blockyard_simulate::simulate(
            &loaded.scenario, &resolved, options, &mut crate::common::Seen::default(),
        ).unwrap();
        let lines = std::fs::read_to_string(&log).unwrap();
        std::fs::remove_file(&log).unwrap();
        let issued = lines.lines().skip(1).count() as u64;
        let ended: u64 = result.totals.iter().map(|total| total.ios + total.errors).sum();
        let slots: u64 = resolved.jobs.iter().map(|job| u64::from(
            blockyard_model::job::Job::new(job, 0, 1).slots()
        )).sum();
        prop_assert!(ended <= issued && issued - ended <= slots, "{} of {} ended", ended, issued);
        prop_assert_eq!(result.duration_s, 10.0);
    }
}

fn hash(text: &str) -> u64 {
    use std::hash::{DefaultHasher, Hash, Hasher};
    let mut hasher = DefaultHasher::new();
    text.hash(&mut hasher);
    hasher.finish()
}
