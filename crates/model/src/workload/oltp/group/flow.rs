//! Who may send: the order of write sets, and flow control.

use alloc::collections::VecDeque;
use alloc::vec;
use alloc::vec::Vec;

use crate::units::Nanos;
use crate::workload::Slot;

/// What the node that sends knows of the group.
#[derive(Clone, Debug)]
pub(super) struct Flow {
    /// Threads whose write sets are sent and not certified, in their order.
    sent: VecDeque<Slot>,
    /// Write sets that each of the others has acknowledged, and that all have.
    acknowledged: Vec<u64>,
    certified: u64,
    /// How many of the others have stopped the group.
    stops: u32,
    /// Threads that must not send meanwhile.
    held: VecDeque<Slot>,
    since: Nanos,
    pauses: u64,
    paused: Nanos,
}

impl Flow {
    /// With so many other nodes.
    pub(super) fn new(others: usize) -> Self {
        Self {
            sent: VecDeque::new(),
            acknowledged: vec![0; others],
            certified: 0,
            stops: 0,
            held: VecDeque::new(),
            since: 0,
            pauses: 0,
            paused: 0,
        }
    }

    /// A thread wants to send its write set; whether it may.
    pub(super) fn ask(&mut self, thread: Slot) -> bool {
        match self.stops {
            0 => self.sent.push_back(thread),
            _ => self.held.push_back(thread),
        }
        self.stops == 0
    }

    /// A node is too far behind.
    pub(super) fn stop(&mut self, now: Nanos) {
        if self.stops == 0 {
            self.since = now;
            self.pauses += 1;
        }
        self.stops += 1;
    }

    /// It is no more. Gives who may send now: all that were held, if no other node is.
    pub(super) fn go_on(&mut self, now: Nanos) -> VecDeque<Slot> {
        self.stops -= 1;
        if self.stops > 0 {
            return VecDeque::new();
        }
        self.paused += now - self.since;
        let held = core::mem::take(&mut self.held);
        self.sent.extend(&held);
        held
    }

    /// Another node has the next write set.
    pub(super) fn acknowledge(&mut self, node: usize) {
        self.acknowledged[node] += 1;
    }

    /// The thread whose write set is the next that all nodes have.
    pub(super) fn next_certified(&mut self) -> Option<Slot> {
        let all = self.acknowledged.iter().min().copied()?;
        if self.certified == all {
            return None;
        }
        self.certified += 1;
        self.sent.pop_front()
    }

    /// Write sets that all nodes have.
    pub(super) fn certified(&self) -> u64 {
        self.certified
    }

    /// How often the group was stopped, and for how long until `now`.
    pub(super) fn pauses(&self, now: Nanos) -> (u64, Nanos) {
        let running = if self.stops > 0 { now - self.since } else { 0 };
        (self.pauses, self.paused + running)
    }
}
