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
    /// The time that passed; since the end of the flush, if there is one.
    pub wait: Nanos,
    /// The row of another chain's flush that ended after the one before it.
    pub flush: Option<usize>,
}

/// What an IO waits for.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Follows {
    /// Any IO.
    Any,
    /// One of its thread.
    Thread,
    /// One of its thread, and the last flush of any that ended since. Transactions share flushes
    /// and give locks back at commits, so a database's thread that did nothing meanwhile may have
    /// waited for either.
    ThreadAndFlush,
}

/// The chains of rows that are in the order of their arrival. An IO follows the one of its thread,
/// or of all for [`Follows::Any`], that ended first and that no other followed; if none has ended,
/// it begins a chain. A flush follows the one that ended last, as that is what it makes durable.
///
/// A synchronous thread is one chain.
#[must_use]
pub fn chains(rows: &[Row], follows: Follows) -> Vec<Vec<Link>> {
    let begin = rows.first().and_then(Row::begin).unwrap_or(0);
    let mut chains: Vec<Vec<Link>> = Vec::new();
    // The ends of chains, and which they are, of each thread.
    let mut ends: HashMap<_, BTreeSet<(Nanos, usize)>> = HashMap::new();
    let mut flushes = Flushes::default();
    for (number, row) in rows.iter().enumerate() {
        let Some(arrival) = row.begin() else { continue };
        let by = row.by.filter(|_| follows != Follows::Any);
        let own = ends.entry(by).or_default();
        let ended = match row.op {
            Op::Flush => own.range(..=(arrival, usize::MAX)).next_back(),
            _ => own.first().filter(|(end, _)| *end <= arrival),
        };
        let (wait, chain, flush) = match ended.copied() {
            Some((end, chain)) => {
                own.remove(&(end, chain));
                let flush = flushes.last(arrival).filter(|flush| {
                    follows == Follows::ThreadAndFlush && flush.end > end && flush.chain != chain
                });
                let since = flush.map_or(end, |flush| flush.end);
                (arrival - since, chain, flush.map(|flush| flush.row))
            }
            None => {
                chains.push(Vec::new());
                (arrival - begin, chains.len() - 1, None)
            }
        };
        chains[chain].push(Link {
            row: number,
            wait,
            flush,
        });
        // Of one that failed the end is not known.
        let end = row.completion.unwrap_or(arrival).max(arrival);
        own.insert((end, chain));
        if row.op == Op::Flush {
            flushes.0.insert(Flush {
                end,
                row: number,
                chain,
            });
        }
    }
    chains
}

/// A flush, in the order of ends.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
struct Flush {
    end: Nanos,
    row: usize,
    chain: usize,
}

/// Those that may still be the last one.
#[derive(Default)]
struct Flushes(BTreeSet<Flush>);

impl Flushes {
    /// The last one that has ended by a moment, which is no earlier than that asked for before.
    fn last(&mut self, moment: Nanos) -> Option<Flush> {
        while let Some(second) = self.0.iter().nth(1)
            && second.end <= moment
        {
            self.0.pop_first();
        }
        self.0.first().copied().filter(|first| first.end <= moment)
    }
}
