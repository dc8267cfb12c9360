//! Who may send: the order of write sets, and flow control.

use alloc::collections::VecDeque;
use alloc::vec;
use alloc::vec::Vec;

use crate::units::Nanos;
use crate::workload::io::Slot;

/// What the node that sends knows of the group.
#[derive(Clone, Debug)]
pub(super) struct Flow {
    /// Threads whose write sets are sent and not certified, in their order.
    sent: VecDeque<Slot>,
    /// Write sets that each node has acknowledged, and that all have. Nobody waits for one with the
    /// most that there can be.
    acknowledged: Vec<u64>,
    certified: u64,
    /// Which nodes have stopped the group.
    stopped_by: Vec<bool>,
    /// Threads that must not send meanwhile.
    held: VecDeque<Slot>,
    since: Nanos,
    pauses: u64,
    paused: Nanos,
}

impl Flow {
    /// With this number of nodes, of which the first sends.
    pub(super) fn new(nodes: usize) -> Self {
        let mut acknowledged = vec![0; nodes];
        acknowledged[0] = u64::MAX;
        Self {
            sent: VecDeque::new(),
            acknowledged,
            certified: 0,
            stopped_by: vec![false; nodes],
            held: VecDeque::new(),
            since: 0,
            pauses: 0,
            paused: 0,
        }
    }

    /// A thread wants to send its write set; whether it may.
    pub(super) fn ask(&mut self, thread: Slot) -> bool {
        let is_stopped = self.is_stopped();
        match is_stopped {
            false => self.sent.push_back(thread),
            true => self.held.push_back(thread),
        }
        !is_stopped
    }

    fn is_stopped(&self) -> bool {
        self.stopped_by.contains(&true)
    }

    /// A node is too far behind.
    pub(super) fn stop(&mut self, now: Nanos, node: usize) {
        if !self.is_stopped() {
            self.since = now;
            self.pauses += 1;
        }
        self.stopped_by[node] = true;
    }

    /// It is no more. Gives who may send now: all that were held, if no other node is.
    pub(super) fn go_on(&mut self, now: Nanos, node: usize) -> VecDeque<Slot> {
        let was_behind = core::mem::take(&mut self.stopped_by[node]);
        if !was_behind || self.is_stopped() {
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

    /// Another node has left the group: nothing waits for it. Gives who may send now.
    pub(super) fn leave(&mut self, now: Nanos, node: usize) -> VecDeque<Slot> {
        self.acknowledged[node] = u64::MAX;
        self.go_on(now, node)
    }

    /// A node is a member again: what is sent from now on waits for it.
    pub(super) fn join(&mut self, node: usize) {
        self.acknowledged[node] = self.certified + self.sent.len() as u64;
    }

    /// Nothing of what was sent or held will be certified, and nobody is waited for. Gives whose
    /// it was.
    pub(super) fn give_up(&mut self, now: Nanos) -> VecDeque<Slot> {
        if self.is_stopped() {
            self.paused += now - self.since;
        }
        self.stopped_by.fill(false);
        self.acknowledged.fill(u64::MAX);
        let mut all = core::mem::take(&mut self.sent);
        all.append(&mut self.held);
        all
    }

    /// The thread whose write set is the next that all nodes have.
    pub(super) fn next_certified(&mut self) -> Option<Slot> {
        let all = self.acknowledged.iter().min().copied()?;
        if self.certified == all {
            return None;
        }
        let thread = self.sent.pop_front()?;
        self.certified += 1;
        Some(thread)
    }

    /// Write sets that all nodes have, of `all` that were sent.
    pub(super) fn certified_of(&self, all: u64) -> u64 {
        all - self.sent.len() as u64
    }

    /// Write sets that all nodes have.
    pub(super) fn certified(&self) -> u64 {
        self.certified
    }

    /// How often the group was stopped, and for how long until `now`.
    pub(super) fn pauses(&self, now: Nanos) -> (u64, Nanos) {
        let running = if self.is_stopped() {
            now - self.since
        } else {
            0
        };
        (self.pauses, self.paused + running)
    }
}
