//! Links and mirrors in scenarios: what they become, and the messages of what they cannot be.

use blockyard_model::spec::{Acknowledge, Layout, ReadPolicy, StorageSpec};
use blockyard_scenario::load;

const GOOD: &str = "\
name: m
duration: 1m
hosts:
  a: {instance: m5.large, zone: x}
  b: {instance: m5.large, zone: y}
  c: {instance: m5.large}
zones: {round_trip: {x/y: 1.16ms, y/x: 1.12ms}}
links:
  wan: {between: [a, b], bandwidth: 10Gbit/s, transport: udp, high_water: 200, socket_buffer: 128KiB}
storage:
  data:
    mirror:
      legs:
        here: {type: gp3, size: 9GiB, host: b}
        there: {type: gp3, size: 9GiB, host: a}
      link: wan
      log: {on: [here]}
workload:
  readers: {kind: ranread, on: data, file_size: 1GiB, processes: 1}
";

fn resolve(text: &str) -> Result<StorageSpec, String> {
    let loaded = load(text, "m.yaml", &[]).map_err(|error| error.to_string())?;
    let resolved = loaded.resolve().map_err(|error| error.to_string())?;
    Ok(resolved.storage)
}

#[test]
fn a_mirror_becomes_two_legs_and_a_link() {
    let storage = resolve(GOOD).unwrap();
    let names: Vec<_> = storage
        .volumes
        .iter()
        .map(|it| (it.name.as_str(), it.host))
        .collect();
    assert_eq!(names, [("data.here", 1), ("data.there", 0)]);
    let link = &storage.links[0];
    assert_eq!((link.ends, link.delay), ([0, 1], [580_000, 560_000]));
    assert_eq!((link.payload, link.headers), (1472, 66));
    let flow = link.flow_control.unwrap();
    assert_eq!((flow.high, flow.low), (200, 100));
    let Layout::Mirror(mirror) = &storage.devices[0].layout else {
        panic!("the device is a mirror");
    };
    assert_eq!(
        [mirror.legs[0].link, mirror.legs[1].link],
        [None, Some((0, 1))]
    );
    assert_eq!(
        (mirror.acknowledge, mirror.read),
        (Acknowledge::C, ReadPolicy::Local)
    );
    assert_eq!(mirror.log.unwrap().on, [true, false]);
}

