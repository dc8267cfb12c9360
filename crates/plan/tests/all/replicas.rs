//! Replicas: what they cost, what their log takes of the network, and what a full copy takes.

#![allow(
    clippy::panic,
    clippy::unwrap_used,
    reason = "a test fails by panicking"
)]

use crate::common::with_market;
use blockyard_plan::{CopyBound, Layout, Plan, Reason, load, plan};

/// The plan for three nodes with such `rest`.
fn planned(rest: &str) -> Plan {
    let text = format!(
        "{{size: 500GiB, reads: {{iops: 6000}}, writes: {{iops: 1000}}, as_of: 2026-11-01, \
         volumes: {{types: [gp3]}}, {rest}}}"
    );
    with_market(&text, |loaded, market| {
        plan(market, &loaded.needs(|_, it| it.mid))
    })
}

fn best(rest: &str) -> Layout {
    planned(rest).best.unwrap()
}

const MIB: u64 = 1 << 20;
const ONE: &str = "instance: {type: r6i.2xlarge}";

#[test]
fn all_nodes_are_paid_and_what_goes_between_zones() {
    let alone = best(ONE);
    let nodes = |replicas: &str| best(&format!("{ONE}, replicas: {replicas}"));
    let same = nodes("{count: 2, zones: same, log: 10MiB/s}");
    assert_eq!(same.copies, 3);
    let near = |a: f64, b: f64| assert!((a - b).abs() < 0.02, "{a} {b}");
    near(same.usd_per_month, 3.0 * alone.usd_per_month);
    let another = nodes("{count: 2, log: 10MiB/s}");
    let traffic = 2.0 * 10.0 / 1024.0 * 730.0 * 3600.0 * 0.02;
    near(another.usd_per_month, same.usd_per_month + traffic);
    // Without a log all that is written counts.
    let assumed = nodes("{count: 2}");
    let stated = nodes("{count: 2, log: 8000KiB/s}");
    near(assumed.usd_per_month, stated.usd_per_month);
    let of = |layout: &Layout| layout.replicas.clone().unwrap();
    assert_eq!(of(&assumed).log, of(&stated).log);
    assert!(of(&assumed).log_assumed && !of(&stated).log_assumed);
    let words = assumed.bill.last().unwrap().assumed.clone().unwrap();
    assert!(words.contains("an upper bound of the log"), "{words}");
    near(of(&another).full_copy.usd.unwrap(), 500.0 * 0.02);
    assert_eq!(of(&same).full_copy.usd, Some(0.0));
}

#[test]
fn the_network_carries_the_log_to_all_replicas() {
    let nodes = |count: u32, log: u64, instance: &str| {
        planned(&format!(
            "replicas: {{count: {count}, log: {log}MiB/s}}, instance: {{{instance}}}"
        ))
    };
    let network = |layout: &Layout| {
        let limits = layout.limits.iter();
        let found = limits.filter(|it| it.limit == "network");
        found.map(|it| (it.used, it.has)).next().unwrap()
    };
    let fits = nodes(2, 100, "type: r6i.2xlarge").best.unwrap();
    let (used, has) = network(&fits);
    assert_eq!(used, 200 * MIB);
    // Half of its network less the headroom is the most that two can get.
    let most = has * 9 / 10 / 2 / MIB;
    assert!(nodes(2, most, "type: r6i.2xlarge").best.is_some());
    let beyond = nodes(2, most + 1, "type: r6i.2xlarge");
    assert!(beyond.best.is_none());
    let reasons = &beyond.rejected[0].reasons;
    let [
        Reason::InstanceNetwork {
            needed, has: of, ..
        },
    ] = &reasons[..]
    else {
        panic!("{reasons:?}");
    };
    assert!(needed > of && *of == has, "{reasons:?}");
    // What the load is scaled to, its log is.
    let nearest = beyond.nearest.unwrap();
    assert!((950..1000).contains(&nearest.permille), "{nearest:?}");
    // A larger instance is bought for its network alone.
    let family = "families: [r6i]";
    let small = nodes(2, 10, family).best.unwrap();
    let large = nodes(2, 600, family).best.unwrap();
    assert!(large.vcpu > small.vcpu);
    assert!(network(&large).0 <= network(&large).1);
}

/// Only more of what bounds a copy makes it shorter.
#[test]
fn the_slowest_stage_bounds_a_full_copy() {
    let copy = |reads: u64, log: u64, throughput: &str| {
        let text = format!(
            "{{size: 500GiB, reads: {{iops: {reads}, io_size: 64KiB}}, as_of: 2026-11-01, \
             replicas: {{count: 10, log: {log}MiB/s}}, {ONE}, \
             volumes: {{types: [gp3]}}, round_to: {{throughput: {throughput}}}}}"
        );
        with_market(&text, |loaded, market| {
            let best = plan(market, &loaded.needs(|_, it| it.mid)).best.unwrap();
            best.replicas.unwrap().full_copy
        })
    };
    // The first has half of 125 MiB/s left; twice as much with more throughput.
    let by_reads = copy(1000, 1, "125MiB/s");
    assert_eq!(by_reads.bound, CopyBound::DonorReads);
    assert_eq!(by_reads.rates[0], 125 * MIB - 1000 * 65536);
    assert_eq!(by_reads.rates[2], 125 * MIB);
    let seconds = 500.0 * 1024.0 * MIB as f64 / by_reads.rates[0] as f64;
    assert!((by_reads.seconds.unwrap() - seconds).abs() < 1e-6);
    let idle = copy(500, 1, "125MiB/s");
    assert!(idle.seconds < by_reads.seconds);
    let more_log = copy(1000, 10, "125MiB/s");
    assert_eq!(more_log.seconds, by_reads.seconds);
    assert_eq!(more_log.rates[1], by_reads.rates[1] - 90 * MIB);
    // Ten logs of 33 MiB/s leave little of the network.
    let by_network = copy(1000, 33, "125MiB/s");
    assert_eq!(by_network.bound, CopyBound::Network);
    assert_eq!(by_network.rates[0], by_reads.rates[0]);
    assert!(copy(1000, 32, "125MiB/s").seconds < by_network.seconds);
    assert_eq!(copy(500, 33, "125MiB/s").seconds, by_network.seconds);
}

#[test]
fn what_cannot_be_is_refused() {
    let refused = |rest: &str| {
        let text = format!("size: 1GiB\nreads: {{iops: 100}}\n{rest}");
        load(&text, "wanted.yaml", &[]).unwrap_err().to_string()
    };
    for (rest, expected) in [
        (
            "replicas: {count: 0}",
            "wanted.yaml:3: replicas.count: `0` replicas are out of range; expected 1 to 15",
        ),
        (
            "replicas: {count: -1}",
            "wanted.yaml:3: replicas.count: `-1` replicas are out of range; expected 1 to 15",
        ),
        (
            "replicas: {count: 16, log: 1MiB/s}",
            "wanted.yaml:3: replicas.count: `16` replicas are out of range; expected 1 to 15",
        ),
        (
            "replicas: {count: 1, zones: third}",
            "wanted.yaml:3: replicas.zones: `third` is not known; known are `same`, `another`",
        ),
        (
            "replicas: {count: 1}",
            "wanted.yaml:3: replicas: no log, as nothing is written; expected `log`, `writes` or `journal`",
        ),
        (
            "replicas: {count: 1, log: 1MiB/s}\navailability: mirror",
            "wanted.yaml:3: replicas: stands beside `availability: mirror`; expected one of them",
        ),
    ] {
        assert_eq!(refused(rest), expected);
    }
}
