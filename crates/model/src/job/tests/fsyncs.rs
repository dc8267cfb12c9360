//! Fsyncs in order: what a process and a file system may do is looked up in all that was done.

use super::specs::synced;
use super::trace::{Io, trace};
use super::*;
use crate::workload::spec::{AccessSpec, FileSystem};

fn is_journal(io: &&Io) -> bool {
    io.request.op == Op::Journal
}

fn is_flush(io: &&Io) -> bool {
    io.request.op == Op::Flush
}

/// A process waits for its IO, then for its fsync, and issues nothing meanwhile; between two
/// fsyncs it writes so often, no more and no less.
fn check_process(ios: &[Io], process: u32, every: u32) {
    let own = |io: &&Io| io.request.submitter == process && !is_journal(io);
    let own: Vec<_> = ios.iter().filter(own).collect();
    let mut synced = 0;
    for flush in own.iter().filter(|io| is_flush(io)) {
        let others = own.iter().filter(|io| !is_flush(io));
        for io in others.clone() {
            let is_over = io.end <= flush.due || io.at >= flush.end;
            assert!(is_over, "{io:?} beside {flush:?}");
        }
        let asked_at_once = others.clone().any(|io| io.end == flush.due);
        assert!(asked_at_once, "{flush:?}");
        let writes = others.filter(|io| io.end <= flush.due && io.request.op == Op::Write);
        assert_eq!(writes.count() as u32, synced + every, "{flush:?}");
        synced += every;
    }
    let writes = own.iter().filter(|io| io.request.op == Op::Write).count();
    assert!(writes as u32 <= synced + every);
}

/// A commit is its writes in turn, from the front of the journal to its end and over again. An
/// fsync is served by the first commit that begins after the last write of its process was issued.
/// If that is over it only flushes; else it waits for its end. The commit begins at once unless
/// another one is being written.
fn check_commits(ios: &[Io], file_system: &FileSystem) {
    let FileSystem { journal, commit } = file_system;
    let writes: Vec<_> = ios.iter().filter(is_journal).collect();
    let mut next = 0;
    for (index, write) in writes.iter().enumerate() {
        let len = commit[index % commit.len()];
        if next + len > journal.size {
            next = 0;
        }
        assert_eq!(
            (write.request.offset, write.request.len),
            (journal.offset + next, len)
        );
        next += len;
        if index % commit.len() > 0 {
            assert_eq!(write.at, writes[index - 1].end, "in turn");
        } else if index > 0 {
            assert!(write.at >= writes[index - 1].end, "one commit at a time");
        }
    }
    let commits: Vec<_> = writes.chunks(commit.len()).collect();
    let mut asked = vec![false; commits.len()];
    for flush in ios.iter().filter(is_flush) {
        let is_before =
            |io: &&Io| io.request.submitter == flush.request.submitter && io.at < flush.due;
        let writes = ios
            .iter()
            .filter(is_before)
            .filter(|io| io.request.op == Op::Write);
        let last = writes.map(|io| io.number).max().expect("a write");
        let its = commits.iter().position(|commit| commit[0].number > last);
        let its = its.expect("a commit");
        let end = commits[its].last().expect("writes").end;
        assert_eq!(
            flush.at,
            end.max(flush.due),
            "{flush:?} for {:?}",
            commits[its]
        );
        let begin = commits[its][0].at;
        asked[its] |=
            flush.due == begin || its > 0 && commits[its - 1].last().expect("writes").end == begin;
    }
    // Those last asked for may not have been flushed yet when the trace ended.
    let flushed = asked.iter().rposition(|&asked| asked).unwrap_or(0);
    assert!(asked[..flushed].iter().all(|&asked| asked), "{asked:?}");
}

proptest! {
    #![proptest_config(ProptestConfig { max_shrink_iters: 50, ..ProptestConfig::with_cases(64) })]

    #[test]
    fn fsyncs_are_in_order(job in synced(), longest in 10 * MILLISECOND..60 * MILLISECOND) {
        let ios = trace(&job, longest);
        let JobSpec::Access(AccessSpec { fsync: Some(fsync), .. }) = &job else {
            panic!("no fsyncs");
        };
        let processes = job.steps().iter().map(most_processes).max().unwrap_or(0);
        for process in 0..processes {
            check_process(&ios, process, fsync.every);
        }
        match &fsync.file_system {
            Some(file_system) => check_commits(&ios, file_system),
            None => for flush in ios.iter().filter(is_flush) {
                prop_assert_eq!(flush.at, flush.due);
            }
        }
    }
}

fn most_processes(step: &(Nanos, Offered)) -> u32 {
    match step.1 {
        Offered::Processes(count) => count as u32,
        Offered::Rate(_) => 0,
    }
}
