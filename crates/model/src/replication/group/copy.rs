//! All data of a node for one that has missed more than is kept (Galera's state snapshot
//! transfer).
//!
//! Another node, the donor, reads its data from front to back; what it reads goes over the link
//! between the two, and is written there. The one that joins is started for that, as files cannot
//! be replaced under a running engine
//! (<https://galeracluster.com/library/documentation/sst-physical.html>). It queues what is sent
//! meanwhile, less what the copy has of it, and serves once all is written. The donor begins when
//! it has applied what was sent before. It stops nobody, and applies on, or nothing where copying
//! blocks it.

mod progress;

pub(super) use core::mem;

pub(super) use self::progress::Copying;
use self::progress::{CHUNK, Next, SLOTS};
use super::messages::{COPIED, COPY};
use super::order::Item;
use super::quorum::Quorum;
use super::standing::{Standing, Sync};
use super::{Group, tell};
use crate::replication::NetworkSink;
use crate::request::{Op, Request};
use crate::units::{Bytes, Nanos, SECOND};
use crate::workload::MembershipEvent;
use crate::workload::io::{Outcome, Slot};
use crate::workload::oltp::slots::{COPIES, OF_NODE};

impl Group {
    /// Slots for copies, after the alarm's.
    pub(super) fn copy_slots(&self) -> u32 {
        match self.spec.has_copies() {
            true => SLOTS * self.nodes.len() as u32,
            false => 0,
        }
    }

    /// The node of a slot for copies, and which of its it is.
    pub(super) fn copy_slot(&self, slot: Slot) -> Option<(usize, u32)> {
        let place = slot.checked_sub(self.alarm + 1)?;
        Some(((place / SLOTS) as usize, place % SLOTS))
    }

    /// The largest IO of a copy of a node's data.
    pub(super) fn largest_chunk(&self, node: usize) -> Bytes {
        CHUNK.min(self.nodes[node].spec().data.size)
    }

    /// Another node that needs a copy may come back: its engine, which runs, is ended first. One
    /// that nobody starts again stays outside.
    pub(super) fn joins_by_copy(&mut self, now: Nanos, other: usize, sink: &mut impl NetworkSink) {
        if !self.nodes[other].is_stopped() {
            return self.ends_engine(now, other, sink);
        }
        let donor = self.donor_for(other);
        let free = self.members[other].copy_ios == 0;
        let Some((donor, path)) = donor.filter(|_| free && self.takes_its_part(other)) else {
            self.members[other].standing = Standing::Out(now + SECOND);
            return;
        };
        self.nodes[other].pauses_applying(true);
        let size = self.nodes[donor].spec().data.size;
        let copy = Copying::new(donor, path, self.write_sets, size);
        let own = &mut self.members[other];
        (own.standing, own.sync) = (Standing::Member, Sync::Copies(copy));
        self.order.joins(other);
        self.is_copied_from_now(now, other);
        let (node, from) = (other as u16, donor as u16);
        tell(now, MembershipEvent::Copies(node, from, size), sink);
        self.donates(now, donor, other);
        self.donor_goes_on(now, donor, sink);
    }

    /// An engine that runs ends, and is started again if somebody does that.
    pub(super) fn ends_engine(&mut self, now: Nanos, other: usize, sink: &mut impl NetworkSink) {
        let own = &mut self.members[other];
        (own.standing, own.on) = (Standing::Out(now), own.on.ended(now));
        self.with_node(now, other, sink, |node, sink| node.ceases(now, sink));
    }

    /// Who gives a node all data, and the path between the two: the one that is preferred, or the
    /// first that is up to date. That may be the writer: Galera spares nobody by itself.
    fn donor_for(&self, joiner: usize) -> Option<(usize, usize)> {
        let can = |it: usize| {
            let of = &self.members[it];
            let is_up_to_date = match it == self.writer {
                true => self.quorum == Quorum::Has,
                // A base backup is of the primary.
                false => of.is_synced() && self.stream.is_none(),
            };
            let is_idle = of.donates_to().is_none() && of.copy_ios == 0;
            if it == joiner || self.nodes[it].is_stopped() || !(is_up_to_date && is_idle) {
                return None;
            }
            let path = self.between(it, joiner)?;
            self.paths[path].link.is_whole().then_some((it, path))
        };
        let preferred = self.spec.membership.donor.and_then(can);
        preferred.or_else(|| (0..self.nodes.len()).find_map(can))
    }

