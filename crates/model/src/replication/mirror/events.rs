//! What happens next, in the engine or to a flow.
//!
//! Each event costs a look at what is next, which a processor cannot foretell: so events are
//! taken one after another here until there is something to tell.

use super::Mirrors;
use super::flow::{Flow, FlowId, FlowLeg, LinkEnd, Step};
use crate::engine::Engine;
use crate::event_queue::NEVER;
use crate::units::Nanos;

/// Where something happens next: of what happens at the same time, in this order.
#[derive(Clone, Copy, Debug)]
pub(super) enum Place {
    /// In the engine.
    Engine,
    /// To a flow, other than on a leg's disk.
    Events,
    /// On a leg's disk.
    Disks,
}

impl Mirrors {
    /// When something happens next, in the engine or here, or [`NEVER`].
    #[inline]
    pub(crate) fn next_event(&self) -> Nanos {
        self.next
    }

    /// Looks when that is: to be called after anything was done to either, at `now`. What
    /// messages have moved takes tokens of the networks that hosts share with storage.
    #[inline]
    pub(crate) fn look_ahead(&mut self, engine: &mut Engine, now: Nanos) {
        engine.charge_moved(now);
        let (at, disk_at) = (self.events.first().0, self.disks.first().0);
        let engine_at = engine.next_event().unwrap_or(NEVER);
        let own = at.min(disk_at);
        self.next = engine_at.min(own);
        self.place = match (engine_at <= own, disk_at < at) {
            (true, _) => Place::Engine,
            (false, true) => Place::Disks,
            (false, false) => Place::Events,
        };
    }

    /// Does what happens in the engine and here until `until`, as it comes, or until there is
    /// something to tell.
    pub(crate) fn advance(&mut self, engine: &mut Engine, until: Nanos) {
        while self.next <= until && self.next != NEVER {
            let now = self.next;
            match self.place {
                Place::Engine => {
                    let ended = self.ended();
                    engine.advance(now, &mut |ticket, reply| ended.push((ticket, Some(reply))));
                    self.take_ends(engine, now);
                }
                Place::Disks => self.next_disk_ends(engine, now),
                Place::Events => self.next_event_comes(engine, now, until),
            }
            self.look_ahead(engine, now);
            if !self.told.is_empty() {
                return;
            }
        }
    }

    /// A leg's disk is done, the next that is.
    #[inline]
    fn next_disk_ends(&mut self, engine: &mut Engine, now: Nanos) {
        let (_, flow) = self.disks.first();
        let &Flow { due, step, .. } = &self.flows[flow];
        let of = FlowLeg {
            id: flow as FlowId,
            leg: usize::from(due[1] < due[0]),
        };
        self.schedule_disk(of, NEVER);
        match step {
            Step::Journal(journal, slot) => {
                self.journal_io_ends(engine, now, journal.into(), slot);
            }
            Step::CopyRead(_) | Step::CopyWrite(_) => {
                self.copy_disk_ended(now, of);
                self.disk_ends(engine, now, of);
            }
            _ => self.disk_ends(engine, now, of),
        }
    }

    /// The next of the events comes.
    #[inline]
    fn next_event_comes(&mut self, engine: &mut Engine, now: Nanos, until: Nanos) {
        let (_, slot) = self.events.first();
        if slot < self.timeout_slot(0) {
            self.link_moves(engine, now, slot, until);
        } else if slot < self.copy_slot(0) {
            self.events.set(slot, NEVER);
            self.give_up(engine, now, slot - self.timeout_slot(0));
        } else if slot >= self.service_slot(self.mirrors.len()) {
            self.journal_event(engine, now, slot);
        } else if slot >= self.service_slot(0) {
            self.service_event(engine, now, slot - self.service_slot(0));
        } else {
            self.copy_more(engine, now, slot - self.copy_slot(0));
        }
    }

    /// Something happens to what goes over a link. What has come with it is handled in the same
    /// step where nothing else happens before.
    #[inline]
    fn link_moves(&mut self, engine: &mut Engine, now: Nanos, slot: usize, until: Nanos) {
        let (link, from) = (slot / 2, slot % 2);
        self.links[link].advance(now, from, &mut engine.processors, &mut self.released);
        let is_silent = self.released.is_empty() && self.links[link].delivery(from, 0).is_none();
        // What messages move takes tokens of a shared network when they move.
        if !is_silent || engine.shares_network() {
            return self.look_at_link(engine, now, LinkEnd { link, end: from });
        }
        self.schedule_link(link, from);
        let (next, first) = self.events.first();
        let most = self.disks.first().0.min(until);
        let is_next = engine.next_event().is_none_or(|at| next < at);
        if first == slot && next <= most && next != NEVER && is_next {
            self.links[link].advance(next, from, &mut engine.processors, &mut self.released);
            self.look_at_link(engine, next, LinkEnd { link, end: from });
        }
    }
}
