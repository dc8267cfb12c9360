//! The commonest mistakes in a scenario, and the messages that users get.
//!
//! Each is one edit of a valid scenario. The whole message is compared, since
//! its wording is part of the interface.

use blockyard_scenario::load;

const GOOD: &str = "\
name: B.080
as_of: 2022-11-10
seed: 1
duration: 30m
host: {instance: r5n.24xlarge}
storage:
  data:
    stripe: {chunk: 4MiB, width: 5}
    of: {type: gp3, size: 400GiB, iops: 16000, throughput: 1000MiB/s}
workload:
  readers: {kind: ranread, on: data, file_size: 700GiB, processes: [10, 20, 30, 40, 50]}
";

/// (what is replaced, with what, the message after `b080.yaml:`).
const MISTAKES: &[(&str, &str, &str)] = &[
    // Keys.
    (
        "iops:",
        "iop:",
        "9: storage.data.of.iop: unknown key; did you mean `iops`?",
    ),
    (
        "type: gp3",
        "typ: gp3",
        "9: storage.data.of.typ: unknown key; did you mean `type`?",
    ),
    (
        "stripe:",
        "strip:",
        "8: storage.data.strip: unknown key; did you mean `stripe`?",
    ),
    (
        "workload:",
        "workloads:",
        "10: workloads: unknown key; did you mean `workload`?",
    ),
    (
        "width: 5",
        "width: 5, depth: 4",
        "8: storage.data.stripe.depth: unknown key; known are `chunk`, `width`",
    ),
    (
        "on: data",
        "true: data",
        "11: workload.readers.true: unknown key; programs that write YAML 1.1, such as PyYAML, read \
         `on` as true and write it so; expected `on`, or `\"on\"`, which such programs keep",
    ),
    (
        "B.080",
        "\"a\\u2028b/\"",
        "1: name: `a b/` is not a name; expected up to 100 characters without `/`, `\\` or a first `.`",
    ),
    (
        "duration: 30m\n",
        "",
        "1: duration: missing or 0; expected at least the interval of 1s",
    ),
    (
        "  data:\n",
        "  host:\n",
        "7: storage.host: no device can be called `host`: results call the instance so",
    ),
    (
        "seed: 1",
        "seed: 1\nseed: 2",
        "4: key `seed` stands here a second time",
    ),
    (
        "seed: 1",
        "repeats: 20000",
        "3: repeats: `20000` is too many; expected at most 10000",
    ),
    // Times.
    (
        "duration: 30m",
        "duration: 1800500ms",
        "4: duration: `1800.5s` is not a multiple of the interval of 1s",
    ),
    (
        "seed: 1",
        "interval: 700ms",
        "3: interval: `700ms` is neither whole seconds nor a whole part of one",
    ),
    // Kinds and shapes.
    (
        "kind: ranread",
        "kind: ranreed",
        "11: workload.readers.kind: `ranreed` is not known; did you mean `ranread`?",
    ),
    (
        "kind: ranread, ",
        "",
        "11: workload.readers: `kind` is missing; expected one of `ranread`, `ranwrite`, `access_spec`, `oltp`, `demand`, `replay`",
    ),
    // Names of earlier versions.
    (
        "{instance: r5n.24xlarge}",
        "{instance: r5n.24xlarge, discipline: queues}",
        "5: host.discipline: `queues` is not known; it is called `per_submitter` now",
    ),
    (
        "{instance: r5n.24xlarge}",
        "r5n.24xlarge",
        "5: host: expected a map of `instance`, `burst_balance`, `discipline`, `network`, `latency_factor`, `zone`, found `r5n.24xlarge`",
    ),
    (
        "{type: gp3, size: 400GiB, iops: 16000, throughput: 1000MiB/s}",
        "gp3",
        "9: storage.data.of: expected a map with one of the keys `stripe`, `linear`, `mirror`, `type`, found `gp3`",
    ),
    (
        "file_size: 700GiB,",
        "file_size: 700GiB, skew: {zipff: 1.1},",
        "11: workload.readers.skew.zipff: unknown key; did you mean `zipf`?",
    ),
    // Flushes and read-ahead.
    (
        "kind: ranread, on: data, file_size: 700GiB,",
        "kind: access_spec, on: data, file_size: 700GiB, pattern: {size: 8KiB, read: 0%, random: 0%}, file_system: xfs,",
        "11: workload.readers.file_system: `xfs` makes no difference without fsyncs; expected `fsync_every` too",
    ),
    (
        "kind: ranread, on: data, file_size: 700GiB,",
        "kind: access_spec, on: data, file_size: 700GiB, pattern: {size: 8KiB, read: 0%, random: 0%}, fsync_every: 1, file_system: ext3,",
        "11: workload.readers.file_system: no file system is called `ext3`; did you mean `ext4`?",
    ),
    (
        "kind: ranread, on: data, file_size: 700GiB,",
        "kind: access_spec, on: data, file_size: 700GiB, pattern: {size: 8KiB, read: 100%, random: 0%}, fsync_every: 1,",
        "11: workload.readers.fsync_every: the pattern has no writes to be made durable; expected `read` below 100%",
    ),
    (
        "kind: ranread, on: data, file_size: 700GiB,",
        "kind: access_spec, on: data, file_size: 700GiB, pattern: {size: 8KiB, read: 0%, random: 0%}, read_ahead: 128KiB,",
        "11: workload.readers.read_ahead: only sequential reads are read ahead; expected a pattern with `read: 100%` and `random: 0%`",
    ),
    (
        "kind: ranread, on: data, file_size: 700GiB,",
        "kind: access_spec, on: data, file_size: 700GiB, pattern: {size: 8KiB, read: 100%, random: 0%}, read_ahead: 100KiB,",
        "11: workload.readers.read_ahead: `100KiB` is no multiple of the pattern's size of 8KiB",
    ),
    (
        "kind: ranread, on: data, file_size: 700GiB,",
        "kind: access_spec, on: data, file_size: 700GiB, pattern: {size: 8KiB, read: 100%, random: 0%}, outstanding: 4, read_ahead: 128KiB,",
        "11: workload.readers.outstanding: a process that reads through the page cache reads one block after another; expected no `outstanding`",
    ),
    (
        "kind: ranread, on: data, file_size: 700GiB,",
        "kind: access_spec, on: data, file_size: 700GiB, pattern: {size: 8KiB, read: 100%, random: 0%}, read_ahead: 128KiB, think_time: 1ms,",
        "11: workload.readers.think_time: a process that thinks has no `read_ahead`; expected one of the two",
    ),
    // Quantities.
    (
        "file_size: 700GiB,",
        "file_size: 700GiB, skew: {zipf: 11},",
        "11: workload.readers.skew.zipf: `11` is not an exponent; expected a number from 0.01 to 10, to three decimals, as in `1.1`",
    ),
    (
        "30m",
        "30 parsecs",
        "4: duration: `30 parsecs` is not a duration; expected a number with h, m, s, ms, us or ns, as in `30m`",
    ),
    (
        "30m",
        "30",
        "4: duration: `30` has no unit; expected a number with h, m, s, ms, us or ns, as in `30m`",
    ),
    (
        "400GiB",
        "400GB",
        "9: storage.data.of.size: `400GB` is not a size; write `400GiB`",
    ),
    (
        "400GiB",
        "-1GiB",
        "9: storage.data.of.size: `-1GiB` is negative; expected a size as in `400GiB`",
    ),
    (
        "400GiB",
        "0GiB",
        "9: storage.data.of.size: `0GiB` is zero; expected a size as in `400GiB`",
    ),
    (
        "1000MiB/s",
        "1000MB/s",
        "9: storage.data.of.throughput: `1000MB/s` is not a throughput; write `1000MiB/s`",
    ),
    (
        "16000",
        "16k",
        "9: storage.data.of.iops: `16k` is not a whole number; expected digits only, as in `16000`",
    ),
    (
        "16000",
        "\"16000\"",
        "9: storage.data.of.iops: \"16000\" is text; expected a whole number without quotes",
    ),
    (
        "width: 5",
        "width: 0",
        "8: storage.data.stripe.width: `0` is not allowed; expected at least 1",
    ),
    (
        "2022-11-10",
        "2022-13-10",
        "2: as_of: `2022-13-10` is not a date: there is no month 13",
    ),
    // YAML.
    (
        "  data:",
        "\tdata:",
        "7: a tab indents this line; YAML is indented with spaces",
    ),
    (
        "seed: 1",
        "seed:1",
        "4: not valid YAML: this line or the one before is no `key: value`; is the space after the colon missing?",
    ),
    (
        "50]",
        "50",
        "11: not valid YAML: a `[` is not closed, or a comma is missing",
    ),
    (
        "B.080",
        "B: 080",
        "1: not valid YAML: a `: ` where no key can stand; is the indentation wrong, or a value to be quoted?",
    ),
    (
        "seed: 1",
        "seed: &a 1",
        "3: anchors (`&name`) are not supported",
    ),
    // Fields that contradict each other.
    (
        "30m",
        "30m\nwarmup: 40m",
        "5: warmup: `40m` leaves nothing of the duration of 30m",
    ),
    (
        "30m",
        "0s",
        "4: duration: missing or 0; expected at least the interval of 1s",
    ),
    (
        "name: B.080",
        "name: b/080",
        "1: name: `b/080` is not a name; expected up to 100 characters without `/`, `\\` or a first `.`",
    ),
    (
        "30m",
        "30m\ngoals: reader.iops > 5",
        "5: goals.0: no job is called `reader`; did you mean `readers`?",
    ),
    (
        "30m",
        "30m\ngoals: [readers.iops > 5, readers.latency.p98 < 2ms]",
        "5: goals.1: no figure is called `latency.p98`; did you mean `latency.p95`?",
    ),
    (
        "30m",
        "30m\ngoals: readers.p99 < 2ms",
        "5: goals.0: no figure is called `p99`; did you mean `latency.p99`?",
    ),
    // Rules of the catalog and the storage.
    (
        "gp3",
        "Premium_LRS",
        "9: storage.data.of.type: no volume type is called `Premium_LRS`; it is Azure's; \
         so far only AWS's EBS and EC2 are modelled",
    ),
    (
        "gp3",
        "gp4",
        "9: storage.data.of.type: no volume type is called `gp4`; did you mean `gp2`?",
    ),
    (
        "r5n.24xlarge",
        "r5n.24xlrage",
        "5: host.instance: no instance type is called `r5n.24xlrage`; did you mean `r5n.24xlarge`?",
    ),
    (
        "16000",
        "20000",
        "9: storage.data.of.iops: gp3 allows 3,000 to 16,000 IOPS on 2022-11-10 (rule of 2020-12-03 to 2025-09-29, EC2 user guide 2023-05-11); 20,000 needs as_of 2025-09-30 or later",
    ),
    (
        "4MiB",
        "3MiB",
        "8: storage.data.stripe.chunk: `3MiB` is no chunk; expected a power of two from 4KiB",
    ),
    (
        "700GiB",
        "3TiB",
        "11: workload.readers.file_size: a file of 3TiB does not fit the device `data` of 2000GiB",
    ),
    (
        "on: data",
        "on: dta",
        "11: workload.readers.on: no device is called `dta`; did you mean `data`?",
    ),
    (
        ", processes: [10, 20, 30, 40, 50]",
        "",
        "11: workload.readers: no load; expected one of `processes`, `rate`, `schedule`",
    ),
    (
        "30m",
        "3s",
        "11: workload.readers.processes: 5 steps do not fit a duration of 3s: expected each to be whole intervals of 1s",
    ),
];

