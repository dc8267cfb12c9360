//! What a flow asks of its legs, and what comes back.
//!
//! What every request to a mirror passes is inlined by force where the compiler would not: a call
//! costs as much as what most of these functions do.

use super::flow::{Branch, Flow, FlowId, FlowLeg, LinkEnd, Step};
use super::state::Mirror;
use super::{Mirrors, NOBODY};
use crate::engine::Engine;
use crate::event_queue::NEVER;
use crate::network::{Delivery, Message, Released, Wait};
use crate::request::{Op, Reply, Request};
use crate::spec::Acknowledge;
use crate::units::{Bytes, Nanos};

/// A message's receiver: flow, leg, and whether it is the answer.
fn address(flow: FlowId, leg: usize, answer: bool) -> u32 {
    flow << 2 | (leg as u32) << 1 | u32::from(answer)
}

/// The flow and leg at an address, and whether it is the answer's.
#[inline]
fn addressed(to: u32) -> (FlowId, usize, bool) {
    (to >> 2, (to >> 1 & 1) as usize, to & 1 == 1)
}

/// What a write to the log of a mirror has.
fn log_block(mirror: &Mirror) -> Bytes {
    mirror.spec.log.map_or(1, |log| log.block)
}

/// The request that a flow's step makes of a leg's device.
#[inline]
fn on_leg(flow: &Flow, mirror: &Mirror, leg: usize) -> Request {
    let mut request = flow.request;
    request.device = mirror.legs[leg].device;
    match flow.step {
        Step::Data | Step::CopyWrite(_) | Step::Journal(..) => {}
        Step::CopyRead(_) => request.op = Op::Read,
        Step::Log(_) => {
            request.op = Op::Write;
            (request.offset, request.len) = (0, log_block(mirror));
        }
    }
    request
}

/// Payload of the messages of a flow's step: to the leg, and back.
#[inline]
fn payload(flow: &Flow, mirror: &Mirror) -> (Bytes, Bytes) {
    let Request { op, len, .. } = flow.request;
    match flow.step {
        Step::Log(_) => (log_block(mirror), 0),
        Step::CopyRead(_) => (0, len),
        // Which it is cannot be foretold, so that a branch costs more than to multiply.
        Step::Data | Step::CopyWrite(_) | Step::Journal(..) => (
            len * Bytes::from(matches!(op, Op::Write | Op::Journal)),
            len * Bytes::from(op == Op::Read),
        ),
    }
}

impl Mirrors {
    /// Serves a read from one leg.
    #[inline(always)]
    pub(super) fn read(&mut self, engine: &mut Engine, now: Nanos, id: FlowId) {
        let flow = &self.flows[id as usize];
        let Request { offset, len, .. } = flow.request;
        let mirror = &mut self.mirrors[usize::from(flow.mirror)];
        match mirror.reader(offset, len) {
            Some(leg) => {
                mirror.counts.reads[leg] += 1;
                self.ask(engine, now, id, leg);
            }
            None => self.set_end(now, id, Some(Reply::refused(now))),
        }
    }

    /// Asks every leg that can be used.
    pub(super) fn ask_all(&mut self, engine: &mut Engine, now: Nanos, id: FlowId) {
        let flow = &self.flows[id as usize];
        let (mirror, request) = (usize::from(flow.mirror), flow.request);
        let of = &self.mirrors[mirror];
        let usable = [of.is_usable(0), of.is_usable(1)];
        if usable == [false; 2] {
            return self.set_end(now, id, Some(Reply::refused(now)));
        }
        for leg in [0, 1] {
            // Nothing that is not up to date is written to without the leg that is.
            if usable[leg] {
                self.flows[id as usize].branches[leg].begin();
            } else if request.op.writes() {
                let Request { offset, len, .. } = request;
                self.mirrors[mirror].legs[leg].dirty.insert(offset, len);
            }
        }
        for leg in [0, 1] {
            if usable[leg] {
                self.ask_begun(engine, now, id, leg);
            }
        }
    }

    /// Asks one leg to do what the flow's step is.
    #[inline]
    pub(super) fn ask(&mut self, engine: &mut Engine, now: Nanos, id: FlowId, leg: usize) {
        self.flows[id as usize].branches[leg].begin();
        self.ask_begun(engine, now, id, leg);
    }

    /// The same of one whose branch has begun: with several, all do before the first is asked.
    #[inline(always)]
    pub(super) fn ask_begun(&mut self, engine: &mut Engine, now: Nanos, id: FlowId, leg: usize) {
        let flow = &mut self.flows[id as usize];
        let mirror = &self.mirrors[usize::from(flow.mirror)];
        let Some(LinkEnd { link, end }) = mirror.legs[leg].link else {
            return self.start_disk(engine, now, id, leg);
        };
        flow.branches[leg].open = Branch::REQUEST;
        flow.asked = now;
        let message = Message {
            to: address(id, leg, false),
            bytes: payload(flow, mirror).0,
            has_answer: true,
            ahead: false,
            is_copy: flow.step.copies(),
        };
        let sent = self.links[link].send(now, end, message, &mut engine.processors);
        self.schedule_link(link, end);
        if sent && self.was_sent(now, id, leg) {
            self.conclude(engine, now, id);
        }
    }

