//! Events that cannot be, and the messages that users get: the whole line, since its wording is
//! part of the interface.

#![allow(clippy::unwrap_used, reason = "a test fails by panicking")]

use blockyard_scenario::load;

const GOOD: &str = "\
name: b
duration: 30m
as_of: 2026-05-01
storage:
  data:
    stripe: {chunk: 64KiB, width: 2}
    of: {type: gp3, size: 100GiB}
  disk: {type: gp2, size: 50GiB}
workload:
  readers: {kind: ranread, on: data, file_size: 10GiB, processes: 8}
  open: {kind: ranread, on: disk, file_size: 10GiB, rate: 100/s}
events:
";

/// (the events from line 13 on, the message after `b.yaml:`).
const MISTAKES: &[(&[&str], &str)] = &[
    // What is not there.
    (
        &["{at: 1m, fail: dta.0}"],
        "13: events.0.fail: `dta.0` is neither a device nor a volume; did you mean `data.0`?",
    ),
    (
        &["{at: 1m, fial: data.0}"],
        "13: events.0.fial: unknown key; did you mean `fail`?",
    ),
    (
        &["{at: 1m, add: reeders, processes: 2}"],
        "13: events.0.add: no job is called `reeders`; did you mean `readers`?",
    ),
    (
        &["{at: 5m, grow: date, by: {type: gp3, size: 10GiB}}"],
        "13: events.0.grow: no device is called `date`; did you mean `data`?",
    ),
    (
        &["{at: 1m, degrade: wire}"],
        "13: events.0.degrade: `wire` is neither a device nor a volume; known are `data`, `disk`, \
         `data.0`, `data.1`",
    ),
    (
        &["{at: 1m, degrade: data, loss: 1%}"],
        "13: events.0.loss: `1%`, and `data` is no link",
    ),
    // Times.
    (
        &["{at: 40m, fail: data.0}"],
        "13: events.0.at: `40m` is not within the duration of 30m",
    ),
    (
        &["{at: 1m, pause: data.0, for: 0s}"],
        "13: events.0.for: `0s`; expected a time above 0",
    ),
    (
        &["{at: 1500ms, add: readers, processes: 2}"],
        "13: events.0.at: `1.5s` is not a multiple of the interval of 1s",
    ),
    // Orders that cannot be.
    (
        &["{at: 1m, return: data.0}"],
        "13: events.0.return: `data.0` has not failed at 1m",
    ),
    (
        &["{at: 1m, fail: data, for: 1m}", "{at: 2m, return: data.0}"],
        "14: events.1.return: `data.0` has not failed at 2m",
    ),
    (
        &["{at: 1m, fail: data, for: 1m}", "{at: 90s, fail: data.1}"],
        "14: events.1.fail: `data.1` has failed since 1m",
    ),
    (
        &["{at: 2m, resume: data}", "{at: 1m, pause: data.0}"],
        "13: events.0.resume: `data.1` is not paused at 2m",
    ),
    (
        &["{at: 1m, fail: data}", "{at: 2m, pause: data.0}"],
        "14: events.1.pause: `data.0` has failed since 1m",
    ),
    (
        &[
            "{at: 5m, grow: data, by: {type: gp3, size: 10GiB}}",
            "{at: 1m, fail: data.2}",
        ],
        "14: events.1.fail: `data.2` is not there before 5m",
    ),
    // Degradations.
    (
        &["{at: 1m, degrade: data, to: 95%}"],
        "13: events.0.to: `95%`; expected 1% to 89% of the rate",
    ),
    // Modifications.
    (
        &["{at: 1m, modify: disk}"],
        "13: events.0: nothing to modify; expected `type`, `size`, `iops` or `throughput`",
    ),
    (
        &["{at: 1m, modify: disk, size: 20GiB}"],
        "13: events.0.size: `20GiB` is less than the 50GiB of `disk`; a volume cannot shrink",
    ),
    (
        &["{at: 1m, modify: disk, type: gp4}"],
        "13: events.0.type: no volume type is called `gp4`; did you mean `gp2`?",
    ),
    (
        &["{at: 1m, modify: disk, type: gp3, iops: 100000}"],
        "13: events.0.iops: gp3 allows 3,000 to 80,000 IOPS on 2026-05-01 (rule of 2025-09-30 on, \
         AWS EBS CSI driver 2026-08-19), not 100,000",
    ),
    (
        &["{at: 1m, modify: disk, type: st1, size: 500GiB}"],
        "13: events.0.type: IOs of `st1` are counted in other units than those of `gp2`; a \
         modification between the two is not modelled",
    ),
    (
        &[
            "{at: 1m, modify: disk, type: gp3}",
            "{at: 5m, modify: disk, iops: 4000}",
        ],
        "14: events.1.at: `disk` is in the optimising state of its last modification until 1115s",
    ),
    (
        &[
            "{at: 1m, modify: disk, size: 60GiB, optimising: 1m}",
            "{at: 2m, modify: disk, size: 61GiB, optimising: 1m}",
            "{at: 3m, modify: disk, size: 62GiB, optimising: 1m}",
            "{at: 4m, modify: disk, size: 63GiB, optimising: 1m}",
            "{at: 5m, modify: disk, size: 64GiB, optimising: 1m}",
        ],
        "17: events.4.at: one modification of the volume too many; at most 4 are allowed in any \
         24h from 2026-01-01 on (EC2 API reference, ModifyVolume 2026)",
    ),
    // Loads.
    (
        &["{at: 1m, add: open, processes: 2}"],
        "13: events.0.add: `open` is an open loop, which has no processes",
    ),
];

