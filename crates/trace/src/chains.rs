//! Which IO waited for which: the chains of a closed replay.

use std::collections::{BTreeMap, BTreeSet, HashMap};

use blockyard_model::storage::Op;
use blockyard_model::units::Nanos;
use blockyard_model::workload::spec::FlushOf;

use crate::Row;

/// What an IO of a trace follows.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Link {
    /// Its chain; chains are numbered as they begin.
    pub chain: u32,
    /// The time since the end of the one before it in the chain, or of the first since the
    /// beginning of the trace; since the end of the flush, if there is one.
    pub wait: Nanos,
    /// Another chain's flush that ended after the one before it.
    pub flush: Option<FlushOf>,
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

/// As [`Row::by`] has it.
type Thread = (u32, u32);

/// The chains of rows that come in the order of their arrival. An IO follows the one of its thread,
/// or of all for [`Follows::Any`], that ended first and that no other followed; if none has ended,
/// it begins a chain. A flush follows the one that ended last, as that is what it makes durable.
///
/// A synchronous thread is one chain.
#[derive(Debug)]
pub struct Chains {
    follows: Follows,
    /// When the first row came.
    begin: Option<Nanos>,
    /// The ends of chains, and which they are, of each thread.
    ends: HashMap<Option<Thread>, BTreeSet<(Nanos, u32)>>,
    /// How many flushes each chain has.
    chains: Vec<u32>,
    flushes: Flushes,
}

impl Chains {
    /// None yet.
    #[must_use]
    pub fn new(follows: Follows) -> Self {
        Self {
            follows,
            begin: None,
            ends: HashMap::new(),
            chains: Vec::new(),
            flushes: Flushes::default(),
        }
    }

    /// How many chains there are.
    #[must_use]
    pub fn count(&self) -> usize {
        self.chains.len()
    }

    /// How many threads were recorded; 1 for [`Follows::Any`].
    #[must_use]
    pub fn threads(&self) -> usize {
        self.ends.len()
    }

    /// What the next row follows; none if it has no time.
    pub fn follow(&mut self, row: &Row) -> Option<Link> {
        let arrival = row.begin()?;
        let begin = *self.begin.get_or_insert(arrival);
        let by = row.by.filter(|_| self.follows != Follows::Any);
        let own = self.ends.entry(by).or_default();
        let ended = match row.op {
            Op::Flush => own.range(..=(arrival, u32::MAX)).next_back(),
            _ => own.first().filter(|(end, _)| *end <= arrival),
        };
        let link = match ended.copied() {
            Some((end, chain)) => {
                own.remove(&(end, chain));
                let flush = self.flushes.last(arrival);
                let flush = flush.filter(|flush| flush.end > end && flush.of.chain != chain);
                let since = flush.map_or(end, |flush| flush.end);
                Link {
                    chain,
                    wait: arrival - since,
                    flush: flush.map(|flush| flush.of),
                }
            }
            None => {
                self.chains.push(0);
                Link {
                    chain: self.chains.len() as u32 - 1,
                    wait: arrival - begin,
                    flush: None,
                }
            }
        };
        // Of one that failed the end is not known.
        let end = row.completion.unwrap_or(arrival).max(arrival);
        own.insert((end, link.chain));
        if row.op == Op::Flush && self.follows == Follows::ThreadAndFlush {
            let nth = &mut self.chains[link.chain as usize];
            *nth += 1;
            let of = FlushOf {
                chain: link.chain,
                nth: *nth,
            };
            self.flushes.add(end, of);
        }
        Some(link)
    }
}

/// A flush.
#[derive(Clone, Copy, Debug)]
struct Flush {
    end: Nanos,
    of: FlushOf,
}

/// Those that may still be the last one.
#[derive(Debug, Default)]
struct Flushes {
    /// By end, and of equal ends as they came.
    open: BTreeMap<(Nanos, u64), FlushOf>,
    came: u64,
}

impl Flushes {
    fn add(&mut self, end: Nanos, of: FlushOf) {
        self.came += 1;
        self.open.insert((end, self.came), of);
    }

    /// The last one that has ended by a moment, which is no earlier than that asked for before.
    fn last(&mut self, moment: Nanos) -> Option<Flush> {
        while let Some(((second, _), _)) = self.open.iter().nth(1)
            && *second <= moment
        {
            self.open.pop_first();
        }
        let ((end, _), of) = self.open.first_key_value()?;
        (*end <= moment).then_some(Flush { end: *end, of: *of })
    }
}
