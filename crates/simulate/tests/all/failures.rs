//! Volumes that fail under jobs of all kinds: what failed is done nowhere.

#![allow(
    clippy::panic,
    clippy::unwrap_used,
    reason = "a test fails by panicking"
)]

use crate::common::{Run, run_with};
use blockyard_record::result::{EngineIoUse, TransactionTotal};
use blockyard_simulate::Options;

const OUTAGE: &str = "events=[{at: 2s, fail: data, for: 2s}]";

fn engine(product: &str, kind: &str) -> String {
    format!(
        "{{name: failures, duration: 6s,
          storage: {{data: {{type: gp3, size: 100GiB}}}},
          workload: {{shop: {{kind: oltp, engine: {product}, on: data, data_size: 2GiB,
           pool: 128MiB, cores: 8, threads: 8, transactions: {{t: {kind}}}}}}},
          goals: [shop.transactions.tps > 1]}}"
    )
}

fn transactions(run: &Run) -> &TransactionTotal {
    &run.result.transactions[0]
}

/// Until its disk fails, an engine does what it does without that; then nothing.
#[test]
fn a_stopped_engine_commits_nothing_more() {
    for product in ["innodb", "postgres"] {
        let text = engine(product, "{pages: 20, changes: 6, log: 4KiB, cpu: 100us}");
        let text = text.replace("postgres, on: data", "postgres, on: {data: data, log: wal}");
        let text = text.replace(
            "size: 100GiB}",
            "size: 100GiB}, wal: {type: gp3, size: 100GiB}",
        );
        let failed = if product == "innodb" { "data" } else { "wal" };
        let event = OUTAGE.replace("data", failed);
        let broken = run_with(&text, &[&event], Options::default());
        let until_then = run_with(&text, &["duration=2s"], Options::default());
        let (broken, until_then) = (transactions(&broken), transactions(&until_then));
        assert!(broken.count > 0);
        assert_eq!(broken.count, until_then.count, "{product}");
        assert_eq!(broken.failed, 8, "one of each thread");
        let [stop] = &broken.stopped[..] else {
            panic!("{:?}", broken.stopped);
        };
        assert!((2.0..2.01).contains(&stop.t_s), "{stop:?}");
        if product == "postgres" {
            assert_eq!(
                (stop.failed_io, &stop.host),
                (Some(EngineIoUse::Log), &None)
            );
        }
    }
}

#[test]
fn a_read_that_fails_ends_its_transaction_alone() {
    let text = engine("postgres", "{pages: 20, cpu: 100us}");
    // Not to its end: what the limits save up meanwhile would make up for it.
    let event = OUTAGE.replace(", for: 2s", "");
    let broken = run_with(&text, &[&event], Options::default());
    let whole = run_with(&text, &[], Options::default());
    let (broken, whole) = (transactions(&broken), transactions(&whole));
    assert!(broken.stopped.is_empty() && broken.failed > 0);
    assert!(broken.tps < 0.5 * whole.tps, "{broken:?}");
    // A failed read takes a millisecond, but for those in flight as the outage begins.
    assert!(broken.failed <= 8 * 4001, "{broken:?}");
}

#[test]
fn a_goal_is_not_met_by_errors() {
    let text = engine("innodb", "{pages: 20, changes: 6, log: 4KiB, cpu: 100us}");
    let whole = transactions(&run_with(&text, &[], Options::default())).tps;
    let goal = format!("goals=[shop.transactions.tps > {}]", (0.5 * whole) as u64);
    let met = |sets: &[&str]| {
        let run = run_with(&text, sets, Options::default());
        run.result.goals[0].met
    };
    assert!(met(&[&goal]));
    assert!(!met(&[&goal, OUTAGE]));
}

/// An engine of which a cluster, or the other host of a mirror, has the disk: it is gone with its
/// host, whatever was in flight then, and started again with nothing in its pool.
fn is_started_again(storage: &str, sets: &[&str]) {
    let text = engine("innodb", "{pages: 20, changes: 6, log: 4KiB, cpu: 100us}");
    let text = text.replace("storage: {data: {type: gp3, size: 100GiB}}", storage);
    let text = text.replace("duration: 6s", "duration: 10s");
    let text = text.replace("pool: 128MiB", "pool: 1GiB");
    for seed in 1..6 {
        let seed = format!("seed={seed}");
        let sets = [sets, &[seed.as_str()]].concat();
        let run = run_with(&text, &sets, Options::default());
        let total = transactions(&run);
        let [stop] = total.stopped.as_slice() else {
            panic!("{:?}", total.stopped);
        };
        let told = (stop.t_s, stop.back_s, stop.failed_io);
        assert_eq!(told, (2.0, Some(4.0), None));
        assert!(total.refused > 0);
        let rows = |from: usize, to: usize| {
            let seconds = run.intervals[from..to].iter();
            seconds.map(|it| it.transactions[0].count).sum::<u64>()
        };
        assert!(rows(0, 2) > 0 && rows(6, 10) > 0);
        assert_eq!(rows(3, 4), 0);
        let [first, second] = &total.engine.as_ref().unwrap().halves[..] else {
            panic!("{:?}", total.engine);
        };
        assert!(second.hit_ratio < first.hit_ratio);
    }
}

