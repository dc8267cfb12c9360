#![allow(clippy::unwrap_used, reason = "a test fails by panicking")]

use blockyard_model::units::SECOND;
use blockyard_model::workload::spec::{Wait, Which};

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
            "cores: 9}\n      failover: 30s\n",
            "workload.shop.standbys.failover: no link is between `b` and `c`",
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
            "engine: postgres",
            "engine: innodb",
            "workload.shop.standbys: belongs to an engine with a write-ahead log",
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
