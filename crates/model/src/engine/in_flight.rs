//! Requests in flight, and when their parts end, as far as that is known.

mod changes;
mod flushes;
mod request;

use alloc::vec;
use alloc::vec::Vec;

use self::flushes::Device;
use self::request::{End, Entry, Kind, Part};
use super::Ticket;
use crate::request::Reply;
use crate::units::Nanos;

/// Names a part of a request in flight.
#[derive(Clone, Copy, Debug)]
pub(super) struct PartName {
    pub(super) ticket: Ticket,
    /// Its place among the request's parts.
    pub(super) index: u32,
}

/// The requests in flight of a storage.
///
/// A request stands under its ticket until the ticket is used again; once the time of its
/// end has come, nothing here touches it any more.
#[derive(Clone, Debug)]
pub(super) struct InFlight {
    requests: Vec<Entry>,
    devices: Vec<Device>,
}

impl InFlight {
    pub(super) fn new(devices: usize) -> Self {
        Self {
            requests: Vec::new(),
            devices: vec![Device::default(); devices],
        }
    }

    /// Enters a request in one part on `volume`, which nothing throttles and which ends at `at`.
    #[inline]
    pub(super) fn enter_free(
        &mut self,
        ticket: Ticket,
        (device, write): (usize, bool),
        volume: usize,
        at: Nanos,
    ) {
        let entry = self.whole(ticket, volume);
        entry.open = 0;
        entry.whole.set(End::Known, Reply::free(at));
        if write {
            self.note_write(ticket, device, Some(at));
        }
    }

    /// Enters a request in one part on `volume`, whose end is `reply` if that is known.
    pub(super) fn enter(
        &mut self,
        ticket: Ticket,
        (device, write): (usize, bool),
        volume: usize,
        reply: Option<Reply>,
    ) {
        let entry = self.whole(ticket, volume);
        match reply {
            Some(reply) => {
                entry.open = 0;
                entry.whole.set(End::Known, reply);
            }
            None => {
                entry.open = 1;
                entry.whole.end = End::Open;
                // The request before it under this ticket may have.
                entry.whole.reply.failed = false;
            }
        }
        if write {
            self.note_write(ticket, device, reply.map(|reply| reply.at));
        }
    }

    /// The entry of a request in one part on `volume`, not a write as far as is known.
    #[inline]
    fn whole(&mut self, ticket: Ticket, volume: usize) -> &mut Entry {
        let entry = self.entry(ticket);
        entry.kind = Kind::Read;
        entry.whole.volume = Some(volume as u32);
        if !entry.parts.is_empty() {
            entry.parts.clear();
        }
        entry
    }

    /// Enters a request in several parts, on these volumes and with these ends, as far as
    /// they are known. Gives its end if that is.
    pub(super) fn enter_parts(
        &mut self,
        ticket: Ticket,
        of: (usize, bool),
        parts: &[(usize, Option<Reply>)],
    ) -> Option<Reply> {
        let (volume, _) = *parts.first()?;
        self.enter(ticket, of, volume, None);
        let part = |&(volume, reply): &(usize, Option<Reply>)| {
            let mut part = Part::open(Some(volume));
            if let Some(reply) = reply {
                part.set(End::Known, reply);
            }
            part
        };
        self.entry(ticket).parts.extend(parts.iter().map(part));
        self.settle(ticket)
    }

    /// The end of a part is known: tells `ends` of the requests whose end that makes known.
    pub(super) fn close(
        &mut self,
        name: PartName,
        reply: Reply,
        ends: &mut impl FnMut(Ticket, Reply),
    ) {
        let entry = &mut self.requests[name.ticket as usize];
        entry.part(name.index).set(End::Known, reply);
        if let Some(reply) = self.settle(name.ticket) {
            ends(name.ticket, reply);
            let entry = &self.requests[name.ticket as usize];
            let device = entry.device as usize;
            if entry.kind == Kind::Write && self.devices[device].has_waiting_flush() {
                self.release_flushes(device, ends);
            }
        }
    }

    /// The end of a part would be known, if its volume were not paused.
    pub(super) fn stall(&mut self, name: PartName, reply: Reply) {
        let entry = &mut self.requests[name.ticket as usize];
        entry.part(name.index).set(End::Stalled, reply);
    }

    /// If the end of all parts is known, notes that of the request and gives it.
    fn settle(&mut self, ticket: Ticket) -> Option<Reply> {
        let entry = &mut self.requests[ticket as usize];
        let reply = entry.recount()?;
        if entry.kind == Kind::Write {
            self.devices[entry.device as usize].close_write(entry.epoch, reply.at);
        }
        Some(reply)
    }

    /// When the parts that are stalled on `volume` end if it works again from `now` on.
    pub(super) fn stalled_on(&self, now: Nanos, volume: usize) -> Vec<Nanos> {
        let requests = self.requests.iter();
        let moving = requests.filter(|entry| !entry.kind.is_whole() && entry.in_flight(now));
        let stalled = |part: &&Part| part.is_on(volume) && part.end == End::Stalled;
        let parts = moving.flat_map(Entry::parts).filter(stalled);
        parts.map(|part| part.reply.at.max(now)).collect()
    }

    #[inline]
    fn entry(&mut self, ticket: Ticket) -> &mut Entry {
        let index = ticket as usize;
        if index >= self.requests.len() {
            self.make_room(index);
        }
        &mut self.requests[index]
    }

    #[cold]
    fn make_room(&mut self, index: usize) {
        self.requests.resize(index + 1, Entry::unused());
    }
}
