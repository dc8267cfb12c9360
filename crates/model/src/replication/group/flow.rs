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
    /// Write sets that all nodes have.
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
    /// With this number of nodes.
    pub(super) fn new(nodes: usize) -> Self {
        Self {
            sent: VecDeque::new(),
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

    /// Nothing of what was sent or held will be certified. Gives whose it was: what was sent, and
    /// what was held.
    pub(super) fn give_up(&mut self, now: Nanos) -> [VecDeque<Slot>; 2] {
        if self.is_stopped() {
            self.paused += now - self.since;
        }
        self.stopped_by.fill(false);
        [&mut self.sent, &mut self.held].map(core::mem::take)
    }

    /// All nodes have the next write set. Gives its thread.
    pub(super) fn is_certified(&mut self) -> Option<Slot> {
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
