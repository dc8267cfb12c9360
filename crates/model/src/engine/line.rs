//! Requests that wait at a stage, in the order in which it will serve them.

use alloc::collections::VecDeque;
use alloc::vec::Vec;

use super::stage::Waiting;
use super::turns::Turns;
use crate::spec::Discipline;

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
            Discipline::PerDirection | Discipline::PerSubmitter => {
                Self::Fair(Fair::new(discipline))
            }
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
            Self::Fair(line) => line.first(),
        }
    }

    /// Takes that request out of the line.
    #[inline]
    pub(super) fn pop(&mut self) -> Option<Waiting> {
        match self {
            Self::Fifo(line) => line.pop_front(),
            Self::Fair(line) => line.pop(),
        }
    }

    /// Takes out all requests to `volume`.
    pub(super) fn remove(&mut self, volume: usize) {
        match self {
            Self::Fifo(line) => line.retain(|request| request.volume != volume),
            Self::Fair(line) => line.remove(volume),
        }
    }
}

/// A queue for each of the flows that take turns; within one, in the order of arrival.
#[derive(Clone, Debug)]
pub(super) struct Fair {
    turns: Turns,
    /// By flow: those who wait, each with its number in the order of arrival.
    queues: Vec<VecDeque<(u64, Waiting)>>,
    arrived: u64,
}

impl Fair {
    fn new(discipline: Discipline) -> Self {
        Self {
            turns: Turns::new(discipline),
            queues: Vec::new(),
            arrived: 0,
        }
    }

    fn push(&mut self, request: Waiting) -> bool {
        let flow = self.turns.flow_of(request.whose, request.cost.write);
        if self.queues.len() <= flow {
            self.queues.resize(flow + 1, VecDeque::new());
        }
        let queue = &mut self.queues[flow];
        queue.push_back((self.arrived, request));
        let is_alone = queue.len() == 1;
        if is_alone {
            self.turns.wait(flow, self.arrived);
        }
        self.arrived += 1;
        is_alone && self.turns.first() == Some(flow)
    }

    #[inline]
    fn first(&self) -> Option<&Waiting> {
        let (_, request) = self.queues[self.turns.first()?].front()?;
        Some(request)
    }

    #[inline]
    fn pop(&mut self) -> Option<Waiting> {
        let queue = &mut self.queues[self.turns.first()?];
        let (_, request) = queue.pop_front()?;
        let next = queue.front().map(|(number, _)| *number);
        self.turns.serve(request.cost.ios, next);
        Some(request)
    }

    fn remove(&mut self, volume: usize) {
        for queue in &mut self.queues {
            queue.retain(|(_, request)| request.volume != volume);
        }
        let queues = &self.queues;
        let first = |flow: usize| queues[flow].front().map(|(number, _)| *number);
        self.turns.renew(first);
    }
}
