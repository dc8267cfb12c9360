//! What is asked of another type ends the queue of an open loop, and is not much more than is due.

#![allow(
    clippy::panic,
    clippy::unwrap_used,
    reason = "a test fails by panicking"
)]

use blockyard_capacity::{Change, Row, what_if};
use blockyard_experiment::Threads;

use crate::asking::{asked, given};

struct Layout {
    storage: &'static str,
    /// Another job, and the IOs a second that it has on the same volumes.
    beside: (&'static str, u64),
    /// IOs a second that are left for reads in the long run.
    lets_through: u64,
    volumes: u64,
}

const WRITES: (&str, u64) = (
    "writes: {kind: access_spec, on: d, file_size: 10GiB, rate: 200/s, \
     pattern: {size: 4KiB, read: 0%, random: 100%}}, ",
    200,
);

const ELSEWHERE: (&str, u64) = (
    "wal: {kind: access_spec, on: log, file_size: 1GiB, processes: 1, \
     pattern: {size: 8KiB, read: 0%, random: 0%}}, ",
    0,
);

/// With a limit from the start, with credits that are used up or run out, striped, beside another
/// job, and beside another device.
const LAYOUTS: [Layout; 6] = [
    Layout {
        storage: "d: {type: io2, size: 200GiB, iops: 400}",
        beside: ("", 0),
        lets_through: 400,
        volumes: 1,
    },
    Layout {
        storage: "d: {type: gp2, size: 200GiB, burst_balance: 0%}",
        beside: ("", 0),
        lets_through: 600,
        volumes: 1,
    },
    Layout {
        storage: "d: {type: gp2, size: 200GiB, burst_balance: 0.1%}",
        beside: ("", 0),
        lets_through: 600,
        volumes: 1,
    },
    Layout {
        storage: "d: {stripe: {chunk: 64KiB, width: 3}, \
                  of: {type: gp2, size: 70GiB, burst_balance: 0%}}",
        beside: ("", 0),
        lets_through: 630,
        volumes: 3,
    },
    Layout {
        storage: "d: {type: gp2, size: 200GiB, burst_balance: 0%}",
        beside: WRITES,
        lets_through: 400,
        volumes: 1,
    },
    Layout {
        storage: "d: {type: gp2, size: 200GiB, burst_balance: 0%}, log: {type: gp3, size: 9GiB}",
        beside: ELSEWHERE,
        lets_through: 600,
        volumes: 1,
    },
];

fn tried(layout: &Layout, rate: u64) -> Vec<Row> {
    let (storage, beside) = (layout.storage, layout.beside.0);
    let text = format!(
        "{{name: s, warmup: 1s, duration: 6s, as_of: 2026-10-01, storage: {{{storage}}}, \
         workload: {{{beside}reads: {{kind: access_spec, on: d, file_size: 50GiB, \
         rate: {rate}/s, pattern: {{size: 4KiB, read: 100%, random: 100%}}}}}}}}"
    );
    let asked = asked(given(text, &[]), 600_000);
    let found = what_if(&asked, &Threads::of(2), &mut ()).unwrap().unwrap();
    found.changes
}

/// The IOPS that each change of the device's type has; gp3 has 3,000 at least.
fn provisioned(row: &Row) -> Option<u64> {
    match &row.change {
        Change::Type {
            device, to, iops, ..
        } if row.also.is_empty() && device == "d" && to != "gp3" => *iops,
        _ => None,
    }
}

#[test]
fn another_type_has_what_is_due_and_little_more() {
    for layout in LAYOUTS {
        for times in [1.3, 8.0] {
            let rate = (layout.lets_through as f64 * times) as u64;
            let changes = tried(&layout, rate);
            let most = (rate + layout.beside.1) * 3 / 2 / layout.volumes + 100;
            let others = changes
                .iter()
                .filter_map(|row| Some((row, provisioned(row)?)));
            let others: Vec<_> = others.collect();
            assert!(!others.is_empty(), "{}: {changes:#?}", layout.storage);
            for (row, iops) in others {
                assert!(iops <= most, "{iops} for {rate} on {}", layout.storage);
                let jobs = row.came.iter().flat_map(|came| &came.jobs);
                let reads = jobs.filter(|job| job.came.job == "reads");
                // By chance fewer come due in 5 s.
                let mut enough = reads.map(|job| job.came.per_s > 0.92 * rate as f64);
                assert!(enough.all(|it| it), "{iops} for {rate}: {row:#?}");
            }
        }
    }
}
