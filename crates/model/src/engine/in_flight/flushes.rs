//! Flushes, and the writes that they wait for.

use alloc::vec::Vec;

use super::InFlight;
use super::request::Kind;
use crate::engine::Ticket;
use crate::request::Reply;
use crate::units::Nanos;

/// The writes to a device, and the flushes that wait for them.
#[derive(Clone, Debug, Default)]
pub(super) struct Device {
    /// Writes and flushes so far.
    submitted: u64,
    /// Writes whose end is not known.
    open_writes: u64,
    /// When the last write ends of those whose end is known.
    written: Nanos,
    /// Flushes whose end is not known, in the order in which they came.
    flushes: Vec<Ticket>,
}

impl InFlight {
    /// A request is a write to `device`: flushes wait for it.
    #[inline]
    pub(super) fn note_write(&mut self, ticket: Ticket, device: usize, reply: Option<Reply>) {
        let of = &mut self.devices[device];
        match reply {
            Some(reply) => of.wrote(reply.at),
            None => of.open_writes += 1,
        }
        let number = of.number();
        let entry = &mut self.requests[ticket as usize];
        entry.kind = Kind::Write;
        (entry.device, entry.number) = (device as u32, number);
    }

    /// Enters a flush at `now`. Gives its end if that is known: when all earlier writes to
    /// the device have ended.
    pub(in crate::engine) fn flush(
        &mut self,
        now: Nanos,
        ticket: Ticket,
        device: usize,
    ) -> Option<Reply> {
        let number = self.devices[device].number();
        let of = &mut self.devices[device];
        let known = (of.open_writes == 0).then(|| Reply::free(now.max(of.written)));
        if known.is_none() {
            of.flushes.push(ticket);
        }
        let entry = self.entry(ticket);
        entry.device = device as u32;
        entry.kind = Kind::Flush;
        entry.number = number;
        entry.parts.clear();
        entry.open = u32::from(known.is_none());
        entry.whole.reply = known.unwrap_or(Reply::free(now));
        known
    }

    /// Ends the flushes of a device that wait for no write any more.
    pub(super) fn release_flushes(
        &mut self,
        device: usize,
        now: Nanos,
        ends: &mut impl FnMut(Ticket, Reply),
    ) {
        let waiting = core::mem::take(&mut self.devices[device].flushes);
        for ticket in waiting {
            match self.end_of_flush(now, ticket) {
                Some(reply) => {
                    let entry = &mut self.requests[ticket as usize];
                    (entry.open, entry.whole.reply) = (0, reply);
                    ends(ticket, reply);
                }
                None => self.devices[device].flushes.push(ticket),
            }
        }
    }

    /// When a flush ends, which is not before `now`, if the ends of all earlier writes are
    /// known.
    fn end_of_flush(&self, now: Nanos, ticket: Ticket) -> Option<Reply> {
        let flush = &self.requests[ticket as usize];
        let mut end = now;
        for entry in &self.requests {
            let earlier = entry.device == flush.device && entry.number < flush.number;
            if earlier && entry.kind == Kind::Write {
                if entry.open > 0 {
                    return None;
                }
                end = end.max(entry.whole.reply.at);
            }
        }
        Some(Reply::free(end))
    }

    /// Looks again when each flush in flight ends, after writes have changed.
    pub(super) fn change_flushes(
        &mut self,
        now: Nanos,
        ends: &mut impl FnMut(Ticket, Option<Reply>),
    ) {
        for device in &mut self.devices {
            (device.open_writes, device.written) = (0, 0);
            device.flushes.clear();
        }
        for index in 0..self.requests.len() {
            let entry = &self.requests[index];
            match entry.kind {
                Kind::Write => {
                    let device = &mut self.devices[entry.device as usize];
                    match entry.end() {
                        Some(reply) => device.wrote(reply.at),
                        None => device.open_writes += 1,
                    }
                }
                Kind::Flush if entry.in_flight(now) => {
                    let before = entry.end();
                    let after = self.end_of_flush(now, index as Ticket);
                    let entry = &mut self.requests[index];
                    entry.open = u32::from(after.is_none());
                    entry.whole.reply = after.unwrap_or(entry.whole.reply);
                    if after.is_none() {
                        self.devices[entry.device as usize]
                            .flushes
                            .push(index as Ticket);
                    }
                    if before != after {
                        ends(index as Ticket, after);
                    }
                }
                Kind::Flush | Kind::Read => {}
            }
        }
        let requests = &self.requests;
        for device in &mut self.devices {
            device
                .flushes
                .sort_by_key(|&ticket| requests[ticket as usize].number);
        }
    }
}

impl Device {
    pub(super) fn has_waiting_flush(&self) -> bool {
        !self.flushes.is_empty()
    }

    /// The end of a write is known that was not when it was entered.
    pub(super) fn close_write(&mut self, at: Nanos) {
        self.open_writes -= 1;
        self.wrote(at);
    }

    /// The place of the next write or flush.
    #[inline]
    fn number(&mut self) -> u64 {
        self.submitted += 1;
        self.submitted
    }

    /// A write ends at `at`.
    #[inline]
    fn wrote(&mut self, at: Nanos) {
        self.written = self.written.max(at);
    }
}
