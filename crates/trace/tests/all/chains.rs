//! Chains against a slow oracle.

use blockyard_model::storage::Op;
use blockyard_model::units::Nanos;
use blockyard_trace::{Chains, Follows, Row};
use proptest::prelude::*;

pub(crate) fn rows() -> impl Strategy<Value = Vec<Row>> {
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
    prop::sample::select(vec![Follows::Any, Follows::Thread])
}

/// When an IO begins to wait that follows rows of its chain, as they were recorded: once the last
/// one of them is issued, and no more than so many are in flight.
pub(crate) fn free(before: &[Row], in_flight: Option<u32>) -> Option<Nanos> {
    let mut ends: Vec<_> = before.iter().filter_map(|row| row.completion).collect();
    ends.sort_unstable();
    let in_flight = in_flight.map_or(ends.len(), |some| some as usize);
    let needed = ends.len().saturating_sub(in_flight);
    ends[..needed].last().copied().max(before.last()?.arrival)
}

/// An IO of a chain, by its row.
struct Link {
    row: usize,
    wait: Nanos,
    in_flight: Option<u32>,
}

/// How many IOs of a thread were in flight when a row came.
fn beside(rows: &[Row], by: Option<(u32, u32)>, row: usize) -> usize {
    let own = rows[..row].iter().filter(|other| other.by == by);
    own.filter(|other| other.completion > rows[row].arrival)
        .count()
}

/// All chains of rows.
fn chains(rows: &[Row], follows: Follows) -> Vec<Vec<Link>> {
    let mut all = Chains::new(follows);
    let mut chains: Vec<Vec<Link>> = Vec::new();
    for (row, recorded) in rows.iter().enumerate() {
        let link = all.follow(recorded).unwrap();
        chains.resize_with(all.count(), Vec::new);
        chains[link.chain as usize].push(Link {
            row,
            wait: link.wait,
            in_flight: link.in_flight,
        });
    }
    let most = chains.iter().map(|chain| {
        let in_flight = |link: &Link| beside(rows, rows[link.row].by, link.row) + 1;
        chain.iter().map(in_flight).max().unwrap_or(0) as u32
    });
    match follows {
        Follows::Thread => assert_eq!(all.most_in_flight(), most.collect::<Vec<_>>()),
        Follows::Any => assert_eq!(all.most_in_flight(), vec![1; chains.len()]),
    }
    chains
}

/// Looks through all chains for each row.
fn oracle(rows: &[Row]) -> Vec<Vec<usize>> {
    let mut chains: Vec<Vec<usize>> = Vec::new();
    let end = |row: usize| rows[row].completion.unwrap();
    for (number, row) in rows.iter().enumerate() {
        let follows = |chain: &&mut Vec<usize>| {
            let last = *chain.last().unwrap();
            end(last) <= row.arrival.unwrap()
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
    fn chains_are_those_of_the_oracle(rows in rows()) {
        let places: Vec<Vec<usize>> = chains(&rows, Follows::Any)
            .iter()
            .map(|chain| chain.iter().map(|link| link.row).collect())
            .collect();
        prop_assert_eq!(places, oracle(&rows));
    }

    /// A thread is a chain, in which an IO follows the last end since the issue before it, or that
    /// issue.
    #[test]
    fn an_io_follows_what_its_thread_met_last(rows in rows()) {
        for chain in chains(&rows, Follows::Thread) {
            let by = rows[chain[0].row].by;
            let own = (0..rows.len()).filter(|row| rows[*row].by == by);
            prop_assert_eq!(chain.iter().map(|link| link.row).collect::<Vec<_>>(), own.collect::<Vec<_>>());
            let first = chain[0].row;
            let mut issue = rows[0].arrival.unwrap();
            for link in chain {
                let arrival = rows[link.row].arrival.unwrap();
                let ends = rows[..link.row].iter().filter(|row| row.by == by);
                let ends = ends.filter_map(|row| row.completion);
                let last = ends.filter(|end| (issue + 1..=arrival).contains(end)).max();
                prop_assert_eq!(link.wait, arrival - last.unwrap_or(issue));
                let in_flight = beside(&rows, by, link.row) as u32;
                let is_first = link.row == first;
                prop_assert_eq!(link.in_flight, (is_first || last.is_some()).then_some(in_flight));
                issue = arrival;
            }
        }
    }

    /// On the storage that it was recorded on, a chain comes when it came.
    #[test]
    fn a_chain_keeps_the_recorded_times(rows in rows(), follows in follows()) {
        for chain in chains(&rows, follows) {
            let mut before = Vec::new();
            for link in chain {
                let free = free(&before, link.in_flight).unwrap_or_else(|| rows[0].arrival.unwrap());
                prop_assert_eq!(Some(free + link.wait), rows[link.row].arrival);
                before.push(rows[link.row]);
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
