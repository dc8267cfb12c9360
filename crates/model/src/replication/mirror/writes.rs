//! Writes: the log before the data, and the data on both legs.

use super::Mirrors;
use super::flow::{Branch, Flow, FlowId, NOBODY, Step};
use super::log::Before;
use super::waits::part_of;
use crate::engine::Engine;
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
                        self.ask(engine, now, id, leg);
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
        let (asked, taken) = (writer.asked, writer.taken);
        writer.throttled(end.throttled, end.limit);
        // Who waits for a write to the log waits for what that waits for.
        for &id in &freed {
            let flow = &mut self.flows[id as usize];
            let (own, whole) = (now - flow.asked, now - asked);
            flow.throttled(end.throttled.min(own), end.limit);
            for (back, taken) in taken.iter().enumerate() {
                flow.took(&part_of(taken, own, whole), back == 1);
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
        let next = Flow {
            branches: [Branch::UNUSED; 2],
            ..*flow
        };
        flow.ticket = NOBODY;
        let id = self.enter(next);
        self.by_ticket[next.ticket as usize] = id;
        id
    }

    /// Notes what a flow that is acknowledged wrote to regions that a leg does not hold.
    pub(super) fn note_lacks(&mut self, id: FlowId) {
        let flow = &self.flows[id as usize];
        if !flow.request.op.writes() || flow.reply.is_none_or(|reply| reply.failed) {
            return;
        }
        let Request { offset, len, .. } = flow.request;
        for leg in &mut self.mirrors[usize::from(flow.mirror)].legs {
            if !leg.dirty.touches(offset, len) {
                continue;
            }
            for region in leg.dirty.of(offset, len) {
                if leg.dirty.contains(region) {
                    let (start, size) = leg.dirty.range(region);
                    leg.lacks.insert(start, size);
                }
            }
        }
    }

    /// Bytes acknowledged by `now` that `leg` of `mirror` does not hold.
    pub(super) fn at_risk(&self, now: Nanos, mirror: usize, leg: usize) -> Bytes {
        let flows = self.flows.iter().filter(|flow| {
            let reply = flow.reply.filter(|reply| reply.at <= now && !reply.failed);
            let branch = &flow.branches[leg];
            let counts = usize::from(flow.mirror) == mirror && flow.writes();
            counts && reply.is_some() && branch.counts() && !branch.stored(now)
        });
        let under_way: Bytes = flows.map(|flow| flow.request.len).sum();
        under_way + self.mirrors[mirror].legs[leg].lacks.bytes()
    }
}
