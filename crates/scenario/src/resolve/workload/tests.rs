//! Jobs on two hand-made devices, `data` of 100 GiB and `log` of 10 GiB.

use blockyard_catalog::Catalog;
use blockyard_model::spec::{DeviceSpec, HostSpec, Layout, StorageSpec};
use blockyard_model::units::{GIB, KIB, MIB, SECOND};
use blockyard_model::workload::spec::{Arrivals, JobSpec, Load, Preference, Region, Skew};
use blockyard_text::tree::{from_node, parse};

use super::jobs;

fn resolve(workload: &str) -> Result<Vec<JobSpec>, String> {
    let text = format!(
        "name: t\nduration: 10s\nstorage: {{data: {{type: gp3}}}}\nworkload: {{{workload}}}"
    );
    let node = parse(&text, "t.yaml").unwrap();
    let scenario = from_node(&node).map_err(|e| e.to_string())?;
    let device = |name: &str, size| DeviceSpec {
        name: name.to_owned(),
        size,
        layout: Layout::Volume(0),
    };
    let storage = StorageSpec {
        hosts: vec![HostSpec::unnamed()],
        volumes: Vec::new(),
        devices: vec![device("data", 100 * GIB), device("log", 10 * GIB)],
        links: Vec::new(),
    };
    let catalog = Catalog::get().unwrap();
    jobs(
        &scenario,
        &storage,
        &crate::Zones::default(),
        catalog,
        &mut super::OfJobs::default(),
    )
    .map_err(|e| format!("{}: {}", e.path, e.message))
}

fn wrong(workload: &str) -> String {
    resolve(workload).unwrap_err()
}

fn load(job: &JobSpec) -> &Load {
    match job {
        JobSpec::Access(job) => &job.load,
        JobSpec::RanWrite(_) | JobSpec::Oltp(_) | JobSpec::Demand(_) | JobSpec::Replay(_) => {
            panic!("an access job was expected")
        }
    }
}

#[test]
fn a_list_of_loads_is_equal_steps() {
    let jobs = resolve("r: {kind: ranread, on: data, file_size: 1GiB, processes: [1, 2, 3, 4, 5]}");
    let steps = (0..5)
        .map(|step| (2 * SECOND * step, step as u32 + 1))
        .collect();
    let expected = Load::Closed {
        steps,
        outstanding: 1,
    };
    assert_eq!(load(&jobs.unwrap()[0]), &expected);
}

#[test]
fn a_schedule_may_be_open_and_rest() {
    let jobs = resolve(
        "r: {kind: access_spec, on: log, file_size: 1GiB, pattern: 4k-random-read, arrivals: even, \
         latency_limit: 5ms, schedule: [{at: 0s, rate: 100/s}, {at: 4s, rate: 0/s}]}",
    );
    let expected = Load::Open {
        steps: vec![(0, 100), (4 * SECOND, 0)],
        arrivals: Arrivals::Even,
        max_outstanding: 1024,
        latency_limit: Some(5_000_000),
    };
    assert_eq!(load(&jobs.unwrap()[0]), &expected);
}

#[test]
fn files_lie_one_after_another_on_whole_mebibytes() {
    let jobs = resolve(
        "a: {kind: ranread, on: data, file_size: 1000KiB, block: 16KiB, processes: 1}, \
         b: {kind: ranwrite, on: {data: data, wij: log, journal: log}, file_size: 50GiB, \
             cache: 1GiB, processes: 1}",
    )
    .unwrap();
    let region = |device, offset, size| Region {
        device,
        offset,
        size,
    };
    let [JobSpec::Access(a), JobSpec::RanWrite(b)] = jobs.as_slice() else {
        panic!("two jobs were expected");
    };
    assert_eq!(a.file, region(0, 0, 992 * KIB));
    assert_eq!(b.data, region(0, MIB, 50 * GIB));
    assert_eq!(b.wij, region(1, 0, GIB));
    assert_eq!(b.journal, region(1, GIB, GIB));
    assert_eq!(b.dirty_limit, GIB / 4 / (8 * KIB));
}

#[test]
fn asyncwij_of_1_and_2_both_mean_2() {
    for (asyncwij, outstanding) in [(0, 1), (1, 2), (2, 2), (16, 16)] {
        let jobs = resolve(&format!(
            "w: {{kind: ranwrite, on: data, file_size: 1GiB, cache: 1GiB, processes: 1, \
                 wij: {{asyncwij: {asyncwij}}}}}"
        ));
        let Ok([JobSpec::RanWrite(job)]) = jobs.as_deref() else {
            panic!("one ranwrite job was expected");
        };
        assert_eq!(job.wij_outstanding, outstanding);
    }
}

#[test]
fn skew_is_uniform_zipf_or_hot_and_scattered_unless_stated() {
    let zipf = Preference::Zipf { permille: 1100 };
    let hot = Preference::Hot {
        ios_permille: 900,
        blocks_permille: 125,
    };
    let skewed = |preference, scatter| Skew {
        preference,
        scatter,
    };
    for (text, expected) in [
        ("", Skew::NONE),
        ("skew: {zipf: 1.1},", skewed(zipf, true)),
        ("skew: {zipf: 1.1, scatter: false},", skewed(zipf, false)),
        ("skew: {hot: {ios: 90%, blocks: 12.5%}},", skewed(hot, true)),
    ] {
        for kind in ["ranread", "access_spec, pattern: 4k-random-read"] {
            let job =
                format!("r: {{kind: {kind}, on: data, file_size: 1GiB, {text} processes: 1}}");
            match &resolve(&job).unwrap()[0] {
                JobSpec::Access(job) => assert_eq!(job.skew, expected, "{text}"),
                JobSpec::RanWrite(_)
                | JobSpec::Oltp(_)
                | JobSpec::Demand(_)
                | JobSpec::Replay(_) => {
                    panic!("an access job was expected")
                }
            }
        }
    }
}

