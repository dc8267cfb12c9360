//! Flushes and trims, which go to all volumes of a device, and the writes that a flush waits for.
//!
//! A flush is a request in parts: the writes before it, and each volume of its device. A volume
//! answers it at once, but its part is over only when the flush is: if the volume is paused
//! meanwhile the flush waits, and if it fails the flush does.

use alloc::collections::VecDeque;
use alloc::vec::Vec;

use super::InFlight;
use super::request::{End, Kind, Part};
use crate::engine::Ticket;
use crate::request::Reply;
use crate::units::Nanos;

/// The part of a flush that waits for the writes before it.
const WRITES: usize = 0;

/// The writes to a device, in the epochs that flushes divide them into.
#[derive(Clone, Debug, Default)]
pub(super) struct Device {
    /// Each epoch that a flush ended which waits for writes, and that flush; the oldest first.
    waiting: VecDeque<(Epoch, Ticket)>,
    /// The epoch that no flush has ended.
    current: Epoch,
}

/// The writes between two flushes.
#[derive(Clone, Copy, Debug, Default)]
struct Epoch {
    number: u64,
    /// Writes whose end is not known.
    open: u64,
    /// When the last write ends of those whose end is known, here or in epochs that are over.
    written: Nanos,
}

impl InFlight {
    /// A request is a write to `device`: flushes wait for it, until `at` if that is known.
    #[inline]
    pub(super) fn note_write(&mut self, ticket: Ticket, device: usize, at: Option<Nanos>) {
        let epoch = &mut self.devices[device].current;
        match at {
            Some(at) => epoch.wrote(at),
            None => epoch.open += 1,
        }
        let epoch = epoch.number;
        let entry = &mut self.requests[ticket as usize];
        entry.kind = Kind::Write;
        (entry.device, entry.epoch) = (device as u32, epoch);
    }

    /// Enters a flush of `device`, which waits for the writes before it.
    pub(in crate::engine) fn flush(&mut self, now: Nanos, ticket: Ticket, device: usize) {
        let of = &mut self.devices[device];
        let epoch = of.current.number;
        let written = of.end_epoch(ticket);
        let entry = self.begin_whole(ticket, Kind::Flush);
        (entry.device, entry.epoch) = (device as u32, epoch);
        let mut writes = Part::open(None);
        if let Some(at) = written {
            writes.set(End::Known, Reply::free(now.max(at)));
        }
        entry.parts.push(writes);
    }

    /// Enters a trim.
    pub(in crate::engine) fn trim(&mut self, ticket: Ticket) {
        self.begin_whole(ticket, Kind::Trim);
    }

    /// A volume answers the flush or the trim that was entered last so, or would if it were not
    /// paused.
    pub(in crate::engine) fn answer(
        &mut self,
        ticket: Ticket,
        volume: usize,
        reply: Reply,
        is_paused: bool,
    ) {
        let mut part = Part::open(Some(volume));
        part.set(if is_paused { End::Stalled } else { End::Known }, reply);
        self.requests[ticket as usize].parts.push(part);
    }

    /// When a flush or a trim ends, if that is known.
    pub(in crate::engine) fn end_of_whole(&mut self, ticket: Ticket) -> Option<Reply> {
        self.requests[ticket as usize].recount()
    }

    fn begin_whole(&mut self, ticket: Ticket, kind: Kind) -> &mut super::Entry {
        let entry = self.entry(ticket);
        entry.kind = kind;
        entry.parts.clear();
        entry
    }

    /// Ends the flushes of a device that wait for no write any more.
    pub(super) fn release_flushes(&mut self, device: usize, ends: &mut impl FnMut(Ticket, Reply)) {
        while let Some((ticket, written)) = self.devices[device].next_flush() {
            let entry = &mut self.requests[ticket as usize];
            entry.parts[WRITES].set(End::Known, Reply::free(written));
            if let Some(reply) = entry.recount() {
                ends(ticket, reply);
            }
        }
    }

    /// Looks again which writes each of `flushes` waits for, as writes have changed at `now`.
    pub(super) fn renew_flushes(&mut self, now: Nanos, mut flushes: Vec<Ticket>) {
        for device in &mut self.devices {
            device.forget();
        }
        flushes.sort_by_key(|&ticket| self.requests[ticket as usize].epoch);
        for ticket in flushes {
            let entry = &mut self.requests[ticket as usize];
            entry.parts[WRITES].end = End::Open;
            self.devices[entry.device as usize].waits_for(entry.epoch, ticket);
        }
        for entry in &self.requests {
            if entry.kind == Kind::Write && entry.in_flight(now) {
                let epoch = self.devices[entry.device as usize].epoch(entry.epoch);
                match entry.end() {
                    Some(reply) => epoch.wrote(reply.at),
                    None => epoch.open += 1,
                }
            }
        }
        for device in 0..self.devices.len() {
            self.release_flushes(device, &mut |_, _| ());
        }
    }
}

impl Device {
    pub(super) fn has_waiting_flush(&self) -> bool {
        !self.waiting.is_empty()
    }

    /// The end of a write is known that was not when it was entered.
    pub(super) fn close_write(&mut self, epoch: u64, at: Nanos) {
        let epoch = self.epoch(epoch);
        epoch.open -= 1;
        epoch.wrote(at);
    }

    /// A flush ends the current epoch. Gives the time at which the last write so far ends, if
    /// that is known; else the flush waits.
    fn end_epoch(&mut self, flush: Ticket) -> Option<Nanos> {
        let ended = self.current;
        self.current = Epoch {
            number: ended.number + 1,
            open: 0,
            ..ended
        };
        if self.waiting.is_empty() && ended.open == 0 {
            return Some(ended.written);
        }
        self.waiting.push_back((ended, flush));
        None
    }

    /// Takes out the first flush if it waits for no write any more; gives the end of the last.
    fn next_flush(&mut self) -> Option<(Ticket, Nanos)> {
        let (first, flush) = *self.waiting.front().filter(|(first, _)| first.open == 0)?;
        self.waiting.pop_front();
        match self.waiting.front_mut() {
            Some((next, _)) => next.wrote(first.written),
            None => self.current.wrote(first.written),
        }
        Some((flush, first.written))
    }

    /// No write is known of, and no flush waits.
    fn forget(&mut self) {
        self.waiting.clear();
        (self.current.open, self.current.written) = (0, 0);
    }

    /// A flush waits for the writes of an epoch and of those before it.
    fn waits_for(&mut self, number: u64, flush: Ticket) {
        let epoch = Epoch {
            number,
            ..Epoch::default()
        };
        self.waiting.push_back((epoch, flush));
    }

    /// The epoch of this number, or the next one that a flush waits for.
    #[inline]
    fn epoch(&mut self, number: u64) -> &mut Epoch {
        if number == self.current.number {
            return &mut self.current;
        }
        let place = self.waiting.partition_point(|(it, _)| it.number < number);
        match self.waiting.get_mut(place) {
            Some((epoch, _)) => epoch,
            None => &mut self.current,
        }
    }
}

impl Epoch {
    /// A write ends at `at`.
    #[inline]
    fn wrote(&mut self, at: Nanos) {
        self.written = self.written.max(at);
    }
}
