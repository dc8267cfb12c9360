//! Whose turn it is among flows, each served the same number of IOs while it has any waiting.
//!
//! This is start-time fair queueing (Goyal, Vin and Cheng, 1996) with equal weights: a flow's
//! turn starts when its last one has finished, or at the virtual time, whichever is later; it
//! takes as long as what is served in it counts IOs; and the virtual time is the start of the
//! turn that was served last. Only what is served counts: what is taken out of a queue otherwise,
//! as when its volume fails, owes nothing.

use alloc::collections::binary_heap::PeekMut;
use alloc::collections::{BTreeMap, BinaryHeap};
use alloc::vec::Vec;
use core::cmp::Reverse;

use crate::request::Requester;
use crate::spec::Discipline;

/// Flows that take turns. Who waits in each is known elsewhere, by the flow's number.
#[derive(Clone, Debug)]
pub(super) struct Turns {
    discipline: Discipline,
    /// The numbers of flows by who submits.
    submitters: BTreeMap<(Requester, u32), usize>,
    /// By flow: when its last turn that was served finished.
    finished: Vec<u64>,
    /// The flows in which anybody waits: when their turns start, and which of two that start at
    /// once is first.
    waiting: BinaryHeap<Reverse<(u64, u64, usize)>>,
    virtual_time: u64,
    /// When the last of all turns that were served finished.
    latest: u64,
}

impl Turns {
    pub(super) fn new(discipline: Discipline) -> Self {
        Self {
            discipline,
            submitters: BTreeMap::new(),
            finished: Vec::new(),
            waiting: BinaryHeap::new(),
            virtual_time: 0,
            latest: 0,
        }
    }

    /// The flow that a request of `whose`, a write or not, belongs to.
    #[inline]
    pub(super) fn flow_of(&mut self, whose: (Requester, u32), write: bool) -> usize {
        match self.discipline {
            Discipline::Fifo => 0,
            Discipline::PerDirection => usize::from(write),
            Discipline::PerSubmitter => {
                let next = self.submitters.len();
                *self.submitters.entry(whose).or_insert(next)
            }
        }
    }

    /// Somebody waits in a flow in which nobody did. Of flows whose turns start at once the one
    /// with the least `rank` is first.
    pub(super) fn wait(&mut self, flow: usize, rank: u64) {
        if self.finished.len() <= flow {
            self.finished.resize(flow + 1, 0);
        }
        let start = self.virtual_time.max(self.finished[flow]);
        self.waiting.push(Reverse((start, rank, flow)));
    }

    /// The flow whose turn is next.
    #[inline]
    pub(super) fn first(&self) -> Option<usize> {
        self.waiting.peek().map(|Reverse((_, _, flow))| *flow)
    }

    /// The first flow has its turn, in which so many IOs are served; somebody else who waits in
    /// it has this `rank`.
    pub(super) fn serve(&mut self, ios: u64, rank: Option<u64>) {
        let Some(mut first) = self.waiting.peek_mut() else {
            return;
        };
        let Reverse((start, _, flow)) = *first;
        let end = start + ios;
        self.virtual_time = start;
        self.finished[flow] = end;
        self.latest = self.latest.max(end);
        match rank {
            Some(rank) => *first = Reverse((end, rank, flow)),
            None => {
                PeekMut::pop(first);
                self.forget_if_empty();
            }
        }
    }

    /// Some who waited were taken out unserved: `rank` says by flow who is left.
    pub(super) fn renew(&mut self, rank: impl Fn(usize) -> Option<u64>) {
        let before = core::mem::take(&mut self.waiting);
        let left = |Reverse((start, _, flow))| Some(Reverse((start, rank(flow)?, flow)));
        self.waiting = before.into_iter().filter_map(left).collect();
        self.forget_if_empty();
    }

    /// Where nobody waits, nobody is owed anything.
    fn forget_if_empty(&mut self) {
        if self.waiting.is_empty() {
            self.virtual_time = self.latest;
        }
    }
}
