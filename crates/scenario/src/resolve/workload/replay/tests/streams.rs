//! A share of the streams, against what is obvious: a trace without the other ones.

use std::collections::BTreeMap;
use std::fmt::Write;

use proptest::prelude::*;

use super::{HEADER, MANY, THREADS, chains, ios, job, of_many, resolved, waits};
use crate::{ReplayedStreams, StreamKind};

/// The gap before it, its thread, operation, block and how long it took.
type Io = (u64, usize, usize, u64, u64);

/// A trace of threads that each begin with a read at 0.
fn text(ios: &[Io], threads: usize, is_kept: impl Fn(usize) -> bool) -> String {
    let mut text = HEADER.to_owned();
    for thread in (0..threads).filter(|thread| is_kept(*thread)) {
        writeln!(text, "0,0,db,{thread},data,read,0,512,9").unwrap();
    }
    let mut at = 0;
    for (gap, thread, op, block, took) in ios {
        at += gap;
        let (end, thread, offset) = (at + took, thread % threads, block * 4096);
        let (op, bytes) = [("read", 4096), ("write", 4096), ("flush", 0)][*op];
        let offset = if bytes == 0 { 0 } else { offset };
        if is_kept(thread) {
            writeln!(
                text,
                "{at},{at},db,{thread},data,{op},{offset},{bytes},{end}"
            )
            .unwrap();
        }
    }
    text
}

/// The streams that a share is, by the IOs of each.
fn chosen(counts: &[u64], permille: u16) -> Vec<usize> {
    let all = counts.len();
    let mut ranked: Vec<usize> = (0..all).collect();
    ranked.sort_by_key(|stream| (u64::MAX - counts[*stream], *stream));
    let wanted = (all as f64 * f64::from(permille) / 1000.0 + 0.5 + 1e-9).floor() as usize;
    let wanted = wanted.clamp(1, all);
    let few = wanted.min(all - wanted);
    // Of each group of neighbours one; of an even one the two in its middle take turns.
    let mut singled_out = Vec::new();
    for group in 0..few {
        let members: Vec<usize> = (0..all)
            .filter(|rank| *rank >= all * group / few && *rank < all * (group + 1) / few)
            .collect();
        let middle = members.len() / 2;
        let is_earlier = members.len().is_multiple_of(2) && group.is_multiple_of(2);
        singled_out.push(members[middle - usize::from(is_earlier)]);
    }
    let is_few = wanted == few;
    let ranks = (0..all).filter(|rank| singled_out.contains(rank) == is_few);
    ranks.map(|rank| ranked[rank]).collect()
}

fn share(permille: u16) -> String {
    format!(", streams: {}.{}%", permille / 10, permille % 10)
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(48))]

    /// A share of the threads is replayed as if the others had never been recorded.
    #[test]
    fn threads_that_are_left_out_might_not_have_been_recorded(
        threads in 1_usize..9,
        all in prop::collection::vec((0_u64..60, 0_usize..9, 0_usize..3, 0_u64..500, 1_u64..99), 0..60),
        permille in 1_u16..1000,
        pace in prop::sample::select(vec!["open", "threads", "commits"]),
    ) {
        let mut counts = vec![1; threads];
        all.iter().for_each(|io| counts[io.1 % threads] += 1);
        let kept = chosen(&counts, permille);
        let (share, pace) = (share(permille), format!(", file_size: 1MiB, beyond: wrap, loop: {pace}"));
        let whole = text(&all, threads, |_| true);
        let fewer = text(&all, threads, |thread| kept.contains(&thread));
        let (found, _) = job(&whole, &format!("{pace}{share}")).unwrap();
        let (expected, _) = job(&fewer, &pace).unwrap();
        prop_assert_eq!(ios(&found), ios(&expected));
        prop_assert_eq!(found.pace, expected.pace);
    }

    /// Of inferred chains, those that are replayed are as they are beside all others.
    #[test]
    fn chains_are_chosen_whole(
        all in prop::collection::vec((0_u64..60, 0_usize..9, 0_usize..3, 0_u64..500, 1_u64..300), 1..60),
        permille in 1_u16..1000,
    ) {
        let whole = text(&all, 3, |_| true);
        let of = |lines: &str| job(&whole, &format!(", loop: chains{lines}")).unwrap().0;
        let every = chains(&of(""));
        let counts: Vec<_> = every.iter().map(|chain| chain.len() as u64).collect();
        let mut kept = chosen(&counts, permille);
        kept.sort_unstable();
        let expected: Vec<_> = kept.into_iter().map(|chain| every[chain].clone()).collect();
        let found = of(&share(permille));
        prop_assert_eq!(chains(&found), expected);
    }

    /// Without threads, neighbours on the device are a stream.
    #[test]
    fn regions_are_chosen_whole(
        all in prop::collection::vec((0_u64..8, 0_u64..16_000), 1..80),
        permille in 1_u16..1000,
    ) {
        let region = 64 << 20;
        let mut regions = BTreeMap::new();
        for (at, _) in &all {
            *regions.entry(*at).or_insert(0) += 1;
        }
        let counts: Vec<_> = regions.values().copied().collect();
        let kept = chosen(&counts, permille);
        let kept: Vec<_> = kept.into_iter().filter_map(|nth| regions.keys().nth(nth)).collect();
        let line = |(time, (at, block)): (usize, &(u64, u64))| {
            format!("1,R,{},4096,{time}\n", at * region + block * 4096)
        };
        let whole: String = all.iter().enumerate().map(line).collect();
        let (found, _) = job(&whole, &share(permille)).unwrap();
        let found: Vec<_> = ios(&found).iter().map(|io| (io.wait, io.offset)).collect();
        let is_kept = |(_, (at, _)): &(usize, &(u64, u64))| kept.contains(&at);
        let expected = all.iter().enumerate().filter(is_kept);
        let expected: Vec<_> = expected
            .map(|(time, (at, block))| (time as u64 * 1000, at * region + block * 4096))
            .collect();
        prop_assert_eq!(found, expected);
    }
}

