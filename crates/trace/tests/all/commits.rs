//! Chains of threads that share a log, against a slow oracle.

use blockyard_model::storage::Op;
use blockyard_model::units::Nanos;
use blockyard_trace::{Commits, Row, Step};
use proptest::prelude::*;

use crate::chains::{free, rows};

fn steps(rows: &[Row]) -> Vec<Step> {
    let mut commits = Commits::default();
    let mut steps = Vec::new();
    rows.iter().for_each(|row| commits.take(*row, &mut steps));
    commits.end(&mut steps);
    assert!(
        steps
            .iter()
            .all(|step| (step.chain as usize) < commits.count())
    );
    steps
}

fn at(row: &Row) -> (Nanos, Nanos) {
    (row.arrival.unwrap(), row.completion.unwrap())
}

/// The rows of the log: flushes that do not begin beside the one before, with what their threads
/// wrote right before.
fn oracle(rows: &[Row]) -> Vec<usize> {
    let mut log = Vec::new();
    let mut free = 0;
    for (number, row) in rows.iter().enumerate() {
        let (begin, end) = at(row);
        if row.op != Op::Flush || begin < free {
            continue;
        }
        let before = rows[..number].iter().rposition(|it| it.by == row.by);
        let write = before.filter(|it| {
            let (begin, _) = at(&rows[*it]);
            rows[*it].op == Op::Write && begin >= free && at(&rows[*it]).1 <= at(row).0
        });
        log.extend(write);
        log.push(number);
        free = end;
    }
    log
}

proptest! {
    #[test]
    fn the_log_is_what_does_not_overlap(rows in rows()) {
        let found: Vec<Row> = steps(&rows)
            .iter()
            .filter(|step| step.chain == 0)
            .map(|step| step.row)
            .collect();
        let expected: Vec<Row> = oracle(&rows).into_iter().map(|row| rows[row]).collect();
        prop_assert_eq!(found, expected);
    }

    #[test]
    fn each_io_comes_once(rows in rows()) {
        let key = |row: &Row| (row.arrival, row.by, row.completion, row.op as u8);
        let mut found: Vec<_> = steps(&rows).iter().map(|step| key(&step.row)).collect();
        let mut expected: Vec<_> = rows.iter().map(key).collect();
        found.sort_unstable();
        expected.sort_unstable();
        prop_assert_eq!(found, expected);
    }

    /// With flushes that end when they ended, an IO comes when it came, and it waits for all that
    /// ended after its work.
    #[test]
    fn a_thread_keeps_the_recorded_times(rows in rows()) {
        let steps = steps(&rows);
        let of_log = |step: &&Step| step.chain == 0 && step.row.op == Op::Flush;
        let ends: Vec<_> = steps.iter().filter(of_log).map(|step| at(&step.row).1).collect();
        let chains = steps.iter().map(|step| step.chain).max().unwrap_or(0);
        for chain in 1..=chains {
            let mut before = Vec::new();
            for step in steps.iter().filter(|step| step.chain == chain) {
                let arrival = at(&step.row).0;
                let now = free(&before, step.in_flight).unwrap_or(at(&rows[0]).0);
                let held = now + step.after.map_or(0, |log| Nanos::from(log.work));
                let met = ends.iter().filter(|end| (held + 1..=arrival).contains(*end));
                // What comes beside others waits for none.
                let waits = step.in_flight.is_some();
                let met: Vec<_> = met.filter(|_| waits).collect();
                let flushes = step.after.map_or(0, |log| log.flushes as usize);
                prop_assert_eq!(met.len(), flushes);
                let free = met.last().map_or(now, |end| **end);
                prop_assert_eq!(free + step.wait, arrival);
                before.push(step.row);
            }
        }
    }
}

fn row(begin: Nanos, end: Nanos, op: Op, thread: u32) -> Row {
    Row {
        arrival: Some(begin),
        issue: None,
        completion: Some(end),
        op,
        offset: 0,
        bytes: 512,
        device: 0,
        by: Some((0, thread)),
        failed: false,
    }
}

/// A thread that waited while another one flushed waits for the log, not for that thread; what it
/// did before is as long as what it did after, and one that never flushes only waits.
#[test]
fn a_thread_waits_for_the_log() {
    let rows = [
        row(0, 10, Op::Read, 1),
        row(0, 10, Op::Read, 2),
        row(0, 10, Op::Read, 3),
        row(12, 20, Op::Write, 1),
        row(21, 30, Op::Flush, 1),
        row(31, 40, Op::Write, 2),
        row(40, 50, Op::Flush, 2),
        row(53, 60, Op::Read, 1),
        row(54, 60, Op::Read, 2),
        row(55, 60, Op::Read, 3),
    ];
    let found: Vec<_> = steps(&rows)
        .iter()
        .filter(|step| at(&step.row).0 > 10)
        .map(|step| {
            let after = step.after.map(|log| (log.work, log.flushes));
            (step.chain, step.wait, step.commits, after)
        })
        .collect();
    let log = |wait: Nanos| (0, wait, true, None);
    assert_eq!(
        found,
        [
            // Since its thread's read.
            log(2),
            log(1),
            // Since the flush before.
            log(1),
            log(0),
            (1, 3, true, Some((3, 2))),
            (2, 4, true, Some((4, 2))),
            (3, 5, false, Some((0, 2))),
        ]
    );
}
