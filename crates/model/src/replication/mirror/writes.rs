//! Writes: the log before the data, and the data on both legs.

use alloc::vec::Vec;

use super::Mirrors;
use super::flow::{Branch, Flow, FlowId, NOBODY, Step};
use super::log::Before;
use super::state::{Leg, Mirror};
use super::waits::part_of;
use crate::engine::Engine;
use crate::event_queue::NEVER;
use crate::request::{Reply, Request};
use crate::units::{Bytes, Nanos};

impl Mirrors {
    /// Writes to all legs, after the log where that does not name the region.
    #[inline]
    pub(super) fn write(&mut self, engine: &mut Engine, now: Nanos, id: FlowId) {
        let flow = &self.flows[id as usize];
        let mirror = &self.mirrors[usize::from(flow.mirror)];
        if let Some(log) = &mirror.log {
            let Request { offset, len, .. } = flow.request;
            let first = *log.extents(offset, len).start();
            self.flows[id as usize].to_log = first;
            return self.write_log(engine, now, id);
        }
        self.ask_all(engine, now, id);
    }

    /// Has the log name the flow's regions, from the first that it may not; then writes.
    fn write_log(&mut self, engine: &mut Engine, now: Nanos, id: FlowId) {
        let flow = &mut self.flows[id as usize];
        let mirror = &mut self.mirrors[usize::from(flow.mirror)];
        let Request { offset, len, .. } = flow.request;
        let usable = [0, 1].map(|leg| mirror.is_usable(leg));
        let on = mirror.log.as_ref().map_or([false; 2], |log| log.spec.on);
        while let Some(log) = &mut mirror.log
            && flow.to_log <= *log.extents(offset, len).end()
        {
            let region = flow.to_log;
            match log.touch(now, region, id) {
                Before::Nothing => flow.to_log += 1,
                Before::Wait => {
                    flow.step = Step::Log(region);
                    flow.asked = now;
                    return;
                }
                Before::Write => {
                    flow.step = Step::Log(region);
                    flow.asked = now;
                    mirror.counts.log_writes += 1;
                    let legs = [0, 1].map(|leg| on[leg] && usable[leg]);
                    for leg in [0, 1] {
                        match legs[leg] {
                            true => flow.branches[leg].begin(),
                            false => flow.branches[leg].clear(),
                        }
                    }
                    for leg in [0, 1].into_iter().filter(|&leg| legs[leg]) {
                        self.ask_begun(engine, now, id, leg);
                    }
                    if legs == [false; 2] {
                        self.log_was_written(engine, now, id, region);
                    }
                    return;
                }
            }
        }
        flow.step = Step::Data;
        flow.taken_before = flow.taken();
        flow.branches = [Branch::UNUSED; 2];
        self.ask_all(engine, now, id);
    }

    /// The log names `region`, or there was no leg left to write it on.
    pub(super) fn log_was_written(
        &mut self,
        engine: &mut Engine,
        now: Nanos,
        id: FlowId,
        region: u64,
    ) {
        if self.flows[id as usize].reply.is_some() {
            // It failed with the host that served.
            return self.leave(id);
        }
        let mirror = usize::from(self.flows[id as usize].mirror);
        let mut freed = core::mem::take(&mut self.freed);
        if let Some(log) = &mut self.mirrors[mirror].log {
            log.entered(now, region, &mut freed);
        }
        let writer = &mut self.flows[id as usize];
        let replies = writer.branches.iter().filter_map(Branch::done);
        let end = replies.reduce(Reply::later).unwrap_or(Reply::free(now));
        let (asked, trips) = (writer.asked, writer.trips.clone());
        writer.throttled(end.throttled, end.limit);
        // Who waits for a write to the log waits for what that waits for.
        for &id in &freed {
            let flow = &mut self.flows[id as usize];
            let (own, whole) = (now - flow.asked, now - asked);
            flow.throttled(end.throttled.min(own), end.limit);
            for (back, trip) in trips.iter().enumerate() {
                flow.took(&part_of(trip, own, whole), back == 1);
            }
        }
        freed.insert(0, self.move_on(id));
        // Those that are freed may free others in turn.
        for id in core::mem::take(&mut freed) {
            self.flows[id as usize].to_log = region + 1;
            self.write_log(engine, now, id);
        }
    }

    /// The flow that goes on in place of `id`: another one if the disk of a leg that was given
    /// up still does what that asked of it.
    fn move_on(&mut self, id: FlowId) -> FlowId {
        let flow = &mut self.flows[id as usize];
        if !flow.is_open() {
            return id;
        }
        // When that disk ends is none of its own.
        let next = Flow {
            branches: [Branch::UNUSED; 2],
            due: [NEVER; 2],
            ..flow.clone()
        };
        let ticket = core::mem::replace(&mut flow.ticket, NOBODY);
        let id = self.enter(next);
        self.by_ticket[ticket as usize] = id;
        id
    }

