#![allow(clippy::unwrap_used, reason = "a test fails by panicking")]

use blockyard_model::workload::spec::{GroupSpec, JobSpec, Shipping, Wait};

use crate::load;

const GOOD: &str = "\
name: s
duration: 10s
hosts: {a: {instance: m5.xlarge}, b: {instance: m5.large}, c: {instance: m5.xlarge}}
links:
  ba: {between: [b, a], bandwidth: 1Gbit/s, round_trip: 1ms}
  ac: {between: [a, c], bandwidth: 1Gbit/s, round_trip: 1ms}
storage:
  data: {type: gp3, size: 90GiB, host: a}
  data_b: {type: gp3, size: 90GiB, host: b}
  log_b: {type: gp3, size: 9GiB, host: b}
  data_c: {type: gp3, size: 90GiB, host: c}
workload:
  shop:
    kind: oltp
    engine: postgres
    on: data
    data_size: 20GiB
    pool: 4GiB
    threads: 4
    transactions: {pay: {pages: 8, changes: 2, log: 1KiB, cpu: 1ms}}
    standbys:
      nodes:
        b: {on: {data: data_b, log: log_b}}
        c: {on: data_c}
";

/// The standbys of a scenario.
fn resolve(text: &str) -> Result<GroupSpec, String> {
    let loaded = load(text, "s.yaml", &[]).map_err(|error| error.to_string())?;
    let resolved = loaded.resolve().map_err(|error| error.to_string())?;
    match &resolved.jobs[0] {
        JobSpec::Oltp(job) => job.group.clone().ok_or_else(|| "no group".into()),
        _ => Err("another kind of job".into()),
    }
}

#[test]
fn commits_wait_for_what_is_stated() {
    let group = resolve(GOOD).unwrap();
    assert_eq!([group.nodes[0].host, group.nodes[1].host], [1, 2]);
    assert_eq!(
        [group.nodes[0].data.device, group.nodes[0].log.device],
        [1, 2]
    );
    assert_eq!(group.appliers, 1);
    let with = |more: &str| resolve(&format!("{GOOD}{more}")).unwrap().shipping.unwrap();
    for (stated, wait) in [
        ("local", Wait::Nothing),
        ("remote_write", Wait::Received),
        ("on", Wait::Flushed),
        ("remote_apply", Wait::Replayed),
    ] {
        let more = format!("      synchronous_commit: {stated}\n      synchronous: 2\n");
        assert_eq!(with(&more), Shipping { wait, standbys: 2 });
    }
    let (wait, standbys) = (Wait::Flushed, 1);
    assert_eq!(with(""), Shipping { wait, standbys });
    for more in ["", "      synchronous_commit: off\n"] {
        let text = GOOD.replace("pool: 4GiB", "pool: 4GiB\n    log: {durable: false}");
        let group = resolve(&format!("{text}{more}")).unwrap();
        assert_eq!(group.shipping.unwrap().wait, Wait::Nothing);
    }
}

#[test]
fn what_is_no_standby_is_refused() {
    let cases = [
        (
            "        c: {on: data_c}\n",
            "        a: {on: data_c}\n",
            "workload.shop.standbys.nodes.a: `a` is the job's own host; expected another",
        ),
        (
            "        c: {on: data_c}\n",
            "        e: {on: data_c}\n",
            "workload.shop.standbys.nodes.e: no host is called `e`",
        ),
        (
            "  ac: {between: [a, c]",
            "  ac: {between: [b, c]",
            "workload.shop.standbys.nodes.c: no link is between `a` and `c`",
        ),
        (
            "c: {on: data_c}\n",
            "c: {on: data_c}\n      synchronous: 3\n",
            "workload.shop.standbys.synchronous: `3` of 2; expected at most as many",
        ),
        (
            "c: {on: data_c}\n",
            "c: {on: data_c}\n      synchronous_commit: remote_aply\n",
            "`remote_apply`",
        ),
        (
            "c: {on: data_c}\n",
            "c: {on: data_c}\n      synchronous_commit: off\n",
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
            "workload:\n",
            "events: [{at: 2s, fail: b}]\nworkload:\n",
            "workload.shop.standbys.nodes.b: an event has the link `ba` go down; expected none",
        ),
    ];
    for (from, to, expected) in cases {
        let text = GOOD.replace(from, to);
        assert_ne!(text, GOOD, "{from}");
        let said = resolve(&text).unwrap_err();
        assert!(said.contains(expected), "{said}\nnot {expected}");
        assert_eq!(said.lines().count(), 1, "{said}");
    }
}
