//! What commits that wait for standbys cost, by what they wait for.

#![allow(clippy::unwrap_used, reason = "a test fails by panicking")]

use blockyard_record::result::{SpentOn, TransactionTotal};

const TEXT: &str = "\
name: standbys
duration: 6s
warmup: 1s
hosts: {a: {instance: m5.2xlarge}, b: {instance: m5.2xlarge}}
links:
  ab: {between: [a, b], round_trip: 1ms, bandwidth: 2500Mbit/s}
storage:
  data: {type: gp3, size: 90GiB, iops: 9000, host: a}
  data_b: {type: gp3, size: 90GiB, iops: 9000, host: b}
workload:
  shop:
    {kind: oltp, engine: postgres, on: data, data_size: 450MiB, pool: 300MiB, rate: 150/s,
     transactions: {pay: {pages: 6, changes: 3, log: 2KiB, cpu: 200us}}";

fn simulated(text: &str) -> TransactionTotal {
    crate::common::run(text).result.transactions.remove(0)
}

/// Transactions of a run whose commits wait for so much of their standby; without, of one that
/// has none.
fn run(wait: Option<&str>) -> TransactionTotal {
    let standbys = wait.map(|wait| {
        format!(", standbys: {{nodes: {{b: {{on: data_b}}}}, synchronous_commit: {wait}}}")
    });
    simulated(&format!("{TEXT}{}}}\n", standbys.unwrap_or_default()))
}

fn mean(total: &TransactionTotal) -> f64 {
    total.latency_us.as_ref().unwrap().mean
}

#[test]
fn commits_take_longer_the_more_they_wait_for() {
    let alone = run(None);
    let waits = ["local", "remote_write", "on", "remote_apply"];
    let [local, write, on, apply] = waits.map(|wait| run(Some(wait)));
    assert_eq!(mean(&local), mean(&alone));
    assert_eq!(local.latency_us, alone.latency_us);
    // A round trip, then also a write on the standby's volume, then also replay.
    assert!(mean(&write) > mean(&local) + 1000.0, "{write:#?}");
    assert!(mean(&on) > mean(&write) + 300.0, "{on:#?}");
    assert!(mean(&apply) > mean(&on), "{apply:#?}");
    let waiting = on.time.iter().find(|it| it.on == SpentOn::Replication);
    assert!(waiting.unwrap().ms > 1.3, "{on:#?}");
    for total in [local, write, on, apply] {
        let replication = total.replication.unwrap();
        let node = &replication.nodes[0];
        let lag = node.lag.unwrap();
        let left = replication.write_sets - node.applied;
        assert!(left < 9 && node.applied > 500, "{node:?}");
        assert!(
            lag.most_unreplayed >= 1 && lag.most_unreplayed < 50,
            "{lag:?}"
        );
        assert!(lag.most_unflushed_bytes >= 2048, "{lag:?}");
        assert!(replication.bytes_per_write_set >= 2048.0);
        assert_eq!((replication.pauses, node.stopped_s), (0, 0.0));
    }
}

/// Replay is one process: where each transaction has a page to read, and the primary reads for
/// many at once, the standby falls behind by ever more, and commits that wait for its disk alone
/// go on.
#[test]
fn one_process_of_replay_falls_behind() {
    let text = format!("{TEXT}, standbys: {{nodes: {{b: {{on: data_b}}}}}}}}\n")
        .replace("pool: 300MiB", "pool: 8MiB")
        .replace("rate: 150/s", "rate: 800/s");
    let total = simulated(&text);
    let lag = total.replication.as_ref().unwrap().nodes[0].lag.unwrap();
    assert!(total.tps > 780.0, "{total:#?}");
    assert!(
        lag.unreplayed > 1000 && lag.most_unreplayed >= lag.unreplayed,
        "{lag:?}"
    );
    assert!(lag.unflushed_bytes < 1 << 20, "{lag:?}");
}
