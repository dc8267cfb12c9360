//! The write daemons: each writes its share of the dirty blocks in ascending
//! order, with a bounded number of writes in flight.

use alloc::vec;
use alloc::vec::Vec;

use super::dirty::DirtySet;
use super::slots::FIRST_DAEMON;
use crate::request::{Op, Request};
use crate::spec::Region;
use crate::units::Bytes;
use crate::workload::io::Slot;
use crate::workload::spec::RanWriteSpec;

/// The daemons at work on one cycle's blocks.
#[derive(Clone, Debug)]
pub(super) struct Daemons {
    file: Region,
    job: u16,
    block: Bytes,
    coalesce: u64,
    per_daemon: u32,
    daemons: Vec<Daemon>,
    /// Which daemon's write is in flight on each slot.
    owner: Vec<Option<usize>>,
}

#[derive(Clone, Debug, Default)]
struct Daemon {
    /// The rest of its share of block numbers.
    next: u64,
    until: u64,
    in_flight: u32,
}

impl Daemons {
    pub(super) fn new(spec: &RanWriteSpec, job: u16) -> Self {
        Self {
            file: spec.data,
            job,
            block: spec.block,
            coalesce: u64::from(spec.coalesce_blocks),
            per_daemon: spec.outstanding_per_daemon,
            daemons: vec![Daemon::default(); spec.daemons as usize],
            owner: vec![None; spec.outstanding as usize],
        }
    }

    /// Deals the blocks of `dirty` out to the daemons.
    pub(super) fn deal(&mut self, dirty: &DirtySet) {
        let bounds = dirty.shares(self.daemons.len() as u32);
        for (daemon, share) in self.daemons.iter_mut().zip(bounds.windows(2)) {
            *daemon = Daemon {
                next: share[0],
                until: share[1],
                in_flight: 0,
            };
        }
    }

    /// Hands every write that can start now to `issue`: daemons in turn take
    /// free slots while they have blocks and may have more in flight.
    pub(super) fn fill(&mut self, dirty: &mut DirtySet, issue: &mut impl FnMut(Slot, Request)) {
        let mut free: Vec<usize> = (0..self.owner.len())
            .rev()
            .filter(|&slot| self.owner[slot].is_none())
            .collect();
        let mut progress = true;
        while progress {
            progress = false;
            for daemon in 0..self.daemons.len() {
                let Some(&slot) = free.last() else { return };
                if let Some(request) = self.next_write(daemon, dirty) {
                    free.pop();
                    self.owner[slot] = Some(daemon);
                    issue(slot as Slot, request);
                    progress = true;
                }
            }
        }
    }

    /// The write on `slot` completed; returns the next one for the slot, from
    /// the same daemon, or where that has none, from the next that has.
    pub(super) fn completed(&mut self, slot: Slot, dirty: &mut DirtySet) -> Option<Request> {
        let finished = self.owner[slot as usize].take()?;
        self.daemons[finished].in_flight -= 1;
        let count = self.daemons.len();
        for step in 0..count {
            let daemon = (finished + step) % count;
            if let Some(request) = self.next_write(daemon, dirty) {
                self.owner[slot as usize] = Some(daemon);
                return Some(request);
            }
        }
        None
    }

    /// Whether no write is in flight.
    pub(super) fn idle(&self) -> bool {
        self.daemons.iter().all(|daemon| daemon.in_flight == 0)
    }

    fn next_write(&mut self, daemon: usize, dirty: &mut DirtySet) -> Option<Request> {
        let submitter = FIRST_DAEMON + daemon as u32;
        let daemon = &mut self.daemons[daemon];
        if daemon.in_flight >= self.per_daemon {
            return None;
        }
        let Some(run) = dirty.take_run(daemon.next, daemon.until, self.coalesce) else {
            daemon.next = daemon.until;
            return None;
        };
        daemon.next = run.first + run.blocks;
        daemon.in_flight += 1;
        let offset = self.file.offset + run.first * self.block;
        let len = run.blocks * self.block;
        Some(Request {
            device: self.file.device,
            op: Op::Write,
            offset,
            len,
            requester: self.job.into(),
            submitter,
        })
    }
}
