//! Shared disks: what a lost node and a switch cost, and where the IO goes afterwards.

#![allow(clippy::unwrap_used, reason = "a test fails by panicking")]

use crate::common::{Run, near, run, run_with, scenario};
use blockyard_record::result::{Event, Outage};
use blockyard_scenario::{EventKind, StepKind};
use blockyard_simulate::Options;
use proptest::prelude::*;

fn outages(run: &Run) -> Vec<(&Event, &Outage)> {
    let events = run.result.events.iter();
    events
        .filter_map(|event| Some((event, event.outage.as_ref()?)))
        .collect()
}

#[test]
fn a_lost_node_costs_each_step_and_a_switch_fewer() {
    let run = run(&scenario("examples/failover-shared-disk.yaml"));
    let found = outages(&run);
    let [(lost, failover), (_, switch)] = found[..] else {
        panic!("{found:?}")
    };
    let steps = |outage: &Outage| -> Vec<_> {
        let parts = outage.parts.iter();
        parts.map(|part| (part.step, part.length_s)).collect()
    };
    let expected = [
        (StepKind::Detection, 16.0),
        (StepKind::Fencing, 5.0),
        (StepKind::Detach, 10.0),
        (StepKind::Attach, 5.0),
        (StepKind::Import, 5.0),
        (StepKind::Recovery, 10.0),
        (StepKind::Start, 5.0),
    ];
    assert_eq!(steps(failover), expected);
    assert_eq!(switch.total_s, 30.0);
    assert_eq!(
        (failover.from_node.as_str(), failover.to_node.as_deref()),
        ("a", Some("b"))
    );
    assert_eq!(
        (switch.from_node.as_str(), switch.to_node.as_deref()),
        ("b", Some("a"))
    );
    // What was in flight fails with the node, and nothing when it is stopped.
    let failed: Vec<_> = found
        .iter()
        .map(|it| it.0.effect.unwrap().failed_ios)
        .collect();
    assert_eq!(failed, [8, 0]);
    near("outage", lost.effect.unwrap().outage_s, 56.0, 0.001);
    let reads = run.ios("readers.data.read");
    assert_eq!(reads[40..96].iter().chain(&reads[141..170]).sum::<u64>(), 0);
    assert!(reads[97] > 10_000, "{}", reads[97]);
    // An open loop loses nothing and makes up for it.
    let log = &run.result.open_loop[0];
    assert_eq!(log.served, log.offered);
    // The other node served what came between.
    let of = |name: &str| {
        run.result
            .hosts
            .iter()
            .find(|host| host.name == name)
            .unwrap()
            .ios
    };
    let all: u64 = run.result.volumes.iter().map(|volume| volume.ios).sum();
    assert_eq!(of("a") + of("b"), all);
    let between: u64 = reads[96..141].iter().sum();
    near("b", of("b") as f64, between as f64, 0.15);
}

#[test]
fn a_node_with_less_to_give_shows_after_the_failover() {
    let text = scenario("examples/failover-shared-disk.yaml");
    let sets = [
        "hosts.b.instance=r5.large",
        "hosts.b.burst_balance=0%",
        "events=[{at: 20s, fail: a}]",
        "duration=120s",
    ];
    let run = run_with(&text, &sets, Options::default());
    let reads = run.ios("readers.data.read");
    assert!(reads[15] > 10_000, "{}", reads[15]);
    // 3,600 IOPS, of which the log takes what its pages count.
    assert!((2500..3700).contains(&reads[110]), "{}", reads[110]);
    let limits = run.result.limits.iter();
    let held: Vec<_> = limits.filter(|limit| limit.throttled_s > 100.0).collect();
    assert!(held.iter().any(|limit| limit.owner == "b"), "{held:?}");
}

#[test]
fn with_the_zone_the_disk_is_lost_too_and_its_node_starts_again() {
    let text = scenario("examples/failover-shared-disk.yaml");
    let events = "events=[{at: 20s, fail: us-east-1a, for: 30s}]";
    let run = run_with(&text, &[events, "duration=120s"], Options::default());
    let found = outages(&run);
    let [(event, outage)] = found[..] else {
        panic!("{found:?}")
    };
    assert_eq!(event.kind, EventKind::Failover);
    assert_eq!(outage.to_node.as_deref(), Some("b"));
    let waited = outage
        .parts
        .iter()
        .find(|part| part.step == StepKind::NoNode)
        .unwrap();
    assert_eq!(waited.length_s, 14.0);
}

