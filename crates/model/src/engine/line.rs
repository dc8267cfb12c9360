//! Requests that wait at a stage, in the order in which it will serve them.

use alloc::collections::{BTreeMap, VecDeque};

use super::stage::Waiting;
use crate::request::Asker;
use crate::spec::Discipline;
use crate::volume::Part;

/// A line of waiting requests.
#[derive(Clone, Debug)]
pub(super) enum Line {
    Fifo(VecDeque<Waiting>),
    Fair(Fair),
}

impl Line {
    pub(super) fn new(discipline: Discipline) -> Self {
        match discipline {
            Discipline::Fifo => Self::Fifo(VecDeque::new()),
            Discipline::Classes | Discipline::Queues => Self::Fair(Fair::new(discipline)),
        }
    }

    /// Puts a request in line. Says whether it is now the first.
    pub(super) fn push(&mut self, request: Waiting) -> bool {
        match self {
            Self::Fifo(line) => {
                line.push_back(request);
                line.len() == 1
            }
            Self::Fair(line) => line.push(request),
        }
    }

    /// The request that is served next.
    #[inline]
    pub(super) fn first(&self) -> Option<&Waiting> {
        match self {
            Self::Fifo(line) => line.front(),
            Self::Fair(line) => line.waiting.first_key_value().map(|(_, request)| request),
        }
    }

    /// Takes that request out of the line.
    pub(super) fn pop(&mut self) -> Option<Waiting> {
        match self {
            Self::Fifo(line) => line.pop_front(),
            Self::Fair(line) => line.pop(),
        }
    }

    /// Takes out all requests to `volume`.
    pub(super) fn remove(&mut self, volume: usize) {
        match self {
            Self::Fifo(line) => line.retain(|request| request.part.volume != volume),
            Self::Fair(line) => line
                .waiting
                .retain(|_, request| request.part.volume != volume),
        }
    }
}

/// Flows in turn, each served the same number of IOs while it has any waiting; within a
/// flow, requests in the order of their arrival.
///
/// This is start-time fair queueing (Goyal, Vin and Cheng, 1996) with equal weights: a
/// request starts when the one before it in its flow has finished, or at the virtual time,
/// whichever is later; it takes as long as it counts IOs; and the virtual time is the start
/// of the request that was served last.
#[derive(Clone, Debug)]
pub(super) struct Fair {
    discipline: Discipline,
    /// By start, then by arrival.
    waiting: BTreeMap<(u64, u64), Waiting>,
    /// When the last request of each flow finishes.
    finish: BTreeMap<Flow, u64>,
    virtual_time: u64,
    arrived: u64,
}

impl Fair {
    fn new(discipline: Discipline) -> Self {
        Self {
            discipline,
            waiting: BTreeMap::new(),
            finish: BTreeMap::new(),
            virtual_time: 0,
            arrived: 0,
        }
    }

    fn push(&mut self, request: Waiting) -> bool {
        let flow = Flow::of(self.discipline, &request.part);
        let finish = self.finish.entry(flow).or_default();
        let start = self.virtual_time.max(*finish);
        *finish = start + request.cost.ios;
        let key = (start, self.arrived);
        self.arrived += 1;
        self.waiting.insert(key, request);
        self.waiting
            .first_key_value()
            .is_some_and(|(first, _)| *first == key)
    }

    fn pop(&mut self) -> Option<Waiting> {
        let ((start, _), request) = self.waiting.pop_first()?;
        self.virtual_time = start;
        if self.waiting.is_empty() {
            // Nobody is owed anything.
            self.finish.clear();
        }
        Some(request)
    }
}

/// One of those that take turns.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(super) enum Flow {
    All,
    Direction { writes: bool },
    Submitter(Asker, u32),
}

impl Flow {
    /// Which of those that take turns a request belongs to.
    pub(super) fn of(discipline: Discipline, part: &Part) -> Self {
        match discipline {
            Discipline::Fifo => Self::All,
            Discipline::Classes => Self::Direction { writes: part.write },
            Discipline::Queues => Self::Submitter(part.asker, part.submitter),
        }
    }
}
