//! Chains against a slow oracle.

use blockyard_model::storage::Op;
use blockyard_model::units::Nanos;
use blockyard_trace::{Chains, Follows, Row};
use proptest::prelude::*;

fn rows() -> impl Strategy<Value = Vec<Row>> {
    let one = (0_u64..30, 1_u64..80, 0_u32..4, prop::bool::weighted(0.2));
    prop::collection::vec(one, 1..60).prop_map(|all| {
        let mut now = 100;
        let row = |(gap, took, thread, flush)| {
            now += gap;
            Row {
                arrival: Some(now),
                issue: None,
                completion: Some(now + took),
                op: if flush { Op::Flush } else { Op::Write },
                offset: 0,
                bytes: 512,
                device: 0,
                by: Some((0, thread)),
                failed: false,
            }
        };
        all.into_iter().map(row).collect()
    })
}

fn follows() -> impl Strategy<Value = Follows> {
    prop::sample::select(vec![Follows::Any, Follows::Thread, Follows::ThreadAndFlush])
}

/// An IO of a chain, and the flush that it waits for, by their rows.
struct Link {
    row: usize,
    wait: Nanos,
    flush: Option<usize>,
}

/// All chains of rows.
fn chains(rows: &[Row], follows: Follows) -> Vec<Vec<Link>> {
    let mut all = Chains::new(follows);
    let mut chains: Vec<Vec<Link>> = Vec::new();
    for (row, recorded) in rows.iter().enumerate() {
        let link = all.follow(recorded).unwrap();
        let flush = link.flush.map(|flush| {
            let own = chains[flush.chain as usize].iter().map(|link| link.row);
            let mut flushes = own.filter(|row| rows[*row].op == Op::Flush);
            flushes.nth(flush.nth as usize - 1).unwrap()
        });
        chains.resize_with(all.count(), Vec::new);
        let wait = link.wait;
        chains[link.chain as usize].push(Link { row, wait, flush });
    }
    chains
}

/// Looks through all chains for each row.
fn oracle(rows: &[Row], by_thread: bool) -> Vec<Vec<usize>> {
    let mut chains: Vec<Vec<usize>> = Vec::new();
    let end = |row: usize| rows[row].completion.unwrap();
    for (number, row) in rows.iter().enumerate() {
        let follows = |chain: &&mut Vec<usize>| {
            let last = *chain.last().unwrap();
            end(last) <= row.arrival.unwrap() && (!by_thread || rows[last].by == row.by)
        };
        let ended = chains.iter_mut().filter(follows);
        let mut ended: Vec<_> = ended.collect();
        // Of equal ends the chain that began first; of flushes the one that began last.
        ended.sort_by_key(|chain| end(*chain.last().unwrap()));
        let chosen = match row.op {
            Op::Flush => ended.pop(),
            _ => ended.into_iter().next(),
        };
        match chosen {
            Some(chain) => chain.push(number),
            None => chains.push(vec![number]),
        }
    }
    chains
}

proptest! {
    #[test]
    fn chains_are_those_of_the_oracle(rows in rows(), by_thread: bool) {
        let found = chains(&rows, if by_thread { Follows::Thread } else { Follows::Any });
        let places: Vec<Vec<usize>> = found
            .iter()
            .map(|chain| chain.iter().map(|link| link.row).collect())
            .collect();
        prop_assert_eq!(places, oracle(&rows, by_thread));
    }

    /// On the storage that it was recorded on, a chain comes when it came.
    #[test]
    fn a_chain_keeps_the_recorded_times(rows in rows(), follows in follows()) {
        for chain in chains(&rows, follows) {
            let mut now: Nanos = rows[0].arrival.unwrap();
            for link in chain {
                let row = &rows[link.row];
                let flush = link.flush.map_or(0, |flush| rows[flush].completion.unwrap());
                prop_assert_eq!(Some(now.max(flush) + link.wait), row.arrival);
                now = row.completion.unwrap();
            }
        }
    }

    /// Of flushes of other threads the last one that ended since is waited for.
    #[test]
    fn a_thread_follows_the_last_flush_of_others(rows in rows()) {
        for chain in chains(&rows, Follows::ThreadAndFlush) {
            for both in chain.windows(2) {
                let (since, arrival) = (rows[both[0].row].completion, rows[both[1].row].arrival);
                let met = |row: &usize| {
                    let ended = rows[*row].completion;
                    rows[*row].op == Op::Flush && since < ended && ended <= arrival
                };
                let last = (0..rows.len()).filter(met).map(|row| rows[row].completion).max();
                let found = both[1].flush.map(|row| rows[row].completion);
                let own = chain.iter().any(|link| rows[link.row].completion == last.flatten());
                prop_assert!(found == last || own, "{:?} {:?}", found, last);
            }
        }
    }

    /// As many chains as there are most IOs in flight, if nothing was a flush.
    #[test]
    fn there_are_no_more_chains_than_ios_in_flight(mut rows in rows()) {
        rows.iter_mut().for_each(|row| row.op = Op::Read);
        let in_flight = |at: Nanos| {
            let open = |row: &&Row| row.arrival <= Some(at) && row.completion > Some(at);
            rows.iter().filter(open).count()
        };
        let most = rows.iter().map(|row| in_flight(row.arrival.unwrap())).max();
        prop_assert_eq!(Some(chains(&rows, Follows::Any).len()), most);
    }
}