fn message(text: &str) -> Option<String> {
    let resolved = load(text, "b.yaml", &[]).and_then(|loaded| loaded.resolve().map(drop));
    resolved.err().map(|error| error.to_string())
}

#[test]
fn impossible_events_are_refused_in_one_line() {
    for (events, expected) in MISTAKES {
        let events = events.iter().map(|event| format!("  - {event}\n"));
        let text = GOOD.to_owned() + &events.collect::<String>();
        assert_eq!(message(&text).unwrap(), format!("b.yaml:{expected}"));
    }
}

#[test]
fn six_hours_lie_between_two_modifications_before_2026() {
    let modify = "  - {at: 1m, modify: disk, size: 60GiB, optimising: 1m}\n";
    let twice = format!(
        "{GOOD}{modify}{}",
        modify.replace("1m, modify: disk, size: 60", "5m, modify: disk, size: 70")
    );
    assert_eq!(message(&twice), None);
    let before = twice.replace("2026-05-01", "2025-05-01");
    assert_eq!(
        message(&before).unwrap(),
        "b.yaml:14: events.1.at: comes 4m after the last modification of the volume; 6h must lie \
         between two (EC2 API reference (China), ModifyVolume before 2026)"
    );
}

#[test]
fn a_file_that_reaches_into_what_grows_needs_it_to_be_there() {
    let text = GOOD.replace("on: data, file_size: 10GiB", "on: data, file_size: 250GiB")
        + "  - {at: 5m, grow: data, by: {type: gp3, size: 100GiB}}\n";
    assert_eq!(
        message(&text).unwrap(),
        "b.yaml:10: workload.readers: its file reaches beyond the 200GiB that the device has until \
         it grows at 5m, and its load begins at 0s; expected it to begin then"
    );
    let later = text.replace(
        "processes: 8",
        "schedule: [{at: 0s, processes: 0}, {at: 5m, processes: 8}]",
    );
    assert_eq!(message(&later), None);
}

/// Two hosts in two zones, with a mirror over the link between them.
const MIRRORED: &str = "\
name: mirrored
duration: 30m
hosts: {spare: {instance: m5.large, zone: z2},
  near: {instance: r5b.8xlarge, zone: z1},
  far: {instance: r5b.8xlarge, zone: z2}}
zones: {within: 0.25ms, round_trip: {z1/z2: 0.8ms}}
links:
  llt: {between: [near, far], bandwidth: 1Gbit/s}
storage:
  data: {mirror: {legs: {a: {type: gp3, size: 9GiB, host: near}, b: {type: gp3, size: 9GiB, host: far}}, link: llt}}
workload:
  readers: {kind: ranread, on: data, file_size: 1GiB, processes: 8}
events:
";