#[test]
fn multi_attach_detaches_nothing() {
    let text = scenario("examples/failover-shared-disk.yaml");
    let sets = [
        "storage={data: {type: io2, size: 600GiB, iops: 10000}, log: {type: io1, size: 60GiB, iops: 3000}}",
        "clusters.pair={nodes: [a, b], disks: [data, log], multi_attach: true}",
    ];
    let run = run_with(&text, &sets, Options::default());
    let found = outages(&run);
    assert_eq!((found[0].1.total_s, found[1].1.total_s), (41.0, 15.0));
    let moved = |part: StepKind| matches!(part, StepKind::Detach | StepKind::Attach);
    assert!(
        found
            .iter()
            .all(|it| it.1.parts.iter().all(|part| !moved(part.step)))
    );
}

/// A cluster of two that loses nodes, is switched and has a volume that fails, in some order.
fn events() -> impl Strategy<Value = String> {
    let one = (0_u32..6, 1_u32..18, 1_u32..9);
    prop::collection::vec(one, 1..5).prop_map(|mut drawn| {
        drawn.sort_by_key(|it| it.1);
        let event = |(kind, at, lasts): (u32, u32, u32)| match kind {
            0 => format!("{{at: {at}s, fail: a, for: {lasts}s}}"),
            1 => format!("{{at: {at}s, fail: b, for: {lasts}s}}"),
            2 => format!("{{at: {at}s, switch: pair, to: b}}"),
            3 => format!("{{at: {at}s, switch: pair, to: a}}"),
            4 => format!("{{at: {at}s, fail: data, for: {lasts}s}}"),
            _ => format!("{{at: {at}s, pause: data, for: {lasts}s}}"),
        };
        let all: Vec<_> = drawn.into_iter().map(event).collect();
        format!("events=[{}]", all.join(", "))
    })
}

const PAIR: &str = "\
name: pair
duration: 30s
as_of: 2026-05-01
hosts: {a: {instance: r5.large}, b: {instance: m5.large}}
clusters: {pair: {nodes: [a, b], disks: [data], detection: 2s, fencing: 1s, stop: 1s, detach: 1s, attach: 1s, import: 1s, recovery: 1s, start: 1s}}
storage: {data: {stripe: {chunk: 64KiB, width: 2}, of: {type: gp3, size: 50GiB}}}
workload:
  closed: {kind: ranread, on: data, file_size: 10GiB, processes: 2}
  open: {kind: access_spec, on: data, file_size: 10GiB, pattern: {size: 128KiB, read: 50%, random: 100%}, rate: 50/s}
";

proptest! {
    #![proptest_config(ProptestConfig::with_cases(40))]
    #[test]
    fn no_order_of_events_loses_an_io(events in events()) {
        let sets = [events];
        let loaded = blockyard_scenario::load(PAIR, "pair.yaml", &sets);
        // What cannot follow is refused, in one line.
        if let Err(error) = loaded.and_then(|loaded| loaded.resolve()) {
            prop_assert!(!error.to_string().contains('\n'));
            return Ok(());
        }
        let run = run_with(PAIR, &[&sets[0]], Options::default());
        let ends = run.result.open_loop.iter();
        for open in ends {
            prop_assert_eq!(open.offered, open.served + open.failed + open.backlog);
        }
        for (event, outage) in outages(&run) {
            let sum: f64 = outage.parts.iter().map(|part| part.length_s).sum();
            prop_assert!((sum - outage.total_s).abs() < 1e-6, "{:?}", outage);
            // Nothing is served while no node has the disk.
            let (from, to) = (event.t_s as usize + 1, (event.t_s + outage.total_s) as usize);
            for name in ["closed.data.read", "open.data.read", "open.data.write"] {
                let served: u64 = run.ios(name)[from.min(to)..to].iter().sum();
                let stops = event.kind == EventKind::Switch;
                prop_assert!(served == 0 || stops && served < 100, "{} {}", name, served);
            }
        }
        let of_hosts: u64 = run.result.hosts.iter().map(|host| host.ios).sum();
        let of_volumes: u64 = run.result.volumes.iter().map(|volume| volume.ios).sum();
        prop_assert!(of_volumes - of_hosts < 1000, "what passed a volume passed a host");
    }
}
