//! What the host of a leg receives into: while its buffers are in use, what comes is left
//! unread, the sender's socket buffer fills up behind it, and then its writers wait.
//!
//! A request has buffers for its data from when it is read until its disk has ended.

use alloc::collections::VecDeque;

use super::Mirrors;
use super::flow::{FlowId, FlowLeg, LinkEnd};
use crate::engine::Engine;
use crate::limits::LimitId;
use crate::units::{Bytes, Nanos};

/// The buffers at the host of a leg, and what has come and waits for some.
#[derive(Clone, Debug)]
pub(super) struct Buffers {
    most: Bytes,
    /// What requests have of them.
    pub(super) used: Bytes,
    /// In the order in which they came, with when.
    pub(super) unread: VecDeque<(FlowId, Nanos)>,
    /// What throttled the last request that gave some back.
    limit: Option<LimitId>,
}

impl Buffers {
    pub(super) fn new(most: Bytes) -> Self {
        Self {
            most,
            used: 0,
            unread: VecDeque::new(),
            limit: None,
        }
    }

    /// Whether a request for `len` bytes gets buffers now. One that is larger than all of them
    /// gets them alone.
    #[inline]
    fn has_room(&self, len: Bytes) -> bool {
        self.used + len <= self.most || self.used == 0
    }
}

impl Mirrors {
    /// What was asked of a leg is at its host: read, if there are buffers for it and all that
    /// came before has been read.
    #[inline(always)]
    pub(super) fn request_is_there(
        &mut self,
        engine: &mut Engine,
        now: Nanos,
        FlowLeg { id, leg }: FlowLeg,
    ) {
        let (to, back) = self.payload(id);
        let of = &mut self.mirrors[usize::from(self.flows[id as usize].mirror)].legs[leg];
        if of.buffers.unread.is_empty() && of.buffers.has_room(to + back) {
            return self.read_request(engine, now, FlowLeg { id, leg }, (to, back));
        }
        of.buffers.unread.push_back((id, now));
        if let Some(LinkEnd { link, end }) = of.link {
            self.links[link].leave_unread(end, to);
        }
    }

    /// The message of a flow waited for so long at its sender because what came before it was
    /// left unread.
    pub(super) fn waited_unread(&mut self, FlowLeg { id, leg }: FlowLeg, time: Nanos) {
        let flow = &mut self.flows[id as usize];
        let buffers = &self.mirrors[usize::from(flow.mirror)].legs[leg].buffers;
        flow.throttled_unread(time, buffers.limit);
    }

    /// What was asked of a leg is read by its host, with so much payload there and back: it needs
    /// room for its data, whichever way that goes.
    #[inline(always)]
    fn read_request(
        &mut self,
        engine: &mut Engine,
        now: Nanos,
        FlowLeg { id, leg }: FlowLeg,
        (to, back): (Bytes, Bytes),
    ) {
        let needs = to + back;
        let flow = &mut self.flows[id as usize];
        flow.branches[leg].buffered = needs;
        let of = &mut self.mirrors[usize::from(flow.mirror)].legs[leg];
        of.buffers.used += needs;
        if let Some(LinkEnd { link, end }) = of.link {
            self.links[link].read(now, end, to);
        }
        self.request_came(engine, now, FlowLeg { id, leg });
    }

    /// The disk of a leg has ended a request with so much of the buffers, throttled by `limit`:
    /// they are for others.
    pub(super) fn give_buffers_back(
        &mut self,
        engine: &mut Engine,
        now: Nanos,
        mirror: usize,
        leg: usize,
        held: Bytes,
        limit: Option<LimitId>,
    ) {
        let of = &mut self.mirrors[mirror].legs[leg];
        of.buffers.used -= held;
        of.buffers.limit = limit;
        let Some(LinkEnd { link, end }) = of.link.filter(|_| !of.buffers.unread.is_empty()) else {
            return;
        };
        while let Some(&(id, since)) = self.mirrors[mirror].legs[leg].buffers.unread.front() {
            let (to, back) = self.payload(id);
            if !self.mirrors[mirror].legs[leg].buffers.has_room(to + back) {
                break;
            }
            self.mirrors[mirror].legs[leg].buffers.unread.pop_front();
            self.flows[id as usize].throttled_unread(now - since, limit);
            self.links[link].take_up(end, to);
            self.read_request(engine, now, FlowLeg { id, leg }, (to, back));
        }
        self.schedule_link(link, end);
    }
}