/// (`--set`, the message).
const SETS: &[(&str, &str)] = &[
    ("seed", "--set: `seed` has no `=`; expected path=value"),
    (
        "storage.data.of.iop=5",
        "--set: storage.data.of.iop: unknown key; did you mean `iops`?",
    ),
    (
        "seed.x=5",
        "--set: seed: `1` is a plain value; `x` cannot be set within it",
    ),
    (
        "workload.readers.processes.9=5",
        "--set: workload.readers.processes: a list of 5; expected an index from 0 to 5, not `9`",
    ),
    (
        "storage.dta.of.iops=5",
        "--set: storage.dta: expected a map with one of the keys `stripe`, `linear`, `mirror`, `type`; \
         did you mean `storage.data.of.iops`?",
    ),
    (
        "iops=5",
        "--set: iops: unknown key; did you mean `storage.data.of.iops`?",
    ),
    (
        "workload.reader.processes=5",
        "--set: workload.reader: `kind` is missing; expected one of `ranread`, `ranwrite`, \
         `access_spec`, `oltp`, `demand`, `replay`; did you mean `workload.readers.processes`?",
    ),
    (
        "workload.readers.rate=5/s",
        "b080.yaml:11: workload.readers: more than one load; expected one of `processes`, `rate`, \
         `schedule`; `--set workload.readers.processes=null` removes one",
    ),
    (
        "duration=[",
        "--set: duration: not valid YAML: while parsing a node, did not find expected node content",
    ),
];