    /// Notes what a flow whose end is known writes to regions that a leg does not hold: once it is
    /// acknowledged, which may be later. `is_other` where another end was known before.
    pub(super) fn note_lacks(&mut self, now: Nanos, id: FlowId, is_other: bool) {
        let flow = &self.flows[id as usize];
        let of = &mut self.mirrors[usize::from(flow.mirror)];
        if is_other && !of.unnoted.is_empty() {
            of.unnoted.retain(|it| it.id != id || it.at <= now);
        }
        let Some(reply) = flow.reply.filter(|reply| !reply.failed) else {
            return;
        };
        let Request { offset, len, .. } = flow.request;
        let touches = |leg: &Leg| leg.dirty.touches(offset, len);
        if !flow.request.op.writes() || !of.legs.iter().any(touches) {
            return;
        }
        let at = reply.at;
        let write = Unnoted {
            at,
            id,
            offset,
            len,
        };
        of.unnoted.push_back(write);
        // Those behind one that takes longer wait with it: who asks looks at all.
        while of.unnoted.front().is_some_and(|it| it.at <= now)
            && let Some(first) = of.unnoted.pop_front()
        {
            of.legs.iter_mut().for_each(|leg| leg.note(&first));
        }
    }

    /// Bytes acknowledged by `now` that are not on the disk of `leg` of `mirror`.
    pub(super) fn at_risk(&self, now: Nanos, mirror: usize, leg: usize) -> Bytes {
        let under_way = self.acknowledged_under_way(now, mirror, leg);
        let under_way: Bytes = under_way.map(|(_, flow)| flow.request.len).sum();
        under_way + self.mirrors[mirror].lacks(now, leg)
    }

    /// The writes acknowledged by `now` that are under way to the disk of `leg`.
    pub(super) fn acknowledged_under_way(
        &self,
        now: Nanos,
        mirror: usize,
        leg: usize,
    ) -> impl Iterator<Item = (FlowId, &Flow)> {
        let flows = self.flows.iter().enumerate().filter(move |(_, flow)| {
            let reply = flow.reply.filter(|reply| reply.at <= now && !reply.failed);
            let branch = &flow.branches[leg];
            let counts = usize::from(flow.mirror) == mirror && flow.writes();
            counts && reply.is_some() && branch.counts() && !branch.stored(now)
        });
        flows.map(|(id, flow)| (id as FlowId, flow))
    }

    /// The same of which the host of `leg` has received nothing yet: what it has in memory it
    /// writes on, whatever becomes of the other host.
    pub(super) fn not_received(
        &self,
        now: Nanos,
        mirror: usize,
        leg: usize,
    ) -> impl Iterator<Item = (FlowId, &Flow)> {
        let under_way = self.acknowledged_under_way(now, mirror, leg);
        under_way.filter(move |(_, flow)| flow.branches[leg].open & Branch::DISK == 0)
    }

    /// Bytes acknowledged by `now` that the host of `leg` has neither on disk nor in memory.
    pub(super) fn lacked(&self, now: Nanos, mirror: usize, leg: usize) -> Bytes {
        let on_the_way = self.not_received(now, mirror, leg);
        let on_the_way: Bytes = on_the_way.map(|(_, flow)| flow.request.len).sum();
        on_the_way + self.mirrors[mirror].lacks(now, leg)
    }
}

/// A write that ends at a time, of which a leg holds some regions not.
#[derive(Clone, Debug)]
pub(super) struct Unnoted {
    at: Nanos,
    id: FlowId,
    offset: Bytes,
    len: Bytes,
}

impl Leg {
    /// Notes what an acknowledged write wrote to regions that it does not hold.
    fn note(&mut self, write: &Unnoted) {
        for region in self.dirty.of(write.offset, write.len) {
            if self.dirty.contains(region) {
                let (start, size) = self.dirty.range(region);
                self.lacks.insert(start, size);
            }
        }
    }

    /// The regions that [`Leg::note`] would add.
    fn would_note(&self, write: &Unnoted) -> impl Iterator<Item = u64> {
        let regions = self.dirty.of(write.offset, write.len);
        regions.filter(|&it| self.dirty.contains(it) && !self.lacks.contains(it))
    }
}

impl Mirror {
    /// Bytes acknowledged by `now` that a leg lacks, in whole regions, but for those under way.
    fn lacks(&self, now: Nanos, leg: usize) -> Bytes {
        let leg = &self.legs[leg];
        let due = self.unnoted.iter().filter(|it| it.at <= now);
        let mut more: Vec<_> = due.flat_map(|write| leg.would_note(write)).collect();
        more.sort_unstable();
        more.dedup();
        let more: Bytes = more.iter().map(|&it| leg.dirty.range(it).1).sum();
        leg.lacks.bytes() + more
    }

    /// Notes what is acknowledged by `now`, and forgets all else: it fails.
    pub(super) fn note_acknowledged(&mut self, now: Nanos) {
        for write in self.unnoted.drain(..).filter(|it| it.at <= now) {
            self.legs.iter_mut().for_each(|leg| leg.note(&write));
        }
    }
}
