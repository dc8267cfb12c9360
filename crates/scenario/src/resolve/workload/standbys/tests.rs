#![allow(clippy::unwrap_used, reason = "a test fails by panicking")]

use blockyard_model::units::SECOND;
use blockyard_model::workload::spec::{Fallback, Shipped, Wait, Which};

use crate::resolve::workload::cluster::tests::{assert_refused, on_three_hosts, resolve};

fn good() -> String {
    on_three_hosts("postgres", "standbys")
}

#[test]
fn commits_wait_for_what_is_stated() {
    let good = good();
    let group = resolve(&good).unwrap();
    assert_eq!([group.nodes[0].host, group.nodes[1].host], [1, 2]);
    assert_eq!(group.appliers, 1);
    let with = |more: &str| resolve(&format!("{good}{more}")).unwrap().shipping.unwrap();
    for (stated, wait) in [
        ("local", Wait::Nothing),
        ("remote_write", Wait::Received),
        ("on", Wait::Flushed),
        ("remote_apply", Wait::Replayed),
    ] {
        let more = format!("      synchronous_commit: {stated}\n      synchronous: 2\n");
        assert_eq!((with(&more).wait, with(&more).standbys), (wait, 2));
    }
    assert_eq!((with("").wait, with("").standbys), (Wait::Flushed, 1));
    assert_eq!(
        (with("").which, with("").timeout),
        (Which::Any, 60 * SECOND)
    );
    let first = with("      method: first\n      wal_sender_timeout: 5s\n");
    assert_eq!((first.which, first.timeout), (Which::First, 5 * SECOND));
    for more in ["", "      synchronous_commit: off\n"] {
        let text = good.replace("pool: 4GiB", "pool: 4GiB\n    log: {durable: false}");
        let group = resolve(&format!("{text}{more}")).unwrap();
        assert_eq!(group.shipping.unwrap().wait, Wait::Nothing);
    }
}

#[test]
fn what_is_no_standby_is_refused() {
    let cases = [
        (
            "cores: 9}\n",
            "cores: 9}\n      synchronous: 3\n",
            "workload.shop.standbys.synchronous: `3` of 2; expected at most as many",
        ),
        (
            "cores: 9}\n",
            "cores: 9}\n      wal_sender_timeout: 2h\n",
            "workload.shop.standbys.wal_sender_timeout: `2h`; expected 100ms to 1h",
        ),
        (
            "cores: 9}\n",
            "cores: 9}\n      synchronous_commit: remote_aply\n",
            "`remote_apply`",
        ),
        (
            "cores: 9}\n",
            "cores: 9}\n      synchronous_commit: off\n",
            "synchronous_commit: `off` waits for no log; expected `log: {durable: false}`, too",
        ),
        (
            "    standbys:\n",
            "    log: {durable: false}\n    standbys:\n      synchronous_commit: local\n",
            "synchronous_commit: the log is not `durable`; expected `off`",
        ),
        (
            "cores: 9}\n",
            "cores: 9}\n      semi_sync: {}\n",
            "workload.shop.standbys.semi_sync: belongs to an engine with a binary log, `innodb`",
        ),
        (
            "cores: 9}\n",
            "cores: 9}\n      maximum_lag_on_failover: 1MiB\n",
            "workload.shop.standbys.maximum_lag_on_failover: without `failover` no standby is promoted",
        ),
        (
            "    standbys:\n",
            "    galera: {nodes: {b: {on: data_b}}}\n    standbys:\n",
            "workload.shop.galera: beside `standbys`; expected one of the two",
        ),
        (
            "    standbys:\n",
            "    binlog: 1GiB\n    standbys:\n",
            "workload.shop.binlog: beside `standbys`, which get the log; expected none",
        ),
        (
            "b: {on: data_b}",
            "b: {on: data_b, weight: 2}",
            "workload.shop.standbys.nodes.b.weight: standbys have no votes; expected none",
        ),
    ];
    assert_refused(&good(), &cases);
}

