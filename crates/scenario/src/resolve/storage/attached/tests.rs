//! Two hosts: what is attached to which, and the messages for mistakes.

use crate::load;
use crate::resolve::Resolved;

const TWO: &str = "\
name: two
duration: 1s
hosts:
  primary: {instance: r5b.24xlarge, zone: us-east-1a}
  backup: {instance: m5.large, discipline: per_direction, zone: us-east-1b}
zones: {within: 0.25ms, round_trip: {us-east-1a/us-east-1b: 1.16ms}}
storage:
  data: {stripe: {chunk: 64KiB, width: 2}, of: {type: gp3, size: 100GiB}}
  copy: {host: backup, stripe: {chunk: 64KiB, width: 2}, of: {type: gp3, size: 100GiB}}
  log: {linear: [{type: gp3, size: 1GiB, host: backup}, {type: gp3, size: 1GiB}]}
workload:
  here: {kind: ranread, on: data, file_size: 1GiB, processes: 1}
  there: {kind: ranread, on: copy, file_size: 1GiB, processes: 1, host: backup}
";

fn resolve(text: &str) -> Result<Resolved, String> {
    let loaded = load(text, "two.yaml", &[]).map_err(|error| error.to_string())?;
    loaded.resolve().map_err(|error| error.to_string())
}

#[test]
fn volumes_are_attached_where_their_device_says_or_to_the_first_host() {
    let resolved = resolve(TWO).unwrap();
    let attached: Vec<_> = resolved.storage.volumes.iter().map(|it| it.host).collect();
    assert_eq!(attached, [0, 0, 1, 1, 1, 1]);
    let hosts: Vec<_> = resolved.storage.hosts.iter().collect();
    let names: Vec<_> = hosts.iter().map(|host| host.name.as_str()).collect();
    assert_eq!(names, ["primary", "backup"]);
    let owners = resolved.limits.iter().map(|limit| limit.owner.as_str());
    let mut owners: Vec<_> = owners.collect();
    owners.dedup();
    assert_eq!(
        owners,
        [
            "primary", "backup", "data.0", "data.1", "copy.0", "copy.1", "log.0", "log.1"
        ]
    );
    // 260,000 IOPS of the one; 3,600 and credits of the other.
    assert!(hosts[0].limits[0].rate > 10 * hosts[1].limits[0].rate);
}

#[test]
fn one_host_of_several_is_the_same_as_a_single_one() {
    let text = "{name: s, duration: 1s, HOSTS, storage: {data: {type: gp2, size: 9GiB}}}";
    let of = |hosts| resolve(&text.replace("HOSTS", hosts)).unwrap().storage;
    let single = of("host: {instance: m5.large, burst_balance: 10%}");
    let mut named = of("hosts: {primary: {instance: m5.large, burst_balance: 10%}}");
    named.hosts[0].name.clone_from(&single.hosts[0].name);
    assert_eq!(named, single);
}

