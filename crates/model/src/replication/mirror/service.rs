//! Whether a mirror serves: what comes while it does not waits, and what was under way when the
//! host that served is lost fails.

use alloc::vec::Vec;

use super::Mirrors;
use super::flow::FlowId;
use super::log::Log;
use super::regions::Regions;
use super::state::{Data, Service, Transition};
use crate::engine::Engine;
use crate::request::Reply;
use crate::units::Nanos;

impl Mirrors {
    /// The leg behind a link that was given up is fenced, which takes `time`: nothing is served
    /// meanwhile.
    pub(super) fn fence(&mut self, now: Nanos, mirror: usize, time: Nanos) {
        let of = &mut self.mirrors[mirror];
        of.counts.frozen += of.frozen_since().map_or(0, |since| now - since);
        of.service = Service::Fencing { since: now };
        of.transitions.push((now, Transition::Fences));
        let at = now.saturating_add(time);
        self.events.set(self.service_slot(mirror), at);
    }

    /// The other leg is fenced: the host that serves goes on alone.
    pub(super) fn is_fenced(&mut self, engine: &mut Engine, now: Nanos, mirror: usize) {
        let of = &mut self.mirrors[mirror];
        let other = of.secondary();
        let since = of.frozen_since().unwrap_or(now);
        if of.legs[other].data == Data::Consistent {
            of.legs[other].data = Data::Outdated;
        }
        of.transitions.push((now, Transition::GoesOn));
        self.lose(engine, now, mirror, other, since);
        self.serve(engine, now, mirror);
    }

    /// A host serves: what has come meanwhile is begun with.
    pub(super) fn serve(&mut self, engine: &mut Engine, now: Nanos, mirror: usize) {
        let of = &mut self.mirrors[mirror];
        let frozen = of.frozen_since().map_or(0, |since| now - since);
        of.counts.frozen += frozen;
        of.service = Service::Serves;
        while let Some(id) = self.mirrors[mirror].waiting.pop_front() {
            self.begin(engine, now, id);
        }
    }

    /// The regions of writes of which not both legs are known to have stored all.
    pub(super) fn under_way(&self, now: Nanos, mirror: usize) -> Regions {
        let spec = &self.mirrors[mirror].spec;
        let mut regions = Regions::none(spec.size, spec.region);
        for id in self.flows_of(mirror) {
            let flow = &self.flows[id as usize];
            if flow.writes() && !flow.branches.iter().all(|branch| branch.stored(now)) {
                regions.insert(flow.request.offset, flow.request.len);
            }
        }
        regions
    }

    /// The requests to a mirror of which something is under way or to be told.
    fn flows_of(&self, mirror: usize) -> impl Iterator<Item = FlowId> {
        let all = self.flows.iter().enumerate();
        all.filter(move |(_, flow)| {
            let is_copy = flow.step.copies();
            usize::from(flow.mirror) == mirror && !flow.is_over && !is_copy
        })
        .map(|(id, _)| id as FlowId)
    }

    /// All requests to a mirror that have not ended fail: their clients were on the host that
    /// served. What is under way of them goes on, and counts for nothing.
    pub(super) fn fail_all(&mut self, now: Nanos, mirror: usize) {
        self.mirrors[mirror].waiting.clear();
        let all: Vec<_> = self.flows_of(mirror).collect();
        for id in all {
            let flow = &mut self.flows[id as usize];
            let is_past = flow.reply.is_some_and(|reply| reply.at <= now);
            if is_past && !flow.is_open() {
                continue;
            }
            for (leg, branch) in flow.branches.iter_mut().enumerate() {
                branch.fail();
                branch.lost |= self.mirrors[mirror].legs[leg].link.is_none();
            }
            self.set_end(now, id, Some(Reply::failed(now)));
        }
        let of = &mut self.mirrors[mirror];
        of.note_acknowledged(now);
        // Nobody waits for the log any more.
        of.log = of.spec.log.map(Log::new);
    }
}