/// (what is replaced, with what, the message after `m.yaml:`).
const MISTAKES: &[(&str, &str, &str)] = &[
    (
        "10Gbit/s",
        "10Gbps",
        "9: links.wan.bandwidth: `10Gbps` is not a bandwidth; write `10Gbit/s`",
    ),
    (
        "between: [a, b]",
        "between: [a, a]",
        "9: links.wan.between: `a` twice; expected two hosts",
    ),
    (
        "between: [a, b]",
        "between: [a, d]",
        "9: links.wan.between: no host is called `d`; did you mean `a`?",
    ),
    (
        "between: [a, b]",
        "between: [a, c]",
        "9: links.wan.round_trip: missing, and `zones` do not say it of these hosts; expected a \
         time as in `0.25ms`",
    ),
    (
        "between: [a, b]",
        "between: [a, c], round_trip: 1ms",
        "16: storage.data.mirror.link: `wan` is between `a` and `c`; expected one between `b` and \
         `a`",
    ),
    (
        "high_water: 200",
        "high_water: 200, low_water: 300",
        "9: links.wan.low_water: `300` is above the `high_water` of 200; expected less",
    ),
    (
        "high_water: 200",
        "low_water: 100",
        "9: links.wan.low_water: `100` without a `high_water`; expected both or none",
    ),
    (
        "transport: udp",
        "mtu: 100",
        "9: links.wan.mtu: `100` is no MTU; expected 576 to 65535",
    ),
    (
        "transport: udp",
        "loss: 11%",
        "9: links.wan.loss: `11%` is too large for a loss; expected at most 10%",
    ),
    (
        "transport: udp",
        "loss: 0.00001%",
        "9: links.wan.loss: `0.00001%` is too fine; a loss counts in steps of 0.0001%",
    ),
    (
        "transport: udp",
        "transport: udp, retransmit_after: 10ms",
        "9: links.wan.retransmit_after: `10ms` without a `loss`; expected both or none over UDP",
    ),
    (
        "transport: udp",
        "retransmit_after: 0s",
        "9: links.wan.retransmit_after: `0s`; expected a time above 0",
    ),
    (
        "transport: udp",
        "jitter: 1",
        "9: links.wan.jitter: `1` has no unit; expected a number with h, m, s, ms, us or ns, as \
         in `30m`",
    ),
    (
        "transport: udp",
        "count: 9",
        "9: links.wan.count: `9` are too many; expected at most 8",
    ),
    (
        "9GiB, host: a",
        "10GiB, host: a",
        "13: storage.data.mirror.legs: legs of 9GiB and 10GiB; expected equal sizes",
    ),
    (
        "        there: {type: gp3, size: 9GiB, host: a}\n",
        "",
        "13: storage.data.mirror.legs: 1 legs; expected two",
    ),
    (
        "        there: {type: gp3, size: 9GiB, host: a}\n",
        "        there: {mirror: {legs: {}}}\n",
        "15: storage.data.mirror.legs.there.mirror: a mirror can only be a whole device; expected \
         a volume, a stripe or a linear device",
    ),
    (
        "      link: wan\n",
        "",
        "12: storage.data.mirror.link: missing, with legs on `b` and `a`; expected one of `links`",
    ),
    (
        "link: wan",
        "link: lan",
        "16: storage.data.mirror.link: no link is called `lan`; did you mean `wan`?",
    ),
    (
        "9GiB, host: a",
        "9GiB, host: b",
        "16: storage.data.mirror.link: `wan`, with both legs on `b`; expected none",
    ),
    (
        "on: [here]",
        "on: [her]",
        "17: storage.data.mirror.log.on: no leg is called `her`; did you mean `here`?",
    ),
    (
        "      link: wan\n",
        "      link: wan\n      region: 5MiB\n",
        "17: storage.data.mirror.region: `5MiB` is no region; expected a power of two from 4KiB",
    ),
    (
        "on: [here]",
        "extent: 1MiB",
        "17: storage.data.mirror.log.extent: `1MiB`; expected a power of two from the region of 4MiB",
    ),
    (
        "      link: wan\n",
        "      link: wan\n      resync: {request: 8MiB}\n",
        "17: storage.data.mirror.resync.request: `8MiB`; expected a power of two up to the region \
         of 4MiB",
    ),
    (
        "      link: wan\n",
        "      link: wan\n      acknowledge: D\n",
        "17: storage.data.mirror.acknowledge: `D` is not known; did you mean `A`?",
    ),
    (
        "      link: wan\n",
        "      link: wan\n      failover: 1s\n",
        "17: storage.data.mirror.failover: `1s` is below the timeout of `wan`, 16s; expected at \
         least that",
    ),
    (
        "      link: wan\n",
        "      link: wan\n      acknowledge: A\n      fencing: resource_and_stonith\n",
        "18: storage.data.mirror.fencing: `resource_and_stonith` with `acknowledge: A`, which \
         DRBD refuses; expected B or C",
    ),
    (
        "      link: wan\n",
        "      link: wan\n      fencing: resource_only\n      fencing_time: 3s\n",
        "18: storage.data.mirror.fencing_time: `3s` without `fencing: resource_and_stonith`; \
         expected both or none",
    ),
    (
        "      link: wan\n",
        "      link: wan\n      after_split_brain: discard_secondary\n",
        "17: storage.data.mirror.after_split_brain: given, without a `failover`; expected both or \
         none",
    ),
];

#[test]
fn what_cannot_be_is_named_in_one_line_with_its_place() {
    for (what, with, expected) in MISTAKES {
        assert!(GOOD.contains(what), "{what}");
        let message = resolve(&GOOD.replacen(what, with, 1))
            .map(|_| ())
            .unwrap_err();
        assert_eq!(message, format!("m.yaml:{expected}"), "{what} -> {with}");
    }
}

#[test]
fn only_a_mirror_that_may_stay_apart_is_told_to_connect() {
    let told = |mirror: &str, name: &str| {
        let text = GOOD.replace("      link: wan\n", &format!("      link: wan\n{mirror}"));
        let text = format!("{text}events: [{{at: 10s, reconnect: {name}}}]\n");
        resolve(&text).map(|_| ()).unwrap_err()
    };
    assert_eq!(
        told("", "dat"),
        "m.yaml:20: events.0.reconnect: no mirror is called `dat`; did you mean `data`?"
    );
    assert_eq!(
        told("", "data"),
        "m.yaml:20: events.0.reconnect: `data` stays apart after no split brain; expected a mirror \
         with `failover` and without `after_split_brain`"
    );
    let text = GOOD.replace(
        "      link: wan\n",
        "      link: wan\n      failover: 20s\n",
    );
    assert!(resolve(&format!("{text}events: [{{at: 10s, reconnect: data}}]\n")).is_ok());
}

#[test]
fn a_host_or_a_zone_that_an_event_may_mean_is_the_nearest_name() {
    let text = GOOD.replace("zone: y", "zone: us-east-1b");
    let text = text.replace("x/y: 1.16ms, y/x: 1.12ms", "x/us-east-1b: 1.16ms");
    let failing = |name| resolve(&format!("{text}events: [{{at: 10s, fail: {name}}}]\n"));
    assert_eq!(
        failing("us-east-lb").unwrap_err(),
        "m.yaml:20: events.0.fail: `us-east-lb` is no device, volume, host or zone; did you mean \
         `us-east-1b`?"
    );
    assert!(failing("us-east-1b").is_ok());
}
