//! The write-daemon cycle of `ranwrite`, as the product's manuals describe it.

#![allow(clippy::unwrap_used, reason = "a test fails by panicking")]

use crate::common::{near, run, run_with, scenario};
use blockyard_simulate::Options;

#[test]
fn phases_follow_each_other_every_eighty_seconds() {
    let run = run(&scenario("examples/ranwrite.yaml"));
    let cycles = &run.result.cycles;
    let starts: Vec<_> = cycles.iter().map(|cycle| cycle.start_s).collect();
    assert_eq!(starts, [80.0, 160.0, 240.0, 320.0]);
    for cycle in cycles {
        let times = [
            cycle.start_s,
            cycle.listed_s,
            cycle.wij_done_s,
            cycle.journal_done_s,
            cycle.database_done_s,
            cycle.end_s,
        ];
        assert!(times.is_sorted(), "{cycle:?}");
        // Every dirty block goes to the WIJ and to the database, once.
        assert_eq!(cycle.wij_bytes, cycle.blocks * 8192);
        assert_eq!(cycle.database_bytes, cycle.blocks * 8192);
        assert!(cycle.database_ios <= cycle.blocks);
    }
    // 1,000 updates a second dirty almost as many blocks of 6.5 million.
    near("blocks", cycles[1].blocks as f64, 80_000.0, 0.01);
    let written: u64 = cycles.iter().map(|cycle| cycle.database_bytes).sum();
    assert_eq!(run.total("writers.data.write").bytes, written);
}

#[test]
fn writes_in_flight_stay_within_their_tunables() {
    let text = scenario("examples/ranwrite.yaml");
    let run = run_with(
        &text,
        &["workload.writers.wij.asyncwij=4"],
        Options::default(),
    );
    let deepest = |name: &str| {
        let series = run
            .shape
            .series
            .iter()
            .position(|&key| run.shape.series_name(key) == name);
        let rows = run
            .intervals
            .iter()
            .map(|interval| interval.rows[series.unwrap()].queue_depth);
        rows.fold(0.0, f64::max)
    };
    near("asyncwij", deepest("writers.wij.write"), 4.0, 0.02);
    near("wdparm", deepest("writers.data.write"), 8.0, 0.02);
    assert!(deepest("writers.journal.write") <= 1.0);
}

#[test]
fn a_daemon_has_no_more_in_flight_than_its_share() {
    let sets = ["workload.writers.wdparm={daemons: 2, outstanding: 64, per_daemon: 3}"];
    let run = run_with(
        &scenario("examples/ranwrite.yaml"),
        &sets,
        Options::default(),
    );
    let rows = run
        .intervals
        .iter()
        .map(|interval| interval.rows[0].queue_depth);
    assert_eq!(
        run.shape.series_name(run.shape.series[0]),
        "writers.data.write"
    );
    near("two daemons of three", rows.fold(0.0, f64::max), 6.0, 0.02);
}

#[test]
fn too_many_dirty_blocks_start_a_cycle_early() {
    let sets = ["workload.writers.dirty_limit=1%"];
    let run = run_with(
        &scenario("examples/ranwrite.yaml"),
        &sets,
        Options::default(),
    );
    // 1 % of an 8 GiB cache are 10,485 blocks, which take 10.5 s to dirty.
    let cycles = &run.result.cycles;
    near("first", cycles[0].start_s, 10.5, 0.1);
    assert!(
        cycles.iter().all(|cycle| cycle.blocks < 13_000),
        "{cycles:?}"
    );
    assert!(cycles.len() > 20, "{}", cycles.len());
}

#[test]
fn the_journal_is_written_by_size_and_by_time() {
    let busy = run(&scenario("examples/ranwrite.yaml"));
    // 1,000 updates of 100 bytes fill 64 KiB in 0.66 s.
    let total = busy.total("writers.journal.write");
    near("bytes", total.bytes as f64, 1000.0 * 100.0 * 360.0, 0.03);
    near("writes", total.iops, 1.0 / 0.656, 0.03);
    // One process alone waits for the two seconds.
    let sets = ["workload.writers.processes=1"];
    let quiet = run_with(
        &scenario("examples/ranwrite.yaml"),
        &sets,
        Options::default(),
    );
    near(
        "quiet writes",
        quiet.total("writers.journal.write").iops,
        0.5,
        0.05,
    );
}

#[test]
fn updaters_are_held_only_while_the_list_is_formed() {
    let held = |list_time: &str| {
        let set = format!("workload.writers.list_time={list_time}");
        let run = run_with(
            &scenario("examples/ranwrite.yaml"),
            &[&set],
            Options::default(),
        );
        let cycle = &run.result.cycles[1];
        (cycle.blocks as f64, cycle.listed_s - cycle.start_s)
    };
    let (blocks, listing) = held("0ns");
    assert!(listing.abs() < 1e-9);
    // At 0.25 ms a block the list takes 20 s, in which nothing is updated.
    let (fewer, listing) = held("250us");
    near("listing", listing, 250e-6 * fewer, 0.01);
    near("blocks", fewer, blocks * 60.0 / 80.0, 0.05);
}

/// Journal data that comes faster than one buffer for each journal write: 20 MiB/s, with 12 ms to
/// a backup that acknowledges each.
#[test]
fn the_database_is_written_however_fast_journal_data_comes() {
    let sets = [
        "duration=60s",
        "zones.round_trip.us-east-1a/us-east-1b=12ms",
        "workload.writers.mirror.asynchronous=null",
        "workload.writers.processes=600",
        "workload.writers.cycle=10s",
    ];
    let run = run_with(
        &scenario("examples/iris-mirror.yaml"),
        &sets,
        Options::default(),
    );
    let cycles = &run.result.cycles;
    assert!(!cycles.is_empty());
    for cycle in cycles {
        assert!(cycle.journal_done_s - cycle.wij_done_s < 1.0, "{cycle:?}");
        assert_eq!(cycle.database_bytes, cycle.blocks * 8192);
    }
}
