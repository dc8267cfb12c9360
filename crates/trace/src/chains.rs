//! Which IO waited for which: the chains of a closed replay.

use std::collections::{BTreeSet, HashMap};

use blockyard_model::storage::Op;
use blockyard_model::units::Nanos;

use crate::Row;

/// An IO of a chain: its place among the rows, and the time since the end of the one before it, or
/// of the first since the beginning of the trace.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Link {
    /// Index of the row.
    pub row: usize,
    /// The time that passed.
    pub wait: Nanos,
}

/// The chains of rows that are in the order of their arrival. An IO follows the one of its thread,
/// or of all without `by_thread`, that ended first and that no other followed; if none has ended,
/// it begins a chain. A flush follows the one that ended last, as that is what it makes durable.
///
/// A synchronous thread is one chain.
#[must_use]
pub fn chains(rows: &[Row], by_thread: bool) -> Vec<Vec<Link>> {
    let begin = rows.first().and_then(Row::begin).unwrap_or(0);
    let mut chains: Vec<Vec<Link>> = Vec::new();
    // The ends of chains, and which they are, of each thread.
    let mut ends: HashMap<_, BTreeSet<(Nanos, usize)>> = HashMap::new();
    for (number, row) in rows.iter().enumerate() {
        let Some(arrival) = row.begin() else { continue };
        let own = ends.entry(row.by.filter(|_| by_thread)).or_default();
        let ended = match row.op {
            Op::Flush => own.range(..=(arrival, usize::MAX)).next_back(),
            _ => own.first().filter(|(end, _)| *end <= arrival),
        };
        let (wait, chain) = match ended.copied() {
            Some((end, chain)) => {
                own.remove(&(end, chain));
                (arrival - end, chain)
            }
            None => {
                chains.push(Vec::new());
                (arrival - begin, chains.len() - 1)
            }
        };
        chains[chain].push(Link { row: number, wait });
        // Of one that failed the end is not known.
        let end = row.completion.unwrap_or(arrival).max(arrival);
        own.insert((end, chain));
    }
    chains
}
