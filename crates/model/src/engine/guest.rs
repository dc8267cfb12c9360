//! What a volume has taken from the guest, and what waits there until it has room.
//!
//! Where a [`VolumeSpec::queue_depth`](crate::spec::VolumeSpec::queue_depth) is stated, the
//! volume takes only so many requests at once and serves those in turn. What is beyond waits
//! in the guest's queues. Whenever the volume has room, one of them enters, drawn at random:
//! the guest's processors race for the place. Between flows, as the volume's discipline has
//! them (reads and writes, or those who submit), the draw goes in turn, so that a deep queue
//! of one does not keep the other out by filling all places.

use alloc::collections::BinaryHeap;
use alloc::format;
use alloc::vec::Vec;
use core::cmp::Reverse;

use super::in_flight::PartName;
use super::turns::Turns;
use super::{Engine, Start, Ticket};
use crate::event_queue::NEVER;
use crate::limits::LimitId;
use crate::random::Stream;
use crate::request::Reply;
use crate::spec::{Discipline, VolumeSpec};
use crate::throttle::Cost;
use crate::units::Nanos;
use crate::volume::{Part, Queueing};

/// A request that waits in the guest.
#[derive(Clone, Copy, Debug)]
struct Queued {
    name: PartName,
    part: Part,
    cost: Cost,
    /// Whether it continues a stream on its volume.
    sequential: bool,
    arrival: Nanos,
}

/// A guest's queues to one volume.
#[derive(Clone, Debug)]
pub(super) struct Guest {
    /// Most requests in the volume, at least 1.
    depth: usize,
    /// Those in the volume whose end is not known.
    open: usize,
    /// The ends of the others; those that have passed go when room is looked for.
    ends: BinaryHeap<Reverse<Nanos>>,
    /// The limit that a request in the volume waited for last.
    last: Option<LimitId>,
    flows: Flows,
    random: Stream,
}

impl Guest {
    /// The guest of volume number `index`, if its queue depth is stated.
    pub(super) fn new(index: usize, spec: &VolumeSpec, seed: u64) -> Option<Self> {
        Some(Self {
            depth: spec.queue_depth?.get() as usize,
            open: 0,
            ends: BinaryHeap::new(),
            last: None,
            flows: Flows::new(spec.discipline),
            random: Stream::new(seed, &format!("volume/{index}/guest")),
        })
    }

    /// Whether a request that comes at `now` finds nobody waiting, and room.
    pub(super) fn is_free(&mut self, now: Nanos) -> bool {
        self.flows.waiting == 0 && self.has_room(now)
    }

    fn has_room(&mut self, now: Nanos) -> bool {
        while self.open + self.ends.len() >= self.depth {
            match self.ends.peek() {
                Some(&Reverse(end)) if end <= now => self.ends.pop(),
                _ => return false,
            };
        }
        true
    }

    /// A request entered the volume; its end, if that is known.
    pub(super) fn entered(&mut self, end: Option<Reply>) {
        match end {
            Some(reply) => self.ends.push(Reverse(reply.at)),
            None => self.open += 1,
        }
    }

    /// The limit that keeps the volume full, if most requests in it wait for tokens.
    fn kept_full_by(&self) -> Option<LimitId> {
        self.last.filter(|_| 2 * self.open >= self.depth)
    }

    /// The end of a request in the volume is known now, and for what limit it waited longest.
    fn ends_at(&mut self, end: Nanos, limit: Option<LimitId>) {
        self.last = limit.or(self.last);
        self.open -= 1;
        self.ends.push(Reverse(end));
    }

    /// When somebody who waits can enter, as far as that is known at `now`.
    fn next_entry(&mut self, now: Nanos) -> Option<Nanos> {
        if self.flows.waiting == 0 {
            return None;
        }
        if self.has_room(now) {
            return Some(now);
        }
        self.ends.peek().map(|end| end.0)
    }

    /// Takes out all that wait and forgets all that is in the volume.
    fn clear(&mut self) {
        self.open = 0;
        self.ends.clear();
        self.flows.clear();
    }

    /// Counts anew what is in the volume: requests without a known end, waiting here or there,
    /// and the ends of the others.
    fn recount(&mut self, open: usize, ends: Vec<Nanos>) {
        self.open = open - self.flows.waiting;
        self.ends = ends.into_iter().map(Reverse).collect();
    }
}

/// Those who wait, by flow. The flows take turns; within a flow the order is drawn.
#[derive(Clone, Debug)]
struct Flows {
    waiting: usize,
    turns: Turns,
    queues: Vec<Vec<Queued>>,
    /// Turns given out.
    given: u64,
}