    /// Payload of the messages of a flow's step: to the leg, and back.
    #[inline]
    pub(super) fn payload(&self, id: FlowId) -> (Bytes, Bytes) {
        let flow = &self.flows[id as usize];
        payload(flow, &self.mirrors[usize::from(flow.mirror)])
    }

    /// The request has come to the leg's host: its disk does it.
    fn start_disk(&mut self, engine: &mut Engine, now: Nanos, id: FlowId, leg: usize) {
        let flow = &mut self.flows[id as usize];
        let mirror = &self.mirrors[usize::from(flow.mirror)];
        flow.branches[leg].open |= Branch::DISK;
        let request = on_leg(flow, mirror, leg);
        let ticket = id << 2 | (leg as u32) << 1 | 1;
        let end = engine.submit(now, ticket, &request);
        if end.is_some() {
            self.disk_is_known(engine, now, FlowLeg { id, leg }, end);
        }
    }

    /// When a leg's disk ends is known now, or is not any more.
    #[inline(always)]
    pub(super) fn disk_is_known(
        &mut self,
        engine: &mut Engine,
        now: Nanos,
        FlowLeg { id, leg }: FlowLeg,
        end: Option<Reply>,
    ) {
        let flow = &mut self.flows[id as usize];
        let mirror = &self.mirrors[usize::from(flow.mirror)];
        let branch = &mut flow.branches[leg];
        branch.disk = end.unwrap_or(Branch::UNUSED.disk);
        if mirror.legs[leg].link.is_some() || flow.step != Step::Data || branch.lost {
            let next = flow.disk_is_due(leg, end.map_or(NEVER, |end| end.at));
            return self.disks.set(id as usize, next);
        }
        // Nobody but the request itself waits for it: its end may be reported ahead.
        match end {
            Some(end) => {
                branch.open = 0;
                self.leg_is_done(engine, now, FlowLeg { id, leg }, end);
            }
            None => {
                branch.open = Branch::DISK;
                branch.reopen();
                self.conclude(engine, now, id);
            }
        }
    }

    /// A leg's disk is done.
    #[inline]
    pub(super) fn disk_ends(
        &mut self,
        engine: &mut Engine,
        now: Nanos,
        FlowLeg { id, leg }: FlowLeg,
    ) {
        let flow = &mut self.flows[id as usize];
        let mirror = usize::from(flow.mirror);
        let is_alone = flow.branches[1 - leg].has_failed();
        let branch = &mut flow.branches[leg];
        let held = core::mem::take(&mut branch.buffered);
        branch.open &= !Branch::DISK;
        let Branch {
            disk,
            open,
            lost,
            at_receipt,
            ..
        } = *branch;
        if disk.failed {
            self.memory_is_lost(id, leg);
        }
        match self.mirrors[mirror].legs[leg].link {
            _ if lost => self.leave(id),
            None => self.leg_is_done(engine, now, FlowLeg { id, leg }, disk),
            Some(_) if at_receipt => {
                // What was acknowledged from memory did not get to the disk, or that it was in
                // memory was not enough any more.
                if disk.failed || is_alone && open & Branch::ANSWER == 0 {
                    self.leg_is_done(engine, now, FlowLeg { id, leg }, disk);
                }
                self.leave(id);
            }
            Some(link) => self.answer(engine, now, FlowLeg { id, leg }, link),
        }
        if held > 0 {
            self.give_buffers_back(engine, now, mirror, leg, held, disk.limit);
        }
    }

    /// Whether a flow's end needs the disk of the leg that is not `leg`, and of `leg` itself only
    /// what `protocol` acknowledges. Without the other leg, or with one that is not up to date, its
    /// own disk is what makes a write last.
    #[inline]
    fn is_enough(&self, protocol: Acknowledge, FlowLeg { id, leg }: FlowLeg) -> bool {
        let flow = &self.flows[id as usize];
        let mirror = &self.mirrors[usize::from(flow.mirror)];
        mirror.spec.acknowledge == protocol
            && flow.step == Step::Data
            && flow.request.op != Op::Read
            && flow.branches[1 - leg].counts()
            && mirror.legs[1 - leg].dirty.is_empty()
    }

