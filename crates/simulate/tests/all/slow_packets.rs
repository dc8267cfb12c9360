//! What the slow processor of a host makes of the packets that it handles.

#![allow(clippy::unwrap_used, reason = "a test fails by panicking")]

use std::ops::Range;

use crate::common::{Run, near, run_with, scenario};
use blockyard_record::result::{LinkCause, RunResult};
use blockyard_scenario::EventKind;
use blockyard_simulate::Options;

/// A mirror whose disks take no time: what bounds it is how fast hosts handle packets.
const MIRROR: &str = "\
name: packets
duration: 30s
as_of: 2026-11-01
hosts: {near: {instance: r5b.8xlarge}, far: {instance: r5b.8xlarge}, other: {instance: r5b.8xlarge}}
links:
  wire: {between: [near, far], round_trip: 0.2ms, bandwidth: 10Gbit/s, cpu: {per_packet: 100us}}
  none: {between: [near, other], round_trip: 1ms}
storage:
  data: {mirror: {legs: {a: {type: unlimited, size: 9GiB, host: near}, b: {type: unlimited, size: 9GiB, host: far}}, link: wire}}
workload:
  writers: {kind: access_spec, on: data, file_size: 1GiB, processes: 4, outstanding: 16, pattern: {size: 4KiB, read: 0%, random: 100%}}
";

/// A journal that is shipped over such a link, with disks that take no time.
const JOURNAL: &str = "\
name: journal
duration: 30s
as_of: 2026-11-01
hosts: {near: {instance: r5b.8xlarge}, far: {instance: r5b.8xlarge}, away: {instance: r5b.8xlarge}}
links:
  wire: {between: [near, far], round_trip: 0.2ms, bandwidth: 10Gbit/s, cpu: {per_packet: 100us}}
  wan: {between: [near, away], round_trip: 20ms}
storage:
  db: {type: unlimited, size: 90GiB, host: near}
  copy: {type: unlimited, size: 90GiB, host: far}
  third: {type: unlimited, size: 90GiB, host: away}
workload:
  cache:
    kind: ranwrite
    on: db
    file_size: 10GiB
    cache: 8GiB
    processes: 8
    mirror: {backup: {link: wire, on: copy}, asynchronous: {away: {link: wan, on: third}}}
";

fn run(text: &str, sets: &[&str]) -> Run {
    run_with(text, sets, Options::default())
}

/// IOs of the first series a second.
fn rate(run: &Run, seconds: Range<usize>) -> f64 {
    let length = seconds.len() as f64;
    let rows = run.intervals[seconds].iter().flat_map(|it| &it.rows);
    rows.map(|row| row.ios).sum::<u64>() as f64 / length
}

fn busy(result: &RunResult, host: &str) -> f64 {
    let mut hosts = result.packet_cpu.iter();
    hosts.find(|it| it.host == host).unwrap().utilisation
}

/// Where packets are what a mirror waits for, a tenth of the speed of either host is a tenth of the
/// rate, and then all of it again. The slow host is busy throughout.
#[test]
fn a_mirror_bound_by_packets_does_as_much_less() {
    let whole = rate(&run(MIRROR, &[]), 2..29);
    for host in ["near", "far"] {
        let event = format!("events=[{{at: 10s, degrade: {host}, to: 10%, for: 10s}}]");
        let slow = run(MIRROR, &[&event]);
        near("before", rate(&slow, 2..9), whole, 0.01);
        near("slow", rate(&slow, 12..19), whole / 10.0, 0.02);
        near("after", rate(&slow, 22..29), whole, 0.01);
        assert!(
            busy(&slow.result, host) > 0.99,
            "{:?}",
            slow.result.packet_cpu
        );
        let [event] = &slow.result.events[..] else {
            panic!("{:?}", slow.result.events);
        };
        assert_eq!(
            event.what,
            format!("{host} degrades to 10% of its processors' speed")
        );
        assert_eq!(event.kind, EventKind::Degrade);
        let effect = event.effect.as_ref().unwrap();
        let [before, during] = [effect.iops_before, effect.iops_during].map(Option::unwrap);
        near("told", during, before / 10.0, 0.05);
    }
}

/// Of two that overlap the worse counts, and the other goes on after it.
#[test]
fn of_overlapping_degradations_the_worse_counts() {
    let whole = rate(&run(MIRROR, &[]), 2..29);
    let events = "events=[{at: 5s, degrade: far, to: 50%, for: 20s}, \
                  {at: 10s, degrade: far, to: 10%, for: 5s}, \
                  {at: 12s, degrade: far, to: 80%, for: 8s}]";
    let slow = run(MIRROR, &[events]);
    for (seconds, share) in [(7..10, 0.5), (11..15, 0.1), (17..24, 0.5), (27..29, 1.0)] {
        near("share", rate(&slow, seconds.clone()) / whole, share, 0.05);
    }
}

