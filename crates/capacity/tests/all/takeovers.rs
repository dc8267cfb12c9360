//! What takes over must do what the lost node did: its volumes are changed for that load, too.

#![allow(
    clippy::panic,
    clippy::unwrap_used,
    reason = "a test fails by panicking"
)]

use blockyard_capacity::{Alternatives, Change, Measure, Row, Worth, what_if};
use blockyard_experiment::Threads;

use crate::asking::{asked, given};

/// A zone is lost for good: 600 reads a second go to a backup whose volume has 300 IOPS.
const IRIS: &str = "\
name: iris
as_of: 2026-11-01
duration: 30s
hosts:
  b: {instance: r5b.4xlarge, zone: b}
  c: {instance: r5b.4xlarge, zone: c}
  witness: {instance: m5.large, zone: a}
zones: {round_trip: {b/c: 1ms, a/b: 1ms, a/c: 1ms}}
links:
  mirror: {between: [b, c], bandwidth: 10Gbit/s}
  b-witness: {between: [b, witness], bandwidth: 1Gbit/s}
  c-witness: {between: [c, witness], bandwidth: 1Gbit/s}
storage:
  data: {type: io2, size: 100GiB, iops: 3000, host: b}
  journal: {type: gp3, size: 20GiB, host: b}
  data-backup: {type: io2, size: 100GiB, iops: 300, host: c}
  journal-backup: {type: gp3, size: 20GiB, host: c}
workload:
  readers: {kind: ranread, on: data, file_size: 10GiB, rate: 600/s}
  writers:
    kind: ranwrite
    on: {data: data, wij: data, journal: journal}
    file_size: 10GiB
    cache: 2GiB
    processes: 4
    updates: 5/s
    wij: {file_size: 1GiB}
    mirror:
      backup: {link: mirror, on: {data: data-backup, wij: data-backup, journal: journal-backup}}
      arbiter: witness
events: [{at: 10s, fail: b}]
";

const SHOP: &str = "\
name: shop
as_of: 2026-11-01
duration: 20s
hosts: {a: {instance: m5.xlarge}, b: {instance: m5.xlarge}}
links: {ab: {between: [a, b], round_trip: 1ms, bandwidth: 1Gbit/s}}
storage:
  data_a: {type: io2, size: 90GiB, iops: 2000, host: a}
  data_b: {type: io2, size: 90GiB, iops: 2000, host: b}
workload:
  shop:
    kind: oltp
    engine: postgres
    on: data_a
    data_size: 1GiB
    pool: 4MiB
    threads: 8
    rate: 50/s
    transactions: {look: {pages: 10, cpu: 1ms}}
    standbys: {nodes: {b: {on: data_b}}}
";

fn tried(text: &str, sets: &[&str]) -> Alternatives {
    let asked = asked(given(text, sets), 700_000);
    what_if(&asked, &Threads::of(2), &mut ()).unwrap().unwrap()
}

/// Changes of the IOPS of a device, made alone, with how many there are then.
fn iops_of<'a>(found: &'a Alternatives, of: &str) -> Vec<(u64, &'a Row)> {
    let alone = found.changes.iter().filter(|row| row.also.is_empty());
    let own = alone.filter_map(|row| match &row.change {
        Change::Iops { device, to, .. } if device == of => Some((*to, row)),
        _ => None,
    });
    own.collect()
}

#[test]
fn what_only_a_backup_uses_is_changed_for_what_it_takes_over() {
    let found = tried(IRIS, &[]);
    let backup = iops_of(&found, "data-backup");
    let helps = |to: u64| {
        let row = backup.iter().find(|it| it.0 == to);
        row.is_some_and(|(_, row)| row.worth == Worth::Pays)
    };
    assert!(
        backup.iter().any(|&(to, _)| to >= 600 && helps(to)),
        "{backup:#?}"
    );
    // It did 600 before, whatever its backup lacks.
    let data = iops_of(&found, "data");
    assert!(
        data.iter()
            .any(|(to, row)| (600..900).contains(to) && row.worth == Worth::Cheaper),
        "{data:#?}"
    );
}

#[test]
fn fewer_reads_that_fail_are_a_gain() {
    let found = tried(
        IRIS,
        &[
            "workload.writers.updates=10/s",
            "workload.writers.processes=200",
        ],
    );
    let job = &found.now.jobs[0];
    // All that came due after the failure: the backup is still replaying.
    assert!(job.came.service.unwrap().errors > 11_000, "{job:#?}");
    assert_eq!(job.measure, Measure::PerS);
    let more = iops_of(&found, "data-backup");
    let (_, row) = more.iter().find(|it| it.0 >= 1_000).unwrap();
    let after = &row.came.as_ref().unwrap().jobs;
    assert!(after[0].came.service.unwrap().errors < 9_000, "{row:#?}");
    let outage_s = |came: &blockyard_capacity::Came| came.service.unwrap().outage_s;
    assert!(outage_s(&after[1].came) < outage_s(&found.now.jobs[1].came));
    assert_eq!(row.worth, Worth::Pays, "{row:#?}");
}

/// A standby writes what its primary writes, and reads next to nothing until it is promoted.
#[test]
fn a_standby_keeps_what_its_primary_takes() {
    let found = tried(SHOP, &[]);
    let fewest = |device: &str| {
        let all = iops_of(&found, device);
        all.iter().map(|it| it.0).min().unwrap()
    };
    assert!((500..1_000).contains(&fewest("data_a")));
    assert_eq!(fewest("data_b"), fewest("data_a"));
}
