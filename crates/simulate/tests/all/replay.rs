//! A synchronous application that is recorded on one storage and replayed by its threads on
//! another: as if it had run there.

#![allow(clippy::unwrap_used, reason = "a test fails by panicking")]

use std::fmt::Write;
use std::fs;
use std::path::Path;

use blockyard_model::random::Stream;
use blockyard_simulate::Options;

use crate::common::{Run, near, run_with};

/// Storage: how long an IO takes, and how many a second there may be.
#[derive(Clone, Copy)]
struct On {
    us: u32,
    iops: u32,
}

const RECORDED: On = On {
    us: 600,
    iops: 20_000,
};

/// Twice as fast, twice as slow, and limited below what was recorded.
const CHANGED: [On; 3] = [
    On {
        us: 300,
        iops: 20_000,
    },
    On {
        us: 1200,
        iops: 20_000,
    },
    On {
        us: 600,
        iops: 2000,
    },
];

/// Runs `job` on storage for some seconds.
fn run_on(on: On, job: &str, seconds: u32, options: Options) -> Run {
    let On { us, iops } = on;
    let quantiles = format!(
        "{{min: {}us, p50: {us}us, p90: {}us, p99: {}us, max: {}us}}",
        us * 8 / 10,
        us * 14 / 10,
        us * 3,
        us * 6
    );
    let text = format!(
        "name: replay\nduration: {seconds}s\nstorage:\n  data:\n    type: io1\n    size: 400GiB\n    \
         iops: {iops}\n    latency: {{base_size: 4KiB, per_kib: 0ns, spread: 0%, read: {quantiles}, write: \
         {quantiles}}}\nworkload:\n  app: {{on: data, {job}}}\n"
    );
    run_with(&text, &[], options)
}

/// The application on changed storage, and what was recorded of it, replayed there.
fn as_if_it_had_run(app: &str, folder: &Path) {
    let log = folder.join("ios.csv");
    let options = Options {
        io_log: Some(log.clone()),
        ..Options::default()
    };
    run_on(RECORDED, app, 20, options);
    let replay = format!(
        "kind: replay, file_size: 10GiB, loop: threads, trace: {}",
        log.display()
    );
    for on in CHANGED {
        let truth = run_on(on, app, 8, Options::default());
        let found = run_on(on, &replay, 8, Options::default());
        let said = format!("{} us, {} IOPS", on.us, on.iops);
        for total in &truth.result.totals {
            let name = format!("{}.{}.{}", total.job, total.device, total.op);
            let own = found.total(&name);
            near(
                &format!("IOPS of {name} on {said}"),
                own.iops,
                total.iops,
                0.02,
            );
            let (p99, expected) = (own.latency_us.unwrap().p99, total.latency_us.unwrap().p99);
            near(&format!("p99 of {name} on {said}"), p99, expected, 0.02);
        }
    }
}

/// Threads that think for 2 ms in the mean, exponentially, between two IOs: a trace of an
/// application whose IOs took no time at all.
#[test]
fn threads_that_think_are_replayed_as_if_they_had_run_there() {
    let folder = tempfile::tempdir().unwrap();
    let mut text = "issued_ns,due_ns,job,slot,device,op,offset,bytes,completed_ns\n".to_owned();
    for thread in 0..16 {
        let mut stream = Stream::new(7, &format!("thread/{thread}"));
        let mut at = 0;
        for number in 0..12_000_u64 {
            at += stream.exponential_of(2_000_000);
            let op = if number % 3 == 0 { "write" } else { "read" };
            let offset = stream.below(1 << 21) * 4096;
            writeln!(text, "{at},{at},app,{thread},data,{op},{offset},4096,{at}").unwrap();
        }
    }
    let trace = folder.path().join("threads.csv");
    fs::write(&trace, text).unwrap();
    let app = format!("kind: replay, file_size: 10GiB, trace: {}", trace.display());
    as_if_it_had_run(&app, folder.path());
}

