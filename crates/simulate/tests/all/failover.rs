//! Zones and links that are lost, and what that costs a mirror.

#![allow(
    clippy::panic,
    clippy::unwrap_used,
    reason = "a test fails by panicking"
)]

use crate::common::{Run, near, run, run_with, scenario};
use blockyard_record::result::{EventEffect, MirrorTotal};
use blockyard_scenario::EventKind;
use blockyard_simulate::Options;

/// The example with a mirror that acknowledges so: its run, what each event did, and the mirror.
fn failover(letter: char) -> (Run, [EventEffect; 2], MirrorTotal) {
    let text = scenario(&format!("examples/failover-{letter}.yaml"));
    let goals = "goals=[writers.outage <= 1s, writers.lost_bytes <= 0]";
    let run = run_with(&text, &[goals], Options::default());
    let [far, left, back, last] = run.result.events.as_slice() else {
        panic!("{:?}", run.result.events);
    };
    assert_eq!(
        (left.t_s, left.what.as_str()),
        (25.0, "data: far is given up")
    );
    let mirror = run.result.mirrors[0].clone();
    assert_eq!((back.kind, back.t_s), (EventKind::CatchUp, 30.0));
    near(
        "resync",
        back.until_s.unwrap() - 30.0,
        mirror.resync_s,
        1e-6,
    );
    assert!(
        back.what
            .ends_with("that it lacks, bound by the resync's rate limit"),
        "{}",
        back.what
    );
    for (event, zone) in [(far, "us-east-1b"), (last, "us-east-1a")] {
        assert_eq!(
            (event.kind, event.on.as_deref()),
            (EventKind::Fail, Some(zone))
        );
    }
    let effects = [far.effect.unwrap(), last.effect.unwrap()];
    (run, effects, mirror)
}

#[test]
fn writers_wait_for_a_lost_zone_until_the_link_is_given_up() {
    for letter in ['a', 'b', 'c'] {
        let (run, [far, _], mirror) = failover(letter);
        // Under A the socket's 4 MiB take what is written within 85 ms.
        let taken_s = if letter == 'a' { 0.085 } else { 0.0 };
        near("outage", far.outage_s, 5.0 - taken_s, 0.01);
        let ios = run.ios("writers.data.write");
        assert_eq!(ios[21..24].iter().sum::<u64>(), 0, "{letter}");
        // Nothing fails, and what came due meanwhile is made up for.
        assert_eq!(far.failed_ios, 0, "{letter}");
        assert!(ios[25] > 6000, "{letter}: {}", ios[25]);
        assert_eq!(mirror.lost_bytes, 0, "{letter}: nobody takes over");
    }
}

#[test]
fn the_second_leg_follows_whatever_is_acknowledged() {
    for letter in ['A', 'B', 'C'] {
        let name = format!("storage.data.mirror.acknowledge={letter}");
        let sets = [name.as_str(), "events=[]", "duration=3s"];
        let text = scenario("examples/failover-a.yaml");
        let run = run_with(&text, &sets, Options::default());
        let mirror = &run.result.mirrors[0];
        // 3,000 writes a second, of which each is under way for some milliseconds.
        assert!(mirror.most_at_risk_bytes < 1 << 19, "{letter}: {mirror:?}");
        let written = |volume: &str| {
            let totals = run.result.volumes.iter();
            let own = totals.filter(|total| total.name == volume);
            own.map(|total| total.ios).sum::<u64>()
        };
        assert!(
            written("data.far") > 8_500,
            "{letter}: {:?}",
            run.result.volumes
        );
    }
}

#[test]
fn a_zone_that_returns_is_brought_up_to_date_by_what_was_written_without_it() {
    let (_, _, mirror) = failover('c');
    assert_eq!(mirror.resyncs, 1);
    assert_eq!(mirror.state, "degraded");
    // About 3,000 writes a second, each to a region of its own, from the loss to the return.
    near(
        "copied",
        mirror.resync_bytes as f64,
        30_000.0 * 16_384.0,
        0.1,
    );
    let rate = mirror.resync_bytes as f64 / mirror.resync_s;
    near("rate", rate, 50.0 * 1_048_576.0, 0.1);
}

