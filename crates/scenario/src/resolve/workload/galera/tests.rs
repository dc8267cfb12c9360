#![allow(clippy::unwrap_used, reason = "a test fails by panicking")]

use blockyard_model::workload::spec::{GroupSpec, JobSpec};

use crate::load;

const GOOD: &str = "\
name: g
duration: 10s
hosts:
  a: {instance: m5.xlarge, zone: east}
  b: {instance: m5.large, zone: west}
  c: {instance: m5.xlarge, zone: west}
zones: {round_trip: {east/west: 2ms}}
links:
  ba: {between: [b, a], bandwidth: 1Gbit/s}
  ac: {between: [a, c], bandwidth: 1Gbit/s}
storage:
  data: {type: gp3, size: 90GiB, host: a}
  data_b: {type: gp3, size: 90GiB, host: b}
  data_c: {type: gp3, size: 90GiB, host: c}
  log_c: {type: gp3, size: 9GiB, host: c}
workload:
  shop:
    kind: oltp
    engine: innodb
    on: data
    data_size: 20GiB
    pool: 4GiB
    threads: 4
    transactions: {pay: {pages: 8, changes: 2, log: 1KiB, cpu: 1ms}}
    galera:
      nodes:
        b: {on: data_b}
        c: {on: {data: data_c, log: log_c}, cores: 9}
      appliers: 3
";

/// The group of a scenario.
fn resolve(text: &str) -> Result<GroupSpec, String> {
    let loaded = load(text, "g.yaml", &[]).map_err(|error| error.to_string())?;
    let resolved = loaded.resolve().map_err(|error| error.to_string())?;
    match &resolved.jobs[0] {
        JobSpec::Oltp(job) => job.group.clone().ok_or_else(|| "no group".into()),
        _ => Err("another kind of job".into()),
    }
}

#[test]
fn nodes_have_what_is_stated_and_else_what_the_job_has() {
    let group = resolve(GOOD).unwrap();
    let [b, c] = &group.nodes[..] else {
        panic!("two nodes");
    };
    assert_eq!((b.host, b.link_end, b.cores), (1, (0, 1), 2));
    assert_eq!((c.host, c.link_end, c.cores), (2, (1, 0), 9));
    assert_eq!([b.data.device, b.log.device], [1, 1]);
    assert_eq!([c.data.device, c.log.device], [2, 3]);
    // 16 x sqrt(3), and all of that.
    assert_eq!((group.appliers, group.upper, group.lower), (3, 28, 28));
    let flow =
        "appliers: 3\n      fc_limit: 100\n      fc_factor: 50%\n      fc_master_slave: true";
    let group = resolve(&GOOD.replace("appliers: 3", flow)).unwrap();
    assert_eq!((group.upper, group.lower), (100, 50));
}

#[test]
fn what_is_no_cluster_is_refused() {
    let cases = [
        (
            "        b: {on: data_b}\n",
            "        e: {on: data_b}\n",
            "workload.shop.galera.nodes.e: no host is called `e`",
        ),
        (
            "        b: {on: data_b}\n",
            "        a: {on: data_b}\n",
            "workload.shop.galera.nodes.a: `a` is the job's own host; expected another",
        ),
        (
            "b: {on: data_b}",
            "b: {on: data_c}",
            "workload.shop.galera.nodes.b.on: `data_c` is attached to `c`; expected a device of `b`",
        ),
        (
            "b: {on: data_b}",
            "b: {on: data_e}",
            "workload.shop.galera.nodes.b.on: no device is called `data_e`",
        ),
        (
            "{between: [b, a], bandwidth: 1Gbit/s}",
            "{between: [b, c], bandwidth: 1Gbit/s, round_trip: 1ms}",
            "workload.shop.galera.nodes.b: no link is between `a` and `b`; expected one of `links`",
        ),
        (
            "pool: 4GiB",
            "pool: 10GiB",
            "workload.shop.galera.nodes.b: a pool of 10GiB does not fit m5.large, which has 8GiB",
        ),
        (
            "appliers: 3",
            "appliers: 600",
            "workload.shop.galera.appliers: `600` are too many; expected at most 512",
        ),
        (
            "    galera:",
            "    replicas: [b]\n    galera:",
            "workload.shop.replicas: `galera` says what replicates; expected one of the two",
        ),
        (
            "workload:\n",
            "events: [{at: 2s, fail: b}]\nworkload:\n",
            "workload.shop.galera.nodes.b: an event has the link `ba` go down; expected none",
        ),
        (
            "    on: data\n",
            "    on: {data: data, log: data_c}\n",
            "workload.shop.on: `data` is attached to `a` and `data_c` to `c`",
        ),
    ];
    for (from, to, expected) in cases {
        let text = GOOD.replace(from, to);
        assert_ne!(text, GOOD, "{from}");
        let said = resolve(&text).unwrap_err();
        assert!(said.contains(expected), "{said}\nnot {expected}");
    }
}