#[test]
fn an_engine_is_started_again_by_its_cluster() {
    let storage = "hosts: {a: {instance: m5.2xlarge}, b: {instance: m5.2xlarge}},
         clusters: {ab: {nodes: [a, b], disks: [data], detection: 1s, fencing: 0s, detach: 0s,
          attach: 0s, import: 0s, recovery: 1s, start: 0s}},
         storage: {data: {type: gp3, size: 100GiB}}";
    is_started_again(storage, &["events=[{at: 2s, fail: a}]"]);
    is_started_again(
        storage,
        &[
            "events=[{at: 2s, switch: ab, to: b}]",
            "clusters.ab.stop=2s",
        ],
    );
}

#[test]
fn an_engine_is_started_again_where_its_mirror_fails_over() {
    let storage = "hosts: {a: {instance: m5.2xlarge}, b: {instance: m5.2xlarge}},
         links: {ab: {between: [a, b], round_trip: 0.5ms, bandwidth: 10Gbit/s, timeout: 1s}},
         storage: {data: {mirror: {legs: {a: {type: gp3, size: 100GiB, host: a},
          b: {type: gp3, size: 100GiB, host: b}}, link: ab, failover: 2s}}}";
    is_started_again(storage, &["events=[{at: 2s, fail: a}]"]);
}

#[test]
fn cycles_count_what_was_written() {
    let text = "{name: failures, duration: 20s,
      storage: {data: {type: gp3, size: 100GiB}, log: {type: gp3, size: 100GiB}},
      workload: {writers: {kind: ranwrite, on: {data: data, wij: log, journal: log},
       file_size: 10GiB, cache: 2GiB, processes: 10, cycle: 2s}}}";
    for failed in ["data", "log"] {
        let event = format!("events=[{{at: 3s, fail: {failed}, for: 9s}}]");
        let run = run_with(text, &[&event], Options::default());
        let cycles = &run.result.cycles;
        let written = run.total("writers.data.write").bytes;
        let told: u64 = cycles.iter().map(|cycle| cycle.database_bytes).sum();
        assert!(told > 0 && told <= written, "{told} of {written}");
        for cycle in cycles {
            assert!(!(3.1..12.0).contains(&cycle.end_s), "{cycle:?}");
            assert_eq!(cycle.database_bytes, cycle.blocks * 8192);
        }
        // 64 writes in flight, each tried again every second.
        let errors = run.result.totals.iter().map(|it| it.errors).sum::<u64>();
        assert!((1..1000).contains(&errors), "{errors}");
    }
}

/// A journal write that takes 30 s freezes updates until it ends.
#[test]
fn a_journal_that_stands_still_freezes_updates() {
    let text = "{name: failures, duration: 60s,
      storage: {data: {type: gp3, size: 100GiB}, log: {type: gp3, size: 100GiB}},
      workload: {writers: {kind: ranwrite, on: {data: data, wij: data, journal: log},
       file_size: 10GiB, cache: 2GiB, processes: 10, updates: 100/s}}}";
    let journaled = |lasts_s: u64| {
        let event = format!("events=[{{at: 5s, pause: log, for: {lasts_s}s}}]");
        let run = run_with(text, &[&event], Options::default());
        run.total("writers.log.write").bytes as f64
    };
    let all = journaled(1);
    assert!((journaled(25) / all - 1.0).abs() < 0.05);
    // From 35 s to 50 s.
    assert!((journaled(45) / all - 45.0 / 60.0).abs() < 0.05);
}

#[test]
fn an_open_loop_serves_what_did_not_fail() {
    let text = "{name: failures, duration: 6s, storage: {data: {type: gp3, size: 100GiB}},
      workload: {r: {kind: ranread, on: data, file_size: 10GiB, rate: 1000/s}}}";
    let run = run_with(text, &[OUTAGE], Options::default());
    let loop_ = &run.result.open_loop[0];
    let total = run.total("r.data.read");
    assert!(total.errors > 1900);
    assert_eq!((loop_.failed, loop_.served), (total.errors, total.ios));
    let all = loop_.served + loop_.failed + loop_.backlog + loop_.skipped;
    assert_eq!(all, loop_.offered);
}
