use blockyard_model::units::{GIB, MIB};
use blockyard_text::tree::{from_node, parse};

use super::*;

/// Resolves a scenario's `host`, `quotas`, `as_of` and `storage`.
fn resolve(text: &str) -> Result<Storage, (String, String)> {
    let text = format!(
        "name: t\nduration: 1m\nworkload: {{r: {{kind: ranread, on: data, file_size: 1GiB, processes: 1}}}}\n{text}"
    );
    let scenario = from_node(&parse(&text, "t.yaml").unwrap()).unwrap();
    let resolve = |scenario| {
        let zones = Zones::resolve(scenario)?;
        storage(scenario, &zones, Catalog::get().unwrap())
    };
    resolve(&scenario).map_err(|e: Invalid| (e.path, e.message))
}

fn error(text: &str) -> (String, String) {
    resolve(text).map(|_| ()).unwrap_err()
}

fn volume_names(storage: &Storage) -> Vec<&str> {
    let volumes = storage.spec.volumes.iter();
    volumes.map(|volume| volume.name.as_str()).collect()
}

/// (name, rate, depth, level, credits) of limits.
fn shape(limits: &[blockyard_model::spec::LimitSpec]) -> Vec<(&str, u64, u64, u64, bool)> {
    let shape = limits
        .iter()
        .map(|l| (l.name.as_str(), l.rate, l.depth, l.level, l.credits));
    shape.collect()
}

#[test]
fn b080s_storage_is_five_volumes_behind_one_host() {
    let storage = resolve(
        "
as_of: 2022-11-10
host: {instance: r5n.24xlarge}
storage:
  data:
    stripe: {chunk: 4MiB, width: 5}
    of: {type: gp3, size: 400GiB, iops: 16000, throughput: 1000MiB/s}
  wij: {type: gp3, size: 100GiB}
",
    )
    .unwrap();
    assert_eq!(
        volume_names(&storage),
        ["data.0", "data.1", "data.2", "data.3", "data.4", "wij"]
    );
    let volume = &storage.spec.volumes[0];
    assert_eq!(
        shape(&volume.limits),
        [
            ("iops", 16000, 16000, 16000, false),
            ("throughput", 1000 * MIB, 1000 * MIB, 1000 * MIB, false),
        ]
    );
    assert_eq!(
        (volume.io_unit, volume.whole_units, volume.behind_host),
        (256 * KIB, false, true)
    );
    assert_eq!(volume.queues, None);
    assert_eq!(
        shape(&storage.spec.hosts[0].limits),
        [
            ("iops", 80000, 80000, 80000, false),
            (
                "throughput",
                2_375_000_000,
                2_375_000_000,
                2_375_000_000,
                false
            ),
        ]
    );
    assert_eq!(storage.spec.devices[0].size, 2000 * GIB);

    let row = |owner: &str, limit: &str| {
        let found = storage
            .limits
            .iter()
            .find(|l| l.owner == owner && l.limit == limit);
        found.unwrap().clone()
    };
    let host = row("host", "throughput");
    assert_eq!(
        (host.value, host.unit.as_str(), host.depth, host.assumed),
        (Some(2375.0), "MB/s", Some(2375.0), false)
    );
    assert!(host.note.starts_with("depth inferred"), "{}", host.note);
    let volume = row("data.4", "throughput");
    assert_eq!(
        (volume.value, volume.unit.as_str(), volume.assumed),
        (Some(1000.0), "MiB/s", false)
    );
    assert_eq!(volume.source, "EC2 user guide 2023-05-11");
    assert_eq!(storage.limits.len(), 2 + 6 * 2);
}

#[test]
fn a_volume_is_served_as_its_type_is_unless_the_scenario_says_otherwise() {
    let storage = resolve(
        "
host: {instance: i3.2xlarge}
storage:
  a: {type: gp3, size: 9GiB}
  b: {type: gp3, size: 9GiB, discipline: per_submitter}
  c: {type: instance-store}
",
    )
    .unwrap();
    let disciplines: Vec<_> = storage
        .spec
        .volumes
        .iter()
        .map(|it| it.discipline)
        .collect();
    let expected = [
        Discipline::PerDirection,
        Discipline::PerSubmitter,
        Discipline::Fifo,
    ];
    assert_eq!(disciplines, expected);
    // What is inferred stands beside what it holds for, and nothing where it is the user's.
    let limits = storage.limits.iter();
    let inferred = limits.filter(|limit| limit.note.contains("; discipline inferred: "));
    let owners: Vec<_> = inferred.map(|limit| limit.owner.as_str()).collect();
    assert_eq!(owners, ["a", "a"]);
}