#[test]
fn each_mistake_has_its_message() {
    let mistakes = [
        (
            "hosts:",
            "host: {instance: m5.large}\nhosts:",
            "4: hosts: given beside `host`; expected one of them: `host` is a single instance",
        ),
        (
            "instance: m5.large,",
            "instance: m5.lage,",
            "5: hosts.backup.instance: no instance type is called `m5.lage`; did you mean `m5.large`?",
        ),
        (
            "  backup: {",
            "  host: {",
            "5: hosts.host: no host of several can be called `host`",
        ),
        (
            "  backup: {",
            "  data: {",
            "5: hosts.data: a device is called `data` too; expected different names, as results have both",
        ),
        (
            "  backup: {",
            "  back up: {",
            "5: hosts.back up: `back up` is no name for a host; expected letters, digits, `_` and `-`",
        ),
        (
            "zone: us-east-1b",
            "zone: us/east",
            "5: hosts.backup.zone: `us/east` is no name for a zone; expected letters, digits, `_` and `-`",
        ),
        (
            "copy: {host: backup",
            "copy: {host: bakup",
            "9: storage.copy.host: no host is called `bakup`; did you mean `backup`?",
        ),
        (
            "{type: gp3, size: 1GiB}]",
            "{type: gp3, size: 1GiB, host: primary}]",
            "10: storage.log.linear.1.host: `primary`, beside volumes of the same device on `backup`; \
             expected one host for all volumes of a device",
        ),
        (
            "processes: 1, host: backup}",
            "processes: 1, host: bakup}",
            "13: workload.there.host: no host is called `bakup`; did you mean `backup`?",
        ),
        (
            "processes: 1, host: backup}",
            "processes: 1, host: primary}",
            "13: workload.there.host: `primary`, but its device `copy` is attached to `backup`; \
             expected `backup`, or a device of `primary`",
        ),
        (
            "here: {kind: ranread, on: data",
            "here: {kind: ranwrite, cache: 1GiB, on: {data: data, wij: log, journal: data}",
            "12: workload.here.on: `data` is attached to `primary` and `log` to `backup`; expected \
             devices of one host",
        ),
        (
            "us-east-1a/us-east-1b",
            "us-east-1a/us-east-1c",
            "6: zones.round_trip.us-east-1a/us-east-1c: no host is in a zone `us-east-1c`; did you \
             mean `us-east-1a`?",
        ),
        (
            "us-east-1a/us-east-1b",
            "us-east-1b/us-east-1b",
            "6: zones.round_trip.us-east-1b/us-east-1b: `us-east-1b/us-east-1b` is one zone; the time \
             between two hosts in a zone is `zones.within`",
        ),
        (
            "us-east-1a/us-east-1b",
            "us-east-1b",
            "6: zones.round_trip.us-east-1b: `us-east-1b` is no pair of zones; expected two zones \
             with a slash between, as in `us-east-1a/us-east-1b`",
        ),
        (
            "1.16ms}",
            "1.16ms, us-east-1a/us-east-1b: 1ms}",
            "6: key `us-east-1a/us-east-1b` stands here a second time",
        ),
    ];
    for (right, wrong, expected) in mistakes {
        let text = TWO.replacen(right, wrong, 1);
        assert_ne!(text, TWO, "{right} is not in the scenario");
        assert_eq!(resolve(&text).unwrap_err(), format!("two.yaml:{expected}"));
    }
}

#[test]
fn what_only_several_hosts_can_have_is_refused_without() {
    let text = "{name: s, duration: 1s, storage: {data: {type: gp2, size: 9GiB MORE}} ZONES}";
    let of = |more, zones| {
        let text = text.replace("MORE", more).replace("ZONES", zones);
        resolve(&text).unwrap_err()
    };
    assert_eq!(
        of(", host: primary", ""),
        "two.yaml:1: storage.data.host: `primary`: the scenario names no hosts; expected `hosts`"
    );
    assert_eq!(
        of("", ", zones: {within: 1ms}"),
        "two.yaml:1: zones: no host says which zone it is in; expected `zone` beside `instance`"
    );
}

#[test]
fn what_is_assumed_of_a_host_is_assumed_of_its_own_devices() {
    let text = "
name: s
duration: 1s
hosts: {a: {instance: t2.large}, b: {instance: m5.large}}
storage: {one: {type: gp3, size: 9GiB}, two: {type: gp3, size: 9GiB, host: b}}
";
    let found = resolve(text).unwrap().rests_on;
    let assumed = |device: &str| {
        let of_device = found.iter().find(|one| one.device == device);
        of_device.unwrap().assumed_limits.clone()
    };
    assert_eq!(
        assumed("one"),
        ["no published limit for t2.large; none is applied"]
    );
    assert!(assumed("two").is_empty());
}

#[test]
fn local_disks_and_quotas_count_per_host_and_over_all() {
    let text = "
name: s
duration: 1s
hosts: {a: {instance: i3.2xlarge}, b: {instance: i3.2xlarge}}
storage: {one: {type: instance-store}, two: {type: instance-store, host: b}}
";
    // Each has one disk.
    assert!(resolve(text).is_ok());
    let error = resolve(&text.replace(", host: b", "")).unwrap_err();
    assert!(
        error.ends_with("more local disks than the 1 of `i3.2xlarge`"),
        "{error}"
    );
    let io2 = "{type: io2, size: 400GiB, iops: 20000";
    let text = text.replace("{type: instance-store", io2) + "quotas: {io2: 30000}\n";
    let error = resolve(&text).unwrap_err();
    assert!(error.contains("provision 40,000 IOPS"), "{error}");
}
