use super::*;
use crate::limits::RateUnit;
use crate::raising::Next;
use crate::testing::{cycle, gp3, limit_total, resolved, result, table, total, volume, wait};

/// Two jobs on one volume: 1,000 IOs a second for 30 seconds, of which those of the last
/// ten wait for the volume's IOPS.
fn run() -> (RunResult, VolumeTable) {
    let rows: Vec<_> = (0..30)
        .map(|t_s| (f64::from(t_s), "data", 1000, 8_192_000))
        .collect();
    let mut volumes = table(&rows);
    for row in 20..30 {
        wait(&mut volumes, row, "iops", 1e6);
    }
    let mut result = result();
    result.resolved = vec![
        resolved("host", "iops", 80_000.0, "IOPS"),
        resolved("data", "iops", 1000.0, "IOPS"),
        resolved("data", "throughput", 125.0, "MiB/s"),
    ];
    result.totals = vec![
        total("readers", "data", "read", 20_000, 1000.0),
        total("others", "data", "read", 10_000, 1000.0),
    ];
    // Without the warm-up.
    result.volumes = vec![volume("data", 20_000, 20_000 * 8192)];
    result.hosts = vec![volume("host", 20_000, 20_000 * 8192)];
    let jobs = [("readers", 9.0, 0.1), ("others", 1.0, 0.9)];
    result.limits = vec![limit_total("data", "iops", 10_000, 10.0, 1.0, &jobs)];
    (result, volumes)
}

fn facts(result: &RunResult, volumes: &VolumeTable) -> Facts {
    let run = Recorded {
        result,
        storage: &gp3(),
        jobs: &[],
        warmup_s: 10.0,
        volumes,
    };
    Facts::of(&run).unwrap()
}

#[test]
fn what_held_a_run_back_is_told_with_what_would_help() {
    let (result, volumes) = run();
    let found = facts(&result, &volumes).modelled.unwrap();
    assert_eq!((found.waited * 3.0).round(), 1.0);
    let [only] = &found.waits[..] else {
        panic!("{:?}", found.waits)
    };
    assert_eq!(only.value.unwrap().0, 1000.0);
    let raising = only.raising.as_ref().unwrap();
    assert!(matches!(raising.next, Next::UpTo(_)), "{raising:?}");
    assert_eq!(raising.takers[0].job, "others");
    // The volume's throughput and the host's IOPS.
    assert_eq!(found.idle, [1, 2]);
}

#[test]
fn what_is_hardly_felt_is_not_to_be_raised() {
    let (mut result, volumes) = run();
    result.limits[0].throttled_s = 1.4;
    assert_eq!(
        facts(&result, &volumes).modelled.unwrap().waits[0].raising,
        None
    );
}

#[test]
fn a_limit_with_little_of_the_waiting_is_not_to_be_raised() {
    let (mut result, volumes) = run();
    result
        .limits
        .push(limit_total("host", "iops", 10_000, 40.0, 0.8, &[]));
    assert_eq!(
        facts(&result, &volumes).modelled.unwrap().waits[1].raising,
        None
    );
}

#[test]
fn waits_beside_the_write_daemons_are_told() {
    let (mut result, volumes) = run();
    let share = |result: &RunResult| {
        facts(result, &volumes).modelled.unwrap().waits[0].while_database_written
    };
    assert_eq!(share(&result), Some(0.0));
    result.cycles = vec![cycle("writers", 0.0, 1.0), cycle("writers", 25.0, 28.5)];
    assert_eq!(share(&result), Some(0.4));
    result.limits[0].jobs[1].throttled_s = 0.0;
    assert_eq!(share(&result), None);
}

#[test]
fn limits_are_used_after_the_warmup() {
    let (mut result, mut volumes) = run();
    volumes.ios[3] = 9000;
    volumes.ios[13] = 2000;
    result.volumes[0].ios += 1000;
    result.hosts[0].ios += 1000;
    let found = facts(&result, &volumes);
    let used: Vec<_> = found
        .limits
        .iter()
        .map(|limit| limit.used.unwrap())
        .collect();
    assert_eq!((used[0].mean, used[0].peak), (1050.0, Some(2000.0)));
    assert_eq!((used[1].mean, used[1].peak), (7.8125, Some(7.8125)));
    assert_eq!(used[2], used[0]);
}

#[test]
fn real_storage_shows_no_limits_and_flushes_count_for_none() {
    let (mut result, _) = run();
    result.mode = Mode::Bench;
    result
        .totals
        .push(total("others", "data", "flush", 3000, 10.0));
    let found = facts(&result, &table(&[]));
    assert_eq!(found.modelled, None);
    let used = found.limits[0].used.unwrap();
    assert_eq!((used.mean, used.peak), (1000.0, None));
    assert_eq!(found.limits[2].used, None);
    assert_eq!(found.devices[0].in_force[0].per_s, [Some(1000.0)]);
}

#[test]
fn a_run_without_io_has_no_shares() {
    let mut result = result();
    result.limits = vec![limit_total("data", "iops", 1, 1.0, 1.0, &[])];
    let found = facts(&result, &table(&[])).modelled.unwrap();
    assert_eq!(found.waited, 0.0);
    assert_eq!(found.idle, Vec::<usize>::new());
}

#[test]
fn of_limits_that_nothing_waited_for_the_most_used_is_nearest() {
    let (mut result, volumes) = run();
    result.limits.clear();
    let found = facts(&result, &volumes);
    // 1,000 of 1,000 IOPS.
    let nearest = &found.limits[found.modelled.unwrap().nearest.unwrap()];
    assert_eq!(
        (nearest.value, nearest.used.unwrap().mean),
        (1000.0, 1000.0)
    );
    assert!(nearest.limit.is_of("data"));
}

/// By interval the busiest one decides: the mean of a day hides its peak.
#[test]
fn by_interval_the_limit_that_is_nearest_in_the_busiest_interval_is() {
    let (mut result, mut volumes) = run();
    result.limits.clear();
    volumes.bytes[15] = 200 << 20;
    let most = |result: &RunResult| {
        let found = facts(result, &volumes);
        let nearest = &found.limits[found.modelled.unwrap().nearest.unwrap()];
        (nearest.unit, nearest.used.unwrap().telling(result))
    };
    assert_eq!(most(&result), (RateUnit::Iops, 1000.0));
    result.by_interval_s = Some(1.0);
    assert_eq!(most(&result), (RateUnit::MibPerS, 200.0));
}

#[test]
fn waiting_before_issue_is_waiting_for_the_limit() {
    let (mut result, volumes) = run();
    for job in &mut result.limits[0].jobs {
        job.lag_s = job.throttled_s;
    }
    result.limits[0].lag_s = 10.0;
    let found = facts(&result, &volumes).modelled.unwrap();
    assert_eq!((found.waited * 3.0).round(), 2.0);
    assert_eq!((found.held[0].waited * 20.0).round(), 18.0);
    assert_eq!(found.waits[0].jobs[0].waited_s, 18.0);
}
