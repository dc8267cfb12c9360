//! What threads of a database wait for: their own IOs, and the log that they share.

use std::collections::{HashMap, HashSet};

use blockyard_model::storage::Op;
use blockyard_model::units::Nanos;
use blockyard_model::workload::spec::LogWait;

use crate::chains::Thread;
use crate::{Chains, Follows, Row};

/// An IO of a replay by commits.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Step {
    /// The IO.
    pub row: Row,
    /// 0 of the log, otherwise that of its thread.
    pub chain: u32,
    /// The time since what it follows in its chain ([`Link::wait`]), or since the end of the last
    /// flush of the log, if it waits for that. Of the log: since its last flush, or the end of its
    /// own thread's IO if that is later.
    pub wait: Nanos,
    /// How many of its chain are in flight beside it, if it follows an end.
    pub in_flight: Option<u32>,
    /// Its thread also flushes the log.
    pub commits: bool,
    /// What it does before, if flushes of the log ended since the one before it.
    pub after: Option<LogWait>,
}

/// The chains of rows that come in the order of their arrival, with one for the log.
///
/// The log is the flushes, each with the write that its thread made right before, as long as one
/// comes after the other: one that begins beside another one is an IO of its thread, as all others
/// are. Where a database commits, only one of many threads flushes, for all that wait, and another
/// one might have been it. So a flush is not its thread's, and a thread whose IOs are further apart
/// than the ends of flushes waits for as many, whoever's. What a thread issues beside others of its
/// IOs, without waiting for them, waits for no flush either.
///
/// What a thread does before such a wait is not recorded. It is taken to be as long as what it does
/// after it, if one that flushes can have had the time.
#[derive(Debug)]
pub struct Commits {
    chains: Chains,
    /// The last write of a thread, which may be the log's.
    held: HashMap<Option<Thread>, Row>,
    /// Threads that flushed the log.
    committing: HashSet<Option<Thread>>,
    /// When each flush of the log ended.
    ends: Vec<Nanos>,
}

impl Default for Commits {
    fn default() -> Self {
        Self {
            chains: Chains::new(Follows::Thread),
            held: HashMap::new(),
            committing: HashSet::new(),
            ends: Vec::new(),
        }
    }
}

impl Commits {
    /// The trace began then: by default when its first row came.
    pub fn begin_at(&mut self, begin: Nanos) {
        self.chains.begin_at(begin);
    }

    /// How many chains there are, with that of the log.
    #[must_use]
    pub fn count(&self) -> usize {
        self.chains.count() + 1
    }

    /// Of each chain the most IOs in flight.
    #[must_use]
    pub fn most_in_flight(&self) -> Vec<u32> {
        let mut most = vec![1];
        most.extend(self.chains.most_in_flight());
        most
    }

    /// Takes the next row, and gives to `steps` what is known by that: of a chain in its order.
    pub fn take(&mut self, row: Row, steps: &mut Vec<Step>) {
        let Some(arrival) = row.begin() else {
            return;
        };
        // Perhaps with a flush, which is of no thread's chain.
        self.chains.begin.get_or_insert(arrival);
        let held = self.held.remove(&row.by);
        let free = self.log_end();
        if row.op == Op::Flush && arrival >= free {
            return self.flush(row, arrival, held, steps);
        }
        steps.extend(held.and_then(|held| self.step(held)));
        if row.op == Op::Write {
            self.held.insert(row.by, row);
        } else {
            steps.extend(self.step(row));
        }
    }

    /// All rows were taken: gives what was held back.
    pub fn end(&mut self, steps: &mut Vec<Step>) {
        let mut held: Vec<_> = self.held.drain().map(|(_, row)| row).collect();
        held.sort_by_key(|row| (row.begin(), row.by));
        steps.extend(held.into_iter().filter_map(|row| self.step(row)));
    }

    /// Since when the log is free.
    fn log_end(&self) -> Nanos {
        self.ends.last().copied().or(self.chains.begin).unwrap_or(0)
    }

    /// Takes a flush of the log, before which its thread made a write.
    fn flush(&mut self, row: Row, arrival: Nanos, held: Option<Row>, steps: &mut Vec<Step>) {
        let free = self.log_end();
        let written = held.and_then(|write| {
            let begin = write.begin()?;
            let end = write.end(begin);
            (begin >= free && end <= arrival).then_some((write, begin, end))
        });
        if written.is_none() {
            steps.extend(held.and_then(|held| self.step(held)));
        }
        let log = |row: Row, wait: Nanos| Step {
            row,
            chain: 0,
            wait,
            in_flight: Some(0),
            commits: true,
            after: None,
        };
        let begin = written.map_or(arrival, |(_, begin, _)| begin);
        let own = self.chains.last_end(row.by, begin).unwrap_or(0);
        let pause = begin - free.max(own);
        match written {
            Some((write, _, end)) => {
                steps.push(log(write, pause));
                steps.push(log(row, arrival - end));
            }
            None => steps.push(log(row, pause)),
        }
        self.committing.insert(row.by);
        self.ends.push(row.end(arrival));
    }

    /// An IO of a thread.
    fn step(&mut self, row: Row) -> Option<Step> {
        let arrival = row.begin()?;
        let link = self.chains.follow(&row)?;
        let since = arrival - link.wait;
        let commits = self.committing.contains(&row.by);
        let ended = |by: Nanos| self.ends.partition_point(|end| *end <= by);
        let flushes = ended(arrival);
        let mut wait = link.wait;
        let mut after = None;
        if link.in_flight.is_some() && flushes > ended(since) {
            let last = self.ends[flushes - 1];
            wait = arrival - last;
            let work = if commits {
                wait.min(last - 1 - since).min(u32::MAX.into())
            } else {
                0
            };
            after = Some(LogWait {
                work: work as u32,
                flushes: u32::try_from(flushes - ended(since + work)).unwrap_or(u32::MAX),
            });
        }
        Some(Step {
            row,
            // Beside the log's.
            chain: link.chain + 1,
            wait,
            in_flight: link.in_flight,
            commits,
            after,
        })
    }
}
