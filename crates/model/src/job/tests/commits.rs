//! Replays of chains and by commits, against all of their IOs gone through one by one.

use alloc::vec;

use super::specs::replay;
use super::trace::{Io, trace};
use super::*;
use crate::workload::spec::{RecordedIo, ReplayPace, ReplaySpec};

/// An IO of a thread that was done.
struct Done {
    recorded: RecordedIo,
    /// When it had nothing of its own thread to wait for any more.
    free: Nanos,
    /// When it began to wait for the log, and how many flushes had ended.
    held: Nanos,
    ended: usize,
    io: Io,
}

/// The recorded IOs of a chain.
fn recorded(spec: &ReplaySpec, chain: u32) -> Vec<RecordedIo> {
    let mut all = Vec::new();
    loop {
        let before = all.len();
        spec.recording.ios.read(chain, before as u64, &mut all);
        if all.len() == before {
            return all;
        }
    }
}

/// When flushes of the log ended, each with its write if it has one.
fn flush_ends(log: &[Io]) -> Vec<Nanos> {
    let flushes = log.iter().filter(|io| io.request.op == Op::Flush);
    flushes.map(|io| io.end).collect()
}

/// When no more than so many of a thread's IOs were in flight, if the next one comes after them.
fn free(before: &[&Io], in_flight: usize) -> Nanos {
    let mut ends: Vec<_> = before.iter().map(|io| io.end).collect();
    ends.sort_unstable();
    let needed = before.len().saturating_sub(in_flight);
    let ended = ends[..needed].last().copied().unwrap_or(0);
    before.last().map_or(ended, |io| io.at.max(ended))
}

/// The IOs of a thread, each of which comes when it has to, with at most so many in flight.
fn check_thread(
    recorded: Vec<RecordedIo>,
    ios: &[Io],
    most: u32,
    (ends, all): (&[Nanos], usize),
) -> Vec<Done> {
    let ios: Vec<&Io> = ios.iter().collect();
    let done = recorded.into_iter().zip(0..ios.len());
    let done = done.map(|(recorded, nth)| {
        let io = ios[nth];
        let own = free(&ios[..nth], recorded.in_flight.min(most - 1) as usize);
        let held = own + recorded.after.map_or(0, |log| log.work.into());
        let ended = ends.iter().filter(|end| **end <= held).count();
        let flushes = recorded.after.map_or(0, |log| log.flushes as usize);
        // Beyond the last one nothing is waited for.
        let awaited = (ended + flushes).min(all);
        let free = match flushes {
            0 => held,
            _ => ends[..awaited].last().map_or(held, |end| held.max(*end)),
        };
        assert_eq!(io.at, free + recorded.wait);
        Done {
            recorded,
            free: own,
            held,
            ended,
            io: *io,
        }
    });
    done.collect()
}

/// What ended before the end of the run, up to the first one that did not.
fn known(mut ios: Vec<Io>) -> Vec<Io> {
    ios.sort_by_key(|io| io.number);
    let known = (0..).zip(&ios).take_while(|(nth, io)| io.number == *nth);
    let known = known.count();
    ios.truncate(known);
    ios
}

/// Whether a thread that commits needs the next flush at a moment, or none of them is awake.
fn is_wanted(threads: &[Vec<Done>], ends: &[Nanos], at: Nanos) -> bool {
    let ended = ends.iter().filter(|end| **end <= at).count();
    let mut awake = false;
    for thread in threads {
        let next = thread.iter().find(|done| at < done.io.at);
        // What a thread is about to do, or does.
        let Some(done) = next.filter(|done| done.free <= at) else {
            let mut issued = thread.iter().filter(|done| done.io.at <= at);
            let works = thread
                .iter()
                .any(|done| done.io.at <= at && at < done.io.end);
            awake |= works && issued.next_back().is_some_and(|done| done.recorded.commits);
            continue;
        };
        let flushes = done.recorded.after.map_or(0, |log| log.flushes as usize);
        let target = done.ended + flushes;
        let waits = flushes > 0 && done.held <= at && target > ended;
        if done.recorded.commits && waits && target == ended + 1 {
            return true;
        }
        awake |= done.recorded.commits && !waits;
    }
    !awake
}