    /// A member has to do with a copy from now on.
    fn donates(&mut self, now: Nanos, donor: usize, joiner: usize) {
        let own = &mut self.members[donor];
        own.sync = Sync::Donates(joiner);
        if donor == self.writer {
            return;
        }
        if let Some(since) = own.stopped.take() {
            own.stopping += now - since;
            self.sends_to_all(donor, Item::GoOn, 0);
        }
    }

    /// A copy begins once its donor has applied what was sent before the other joined.
    pub(super) fn donor_goes_on(&mut self, now: Nanos, donor: usize, sink: &mut impl NetworkSink) {
        let Some(joiner) = self.members[donor].donates_to() else {
            return;
        };
        let applied = self.applied_by(donor);
        let copy = self.members[joiner].copy();
        if !copy.is_some_and(|copy| copy.begins(applied)) {
            return;
        }
        if self.spec.membership.blocks_donor {
            match donor == self.writer {
                true => self.flow.stop(now, donor),
                false => self.nodes[donor].pauses_applying(true),
            }
        }
        self.copy_goes_on(now, joiner, sink);
    }

    /// A donor has nothing to do with a copy any more.
    fn donates_no_more(&mut self, now: Nanos, donor: usize, sink: &mut impl NetworkSink) {
        self.members[donor].sync = match donor == self.writer {
            true => Sync::Synced,
            false => Sync::CatchesUp(u64::MAX),
        };
        if donor != self.writer {
            self.nodes[donor].pauses_applying(false);
            if self.nodes[donor].is_stopped() {
                return;
            }
            self.with_node(now, donor, sink, |node, sink| node.applies(now, sink));
        } else if !self.writer().is_stopped() && self.quorum == Quorum::Has {
            let held = self.flow.go_on(now, donor);
            self.let_go_on(now, held, sink);
        }
    }

    /// A node is outside from now on, which ends what is copied to it, and fails what is copied
    /// from it.
    pub(super) fn copies_no_more(&mut self, now: Nanos, node: usize, sink: &mut impl NetworkSink) {
        if let Some(copy) = self.ends_copy(node) {
            self.donates_no_more(now, copy.donor, sink);
        }
        if let Some(joiner) = self.members[node].donates_to() {
            self.copy_fails(now, joiner, sink);
        }
    }

    /// Ends what is copied to a node: what is under way does not come.
    fn ends_copy(&mut self, joiner: usize) -> Option<Copying> {
        let copy = self.takes_copy(joiner)?;
        self.forget_path(copy.path);
        if let Some(stream) = &mut self.stream {
            stream.needs_copy(joiner);
        }
        Some(copy)
    }

    fn takes_copy(&mut self, joiner: usize) -> Option<Copying> {
        match mem::replace(&mut self.members[joiner].sync, Sync::Receives) {
            Sync::Copies(copy) => Some(copy),
            other => {
                self.members[joiner].sync = other;
                None
            }
        }
    }

    /// What is copied to a node will not get there.
    fn copy_fails(&mut self, now: Nanos, joiner: usize, sink: &mut impl NetworkSink) {
        if let Some(copy) = self.ends_copy(joiner) {
            self.members[joiner].sync = Sync::CopyFailed;
            self.donates_no_more(now, copy.donor, sink);
        }
    }

    /// Members that get a copy which has failed.
    pub(super) fn failed_copies(&self) -> impl Iterator<Item = usize> {
        self.others().filter(|&it| {
            let of = &self.members[it];
            let failed = matches!(of.sync, Sync::CopyFailed);
            failed && of.standing == Standing::Member && !self.nodes[it].is_stopped()
        })
    }

    /// A node whose copy has failed leaves, and its engine ends.
    pub(super) fn gives_up_copy(&mut self, now: Nanos, other: usize, sink: &mut impl NetworkSink) {
        self.leaves(now, other, sink);
        self.ends_engine(now, other, sink);
        self.goes_on_without(now, other, sink);
    }