#[test]
fn levels_start_where_the_volume_says() {
    let storage =
        resolve("storage: {data: {type: gp2, size: 100GiB, burst_balance: 50%, tokens: 0%}}");
    assert_eq!(
        shape(&storage.unwrap().spec.volumes[0].limits),
        [
            ("iops", 3000, 3000, 0, false),
            ("iops_credits", 300, 5_400_000, 2_700_000, true),
            ("throughput", 128 * MIB, 128 * MIB, 0, false),
        ]
    );
    let storage = resolve("storage: {data: {type: st1, size: 1TiB, burst_balance: 25%}}").unwrap();
    let volume = &storage.spec.volumes[0];
    assert_eq!(
        shape(&volume.limits),
        [
            ("iops", 500, 500, 500, false),
            ("throughput", 250 * MIB, 250 * MIB, 250 * MIB, false),
            ("throughput_credits", 40 * MIB, 1 << 40, 1 << 38, true),
        ]
    );
    assert_eq!((volume.io_unit, volume.whole_units), (MIB, true));
}

#[test]
fn bursting_hosts_have_thirty_minutes_of_credits() {
    let storage = resolve(
        "host: {instance: r5.large, burst_balance: 50%}\nstorage: {data: {type: gp3, size: 9GiB}}",
    )
    .unwrap();
    let depth = (593_750_000 - 81_250_000) * 1800;
    assert_eq!(
        shape(&storage.spec.hosts[0].limits),
        [
            ("iops", 18750, 18750, 18750, false),
            ("iops_credits", 3600, 15150 * 1800, 15150 * 900, true),
            ("throughput", 593_750_000, 593_750_000, 593_750_000, false),
            ("throughput_credits", 81_250_000, depth, depth / 2, true),
        ]
    );
}

#[test]
fn a_host_without_figures_says_so() {
    let storage =
        resolve("host: {instance: t2.large}\nstorage: {data: {type: gp2, size: 5GiB}}").unwrap();
    assert!(storage.spec.hosts[0].limits.is_empty());
    let first = &storage.limits[0];
    assert_eq!(
        (first.owner.as_str(), first.value, first.assumed),
        ("host", None, true)
    );
    assert_eq!(
        first.note,
        "no published limit for t2.large; none is applied"
    );
}

#[test]
fn off_nitro_io1_reaches_32000() {
    let text = "storage: {data: {type: io1, size: 1280GiB, iops: 64000}}";
    let rates = |text: &str| {
        let storage = resolve(text).unwrap();
        let limits = &storage.spec.volumes[0].limits;
        (
            limits[0].rate,
            limits[1].rate / MIB,
            storage.limits.last().unwrap().clone(),
        )
    };
    let (iops, mib, limit) = rates(&format!("host: {{instance: r4.16xlarge}}\n{text}"));
    assert_eq!((iops, mib, limit.assumed), (32000, 500, false));
    assert!(
        limit
            .note
            .starts_with("r4.16xlarge is no Nitro instance, which reach 500MiB/s at most"),
        "{}",
        limit.note
    );
    let (iops, mib, limit) = rates(text);
    assert_eq!((iops, mib, limit.assumed), (64000, 1000, true));
}

#[test]
fn local_disks_pass_no_host_limit() {
    let storage = resolve(
        "host: {instance: i3.4xlarge}\nstorage: {data: {stripe: {chunk: 64KiB, width: 2}, of: {type: instance-store}}}",
    )
    .unwrap();
    let volume = &storage.spec.volumes[1];
    assert!(!volume.behind_host);
    assert_eq!(volume.io_unit, 256 * KIB);
    assert_eq!(
        shape(&volume.limits),
        [
            ("read_iops", 412_500, 412, 412, false),
            ("write_iops", 180_000, 180, 180, false),
            (
                "read_throughput",
                2_015_475_000,
                2_015_475,
                2_015_475,
                false
            ),
            ("write_throughput", 820_260_000, 820_260, 820_260, false)
        ]
    );
    assert_eq!(volume.queues, None);
    assert_eq!(
        error(
            "host: {instance: i3.2xlarge}\nstorage: {data: {stripe: {chunk: 64KiB, width: 2}, of: {type: instance-store}}}"
        ),
        (
            "storage.data.of.type".into(),
            "the scenario uses more local disks than the 1 of `i3.2xlarge`".into()
        )
    );
}