/// Processes without think time that wait for fsyncs: another kind of job, whose code has no trace.
#[test]
fn processes_that_flush_are_replayed_as_if_they_had_run_there() {
    let folder = tempfile::tempdir().unwrap();
    let app = "kind: access_spec, file_size: 10GiB, processes: 6, fsync_every: 4, \
               pattern: {size: 4KiB, read: 40%, random: 100%}";
    as_if_it_had_run(app, folder.path());
}

/// One thread writes and flushes, another one reads after each flush, as one that waited for it.
#[test]
fn a_thread_that_waited_for_a_flush_of_another_does_so_again() {
    let folder = tempfile::tempdir().unwrap();
    let mut text = "issued_ns,due_ns,job,slot,device,op,offset,bytes,completed_ns\n".to_owned();
    let mut line = |at: u64, thread: u32, op: &str, bytes: u32, took: u64| {
        let end = at + took;
        writeln!(text, "{at},{at},app,{thread},data,{op},0,{bytes},{end}").unwrap();
    };
    for cycle in 0..2000 {
        let begin = cycle * 5_000_000;
        (0..6).for_each(|nth| line(begin + nth * 700_000, 0, "write", 4096, 600_000));
        line(begin + 4_200_000, 0, "flush", 0, 100_000);
        line(begin + 4_400_000, 1, "read", 4096, 400_000);
    }
    let trace = folder.path().join("flushes.csv");
    fs::write(&trace, text).unwrap();
    let ios = |on: On, pace: &str| {
        let trace = trace.display();
        let job = format!("kind: replay, file_size: 1GiB, loop: {pace}, trace: {trace}");
        let run = run_on(on, &job, 4, Options::default());
        ["read", "flush"].map(|op| run.total(&format!("app.data.{op}")).ios)
    };
    for on in CHANGED {
        let [reads, flushes] = ios(on, "commits");
        assert!(flushes - reads <= 1, "{reads} reads, {flushes} flushes");
    }
    let [reads, flushes] = ios(CHANGED[1], "threads");
    assert!(
        reads * 10 > flushes * 13,
        "{reads} reads, {flushes} flushes"
    );
}

/// On the storage that it was recorded on a replay is what was recorded, IO by IO.
#[test]
fn a_replay_where_it_was_recorded_is_the_recording() {
    let folder = tempfile::tempdir().unwrap();
    let app = "kind: access_spec, file_size: 10GiB, processes: 3, fsync_every: 4, \
               pattern: {size: 4KiB, read: 40%, random: 100%}";
    let log = |name: &str| Options {
        io_log: Some(folder.path().join(name)),
        ..Options::default()
    };
    run_on(RECORDED, app, 2, log("first.csv"));
    let first = folder.path().join("first.csv");
    for pace in ["threads", "open"] {
        let replay = format!(
            "kind: replay, file_size: 10GiB, loop: {pace}, trace: {}",
            first.display()
        );
        let name = format!("{pace}.csv");
        run_on(RECORDED, &replay, 2, log(&name));
        let lines = |path: &Path, slots: bool| {
            let text = fs::read_to_string(path).unwrap();
            let cells = |line: &str| {
                let mut cells: Vec<_> = line.split(',').map(str::to_owned).collect();
                if !slots {
                    cells[3].clear();
                }
                cells
            };
            let mut all: Vec<_> = text.lines().map(cells).collect();
            // What is in flight at the end has none.
            all.retain(|cells| !cells[8].is_empty());
            all.sort();
            all
        };
        let slots = pace == "threads";
        let found = lines(&folder.path().join(&name), slots);
        let expected = lines(&first, slots);
        assert!(found.len() + 3 >= expected.len());
        let same = found
            .iter()
            .zip(&expected)
            .filter(|(one, other)| one == other);
        assert_eq!(same.count(), found.len().min(expected.len()), "{pace}");
    }
}
