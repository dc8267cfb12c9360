//! Bringing a leg up to date that has been away.

use alloc::vec::Vec;

use super::Mirrors;
use super::flow::{Flow, FlowId, FlowLeg, NOBODY, Step};
use super::resync_stages::{ResyncStage, UnderWay};
use super::state::{Data, Leg, Transition};
use crate::engine::Engine;
use crate::event_queue::NEVER;
use crate::request::{Op, Request, Requester};
use crate::units::{Bytes, Nanos, SECOND};

/// The copying of all regions that a leg lacks.
#[derive(Clone, Debug)]
pub(super) struct Resync {
    /// The leg that is brought up to date.
    leg: usize,
    round: u32,
    since: Nanos,
    /// The region that is being sent, and how many of its bytes are.
    at: Option<(u64, Bytes)>,
    /// The first region that was not begun.
    next: u64,
    /// Regions that were begun, each with the copies of it that have not ended.
    begun: Vec<(u64, u32)>,
    /// Copies under way.
    open: u32,
    /// When the rate allows the next.
    allowed: Nanos,
    under_way: UnderWay,
}

impl Mirrors {
    /// Begins to bring a leg of `mirror` up to date, if one is not and can be.
    pub(super) fn start_resync(&mut self, engine: &mut Engine, now: Nanos, mirror: usize) {
        let of = &mut self.mirrors[mirror];
        if !of.legs.iter().all(Leg::is_up) {
            return;
        }
        for leg in &mut of.legs {
            leg.data = match leg.dirty.is_empty() {
                true => Data::UpToDate,
                false => Data::Inconsistent,
            };
        }
        let stale = of.legs.iter().position(|leg| !leg.dirty.is_empty());
        if let (Some(leg), None) = (stale, &of.resync) {
            if of.spec.resync.full {
                of.legs[leg].dirty.insert_all();
            }
            of.rounds += 1;
            let bytes = of.legs[leg].dirty.bytes();
            (of.transitions).push((now, Transition::Resyncs { leg, bytes }));
            of.resync = Some(Resync {
                leg,
                round: of.rounds,
                since: now,
                at: None,
                next: 0,
                begun: Vec::new(),
                open: 0,
                allowed: now,
                under_way: UnderWay::default(),
            });
            self.copy_more(engine, now, mirror);
        }
    }

    /// Gives up bringing a leg up to date: one of the two is away.
    pub(super) fn stop_resync(&mut self, now: Nanos, mirror: usize) {
        let of = &mut self.mirrors[mirror];
        if of.resync.take().is_some() {
            of.transitions.push((now, Transition::Interrupted));
        }
        self.events.set(self.copy_slot(mirror), NEVER);
    }

    /// Begins as many copies as depth and rate allow at `now`.
    pub(super) fn copy_more(&mut self, engine: &mut Engine, now: Nanos, mirror: usize) {
        let slot = self.copy_slot(mirror);
        self.events.set(slot, NEVER);
        loop {
            let of = &mut self.mirrors[mirror];
            let spec = of.spec.resync;
            let Some(resync) = &mut of.resync else {
                return;
            };
            if resync.open >= spec.depth {
                return;
            }
            let dirty = &of.legs[resync.leg].dirty;
            let Some((region, done)) = resync.at.or_else(|| Some((dirty.next(resync.next)?, 0)))
            else {
                if resync.open > 0 {
                    return;
                }
                if dirty.is_empty() {
                    of.counts.resyncs += 1;
                    of.counts.resyncing += now - resync.since;
                    let (leg, stages) = (resync.leg, resync.under_way.stages());
                    of.counts.resync_stages.add(stages);
                    let bound = stages.slowest();
                    (of.transitions).push((now, Transition::InSync { leg, bound }));
                    of.legs[leg].data = Data::UpToDate;
                    of.resync = None;
                    return;
                }
                // Regions before the place that it is at were written to one leg only.
                resync.next = 0;
                continue;
            };
            if now < resync.allowed {
                resync.under_way.is_held = true;
                self.events.set(slot, resync.allowed);
                return;
            }
            let (start, size) = dirty.range(region);
            let len = spec.request.min(size - done);
            if done == 0 {
                let copies = size.div_ceil(spec.request) as u32;
                resync.begun.push((region, copies));
                resync.next = region + 1;
            }
            resync.at = (done + len < size).then_some((region, done + len));
            resync.open += 1;
            resync.under_way.begun();
            if let Some(rate) = spec.rate {
                resync.allowed = resync.allowed.max(now) + len * SECOND / rate.get();
            }
            let request = Request {
                device: of.device,
                op: Op::Write,
                offset: start + done,
                len,
                requester: Requester::RESYNC,
                submitter: u32::MAX,
            };
            let (leg, round) = (resync.leg, resync.round);
            let flow = self.enter(Flow::new(
                NOBODY,
                mirror as u16,
                &request,
                Step::CopyRead(round),
            ));
            self.ask_copy(engine, now, flow, 1 - leg);
        }
    }

