//! A host handles the packets of all its links one after another, whoever sends them.

#![allow(clippy::unwrap_used, reason = "a test fails by panicking")]

use crate::common::{Run, near, run_with};
use blockyard_record::result::RunResult;
use blockyard_simulate::Options;
use proptest::prelude::*;

/// Two engines with a standby each, a mirror and a mirrored journal, all of which send from `a`.
const BUSY: &str = "\
name: packets
duration: 2s
as_of: 2026-11-01
hosts: {a: {instance: r5b.2xlarge}, b: {instance: r5b.2xlarge}, c: {instance: r5b.2xlarge}, d: {instance: r5b.2xlarge}, e: {instance: r5b.2xlarge}}
links:
  one: {between: [a, b], round_trip: 1ms, cpu: {per_packet: 200us}}
  two: {between: [a, c], round_trip: 1ms, cpu: {per_packet: 200us}}
  mir: {between: [a, d], round_trip: 1ms, cpu: {per_packet: 200us}}
  iris: {between: [a, e], round_trip: 1ms, cpu: {per_packet: 200us}}
storage:
  data: {type: gp3, size: 100GiB, host: a}
  wal: {type: gp3, size: 20GiB, host: a}
  data_b: {type: gp3, size: 100GiB, host: b}
  data2: {type: gp3, size: 100GiB, host: a}
  data_c: {type: gp3, size: 100GiB, host: c}
  files: {mirror: {legs: {x: {type: gp3, size: 50GiB, host: a}, y: {type: gp3, size: 50GiB, host: d}}, link: mir}}
  db: {type: gp3, size: 50GiB, host: a}
  db_b: {type: gp3, size: 50GiB, host: e}
workload:
  shop:
    kind: oltp
    engine: postgres
    on: {data: data, log: wal}
    data_size: 10GiB
    pool: 8GiB
    threads: 64
    transactions: {order: {pages: 1, changes: 1, log: 3KiB, cpu: 60us}}
    standbys: {nodes: {b: {on: data_b}}, synchronous_commit: on, synchronous: 1}
  bank:
    kind: oltp
    engine: postgres
    on: data2
    data_size: 10GiB
    pool: 8GiB
    threads: 64
    transactions: {pay: {pages: 1, changes: 1, log: 3KiB, cpu: 60us}}
    standbys: {nodes: {c: {on: data_c}}, synchronous_commit: on, synchronous: 1}
  writers: {kind: access_spec, on: files, file_size: 10GiB, processes: 8, outstanding: 8, pattern: {size: 16KiB, read: 0%, random: 100%}}
  cache:
    kind: ranwrite
    on: db
    file_size: 10GiB
    cache: 8GiB
    processes: 8
    updates: 200/s
    mirror: {backup: {link: iris, on: db_b}}
";

/// The run of these jobs alone, with links of which every packet costs so much.
fn run_of(jobs: &[&str], per_packet: &str, more: &[String]) -> Run {
    let all = [
        ("shop", "one"),
        ("bank", "two"),
        ("writers", "mir"),
        ("cache", "iris"),
    ];
    let mut sets: Vec<_> = all
        .iter()
        .map(|(_, link)| format!("links.{link}.cpu.per_packet={per_packet}"))
        .collect();
    let gone = all.iter().filter(|(job, _)| !jobs.contains(job));
    sets.extend(gone.map(|(job, _)| format!("workload.{job}=null")));
    sets.extend_from_slice(more);
    let sets: Vec<_> = sets.iter().map(String::as_str).collect();
    run_with(BUSY, &sets, Options::default())
}

fn busiest(result: &RunResult) -> f64 {
    let all = result.packet_cpu.iter().map(|it| it.utilisation);
    all.fold(0.0, f64::max)
}

/// Two jobs fill the processor of `a`, and each gets less than alone.
#[test]
fn links_of_several_jobs_wait_for_the_same_processor() {
    let of = |jobs: &[&str]| run_of(jobs, "200us", &[]).result;
    let shop = |run: &RunResult| run.transactions[0].count;
    let alone = shop(&of(&["shop"]));
    for pair in [["shop", "writers"], ["shop", "bank"]] {
        let both = of(&pair);
        near("utilisation", busiest(&both), 1.0, 0.02);
        assert!(both.packet_cpu.iter().all(|it| it.utilisation <= 1.0));
        let beside = shop(&both);
        assert!(beside < alone * 9 / 10, "{pair:?}: {beside} of {alone}");
    }
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(8))]
    #[test]
    fn no_host_is_busy_for_longer_than_the_run(
        which in prop::sample::subsequence(vec!["shop", "bank", "writers", "cache"], 1..=4),
        us in 50_u32..400,
        network in prop::option::of(20_u32..400),
        seed in 0_u32..1000,
    ) {
        let mut more = vec![format!("seed={seed}"), "duration=1s".to_owned()];
        if let Some(mbit) = network {
            more.push(format!("hosts.a={{instance: t2.large, network: {mbit}Mbit/s}}"));
        }
        let run = run_of(&which, &format!("{us}us"), &more);
        prop_assert!(busiest(&run.result) <= 1.0, "{:?}", run.result.packet_cpu);
    }
}