#[test]
fn without_its_zone_nothing_can_be_written_any_more() {
    let (run, [_, near], mirror) = failover('c');
    // One zone and then the other: of what was left nothing was given up.
    assert_eq!(mirror.failures, 2);
    let ios = run.ios("writers.data.write");
    assert_eq!(ios[71..].iter().sum::<u64>(), 0);
    assert!(near.failed_ios > 25_000, "{near:?}");
    assert!(near.outage_s > 9.0, "{near:?}");
    // Of all that the run had, the longest.
    let [outage, lost] = run.result.goals.as_slice() else {
        panic!("{:?}", run.result.goals);
    };
    let measured = format!("{:.1}", near.outage_s);
    assert!(outage.measured.starts_with(&measured), "{outage:?}");
    assert!(!outage.met && lost.met, "{lost:?}");
}

/// What fails at once waits for nothing, and is an outage all the same until one is done again.
#[test]
fn writes_that_fail_until_the_device_is_back_are_an_outage() {
    let sets = [
        "events=[{at: 10s, fail: data, for: 5s}]",
        "duration=20s",
        "goals=[writers.outage <= 1s]",
    ];
    let text = scenario("examples/failover-c.yaml");
    let run = run_with(&text, &sets, Options::default());
    let measured = &run.result.goals[0].measured;
    assert!(measured.starts_with("5.00"), "{measured}");
}

#[test]
fn half_a_tebibyte_is_copied_beside_the_writers() {
    let run = run(&scenario("examples/resync-500gib.yaml"));
    let [cut, _, back] = run.result.events.as_slice() else {
        panic!("{:?}", run.result.events);
    };
    assert!(back.what.contains("gets the 500.0 GiB"), "{}", back.what);
    assert_eq!((cut.kind, cut.until_s), (EventKind::Cut, Some(80.0)));
    near("outage", cut.effect.unwrap().outage_s, 5.0, 0.01);
    let mirror = &run.result.mirrors[0];
    assert_eq!((mirror.resyncs, mirror.state.as_str()), (1, "in sync"));
    near(
        "copied",
        mirror.resync_bytes as f64,
        500.0 * (1_u64 << 30) as f64,
        0.01,
    );
    near("time", mirror.resync_s, 500.0 * 1024.0 / 250.0, 0.05);
    // What it costs them: 2.53 ms without.
    let p99 = run.total("writers.data.write").latency_us.unwrap().p99;
    near("p99", p99, 3560.0, 0.1);
}

const UNEQUAL: &str = "\
name: unequal
duration: 6s
warmup: 2s
as_of: 2026-11-01
hosts: {a: {instance: r5b.2xlarge}, b: {instance: r5b.2xlarge}}
links: {l: {between: [a, b], round_trip: 1ms}}
storage:
  data:
    mirror:
      legs:
        x: {type: gp3, size: 100GiB, iops: 6000, throughput: 500MiB/s, tokens: 0%, host: a}
        y: {type: gp3, size: 100GiB, iops: 3000, throughput: 500MiB/s, tokens: 0%, host: b}
      link: l
workload:
  writers: {kind: access_spec, on: data, file_size: 50GiB, processes: 8, outstanding: 4, pattern: {size: 16KiB, read: 0%, random: 100%}}
";

#[test]
fn the_slower_leg_sets_the_pace_whatever_is_acknowledged() {
    for (letter, at_risk) in [("A", 12 << 20), ("B", 8 << 20), ("C", 0)] {
        let name = format!("storage.data.mirror.acknowledge={letter}");
        let run = run_with(UNEQUAL, &[&name], Options::default());
        near(letter, run.total("writers.data.write").iops, 3000.0, 0.01);
        let most = run.result.mirrors[0].most_at_risk_bytes;
        assert!(most <= at_risk, "{letter}: {most}");
        assert!(most > at_risk * 9 / 10 || letter == "C", "{letter}: {most}");
        // Whoever waits, and where, waits for that leg's limit.
        let of_leg = |leg: &str| {
            let limits = run.result.limits.iter();
            let own = limits.filter(|it| it.owner == format!("data.{leg}"));
            own.map(|it| it.throttled_s).sum::<f64>()
        };
        assert!(of_leg("y") > 100.0 && of_leg("x") < 1.0, "{letter}");
    }
}