fn message(text: &str, sets: &[&str]) -> String {
    let sets: Vec<String> = sets.iter().map(|&set| set.to_owned()).collect();
    match load(text, "b080.yaml", &sets).and_then(|loaded| loaded.resolve()) {
        Ok(_) => "no error".to_owned(),
        Err(error) => error.to_string(),
    }
}

#[test]
fn the_scenario_without_a_mistake_resolves() {
    assert_eq!(message(GOOD, &[]), "no error");
}

#[test]
fn each_mistake_has_its_message() {
    for (right, wrong, expected) in MISTAKES {
        let text = GOOD.replacen(right, wrong, 1);
        assert_ne!(text, GOOD, "{right} is not in the scenario");
        assert_eq!(message(&text, &[]), format!("b080.yaml:{expected}"));
    }
}

#[test]
fn each_wrong_set_has_its_message() {
    for (set, expected) in SETS {
        assert_eq!(message(GOOD, &[set]), *expected);
    }
}

#[test]
fn documents_that_are_no_scenario_at_all() {
    let cases = [
        (
            "",
            "b080.yaml:1: the document is empty; expected a map such as `name: …`",
        ),
        (
            "5",
            "b080.yaml:1: expected a map such as `name: …` at the top level, found `5`",
        ),
        (
            "a: 1\n---\nb: 2",
            "b080.yaml:2: a second document begins; expected one",
        ),
        (
            "? [a]\n: b",
            "b080.yaml:1: a key must be a plain word, not a list or map",
        ),
    ];
    for (text, expected) in cases {
        assert_eq!(message(text, &[]), expected);
    }
    let deep = format!("a:\n{}x", "- ".repeat(100));
    assert_eq!(message(&deep, &[]), "b080.yaml:2: more than 64 levels");
    let long = "a".repeat(5 << 20);
    assert_eq!(
        message(&long, &[]),
        "b080.yaml:1: 5242880 bytes; expected at most 4194304"
    );
}

/// What would take more memory than machines have is told by the field, before it is taken.
#[test]
fn too_many_jobs_or_load_steps_are_refused() {
    let refused = |text: &str| load(text, "t.yaml", &[]).unwrap_err().to_string();
    let jobs = |count: usize, processes: &str| {
        let job = "{kind: ranread, on: data, file_size: 1GiB, processes: ";
        let jobs: String = (0..count)
            .map(|n| format!("  j{n}: {job}{processes}}}\n"))
            .collect();
        format!(
            "{}workload:\n{jobs}",
            GOOD.split("workload:").next().unwrap()
        )
    };
    assert!(load(&jobs(1000, "1"), "t.yaml", &[]).is_ok());
    assert_eq!(
        refused(&jobs(1001, "1")),
        "t.yaml:10: workload: 1001 jobs; expected 1 to 1000"
    );
    let steps = |count| format!("[{}]", ["1"].repeat(count).join(", "));
    assert!(load(&jobs(2, &steps(5000)), "t.yaml", &[]).is_ok());
    let said = "of all jobs, as each has histograms of its own";
    assert_eq!(
        refused(&jobs(2, &steps(5001))),
        format!("t.yaml:12: workload.j1: 5001 of 10002 load steps; expected at most 10000 {said}")
    );
}