/// A host that is paused and slow at once is slow afterwards, or no longer, from the moment it goes
/// on: what waited for it is handled at the speed that it has then.
#[test]
fn a_paused_host_goes_on_at_the_speed_that_it_has_by_then() {
    let whole = rate(&run(MIRROR, &[]), 2..29);
    let paused = "{at: 10s, pause: far, for: 5s}";
    let run_of = |slow: &str| run(MIRROR, &[&format!("events=[{slow}, {paused}]")]);
    // It becomes slow while it is paused, and the other way round.
    let then = run_of("{at: 12s, degrade: far, to: 10%, for: 10s}");
    let before = run_of("{at: 5s, degrade: far, to: 10%, for: 8s}");
    let alone = run(MIRROR, &[&format!("events=[{paused}]")]);
    for run in [&then, &before, &alone] {
        assert_eq!(rate(run, 11..15), 0.0);
        near("after", rate(run, 25..29), whole, 0.02);
    }
    near("slow", rate(&then, 17..21), whole / 10.0, 0.05);
    near("slow", rate(&before, 7..10), whole / 10.0, 0.05);
    // As much as without the event from there on: what had waited would take a quarter second.
    near("whole", rate(&before, 15..29), rate(&alone, 15..29), 0.003);
}

/// Where packets bound nothing IOs take the little longer that they are handled, and as many are
/// done; the processor is busy ten times as long.
#[test]
fn where_packets_bound_nothing_next_to_nothing_changes() {
    let text = scenario("examples/drbd-split-brain.yaml");
    let of = |events: &str| {
        run(
            &text,
            &[
                "duration=30s",
                "links.replication.cpu={per_packet: 5us}",
                events,
            ],
        )
    };
    let whole = of("events=[]");
    let slow = of("events=[{at: 0s, degrade: far, to: 10%}]");
    assert_eq!(rate(&slow, 2..29), rate(&whole, 2..29));
    let mean = |run: &Run| run.total("writers.data.write").latency_us.unwrap().mean;
    let more = mean(&slow) - mean(&whole);
    assert!(more > 0.0 && more < 200.0, "{more}");
    let [near_busy, far_busy] = ["near", "far"].map(|host| busy(&slow.result, host));
    let whole_busy = busy(&whole.result, "far");
    near("far", far_busy, 10.0 * whole_busy, 0.01);
    near("near", near_busy, busy(&whole.result, "near"), 0.01);
    // The result says that messages waited for processors, and hardly did where no host is slow.
    let processors = |run: &Run| {
        let links = run.result.links.iter().flat_map(|it| &it.held);
        let held = links.filter(|it| it.cause == LinkCause::Processor);
        held.flat_map(|it| &it.jobs)
            .map(|it| it.waited_s)
            .sum::<f64>()
    };
    assert!(processors(&slow) > 4.0 * processors(&whole));
}

/// What waits for a volume's limit in the meantime waits for that, not for the event.
#[test]
fn a_slow_host_takes_no_blame_for_limits() {
    let slow = run(
        MIRROR,
        &[
            "events=[{at: 10s, degrade: far, to: 50%, for: 10s}]",
            "links.wire.cpu.per_packet=1us",
            "storage.data.mirror.legs.a={type: gp3, size: 9GiB, host: near}",
            "storage.data.mirror.legs.b={type: gp3, size: 9GiB, host: far}",
        ],
    );
    near("rate", rate(&slow, 12..19), 3000.0, 0.01);
    let [event] = &slow.result.events[..] else {
        panic!("{:?}", slow.result.events);
    };
    assert!(event.held.iter().all(|it| it.waited_s == 0.0), "{event:?}");
    assert!(slow.result.limits[0].throttled_s > 0.0);
}

/// Both hosts handle the packets of a journal's write, one after the other: with one of them at a
/// tenth it waits nine times longer for that. A slow asynchronous member keeps nobody waiting.
#[test]
fn a_write_of_a_mirrored_journal_takes_as_much_longer() {
    let of = |events: &str| {
        let run = run(JOURNAL, &[events]);
        run.total("cache.db.write").latency_us.unwrap().mean
    };
    let slow = |host: &str| of(&format!("events=[{{at: 0s, degrade: {host}, to: 10%}}]"));
    let whole = of("events=[]");
    // 64 KiB and its header are 47 packets, over TCP.
    for host in ["near", "far"] {
        near("longer", slow(host) - whole, 9.0 * 47.0 * 115.0, 1e-3);
    }
    near("away", slow("away"), whole, 1e-9);
}