#[test]
fn what_does_not_hold_together_is_refused() {
    let read = |rest: &str| format!("r: {{kind: ranread, {rest}}}");
    let write = |rest: &str| {
        format!("w: {{kind: ranwrite, on: data, file_size: 1GiB, processes: 1, {rest}}}")
    };
    let cases = [
        (
            read("on: dta, file_size: 1GiB, processes: 1"),
            "workload.r.on: no device is called `dta`; did you mean `data`?",
        ),
        (
            read("on: log, file_size: 20GiB, processes: 1"),
            "workload.r.file_size: a file of 20GiB does not fit the device `log` of 10GiB",
        ),
        (
            format!("{}, {}", read("on: log, file_size: 6GiB, processes: 1"), read("on: log, file_size: 6GiB, processes: 1").replacen('r', "s", 1)),
            "workload.s.file_size: with this file the files on the device `log` take 12GiB; it has 10GiB",
        ),
        (
            read("on: data, file_size: 4KiB, processes: 1"),
            "workload.r.file_size: a file of 4KiB holds no block of 8KiB",
        ),
        (
            write("cache: 1GiB, journal: {file_size: 4KiB}"),
            "workload.w.journal.file_size: a file of 4KiB is smaller than a buffer of 64KiB",
        ),
        (
            write("cache: 1GiB, journal: {buffer: 8MiB, file_size: 1MiB}"),
            "workload.w.journal.file_size: a file of 1MiB is smaller than a buffer of 8MiB",
        ),
        (
            write("cache: 1GiB, wij: {file_size: 4KiB}"),
            "workload.w.wij.file_size: a file of 4KiB is smaller than a write of 256KiB",
        ),
        (
            read("on: data, file_size: 1GiB, block: 1000B, processes: 1"),
            "workload.r.block: an IO of 1000B is not possible; expected a multiple of 512B up to 64MiB",
        ),
        (
            read("on: data, file_size: 1GiB"),
            "workload.r: no load; expected one of `processes`, `rate`, `schedule`",
        ),
        (
            read("on: data, file_size: 1GiB, processes: 1, rate: 5/s"),
            "workload.r: more than one load; expected one of `processes`, `rate`, `schedule`; \
             `--set workload.r.processes=null` removes one",
        ),
        (
            read("on: data, file_size: 1GiB, processes: []"),
            "workload.r.processes: an empty list; expected at least one step",
        ),
        (
            read("on: data, file_size: 1GiB, processes: [1,2,3,4,5,6,7,8,9,10,11]"),
            "workload.r.processes: 11 steps do not fit a duration of 10s: expected each to be whole intervals of 1s",
        ),
        (
            read("on: data, file_size: 1GiB, processes: 2000000"),
            "workload.r: 2000000 IOs in flight; expected at most 1000000",
        ),
        (
            read("on: data, file_size: 1GiB, processes: 1, arrivals: even"),
            "workload.r.arrivals: `arrivals` belongs to an open loop, which has a `rate`",
        ),
        (
            read("on: data, file_size: 1GiB, schedule: [{at: 1s, processes: 1}]"),
            "workload.r.schedule.0.at: `1s` is too late for the first step; expected `0s`",
        ),
        (
            read("on: data, file_size: 1GiB, schedule: [{at: 0s, processes: 1}, {at: 0s, processes: 2}]"),
            "workload.r.schedule.1.at: `0s` does not come after the step before, at 0s",
        ),
        (
            read("on: data, file_size: 1GiB, schedule: [{at: 0s, processes: 1}, {at: 10s, processes: 2}]"),
            "workload.r.schedule.1.at: `10s` is not within the duration of 10s",
        ),
        (
            read("on: data, file_size: 1GiB, schedule: [{at: 0s, processes: 1}, {at: 5s, rate: 2/s}]"),
            "workload.r.schedule.1: expected one of `processes` and `rate`, the same one in all steps",
        ),
        (
            "a: {kind: access_spec, on: data, file_size: 1GiB, pattern: 4k-random-raed, processes: 1}".to_owned(),
            "workload.a.pattern: no pattern is called `4k-random-raed`; did you mean `4k-random-read`?",
        ),
        (
            read("on: data, file_size: 1GiB, processes: 1, skew: {scatter: false}"),
            "workload.r.skew: expected one of `zipf` and `hot`",
        ),
        (
            read("on: data, file_size: 1GiB, processes: 1, skew: {zipf: 1, hot: {ios: 90%, blocks: 10%}}"),
            "workload.r.skew: expected one of `zipf` and `hot`",
        ),
        (
            read("on: data, file_size: 1GiB, processes: 1, skew: {hot: {ios: 90%, blocks: 0%}}"),
            "workload.r.skew.hot.blocks: `0%` is no share; expected from 0.1% to 100%",
        ),
        (
            write("cache: 8KiB"),
            "workload.w.dirty_limit: 25% of a cache of 8KiB is less than one block of 8KiB",
        ),
        (
            write("cache: 1GiB, updates: 0/s"),
            "workload.w.updates: `0/s` updates nothing; expected at least `1/s` (0 processes rest)",
        ),
        (
            write("cache: 1GiB, wij: {asyncwij: 2000}"),
            "workload.w.wij.asyncwij: `2000` is too large; expected at most 1024",
        ),
        (
            write("cache: 1GiB, journal: {record: 1MiB}"),
            "workload.w.journal.record: a record of 1MiB does not fit the buffer of 64KiB",
        ),
    ];
    for (workload, message) in cases {
        assert_eq!(wrong(&workload), message, "{workload}");
    }
}