    #[inline(always)]
    fn answer(
        &mut self,
        engine: &mut Engine,
        now: Nanos,
        FlowLeg { id, leg }: FlowLeg,
        LinkEnd { link, end }: LinkEnd,
    ) {
        let flow = &mut self.flows[id as usize];
        let bytes = payload(flow, &self.mirrors[usize::from(flow.mirror)]).1;
        // Only the request itself waits for it then.
        let ahead = flow.step == Step::Data && !self.links[link].counts_answers;
        let branch = &mut flow.branches[leg];
        branch.open |= Branch::ANSWER;
        let message = Message {
            to: address(id, leg, true),
            bytes: if branch.disk.failed { 0 } else { bytes },
            has_answer: false,
            ahead: ahead && !branch.disk.failed,
            is_copy: flow.step.copies(),
        };
        self.links[link].send(now, 1 - end, message, &mut engine.processors);
        self.schedule_link(link, 1 - end);
    }

    /// A message to a leg has been taken by the link. Whether that is all the flow waits for.
    #[inline]
    fn was_sent(&mut self, now: Nanos, id: FlowId, leg: usize) -> bool {
        let is_enough = self.is_enough(Acknowledge::A, FlowLeg { id, leg });
        is_enough && self.flows[id as usize].branches[leg].finish(Reply::free(now))
    }

    /// Enters when something happens next to what goes over a link from one end.
    #[inline(always)]
    pub(super) fn schedule_link(&mut self, link: usize, from: usize) {
        let next = self.links[link].next_event(from);
        if self.link_events[2 * link + from] != next {
            self.move_link(2 * link + from, next);
        }
    }

    /// Apart: what is sent behind others changes nothing.
    #[inline(never)]
    fn move_link(&mut self, slot: usize, next: Nanos) {
        self.link_events[slot] = next;
        self.moves.set(slot, next);
    }

    /// Takes what happened at `now` to what goes over a link from one end.
    #[inline]
    pub(super) fn look_at_link(
        &mut self,
        engine: &mut Engine,
        now: Nanos,
        LinkEnd { link, end: from }: LinkEnd,
    ) {
        if !self.released.is_empty() {
            self.look_at_released(engine, now);
        }
        let mut place = 0;
        while let Some(delivery) = self.links[link].delivery(from, place) {
            let Delivery { to, at, trip } = delivery;
            let (id, leg, is_answer) = addressed(to);
            let flow = &mut self.flows[id as usize];
            let step = flow.step;
            let counts = !flow.branches[leg].is_done();
            if counts {
                flow.took(trip, is_answer);
            }
            let unread = trip.waited(Wait::Unread);
            if counts && unread > 0 {
                self.waited_unread(FlowLeg { id, leg }, unread);
            }
            if step.copies() {
                self.copy_message_came(now, id, is_answer, unread);
            }
            match (step, is_answer) {
                (Step::Journal(journal, slot), _) => {
                    self.journal_message(engine, now, journal.into(), slot, is_answer);
                }
                (_, true) => self.answer_came(engine, now, FlowLeg { id, leg }, at),
                (_, false) => self.request_is_there(engine, now, FlowLeg { id, leg }),
            }
            place += 1;
        }
        self.links[link].forget_delivered(from);
        // What was answered has made room.
        if !self.released.is_empty() {
            self.look_at_released(engine, now);
        }
        self.schedule_link(link, from);
    }

    /// Takes note of the messages that were sent after they had waited.
    fn look_at_released(&mut self, engine: &mut Engine, now: Nanos) {
        let mut next = 0;
        while next < self.released.len() {
            let Released { to, .. } = self.released[next];
            let (id, leg, is_answer) = addressed(to);
            let is_journal = matches!(self.flows[id as usize].step, Step::Journal(..));
            if !is_journal && !is_answer && self.was_sent(now, id, leg) {
                let taken = &self.released[next].taken;
                self.flows[id as usize].waited(taken, false);
                self.waited_unread(
                    FlowLeg { id, leg },
                    self.released[next].taken[Wait::Unread as usize],
                );
                self.conclude(engine, now, id);
            }
            next += 1;
        }
        self.released.clear();
    }

    /// What was asked of a leg is there.
    #[inline(always)]
    pub(super) fn request_came(
        &mut self,
        engine: &mut Engine,
        now: Nanos,
        FlowLeg { id, leg }: FlowLeg,
    ) {
        let branch = &mut self.flows[id as usize].branches[leg];
        branch.open &= !Branch::REQUEST;
        if branch.has_failed() {
            self.received_after_all(id);
        }
        self.start_disk(engine, now, id, leg);
        let mirror = &self.mirrors[usize::from(self.flows[id as usize].mirror)];
        if let Some(link) = mirror.legs[leg].link
            && self.is_enough(Acknowledge::B, FlowLeg { id, leg })
        {
            self.flows[id as usize].branches[leg].at_receipt = true;
            self.answer(engine, now, FlowLeg { id, leg }, link);
        }
    }