proptest! {
    #![proptest_config(ProptestConfig { max_shrink_iters: 50, ..ProptestConfig::with_cases(96) })]

    #[test]
    fn chains_come_when_they_have_to(
        spec in replay().prop_filter("chains", |spec| {
            let JobSpec::Replay(spec) = spec else { return false };
            matches!(spec.pace, ReplayPace::Chains(_))
        }),
        longest in 1..30 * MILLISECOND,
    ) {
        let ios = trace(&spec, longest);
        let is_over = ios.iter().all(|io| io.end + 20 * MILLISECOND + longest < END);
        let ios = known(ios);
        let JobSpec::Replay(spec) = spec else { return Ok(()) };
        let ReplayPace::Chains(most) = &spec.pace else { return Ok(()) };
        for (chain, most) in (0..).zip(most.iter()) {
            let own: Vec<_> = ios.iter().filter(|io| io.request.submitter == chain).copied().collect();
            let recorded = recorded(&spec, chain);
            let all = recorded.len();
            let done = check_thread(recorded, &own, *most, (&[], 0));
            prop_assert!(done.len() == all || !is_over);
        }
    }

    #[test]
    fn a_log_flushes_while_somebody_commits(
        spec in replay().prop_filter("by commits", |spec| {
            let JobSpec::Replay(spec) = spec else { return false };
            matches!(spec.pace, ReplayPace::Commits(_))
        }),
        longest in 1..30 * MILLISECOND,
    ) {
        let ios = known(trace(&spec, longest));
        let JobSpec::Replay(spec) = spec else { return Ok(()) };
        let ReplayPace::Commits(most) = &spec.pace else { return Ok(()) };
        let of = |chain: u32| -> Vec<Io> {
            ios.iter().filter(|io| io.request.submitter == chain).copied().collect()
        };
        let (log, of_log) = (of(0), recorded(&spec, 0));
        let flushes = of_log.iter().filter(|io| io.op == Op::Flush).count();
        // What comes after the last one is flushed with it.
        let rest = usize::from(of_log.last().is_some_and(|io| io.op != Op::Flush));
        let mut ends = flush_ends(&log);
        if rest > 0 && log.len() == of_log.len() {
            ends.extend(log.last().map(|io| io.end));
        }
        let ends_of_all = (ends.as_slice(), flushes + rest);
        let threads: Vec<_> = (1..most.len() as u32)
            .map(|chain| {
                let most = most[chain as usize];
                check_thread(recorded(&spec, chain), &of(chain), most, ends_of_all)
            })
            .collect();
        let moments: Vec<Nanos> = threads
            .iter()
            .flatten()
            .flat_map(|done| [done.held, done.io.at, done.io.end])
            .collect();
        // Of a thread that the end of the run cut off, it is not known what it would have done.
        let cut = (1..).zip(&threads);
        let cut = cut.filter(|(chain, done)| done.len() < recorded(&spec, *chain).len());
        let cut = cut.map(|(_, done)| done.last().map_or(0, |done| done.io.at)).min();
        let is_known = |io: &&Io| io.at < cut.unwrap_or(END);
        let (mut free, mut begins) = (0, true);
        for (io, recorded) in log.iter().take_while(is_known).zip(&of_log) {
            let due = free + recorded.wait;
            if begins {
                prop_assert!(is_wanted(&threads, &ends, io.at), "at {} unasked", io.at);
                let mut earlier = moments.iter().chain([&due]).filter(|at| (due..io.at).contains(*at));
                prop_assert!(!earlier.any(|at| is_wanted(&threads, &ends, *at)), "late at {}", io.at);
            } else {
                prop_assert_eq!(io.at, due);
            }
            prop_assert!(io.at >= due);
            begins = io.request.op == Op::Flush;
            free = io.end;
        }
    }
}

/// Two threads that commit at once share a flush, whichever of them it was recorded of; one that
/// comes meanwhile has the next one.
#[test]
fn threads_share_the_flush_that_they_wait_for() {
    use super::specs::by_commits;
    let read = |wait: Nanos, flushes: u32| (Op::Read, wait, true, flushes);
    let flush = (Op::Flush, 0, true, 0);
    let chains = vec![
        vec![flush; 2],
        vec![read(0, 0), read(5, 1)],
        vec![read(0, 0), read(7, 1)],
        vec![read(1_000_000, 0), read(3, 1)],
    ];
    // Each IO takes a nanosecond.
    let mut ios = trace(&by_commits(&chains), 1);
    ios.sort_by_key(|io| io.number);
    let of = |chain: u32| -> Vec<Nanos> {
        let own = ios.iter().filter(|io| io.request.submitter == chain);
        own.map(|io| io.at).collect()
    };
    assert_eq!(of(0), [1, 1_000_001]);
    assert_eq!(of(1), [0, 2 + 5]);
    assert_eq!(of(2), [0, 2 + 7]);
    assert_eq!(of(3), [1_000_000, 1_000_002 + 3]);
}
