//! A chain whose IOs may be in flight together, as those of a thread that does not wait for each.

use alloc::vec::Vec;

use super::chain::Chain;
use super::spec::RecordedIo;
use crate::workload::io::Slot;

/// A chain and its slots, one for each IO that it may have in flight.
#[derive(Clone, Debug)]
pub(super) struct Thread {
    chain: Chain,
    /// Slots without an IO.
    free: Vec<Slot>,
    slots: u32,
    /// That of the next IO, once nothing but time or the log holds it up.
    next: Option<Slot>,
}

/// What is next in a chain.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Next {
    /// This IO, on this slot: its wait begins now.
    Io(Slot, RecordedIo),
    /// Fewer of its IOs have to be in flight before.
    Ends,
    /// Nothing: all have ended.
    Through,
}

impl Thread {
    /// With the slots from `first`.
    pub(super) fn new(chain: Chain, first: Slot, slots: u32) -> Self {
        Self {
            chain,
            free: (first..first + slots).rev().collect(),
            slots,
            next: None,
        }
    }

    /// What is next, for one that has no next IO yet.
    pub(super) fn next(&mut self) -> Next {
        let in_flight = self.slots - self.free.len() as u32;
        let Some(io) = self.chain.next() else {
            return match in_flight {
                0 => Next::Through,
                _ => Next::Ends,
            };
        };
        if in_flight > io.in_flight {
            return Next::Ends;
        }
        let Some(slot) = self.free.pop() else {
            return Next::Ends;
        };
        self.next = Some(slot);
        Next::Io(slot, io)
    }

    /// The next IO, if it has one.
    pub(super) fn waiting(&mut self) -> Option<(Slot, RecordedIo)> {
        self.next.zip(self.chain.next())
    }

    /// Takes the next IO, if it has one: to be issued.
    pub(super) fn take(&mut self) -> Option<(Slot, RecordedIo)> {
        let taken = self.waiting()?;
        self.next = None;
        self.chain.take();
        Some(taken)
    }

    /// The IO on a slot ended: whether it may have been waited for.
    pub(super) fn ended(&mut self, slot: Slot) -> bool {
        self.free.push(slot);
        self.next.is_none()
    }
}

/// Threads by their chains, and by slot whose it is.
#[derive(Clone, Debug)]
pub(super) struct Threads {
    pub(super) all: Vec<Thread>,
    of_slot: Vec<u32>,
}

impl Threads {
    /// Of chains by number, each with so many slots.
    pub(super) fn new(slots: &[u32], chain: impl Fn(u32) -> Chain) -> Self {
        let mut of_slot = Vec::new();
        let thread = |(number, slots): (u32, &u32)| {
            let first = of_slot.len() as Slot;
            of_slot.extend((0..*slots).map(|_| number));
            Thread::new(chain(number), first, *slots)
        };
        let all = (0..).zip(slots).map(thread).collect();
        Self { all, of_slot }
    }

    pub(super) fn slots(&self) -> u32 {
        self.of_slot.len() as u32
    }

    /// The chain that a slot is of.
    #[inline]
    pub(super) fn of(&self, slot: Slot) -> u32 {
        self.of_slot[slot as usize]
    }
}
