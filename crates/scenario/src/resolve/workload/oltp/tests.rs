#![allow(clippy::unwrap_used, reason = "a test fails by panicking")]

use blockyard_model::units::{KIB, MIB, MILLISECOND};
use blockyard_model::workload::spec::{JobSpec, OltpSpec, Pace};

use crate::load;

const HEAD: &str = "name: o\nduration: 10s\nhosts:\n  \
    a: {instance: m5.large, zone: east}\n  b: {instance: m5.large, zone: west}\n  \
    c: {instance: m5.large}\nzones: {round_trip: {east/west: 2ms}}\n\
    storage: {data: {type: gp3, size: 90GiB, host: a}, log: {type: gp3, size: 9GiB, host: a}}\n";

/// An engine with the keys of `job` beside those that it must have, and `transactions`.
fn resolve(job: &str, transactions: &str) -> Result<OltpSpec, String> {
    let text = format!(
        "{HEAD}workload:\n  shop: {{kind: oltp, {job}, transactions: {{{transactions}}}}}\n"
    );
    let loaded = load(&text, "o.yaml", &[]).map_err(|error| error.to_string())?;
    let resolved = loaded.resolve().map_err(|error| error.to_string())?;
    match &resolved.jobs[0] {
        JobSpec::Oltp(job) => Ok(job.clone()),
        _ => Err("another kind of job".into()),
    }
}

const PAY: &str = "pay: {pages: 8, changes: 2, log: 1KiB, cpu: 1ms}";
const INNODB: &str = "engine: innodb, data_size: 20GiB, pool: 1GiB";

fn innodb(rest: &str) -> Result<OltpSpec, String> {
    resolve(&format!("{INNODB}, {rest}"), PAY)
}

#[test]
fn what_is_not_stated_is_the_products() {
    let job = innodb("on: data, threads: 4").unwrap();
    assert_eq!((job.page, job.pool, job.cores), (16 * KIB, 65_536, 2));
    assert_eq!(job.doublewrite.unwrap().size, 2 * MIB);
    assert_eq!(job.log.capacity, 96 * MIB);
    assert!(job.log.durable && !job.log.full_pages && job.binlog.is_none());
    let job = resolve(
        "engine: postgres, data_size: 1GiB, pool: 1MiB, on: data, threads: 1",
        PAY,
    );
    let job = job.unwrap();
    assert!(job.doublewrite.is_none() && job.log.full_pages);
    assert!(matches!(
        job.flushing.pace,
        Pace::Checkpoints { spread: 900, .. }
    ));
}

#[test]
fn a_small_pool_keeps_fewer_pages_clean_and_never_more_than_it_has() {
    let depth = |pool: &str, rest: &str| {
        let engine = format!("engine: innodb, data_size: 20GiB, pool: {pool}, {rest}");
        resolve(&format!("{engine} on: data, threads: 1"), PAY).map(|job| job.flushing.depth)
    };
    assert_eq!(depth("1GiB", ""), Ok(8192));
    assert_eq!(depth("1023MiB", ""), Ok(1024));
    assert_eq!(depth("5MiB", ""), Ok(320));
    assert_eq!(depth("5MiB", "flush: {depth: 319},"), Ok(319));
    assert_eq!(depth("5MiB", "flush: {depth: 321},"), Ok(320));
}

#[test]
fn what_is_stated_holds() {
    let job = innodb(
        "on: {data: data, log: log}, rate: 50/s, threads: 9, cores: 7, page: 8KiB, doublewrite: \
         false, log: {file_size: 1GiB, durable: false}, binlog: 1GiB, replicas: [b], \
         flush: {rate: 5/s, most: 9/s, batch: 3, cleaners: 2, depth: 77}",
    );
    let job = job.unwrap();
    assert_eq!((job.page, job.pool, job.cores), (8 * KIB, 131_072, 7));
    assert!(job.doublewrite.is_none() && !job.log.durable);
    // The binary log lies with the data, as nothing else is said.
    assert_eq!((job.log.region.device, job.binlog.unwrap().device), (1, 0));
    assert_eq!(job.certification, 2 * MILLISECOND);
    let flushing = &job.flushing;
    assert_eq!(
        (flushing.batch, flushing.cleaners, flushing.depth),
        (3, 2, 77)
    );
    assert_eq!(job.kinds[0].binlog, 1024);
}

#[test]
fn what_does_not_hold_together_is_refused() {
    let with = |rest: &str| innodb(rest).unwrap_err();
    let of = |transactions: &str| {
        let job = format!("{INNODB}, on: data, threads: 1");
        resolve(&job, transactions).unwrap_err()
    };
    let cases = [
        (
            with("on: data"),
            "workload.shop: no load; expected `threads`, `rate`, or both",
        ),
        (
            with("on: data, threads: 200000"),
            "workload.shop.threads: `200000` are more than InnoDB of MySQL 5.7 takes, 100000",
        ),
        (
            with("on: data, threads: 1, replicas: [a]"),
            "workload.shop.replicas.0: `a` is the engine's own host; expected another",
        ),
        (
            with("on: data, threads: 1, replicas: [c]"),
            "workload.shop.replicas.0: `c`: how far is it?",
        ),
        (
            with("on: data, threads: 1, flush: {every: 1m}"),
            "workload.shop.flush.every: `every` belongs to an engine with checkpoints",
        ),
        (
            with("on: data, rate: 9/s, think_time: 1s"),
            "workload.shop.think_time: `think_time` belongs to a closed loop",
        ),
        (
            resolve(
                "engine: inodb, data_size: 1GiB, pool: 1GiB, on: data, threads: 1",
                PAY,
            )
            .unwrap_err(),
            "workload.shop.engine: no engine is called `inodb`; did you mean `innodb`?",
        ),
        (
            resolve(
                "engine: innodb, data_size: 1GiB, pool: 9GiB, on: data, threads: 1",
                PAY,
            )
            .unwrap_err(),
            "workload.shop.pool: a pool of 9GiB does not fit m5.large, which has 8GiB",
        ),
        (of(""), "workload.shop.transactions: no transactions"),
        (
            of("pay: {pages: 2, changes: 3, log: 1KiB, cpu: 1ms}"),
            "workload.shop.transactions.pay.changes: `3` of 2 pages; expected at most as many",
        ),
        (
            of("pay: {pages: 2000000, cpu: 1ms}"),
            "workload.shop.transactions.pay.pages: `2000000` is too large; expected at most 1000000",
        ),
        (
            of("pay: {pages: 2, changes: 1, cpu: 1ms}"),
            "workload.shop.transactions.pay.log: not stated",
        ),
        (
            of("pay: {pages: 2, cpu: 0s}"),
            "workload.shop.transactions.pay.cpu: `0s` takes no time at all",
        ),
    ];
    for (said, expected) in cases {
        assert!(said.contains(expected), "{said}\nnot {expected}");
    }
}
