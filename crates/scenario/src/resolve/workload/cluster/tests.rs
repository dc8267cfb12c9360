//! What tests of clusters and of standbys share: three hosts, and their resolution.
#![allow(clippy::unwrap_used, reason = "a test fails by panicking")]

use blockyard_model::workload::spec::{GroupSpec, JobSpec};

use crate::load;

/// An engine on host `a`, whose replication, at `    KEY:`, begins with nodes `b` and `c`.
pub(in crate::resolve::workload) fn on_three_hosts(engine: &str, key: &str) -> String {
    format!(
        "\
name: c
duration: 10s
hosts:
  a: {{instance: m5.xlarge, zone: east}}
  b: {{instance: m5.large, zone: west}}
  c: {{instance: m5.xlarge, zone: west}}
zones: {{round_trip: {{east/west: 2ms}}}}
links:
  ba: {{between: [b, a], bandwidth: 1Gbit/s}}
  ac: {{between: [a, c], bandwidth: 1Gbit/s}}
  bc: {{between: [b, c], bandwidth: 1Gbit/s, round_trip: 1ms}}
storage:
  data: {{type: gp3, size: 90GiB, host: a}}
  data_b: {{type: gp3, size: 90GiB, host: b}}
  data_c: {{type: gp3, size: 90GiB, host: c}}
  log_c: {{type: gp3, size: 9GiB, host: c}}
workload:
  shop:
    kind: oltp
    engine: {engine}
    on: data
    data_size: 20GiB
    pool: 4GiB
    threads: 4
    transactions: {{pay: {{pages: 8, changes: 2, log: 1KiB, cpu: 1ms}}}}
    {key}:
      nodes:
        b: {{on: data_b}}
        c: {{on: {{data: data_c, log: log_c}}, cores: 9}}
"
    )
}

/// What the first job of a scenario replicates to.
pub(in crate::resolve::workload) fn resolve(text: &str) -> Result<GroupSpec, String> {
    let loaded = load(text, "c.yaml", &[]).map_err(|error| error.to_string())?;
    let resolved = loaded.resolve().map_err(|error| error.to_string())?;
    match &resolved.jobs[0] {
        JobSpec::Oltp(job) => job.group.clone().ok_or_else(|| "no group".into()),
        _ => Err("another kind of job".into()),
    }
}

/// Each case replaces something in a good scenario, and says so in one line of the error.
pub(in crate::resolve::workload) fn assert_refused(good: &str, cases: &[(&str, &str, &str)]) {
    for (from, to, expected) in cases {
        let text = good.replace(from, to);
        assert_ne!(text, good, "{from}");
        let said = resolve(&text).unwrap_err();
        assert!(said.contains(expected), "{said}\nnot {expected}");
        assert_eq!(said.lines().count(), 1, "{said}");
    }
}

#[test]
fn nodes_have_what_is_stated_and_else_what_the_job_has() {
    let group = resolve(&on_three_hosts("innodb", "galera")).unwrap();
    let [b, c] = &group.nodes[..] else {
        panic!("two nodes");
    };
    assert_eq!((b.host, b.link_end, b.cores), (1, (0, 1), 2));
    assert_eq!((c.host, c.link_end, c.cores), (2, (1, 0), 9));
    assert_eq!([b.data.device, b.log.device], [1, 1]);
    assert_eq!([c.data.device, c.log.device], [2, 3]);
}

#[test]
fn what_is_no_node_is_refused() {
    assert_refused(
        &on_three_hosts("innodb", "galera"),
        &[
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
                "    galera:",
                "    replicas: [b]\n    galera:",
                "workload.shop.replicas: `galera` says what replicates; expected one of the two",
            ),
            (
                "  bc: {between: [b, c], bandwidth: 1Gbit/s, round_trip: 1ms}\n",
                "",
                "workload.shop.galera.nodes: no link is between `b` and `c`; expected one of `links`",
            ),
            (
                "    galera:\n",
                "    galera:\n      send_window: 1\n",
                "workload.shop.galera.send_window: `1`; expected at least `user_send_window`, 2",
            ),
            (
                "    galera:\n",
                "    galera:\n      suspect_timeout: 50ms\n",
                "workload.shop.galera.suspect_timeout: `50ms`; expected 100ms to 1h",
            ),
            (
                "    galera:\n      nodes:\n        b: {on: data_b}\n        c: {on: {data: data_c, log: log_c}, cores: 9}\n",
                "    galera: {weight: 0, nodes: {b: {on: data_b, weight: 0}}}\n",
                "workload.shop.galera.weight: no node has a vote; expected a weight above 0",
            ),
            (
                "storage:\n",
                "events: [{at: 2s, pause: z}]\nstorage:\n",
                "events.0.pause: `z` is no device, volume or host; did you mean `a`?",
            ),
            (
                "storage:\n",
                "events: [{at: 2s, pause: a}, {at: 3s, pause: a}]\nstorage:\n",
                "events.1.pause: `data` has been paused since 2s",
            ),
            (
                "storage:\n",
                "events: [{at: 2s, pause: a}, {at: 3s, fail: a}]\nstorage:\n",
                "events.1.fail: `a` has been paused since 2s",
            ),
            (
                "storage:\n",
                "events: [{at: 2s, resume: a}]\nstorage:\n",
                "events.0.resume: `a` is not paused at 2s",
            ),
            (
                "storage:\n",
                "events: [{at: 2s, degrade: a}]\nstorage:\n",
                "events.0.degrade: `a` is a host, and nothing says how; expected `to`",
            ),
            (
                "storage:\n",
                "events: [{at: 2s, degrade: a, to: 10%, loss: 1%}]\nstorage:\n",
                "events.0.loss: `1%`, and `a` is no link",
            ),
            (
                "    on: data\n",
                "    on: {data: data, log: data_c}\n",
                "workload.shop.on: `data` is attached to `a` and `data_c` to `c`",
            ),
        ],
    );
}