impl Flows {
    fn new(discipline: Discipline) -> Self {
        Self {
            waiting: 0,
            turns: Turns::new(discipline),
            queues: Vec::new(),
            given: 0,
        }
    }

    fn push(&mut self, request: Queued) {
        let Part {
            requester,
            submitter,
            write,
            ..
        } = request.part;
        let flow = self.turns.flow_of((requester, submitter), write);
        if self.queues.len() <= flow {
            self.queues.resize(flow + 1, Vec::new());
        }
        self.waiting += 1;
        self.queues[flow].push(request);
        if self.queues[flow].len() == 1 {
            self.turns.wait(flow, self.given);
            self.given += 1;
        }
    }

    /// Takes out one of the flow whose turn it is.
    fn draw(&mut self, random: &mut Stream) -> Option<Queued> {
        let queue = &mut self.queues[self.turns.first()?];
        let request = queue.swap_remove(random.below(queue.len() as u64) as usize);
        let next = (!queue.is_empty()).then_some(self.given);
        self.given += u64::from(next.is_some());
        self.waiting -= 1;
        self.turns.serve(request.cost.ios, next);
        Some(request)
    }

    fn clear(&mut self) {
        self.waiting = 0;
        self.queues.iter_mut().for_each(Vec::clear);
        self.turns.renew(|_| None);
    }
}

/// The guest's part in a storage's events.
impl Engine {
    /// A request comes from a guest, and enters its volume or waits for room there.
    #[inline(never)]
    pub(super) fn start_in_guest(
        &mut self,
        now: Nanos,
        name: PartName,
        part: Part,
        (cost, sequential): (Cost, bool),
    ) -> Start {
        let request = Queued {
            name,
            part,
            cost,
            sequential,
            arrival: now,
        };
        let Some(guest) = &mut self.guests[part.volume] else {
            return Start::Waits;
        };
        if guest.is_free(now) {
            return self.enter(now, &request);
        }
        guest.flows.push(request);
        self.schedule_entry(now, part.volume);
        Start::Waits
    }

    /// A volume takes a request at `now`.
    fn enter(&mut self, now: Nanos, request: &Queued) -> Start {
        let Queued {
            name,
            part,
            cost,
            sequential,
            arrival,
        } = *request;
        let guest = self.guests[part.volume].as_ref();
        let queued = Queueing {
            time: now - arrival,
            limit: guest.and_then(|guest| guest.kept_full_by()),
        };
        let start = self.pass(now, queued, name, &part, (cost, sequential));
        if let Some(guest) = &mut self.guests[part.volume] {
            guest.entered(start.end());
        }
        start
    }

    /// The end of a request in `volume` became known at `now`, and what limit it waited for.
    #[inline(never)]
    pub(super) fn note_end(
        &mut self,
        now: Nanos,
        volume: usize,
        (end, limit): (Nanos, Option<LimitId>),
    ) {
        if let Some(guest) = &mut self.guests[volume] {
            guest.ends_at(end, limit);
            self.schedule_entry(now, volume);
        }
    }

    /// One of those who wait enters `volume`, which has room.
    #[inline(never)]
    pub(super) fn let_in(
        &mut self,
        now: Nanos,
        volume: usize,
        ends: &mut impl FnMut(Ticket, Reply),
    ) {
        let Some(guest) = &mut self.guests[volume] else {
            return;
        };
        let drawn = match guest.has_room(now) {
            true => guest.flows.draw(&mut guest.random),
            false => None,
        };
        if let Some(request) = drawn
            && let Some(reply) = self.enter(now, &request).end()
        {
            self.in_flight.close(request.name, reply, ends);
        }
        self.schedule_entry(now, volume);
    }

    /// `volume` was paused or works again: counts what is in it.
    pub(super) fn recount(&mut self, now: Nanos, volume: usize) {
        if self.guests[volume].is_none() {
            return;
        }
        self.set_held(true);
        let (open, ends) = self.in_flight.on_volume(now, volume);
        self.set_held(false);
        if let Some(guest) = &mut self.guests[volume] {
            guest.recount(open, ends);
            self.schedule_entry(now, volume);
        }
    }

    /// `volume` failed: nothing waits for it and nothing is in it.
    pub(super) fn clear_guest(&mut self, now: Nanos, volume: usize) {
        if let Some(guest) = &mut self.guests[volume] {
            guest.clear();
            self.schedule_entry(now, volume);
        }
    }

    fn schedule_entry(&mut self, now: Nanos, volume: usize) {
        let next = self.guests[volume]
            .as_mut()
            .and_then(|it| it.next_entry(now));
        let event = self.topology.stages.len() + volume;
        self.events.set(event, next.unwrap_or(NEVER));
    }
}
