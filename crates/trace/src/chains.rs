//! Which IO waited for which: the chains of a closed replay.

use std::cmp::Reverse;
use std::collections::{BTreeSet, BinaryHeap, HashMap};

use blockyard_model::storage::Op;
use blockyard_model::units::Nanos;

use crate::Row;

/// What an IO of a trace follows.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Link {
    /// Its chain; chains are numbered as they begin.
    pub chain: u32,
    /// The time since what it follows: an end or an issue in its chain, or of the first the
    /// beginning of the trace.
    pub wait: Nanos,
    /// How many of its chain were in flight beside it, if it follows an end or is the first; none
    /// if it follows an issue.
    pub in_flight: Option<u32>,
}

/// What an IO waits for.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Follows {
    /// Any IO.
    Any,
    /// One of its thread.
    Thread,
}

/// As [`Row::by`] has it.
pub(crate) type Thread = (u32, u32);

/// The chains of rows that come in the order of their arrival.
///
/// Of [`Follows::Thread`] each thread is one. Its IO follows the last end of an IO of the thread,
/// if there was one since the IO before it was issued; otherwise it waited for none, and follows
/// that issue. So what a thread issues at once comes at once again.
///
/// Of [`Follows::Any`] an IO follows the one that ended first and that no other followed; if none
/// has ended, it begins a chain. A flush follows the one that ended last, as that is what it makes
/// durable.
#[derive(Debug)]
pub struct Chains {
    /// When the first row came.
    pub(crate) begin: Option<Nanos>,
    by: By,
}

#[derive(Debug)]
enum By {
    Thread {
        threads: HashMap<Option<Thread>, Own>,
        /// Of each the most IOs in flight.
        most: Vec<u32>,
    },
    Any {
        /// The ends of chains, and which they are.
        ends: BTreeSet<(Nanos, u32)>,
        count: u32,
    },
}

/// A thread so far.
#[derive(Debug, Default)]
struct Own {
    chain: u32,
    /// When its last IO was issued; before the first one, when the trace began.
    issue: Nanos,
    /// It has issued one.
    began: bool,
    /// The last end by then.
    end: Option<Nanos>,
    /// The ends after it.
    ends: BinaryHeap<Reverse<Nanos>>,
}

impl Own {
    /// What its next IO follows, which comes at `arrival` and ends at `end`.
    fn follow(&mut self, arrival: Nanos, end: Nanos) -> Link {
        let mut ended = None;
        while let Some(Reverse(end)) = self.ends.peek().copied().filter(|end| end.0 <= arrival) {
            self.ends.pop();
            ended = Some(end);
        }
        self.end = ended.or(self.end);
        let is_free = ended.is_some() || !self.began;
        let link = Link {
            chain: self.chain,
            wait: arrival - ended.unwrap_or(self.issue),
            in_flight: is_free.then_some(self.ends.len() as u32),
        };
        (self.issue, self.began) = (arrival, true);
        self.ends.push(Reverse(end));
        link
    }

    fn in_flight(&self) -> u32 {
        self.ends.len() as u32
    }
}

impl Chains {
    /// None yet.
    #[must_use]
    pub fn new(follows: Follows) -> Self {
        let by = match follows {
            Follows::Thread => By::Thread {
                threads: HashMap::new(),
                most: Vec::new(),
            },
            Follows::Any => By::Any {
                ends: BTreeSet::new(),
                count: 0,
            },
        };
        Self { begin: None, by }
    }

    /// The trace began then: by default when its first row came.
    pub fn begin_at(&mut self, begin: Nanos) {
        self.begin.get_or_insert(begin);
    }

    /// How many chains there are.
    #[must_use]
    pub fn count(&self) -> usize {
        match &self.by {
            By::Thread { most, .. } => most.len(),
            By::Any { count, .. } => *count as usize,
        }
    }

    /// Of each chain the most IOs in flight.
    #[must_use]
    pub fn most_in_flight(&self) -> Vec<u32> {
        match &self.by {
            By::Thread { most, .. } => most.clone(),
            By::Any { count, .. } => vec![1; *count as usize],
        }
    }

    /// When the last IO of a thread ended that ended by a moment, which is not before its last IO.
    pub(crate) fn last_end(&self, by: Option<Thread>, moment: Nanos) -> Option<Nanos> {
        let By::Thread { threads, .. } = &self.by else {
            return None;
        };
        let own = threads.get(&by)?;
        let ends = own.ends.iter().map(|end| end.0);
        ends.filter(|end| *end <= moment).max().or(own.end)
    }

    /// What the next row follows; none if it has no time.
    pub fn follow(&mut self, row: &Row) -> Option<Link> {
        let arrival = row.begin()?;
        let begin = *self.begin.get_or_insert(arrival);
        // Of one that failed the end is not known.
        let end = row.end(arrival);
        Some(match &mut self.by {
            By::Thread { threads, most } => {
                let own = threads.entry(row.by).or_insert_with(|| {
                    most.push(0);
                    Own {
                        chain: most.len() as u32 - 1,
                        issue: begin,
                        ..Own::default()
                    }
                });
                let link = own.follow(arrival, end);
                let most = &mut most[link.chain as usize];
                *most = own.in_flight().max(*most);
                link
            }
            By::Any { ends, count } => {
                let ended = match row.op {
                    Op::Flush => ends.range(..=(arrival, u32::MAX)).next_back(),
                    _ => ends.first().filter(|(end, _)| *end <= arrival),
                };
                let (since, chain) = ended.copied().unwrap_or((begin, *count));
                if !ends.remove(&(since, chain)) {
                    *count += 1;
                }
                ends.insert((end, chain));
                Link {
                    chain,
                    wait: arrival - since,
                    in_flight: Some(0),
                }
            }
        })
    }
}