    /// Asks a leg to read what is copied, or to write it.
    fn ask_copy(&mut self, engine: &mut Engine, now: Nanos, id: FlowId, leg: usize) {
        let is_linked = self.is_linked(id, leg);
        if let Some((under_way, of_disk)) = self.copy_of(id) {
            let first = if is_linked {
                ResyncStage::Link
            } else {
                of_disk
            };
            under_way.moves(now, None, Some(first));
        }
        self.ask(engine, now, id, leg);
    }

    /// What asks a leg for its part of a copy has come, or its answer has. For so long it waited
    /// for buffers of the leg's host.
    pub(super) fn copy_message_came(
        &mut self,
        now: Nanos,
        id: FlowId,
        is_answer: bool,
        unread: Nanos,
    ) {
        if let Some((under_way, of_disk)) = self.copy_of(id) {
            let next = (!is_answer).then_some(of_disk);
            under_way.moves(now, Some(ResyncStage::Link), next);
            under_way.waited_unread(unread);
        }
    }

    /// A leg's disk has done its part of a copy.
    pub(super) fn copy_disk_ended(&mut self, now: Nanos, FlowLeg { id, leg }: FlowLeg) {
        let answers = self.is_linked(id, leg);
        if let Some((under_way, of_disk)) = self.copy_of(id) {
            let next = answers.then_some(ResyncStage::Link);
            under_way.moves(now, Some(of_disk), next);
        }
    }

    fn is_linked(&self, id: FlowId, leg: usize) -> bool {
        let mirror = usize::from(self.flows[id as usize].mirror);
        self.mirrors[mirror].legs[leg].link.is_some()
    }

    /// The copies of the round that a flow is of, unless that is over, and what its disk does for
    /// one; none of a flow that copies nothing.
    fn copy_of(&mut self, id: FlowId) -> Option<(&mut UnderWay, ResyncStage)> {
        let Flow { mirror, step, .. } = self.flows[id as usize];
        let (round, of_disk) = match step {
            Step::CopyRead(round) => (round, ResyncStage::Read),
            Step::CopyWrite(round) => (round, ResyncStage::Write),
            Step::Log(_) | Step::Data | Step::Journal(..) => return None,
        };
        let resync = self.mirrors[usize::from(mirror)].resync.as_mut();
        let of_round = resync.filter(|resync| resync.round == round);
        of_round.map(|resync| (&mut resync.under_way, of_disk))
    }

    /// A copy has read what it copies, or could not.
    pub(super) fn copy_was_read(
        &mut self,
        engine: &mut Engine,
        now: Nanos,
        flow: FlowId,
        round: u32,
        failed: bool,
    ) {
        let mirror = usize::from(self.flows[flow as usize].mirror);
        let resync = self.mirrors[mirror].resync.as_ref();
        match resync.filter(|resync| resync.round == round) {
            Some(resync) if !failed => {
                let leg = resync.leg;
                self.flows[flow as usize].step = Step::CopyWrite(round);
                self.ask_copy(engine, now, flow, leg);
            }
            of_round => self.leave_copy(now, flow, of_round.is_some()),
        }
    }

    /// A copy is over and copied nothing, in the round of copying that goes on if `is_current`:
    /// a leg was away behind a link that was down, and has returned unnoticed. All that is not
    /// copied is begun anew.
    fn leave_copy(&mut self, now: Nanos, flow: FlowId, is_current: bool) {
        self.leave(flow);
        if is_current {
            self.stop_resync(now, usize::from(self.flows[flow as usize].mirror));
        }
    }

    /// A copy has been written, or could not be.
    pub(super) fn copy_was_written(
        &mut self,
        engine: &mut Engine,
        now: Nanos,
        flow: FlowId,
        round: u32,
        failed: bool,
    ) {
        let Flow {
            mirror, request, ..
        } = self.flows[flow as usize];
        let of = &mut self.mirrors[usize::from(mirror)];
        let resync = of.resync.as_mut();
        let Some(resync) = resync.filter(|resync| resync.round == round) else {
            return self.leave(flow);
        };
        if failed {
            return self.leave_copy(now, flow, true);
        }
        of.counts.copied += request.len;
        resync.open -= 1;
        let dirty = &mut of.legs[resync.leg].dirty;
        let region = *dirty.of(request.offset, request.len).start();
        resync.begun.retain_mut(|(begun, left)| {
            *left -= u32::from(*begun == region);
            *left > 0
        });
        if !resync.begun.iter().any(|(begun, _)| *begun == region) {
            dirty.remove(region);
            of.legs[resync.leg].lacks.remove(region);
        }
        self.leave(flow);
        self.copy_more(engine, now, usize::from(mirror));
    }
}
