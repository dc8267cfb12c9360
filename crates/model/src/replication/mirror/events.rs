//! What happens next, in the engine or to a flow.
//!
//! Each event costs a look at what is next, which a processor cannot foretell: so events are
//! taken one after another here until there is something to tell.

use super::Mirrors;
use super::flow::{FlowId, FlowLeg, LinkEnd, Step};
use crate::engine::Engine;
use crate::event_queue::NEVER;
use crate::units::Nanos;

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
        let own = self.moves.first().0.min(self.events.first().0);
        let own = own.min(self.disks.first().0);
        self.next = engine.next_event().unwrap_or(NEVER).min(own);
    }

    /// Does what happens in the engine and here until `until`, as it comes, or until there is
    /// something to tell. Of what happens at the same time, the engine's is first, and what disks
    /// do is last.
    pub(crate) fn advance(&mut self, engine: &mut Engine, until: Nanos) {
        while self.next <= until && self.next != NEVER {
            let now = self.next;
            if engine.next_event() == Some(now) {
                self.engine_advances(engine, now);
            } else if self.moves.first().0 == now {
                self.next_link_moves(engine, now, until);
            } else if self.events.first().0 == now {
                self.next_event_comes(engine, now);
            } else {
                self.next_disk_ends(engine, now);
            }
            self.look_ahead(engine, now);
            if !self.told.is_empty() || !self.turned.is_empty() {
                return;
            }
        }
    }

    /// Something happens in the engine.
    fn engine_advances(&mut self, engine: &mut Engine, now: Nanos) {
        let ended = self.ended();
        engine.advance(now, &mut |ticket, reply| ended.push((ticket, Some(reply))));
        self.take_ends(engine, now);
    }

    /// A leg's disk is done, the next that is.
    #[inline]
    fn next_disk_ends(&mut self, engine: &mut Engine, now: Nanos) {
        let (_, id) = self.disks.first();
        let flow = &mut self.flows[id];
        let leg = usize::from(flow.due[1] < flow.due[0]);
        self.disks.set(id, flow.disk_is_due(leg, NEVER));
        let of = FlowLeg {
            id: id as FlowId,
            leg,
        };
        match flow.step {
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

    /// The next of the rarer events comes.
    fn next_event_comes(&mut self, engine: &mut Engine, now: Nanos) {
        let (_, slot) = self.events.first();
        if slot < self.copy_slot(0) {
            self.contact_turns(engine, now, slot - self.timeout_slot(0));
        } else if slot >= self.service_slot(self.mirrors.len()) {
            self.journal_event(engine, now, slot);
        } else if slot >= self.service_slot(0) {
            self.service_event(engine, now, slot - self.service_slot(0));
        } else {
            self.copy_more(engine, now, slot - self.copy_slot(0));
        }
    }

    /// Something happens to what goes over a link, and on until there is something to take note
    /// of, where nothing else happens before.
    #[inline]
    fn next_link_moves(&mut self, engine: &mut Engine, now: Nanos, until: Nanos) {
        let (_, slot) = self.moves.first();
        let (link, end) = (slot / 2, slot % 2);
        let mut now = now;
        loop {
            let (processors, released) = (&mut engine.processors, &mut self.released);
            let link = &mut self.links[link];
            link.advance(now, end, processors, released);
            // What messages move takes tokens of a shared network when they move.
            if link.has_told(end) || !released.is_empty() || engine.shares_network() {
                break;
            }
            let next = link.next_event(end);
            if next > until || next >= self.first_but(engine, slot) {
                break;
            }
            now = next;
        }
        self.look_at_link(engine, now, LinkEnd { link, end });
    }

    /// When something happens that is not what goes over a link from one end.
    #[inline]
    fn first_but(&self, engine: &Engine, slot: usize) -> Nanos {
        let other = self.moves.first_but(slot).min(self.events.first().0);
        let other = other.min(self.disks.first().0);
        engine.next_event().unwrap_or(NEVER).min(other)
    }
}