#[test]
fn links_hosts_and_zones_go_once_and_return_as_they_went() {
    let with = |events: &[&str]| {
        let events = events.iter().map(|event| format!("  - {event}\n"));
        message(&(MIRRORED.to_owned() + &events.collect::<String>()))
    };
    for right in [
        ["{at: 1m, cut: llt}", "{at: 2m, restore: llt}"],
        ["{at: 1m, fail: far}", "{at: 2m, return: far}"],
        ["{at: 1m, fail: z2, for: 1m}", "{at: 2m, fail: data.b}"],
        // A link may be down for two reasons.
        ["{at: 1m, cut: llt}", "{at: 2m, fail: z2}"],
        // Hosts at the ends of a mirror's link are slow together.
        [
            "{at: 1m, degrade: near, to: 50%}",
            "{at: 2m, degrade: far, to: 10%, for: 1m}",
        ],
        // Each way goes and returns by itself.
        [
            "{at: 1m, cut: llt, from: near}",
            "{at: 2m, cut: llt, from: far}",
        ],
        ["{at: 1m, cut: llt}", "{at: 2m, restore: llt, from: far}"],
        ["{at: 1m, cut: llt, from: far}", "{at: 2m, restore: llt}"],
        [
            "{at: 1m, degrade: llt, from: far, loss: 1%}",
            "{at: 2m, cut: llt, from: near}",
        ],
    ] {
        assert_eq!(with(&right), None);
    }
    let wrong = [
        (
            ["{at: 1m, cut: lt}", ""],
            "14: events.0.cut: no link is called `lt`; did you mean `llt`?",
        ),
        (
            ["{at: 1m, cut: llt}", "{at: 2m, cut: llt}"],
            "15: events.1.cut: `llt` has been down since 1m",
        ),
        (
            ["{at: 1m, cut: llt, for: 1m}", "{at: 2m, restore: llt}"],
            "15: events.1.restore: `llt` is not down at 2m",
        ),
        (
            ["{at: 1m, cut: llt, from: nea}", ""],
            "14: events.0.from: `nea` is no end of `llt`; did you mean `near`?",
        ),
        (
            ["{at: 1m, degrade: llt, from: data, loss: 1%}", ""],
            "14: events.0.from: `data` is no end of `llt`; known are `near`, `far`",
        ),
        (
            ["{at: 1m, degrade: far, from: far, to: 50%}", ""],
            "14: events.0.from: `far`, and `far` is no link",
        ),
        (
            ["{at: 1m, degrade: spare, to: 50%}", ""],
            "14: events.0.degrade: `spare` has nothing to do that is slow then; expected a host of \
             an `oltp` job, or one that a link of a mirror or a cluster ends at",
        ),
        (
            ["{at: 1m, cut: llt, from: far}", "{at: 2m, cut: llt}"],
            "15: events.1.cut: `llt` has been down from far to near since 1m",
        ),
        (
            [
                "{at: 1m, cut: llt, from: far}",
                "{at: 2m, restore: llt, from: near}",
            ],
            "15: events.1.restore: `llt` is not down from near to far at 2m",
        ),
        (
            ["{at: 1m, fail: far}", "{at: 2m, restore: llt}"],
            "15: events.1.restore: `llt` is not down at 2m",
        ),
        (
            ["{at: 1m, fail: far}", "{at: 2m, return: z2}"],
            "15: events.1.return: `z2` is not down at 2m",
        ),
        (
            ["{at: 1m, grow: data, by: {type: gp3, size: 9GiB}}", ""],
            "14: events.0.grow: a mirror cannot grow; expected a volume, a stripe or a linear \
             device",
        ),
    ];
    for (events, expected) in wrong {
        let events: Vec<_> = events.into_iter().filter(|it| !it.is_empty()).collect();
        assert_eq!(
            with(&events).as_deref(),
            Some(format!("b.yaml:{expected}").as_str())
        );
    }
}

/// All members of a journal's mirror handle packets, those that nobody waits for too; an arbiter is
/// asked in no time. What a host without `cpu` on its links has to do takes none either.
#[test]
fn hosts_of_mirrors_may_be_slow_and_arbiters_may_not() {
    let path = concat!(
        env!("CARGO_MANIFEST_DIR"),
        "/../../scenarios/examples/iris-mirror.yaml"
    );
    let text = std::fs::read_to_string(path).unwrap();
    // A link of the same name would be meant.
    let text = text.replace("far: {between", "wan: {between");
    let text = text.replace("far: {link: far", "far: {link: wan");
    let with = |host: &str, cost: &str| {
        let sets = [
            format!("events=[{{at: 5s, degrade: {host}, to: 10%, for: 5s}}]"),
            format!("links.wan.cpu={cost}"),
        ];
        let loaded = load(&text, "b.yaml", &sets).unwrap();
        loaded.resolve().map(|resolved| resolved.notices)
    };
    for host in ["primary", "backup", "far"] {
        let notices = with(host, "null").unwrap();
        let said = format!(
            "events.0.degrade: packets cost `{host}` no time at any speed, as its links have no \
             `cpu`"
        );
        assert!(notices.contains(&said), "{notices:?}");
        let cost = "{per_packet: 5us}";
        assert_eq!(with(host, cost).unwrap().contains(&said), host == "backup");
    }
    let error = with("witness", "null").unwrap_err().to_string();
    let said = "events.0.degrade: `witness` has nothing to do that is slow then";
    assert!(error.contains(said), "{error}");
}