#[test]
fn layouts_nest() {
    let storage = resolve(
        "
storage:
  data:
    linear:
      - {type: gp2, size: 1GiB}
      - stripe: {chunk: 8KiB, width: 2}
        of: {linear: [{type: gp2, size: 2GiB}, {type: gp2, size: 3GiB}]}
",
    )
    .unwrap();
    assert_eq!(
        volume_names(&storage),
        [
            "data.0",
            "data.1.0.0",
            "data.1.0.1",
            "data.1.1.0",
            "data.1.1.1"
        ]
    );
    assert_eq!(storage.spec.devices[0].size, 11 * GIB);
    let part = |first, second| Layout::Linear {
        parts: vec![
            (Layout::Volume(first), 2 * GIB),
            (Layout::Volume(second), 3 * GIB),
        ],
    };
    let stripe = Layout::Stripe {
        chunk: 8 * KIB,
        parts: vec![part(1, 2), part(3, 4)],
    };
    let parts = vec![(Layout::Volume(0), GIB), (stripe, 10 * GIB)];
    assert_eq!(storage.spec.devices[0].layout, Layout::Linear { parts });
}

#[test]
fn a_host_that_was_measured_has_its_hardware_queues() {
    let tags = |host: &str, device: &str| {
        let text = format!("host: {{instance: {host}}}\nstorage: {{data: {device}}}");
        let storage = resolve(&text).unwrap();
        let noted = storage
            .limits
            .last()
            .unwrap()
            .note
            .contains("; 2 queues of ");
        (
            storage.spec.volumes[0].queues.map_or(0, |it| it.tags.get()),
            noted,
        )
    };
    let gp3 = "{type: gp3, size: 9GiB}";
    assert_eq!(tags("r5b.large", gp3), (63, true));
    assert_eq!(tags("t3.medium", gp3), (31, true));
    assert_eq!(tags("m5.8xlarge", gp3), (31, true));
    for unknown in ["c4.xlarge", "r5n.8xlarge", "m7i.large"] {
        assert_eq!(tags(unknown, gp3), (0, false), "{unknown}");
    }
    assert_eq!(tags("i4i.large", "{type: instance-store}"), (0, false));
}

#[test]
fn what_does_not_hold_together_is_refused_with_its_path() {
    let rows = [
        (
            "as_of: 2022-11-10\nstorage: {data: {stripe: {chunk: 4MiB, width: 5}, of: {type: gp3, size: 400GiB, iops: 20000}}}",
            "storage.data.of.iops",
            "gp3 allows 3,000 to 16,000 IOPS on 2022-11-10 (rule of 2020-12-03 to 2025-09-29, EC2 user guide 2023-05-11); 20,000 needs as_of 2025-09-30 or later",
        ),
        (
            "storage: {data: {type: gb3, size: 1GiB}}",
            "storage.data.type",
            "no volume type is called `gb3`; did you mean `gp3`?",
        ),
        (
            "storage: {data: {type: gp3, size: 1GiB, latency: zer}}",
            "storage.data.latency",
            "no latency profile is called `zer`; did you mean `zero`?",
        ),
        (
            "host: {instance: r5n.24xlarg}\nstorage: {data: {type: gp3, size: 1GiB}}",
            "host.instance",
            "no instance type is called `r5n.24xlarg`; did you mean `r5n.24xlarge`?",
        ),
        (
            "storage: {data: {stripe: {chunk: 6KiB, width: 2}, of: {type: gp3, size: 1GiB}}}",
            "storage.data.stripe.chunk",
            "`6KiB` is no chunk; expected a power of two from 4KiB",
        ),
        (
            "storage: {data: {stripe: {chunk: 2GiB, width: 2}, of: {type: gp3, size: 1GiB}}}",
            "storage.data.stripe.chunk",
            "a chunk of 2GiB is larger than the striped volumes",
        ),
        (
            "storage: {data: {linear: []}}",
            "storage.data.linear",
            "the list is empty; expected at least one device",
        ),
        (
            "storage: {data: {stripe: {chunk: 4KiB, width: 4000000000}, of: {type: gp3, size: 1GiB}}}",
            "storage.data.of",
            "more than 1,024 volumes in the scenario",
        ),
        (
            "quotas: {io1: 30000}\nstorage: {data: {stripe: {chunk: 4KiB, width: 2}, of: {type: io1, size: 400GiB, iops: 20000}}}",
            "quotas.io1",
            "the `io1` volumes provision 40,000 IOPS; the quota is 30,000",
        ),
        (
            "quotas: {gp2: 30000}\nstorage: {data: {type: gp3, size: 1GiB}}",
            "quotas.gp2",
            "`gp2` has no provisioned IOPS to check",
        ),
        (
            "quotas: {io7: 30000}\nstorage: {data: {type: gp3, size: 1GiB}}",
            "quotas.io7",
            "no volume type is called `io7`; did you mean `io1`?",
        ),
    ];
    for (text, path, message) in rows {
        assert_eq!(error(text), (path.into(), message.into()));
    }
}