#[test]
fn a_failover_needs_links_between_the_standbys() {
    let good = good() + "      failover: 30s\n";
    let between = "  bc: {between: [b, c], bandwidth: 1Gbit/s, round_trip: 1ms}\n";
    let said = "workload.shop.standbys.failover: no link is between `b` and `c`";
    assert_refused(&good, &[(between, "", said)]);
}

/// An engine of this product with a binary log and two replicas.
fn replicated(engine: &str) -> String {
    on_three_hosts(engine, "standbys")
        .replace("    threads: 4\n", "    threads: 4\n    binlog: 1GiB\n")
}

#[test]
fn replicas_have_the_products_values_or_what_is_stated() {
    let with = |more: &str| resolve(&format!("{}{more}", replicated("innodb"))).unwrap();
    let plain = with("");
    let shipping = plain.shipping.unwrap();
    assert_eq!(
        (shipping.log, shipping.wait),
        (Shipped::Binlog, Wait::Nothing)
    );
    assert_eq!((shipping.fallback, plain.appliers), (None, 1));
    let relay_log = plain.nodes[1].relay_log.unwrap();
    // It lies with the binary log.
    assert_eq!((relay_log.region.device, relay_log.durable), (2, false));
    let semi = with("      semi_sync: {}\n").shipping.unwrap();
    let default = Fallback {
        timeout: 10 * SECOND,
        wait_no_replica: true,
    };
    assert_eq!((semi.wait, semi.standbys), (Wait::Flushed, 1));
    assert_eq!((semi.which, semi.fallback), (Which::Any, Some(default)));
    let stated = with(
        "      semi_sync: {replicas: 2, timeout: 1s, wait_no_replica: false}\n      \
         appliers: 4\n      durable_relay_log: true\n",
    );
    let shipping = stated.shipping.unwrap();
    let own = Fallback {
        timeout: SECOND,
        wait_no_replica: false,
    };
    assert_eq!((shipping.standbys, shipping.fallback), (2, Some(own)));
    assert_eq!(stated.appliers, 4);
    assert!(stated.nodes[0].relay_log.unwrap().durable);
}

#[test]
fn what_is_no_replica_is_refused() {
    let cases = [
        (
            "    standbys:\n",
            "    standbys:\n      rejoin: clone\n      restart: 2s\n",
            "workload.shop.standbys.rejoin: without `failover` no source comes back; expected that, \
             too",
        ),
        (
            "    binlog: 1GiB\n",
            "",
            "workload.shop.binlog: not stated, and is what `standbys` get; expected `binlog: 1GiB`",
        ),
        (
            "cores: 9}\n",
            "cores: 9}\n      semi_sync: {replicas: 3}\n",
            "workload.shop.standbys.semi_sync.replicas: `3` of 2; expected at most as many",
        ),
        (
            "cores: 9}\n",
            "cores: 9}\n      semi_sync: {replicas: 2}\n",
            "semi_sync.replicas: `2` are more than InnoDB of MariaDB 10.6 waits for; expected 1",
        ),
        (
            "cores: 9}\n",
            "cores: 9}\n      synchronous_commit: on\n",
            "workload.shop.standbys.synchronous_commit: belongs to an engine with a write-ahead log",
        ),
        (
            "cores: 9}\n",
            "cores: 9}\n      appliers: 1025\n",
            "workload.shop.standbys.appliers: `1025` are too many; expected at most 1024",
        ),
        (
            "cores: 9}\n",
            "cores: 9}\n      semi_sync: {slaves: 1}\n",
            "workload.shop.standbys.semi_sync",
        ),
        (
            "    standbys:\n",
            "    galera: {nodes: {b: {on: data_b}}}\n    standbys:\n      semi_sync: {}\n",
            "workload.shop.galera: beside `standbys`; expected one of the two",
        ),
        (
            "data_c, log: log_c}",
            "data_c, binlog: data_b}",
            "workload.shop.standbys.nodes.c.on.binlog: `data_b` is attached to `b`",
        ),
    ];
    assert_refused(&replicated("mariadb"), &cases);
}
