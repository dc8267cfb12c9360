//! The backup of an IRIS mirror takes over, and what the load has from it.

#![allow(clippy::panic, reason = "a test fails by panicking")]

use blockyard_record::result::{BackupStatus, JournalMirrorTotal, MirrorStage, RunResult};
use blockyard_simulate::Options;

use crate::common::{Run, near, run_with};

pub(crate) const MIRROR: &str = "\
name: iris
duration: 40s
hosts: {a: {instance: m5.4xlarge}, b: {instance: m5.4xlarge}, c: {instance: m5.4xlarge}}
links:
  ab: {between: [a, b], bandwidth: 10Gbit/s, round_trip: 1ms}
  ac: {between: [a, c], bandwidth: 10Gbit/s, round_trip: 1ms}
  bc: {between: [b, c], bandwidth: 10Gbit/s, round_trip: 1ms}
storage:
  data-a: {type: gp3, size: 100GiB, host: a}
  data-b: {type: gp3, size: 100GiB, host: b}
  data-c: {type: gp3, size: 100GiB, host: c}
workload:
  readers: {kind: ranread, on: data-a, file_size: 10GiB, processes: 2}
  writers:
    kind: ranwrite
    on: {data: data-a, wij: data-a, journal: data-a}
    file_size: 10GiB
    cache: 1GiB
    processes: 4
    updates: 100/s
    cycle: 4s
    mirror:
      qos_timeout: 2s
      backup: {link: ab, on: {data: data-b, wij: data-b, journal: data-b}}
      asynchronous: {dr: {link: ac, on: {data: data-c, wij: data-c, journal: data-c}}}
      arbiter: c
";

fn mirror(sets: &[&str]) -> Run {
    run_with(MIRROR, sets, Options::default())
}

fn journal(result: &RunResult) -> &JournalMirrorTotal {
    let [mirror] = &result.journal_mirrors[..] else {
        panic!("one mirror");
    };
    mirror
}

/// IOs of a job in each second: the intervals are that long.
fn by_second(run: &Run, job: &str) -> Vec<u64> {
    let series = run.shape.series.iter().enumerate();
    let own: Vec<_> = series
        .filter(|(_, key)| run.shape.jobs[key.job].name == job)
        .map(|it| it.0)
        .collect();
    let seconds = run.intervals.iter();
    seconds
        .map(|it| own.iter().map(|&place| it.rows[place].ios).sum())
        .collect()
}

fn times(mirror: &JournalMirrorTotal, to: MirrorStage) -> Vec<f64> {
    let changes = mirror.transitions.iter().filter(|it| it.to == to);
    changes.map(|it| it.t_s).collect()
}

/// The primary is lost and does not return: the load gets no IO for one QoS timeout, and then as
/// many as before, from the volume of the new primary.
#[test]
fn the_load_goes_on_at_the_backup() {
    let before = mirror(&[]).result;
    let run = mirror(&["events=[{at: 10s, fail: a}]"]);
    let of = journal(&run.result);
    assert_eq!(
        (of.primary.as_str(), of.backup),
        ("b", BackupStatus::Disconnected)
    );
    assert_eq!(times(of, MirrorStage::Ready), [12.0]);
    near("paused", of.paused_s, 2.0, 0.01);
    for job in ["readers", "writers"] {
        let ios = by_second(&run, job);
        let served: u64 = ios[20..].iter().sum();
        let usual: u64 = by_second(&mirror(&[]), job)[20..].iter().sum();
        assert_eq!(ios[10..12], [0, 0], "{job}");
        near(job, served as f64, usual as f64, 0.05);
    }
    let ios = |result: &RunResult, name: &str| {
        let volume = result.volumes.iter().find(|it| it.name == name);
        volume.map_or(0, |it| it.ios)
    };
    assert!(ios(&run.result, "data-a") < ios(&before, "data-a") / 3);
    assert!(ios(&run.result, "data-b") > 2 * ios(&before, "data-a") / 3);
}

#[test]
fn a_new_primary_that_is_lost_is_replaced_in_turn() {
    let events = "events=[{at: 5s, fail: a, for: 5s}, {at: 20s, fail: b, for: 5s}]";
    let run = mirror(&[events]);
    let of = journal(&run.result);
    assert_eq!(
        (of.primary.as_str(), of.backup),
        ("a", BackupStatus::Active)
    );
    assert_eq!(times(of, MirrorStage::Ready), [7.0, 22.0]);
    assert_eq!((of.pauses, of.at_risk_bytes), (2, 0));
    near("paused", of.paused_s, 4.0, 0.01);
    let told: Vec<_> = run
        .result
        .events
        .iter()
        .map(|it| it.what.as_str())
        .collect();
    let expected = [
        "writers: the primary, a, is lost, and nothing is committed",
        "writers: the backup, b, takes over and replays what it has",
        "writers: the backup, a, is back and catches up",
        "writers: the primary, b, is lost, and nothing is committed",
        "writers: the backup, a, takes over and replays what it has",
        "writers: the backup, b, is back and catches up",
    ];
    assert!(expected.iter().all(|it| told.contains(it)), "{told:?}");
}

/// No link joins b and c but the arbiter's, and that carries the journal then, too.
#[test]
fn an_asynchronous_member_gets_the_journal_of_the_new_primary() {
    let run = mirror(&["events=[{at: 10s, fail: a}]"]);
    let dr = &journal(&run.result).members[1];
    assert_eq!((dr.host.as_str(), dr.lag_bytes), ("c", 0));
    let of_bc = run
        .result
        .links
        .iter()
        .find(|it| it.name == "bc" && it.from_host == "b");
    assert!(of_bc.is_some_and(|it| it.bytes > 0));
}

/// What the paused host had under way does not hold up those who wait for it, and does not count
/// twice when it goes on.
#[test]
fn a_paused_primary_is_replaced_and_follows() {
    let run = mirror(&["events=[{at: 10s, pause: a, for: 10s}]"]);
    let of = journal(&run.result);
    assert_eq!(
        (of.primary.as_str(), of.backup),
        ("b", BackupStatus::Active)
    );
    let ios = by_second(&run, "readers");
    assert_eq!(ios[11], 0);
    near("readers", ios[13] as f64, ios[5] as f64, 0.1);
    let all: u64 = run.result.totals.iter().map(|it| it.ios).sum();
    let seen: u64 = ["readers", "writers"]
        .iter()
        .flat_map(|job| by_second(&run, job))
        .sum();
    assert_eq!(all, seen);
}