#[test]
fn what_is_assumed_of_limits_stands_with_the_devices_that_they_hold() {
    let storage = resolve(
        "
host: {instance: t2.large}
storage:
  data: {stripe: {chunk: 64KiB, width: 3}, of: {type: gp3, size: 9GiB}}
  mixed: {linear: [{type: gp3, size: 9GiB}, {type: st1, size: 1TiB}, {type: gp3, size: 10GiB}]}
",
    )
    .unwrap();
    let reads = storage
        .rests_on
        .iter()
        .filter(|one| one.op == Direction::Read);
    let reads: Vec<_> = reads
        .map(|one| (&*one.device, one.profile.as_deref(), &*one.assumed_limits))
        .collect();
    let host: &[_] = &["no published limit for t2.large; none is applied".to_owned()];
    assert_eq!(
        reads,
        [
            ("data", Some("gp3"), host),
            ("mixed", Some("gp3"), host),
            ("mixed", Some("st1"), host),
        ]
    );
    assert_eq!(
        storage.rests_on[4].assumed().collect::<Vec<_>>(),
        ["latencies of mixed", "limits of mixed"]
    );
    // A disk of the host does not pass the host's limits on volumes.
    let disk = resolve(
        "host: {instance: i3.2xlarge}\nas_of: 2022-01-01\nstorage: {data: {type: instance-store}}",
    );
    let reasons = &disk.unwrap().rests_on[0].assumed_limits;
    assert!(
        !reasons
            .iter()
            .any(|reason| reason.starts_with("figures first")),
        "{reasons:?}"
    );
    let without_host = resolve("storage: {data: {type: io1, size: 1280GiB, iops: 64000}}");
    assert_eq!(
        without_host.unwrap().rests_on[0].assumed_limits,
        ["no host is stated; a Nitro instance is assumed"]
    );
}

#[test]
fn volumes_are_ordered_with_what_their_types_include() {
    let storage = resolve(
        "
host: {instance: i3.4xlarge}
storage:
  data: {stripe: {chunk: 64KiB, width: 2}, of: {type: gp3, size: 9GiB}}
  old: {type: gp2, size: 5GiB}
  local: {type: instance-store}
  free: {type: unlimited, size: 1MiB}
",
    )
    .unwrap();
    let ordered: Vec<_> = storage
        .bought
        .volumes
        .iter()
        .map(|it| {
            (
                &*it.volume_type,
                it.provisioned.iops,
                (it.provisioned.throughput).map(|it| it.bytes_per_s() / MIB),
            )
        })
        .collect();
    assert_eq!(
        ordered,
        [
            ("gp3", Some(3000), Some(125)),
            ("gp3", Some(3000), Some(125)),
            ("gp2", None, None),
            ("instance-store", None, None),
            ("unlimited", None, None),
        ]
    );
    let kinds = storage.bought.volumes.iter().map(|it| (it.local, it.sold));
    assert_eq!(
        kinds.skip(2).collect::<Vec<_>>(),
        [(false, true), (true, true), (false, false)]
    );
}