    /// Reads and writes what can be read and written next.
    fn copy_goes_on(&mut self, now: Nanos, joiner: usize, sink: &mut impl NetworkSink) {
        while let Some(copy) = self.members[joiner].copy()
            && let Some(next) = copy.next(now)
        {
            let (node, which, op, chunk) = match next {
                Next::Read(offset, bytes) => (copy.donor, 0, Op::Read, (offset, bytes)),
                Next::Write(slot, offset, bytes) => (joiner, slot, Op::Write, (offset, bytes)),
            };
            self.members[node].copy_ios += 1;
            let slot = self.alarm + 1 + node as u32 * SLOTS + which;
            sink.io(slot, now, self.of_chunk(node, op, chunk));
        }
    }

    fn of_chunk(&self, node: usize, op: Op, (offset, len): (Bytes, Bytes)) -> Request {
        let engine = &self.nodes[node];
        Request {
            device: engine.spec().data.device,
            op,
            offset: engine.spec().data.offset + offset,
            len,
            requester: engine.job().into(),
            submitter: node as u32 * OF_NODE + COPIES,
        }
    }

    /// An IO of a copy has ended, perhaps after the copy.
    pub(super) fn copy_io_ended(
        &mut self,
        now: Nanos,
        (node, which): (usize, u32),
        outcome: Outcome,
        sink: &mut impl NetworkSink,
    ) {
        self.members[node].copy_ios -= 1;
        let joiner = match which {
            0 => self.members[node].donates_to(),
            _ => Some(node),
        };
        let Some(joiner) = joiner else { return };
        if outcome == Outcome::Failed {
            return self.copy_fails(now, joiner, sink);
        }
        let Some(copy) = self.members[joiner].copy() else {
            return;
        };
        let message = match which {
            0 => (COPY, copy.has_read(now)),
            _ => {
                copy.has_written(now, which);
                (COPIED, 0)
            }
        };
        let path = copy.path;
        self.send_over(path, node, message);
        self.copy_goes_on(now, joiner, sink);
    }

    /// A chunk has come to a node.
    pub(super) fn chunk_has_come(
        &mut self,
        now: Nanos,
        joiner: usize,
        sink: &mut impl NetworkSink,
    ) {
        if let Some(copy) = self.members[joiner].copy() {
            copy.has_come(now);
        }
        self.copy_goes_on(now, joiner, sink);
    }

    /// A donor hears that a chunk was written.
    pub(super) fn chunk_is_written(
        &mut self,
        now: Nanos,
        donor: usize,
        sink: &mut impl NetworkSink,
    ) {
        let Some(joiner) = self.members[donor].donates_to() else {
            return;
        };
        let copy = self.members[joiner].copy();
        match copy.is_some_and(Copying::is_written) {
            true => self.has_copy(now, joiner, sink),
            false => self.copy_goes_on(now, joiner, sink),
        }
    }

    /// A node has all data, and applies what came after it.
    fn has_copy(&mut self, now: Nanos, joiner: usize, sink: &mut impl NetworkSink) {
        let Some(copy) = self.takes_copy(joiner) else {
            return;
        };
        self.members[joiner].sync = Sync::CatchesUp(u64::MAX);
        let later = match self.stream {
            // The log since the beginning is replayed, all of it.
            Some(_) => 0,
            None => self.applied_by(copy.donor) - copy.from,
        };
        let lacked = self.members[joiner].owed.has_copy();
        let dropped = self.nodes[joiner].has_of_queue(later);
        self.nodes[joiner].pauses_applying(false);
        let (node, slowest) = (joiner as u16, copy.slowest());
        let has = lacked + dropped;
        tell(now, MembershipEvent::Copied(node, has, slowest), sink);
        let queued = match self.stream {
            Some(_) => self.has_base(now, joiner),
            None => {
                let kinds = self.nodes[joiner].queued();
                kinds.map(|it| self.write_set_bytes(it)).sum()
            }
        };
        tell(now, MembershipEvent::Back(node, queued), sink);
        self.donates_no_more(now, copy.donor, sink);
        self.with_node(now, joiner, sink, |node, sink| node.applies(now, sink));
        self.may_be_synced(now, joiner, sink);
    }

    /// How many of all write sets a member has applied.
    fn applied_by(&self, node: usize) -> u64 {
        if node == self.writer {
            return self.flow.certified_of(self.write_sets);
        }
        let of = self.nodes[node].progress();
        let under_way = self.members[node].under_way.len() as u64;
        self.write_sets - under_way - (of.received - of.applied)
    }
}