/// What is left out changes neither when the others come nor where the file ends.
#[test]
fn the_run_begins_where_the_recording_does() {
    let trace = format!("{HEADER}{THREADS}50,50,db,2,data,read,1048576,512,60\n");
    let of = |pace: &str| {
        let (spec, notices) = job(&trace, &format!(", streams: 33%, loop: {pace}")).unwrap();
        assert_eq!(spec.file.size, (1 << 20) + 512);
        let said = "workload.again: replays 1 of 3 threads, chosen evenly by their number of \
                    IOs: 33.3% of 6 IOs (0% of reads, 100% of writes, 100% of flushes, 16.7% of bytes)";
        assert!(notices.iter().any(|notice| notice == said), "{notices:?}");
        waits(&spec)
    };
    assert_eq!(of("threads"), [50, 50]);
    assert_eq!(of("open"), [50, 200]);
    let recordings = |lines: &str| resolved(&trace, lines).unwrap().recordings;
    let (whole, part) = (recordings(""), recordings(", streams: 33%"));
    assert_ne!(whole[0].digest, part[0].digest);
    assert_eq!((whole[0].ios, part[0].ios), (6, 2));
    assert_eq!(whole[0].streams, None);
    let streams = ReplayedStreams {
        are: StreamKind::Thread,
        replayed: 1,
        recorded: 3,
        recorded_ios: 6,
    };
    assert_eq!(part[0].streams, Some(streams));
    assert_eq!(recordings(", streams: 100%"), whole);
}

/// The first rows do not tell which streams have the most IOs.
#[test]
fn the_end_of_a_long_trace_decides_what_is_chosen() {
    let trace = of_many(|nth| {
        let thread = match nth {
            _ if nth < MANY / 2 => nth % 2,
            _ => 2 + nth % 3 / 2,
        };
        format!(
            "{nth},{nth},db,{thread},data,read,{},512,{nth}\n",
            thread * 512
        )
    });
    // Of 4 threads the second and the third in their number of IOs are left out.
    let (spec, _) = job(&trace, ", streams: 50%").unwrap();
    let mut places: Vec<_> = ios(&spec).iter().map(|io| io.offset / 512).collect();
    places.dedup();
    assert_eq!(places, [2, 3]);
}

#[test]
fn a_share_that_is_none_is_refused() {
    let trace = format!("{HEADER}{THREADS}");
    for (share, expected) in [
        ("0%", "no stream is replayed; expected more than 0%"),
        (
            "200%",
            "`200%` is too large for a percentage; expected at most 100%",
        ),
    ] {
        let said = job(&trace, &format!(", streams: {share}")).unwrap_err();
        let expected = format!("workload.again.streams: {expected}");
        assert!(said.starts_with(&expected), "{said}");
    }
}