    /// The answer of a leg is there at `now`, and handled at `at`.
    #[inline]
    fn answer_came(
        &mut self,
        engine: &mut Engine,
        now: Nanos,
        FlowLeg { id, leg }: FlowLeg,
        at: Nanos,
    ) {
        let flow = &self.flows[id as usize];
        if let Some(LinkEnd { link, end }) = self.mirrors[usize::from(flow.mirror)].legs[leg].link
            && self.links[link].counts_answers
        {
            let bytes = self.payload(id).0;
            self.links[link].answered(now, end, bytes, &mut engine.processors, &mut self.released);
            self.schedule_link(link, end);
        }
        let branches = &mut self.flows[id as usize].branches;
        let is_alone = branches[1 - leg].has_failed();
        let branch = &mut branches[leg];
        branch.open &= !Branch::ANSWER;
        if branch.at_receipt && is_alone && branch.open & Branch::DISK != 0 {
            // Its disk is what counts, and tells of itself.
            return;
        }
        let reply = match branch.at_receipt {
            true => Reply::free(at),
            false => Reply { at, ..branch.disk },
        };
        self.leg_is_done(engine, now, FlowLeg { id, leg }, reply);
        self.leave(id);
    }

    /// A leg is done with a flow's step, and its part of the end is `reply`.
    #[inline(always)]
    fn leg_is_done(
        &mut self,
        engine: &mut Engine,
        now: Nanos,
        FlowLeg { id, leg }: FlowLeg,
        reply: Reply,
    ) {
        if reply.failed {
            return self.leg_failed(engine, now, FlowLeg { id, leg });
        }
        let flow = &mut self.flows[id as usize];
        flow.branches[leg].finish(reply);
        let is_asked = flow.is_asked();
        // That its end is not known is only news if it was known before.
        if !is_asked || flow.reply.is_some() {
            self.conclude_step(engine, now, id, !is_asked);
        }
    }

    /// Looks whether a flow's step is over.
    pub(super) fn conclude(&mut self, engine: &mut Engine, now: Nanos, id: FlowId) {
        let settled = !self.flows[id as usize].is_asked();
        self.conclude_step(engine, now, id, settled);
    }

    #[inline(never)]
    fn conclude_step(&mut self, engine: &mut Engine, now: Nanos, id: FlowId, settled: bool) {
        let flow = &self.flows[id as usize];
        match flow.step {
            // Its end was not known before, nor is it now.
            Step::Data if !settled && flow.reply.is_none() => {}
            Step::Data => {
                let end = match (settled, flow.free_end()) {
                    (_, Some(at)) => Some(Reply::free(at)),
                    (true, None) => Some(self.end_of_data(now, flow)),
                    (false, None) => None,
                };
                let is_other = flow.reply.is_some();
                self.set_end(now, id, end);
                self.note_lacks(now, id, is_other);
            }
            _ if !settled => {}
            _ => self.conclude_other(engine, now, id),
        }
    }

    /// How a flow ends that does what was asked of it, now that both legs' parts are known.
    #[inline(never)]
    fn end_of_data(&self, now: Nanos, flow: &Flow) -> Reply {
        let mut end = match flow.branches.each_ref().map(Branch::done) {
            [Some(one), Some(other)] => one.later(other),
            [Some(end), None] | [None, Some(end)] => end,
            [None, None] => Reply::failed(now),
        };
        if flow.branches.iter().any(Branch::has_failed) {
            // That the other leg need not be waited for is known only now.
            end.at = end.at.max(now);
        }
        let legs = &self.mirrors[usize::from(flow.mirror)].legs;
        let near = usize::from(legs[0].link.is_some());
        flow.throttled_in_all(end, near)
    }

    /// A flow's step is over that is not what was asked of it.
    #[inline(never)]
    fn conclude_other(&mut self, engine: &mut Engine, now: Nanos, id: FlowId) {
        let flow = &self.flows[id as usize];
        let failed = flow.branches.iter().any(Branch::has_failed);
        match flow.step {
            Step::Log(region) => self.log_was_written(engine, now, id, region),
            Step::CopyRead(round) => self.copy_was_read(engine, now, id, round, failed),
            Step::CopyWrite(round) => self.copy_was_written(engine, now, id, round, failed),
            Step::Data | Step::Journal(..) => {}
        }
    }

    /// A flow's end is known to be this, or is not known, unless it has ended before.
    #[inline]
    pub(super) fn set_end(&mut self, now: Nanos, id: FlowId, end: Option<Reply>) {
        let Flow { ticket, reply, .. } = &mut self.flows[id as usize];
        let is_news = match reply {
            None => end.is_some(),
            Some(told) => told.at > now && *reply != end,
        };
        if is_news {
            *reply = end;
            if *ticket != NOBODY && *ticket != self.submitting {
                self.told.push((*ticket, end));
            }
        }
    }
}
