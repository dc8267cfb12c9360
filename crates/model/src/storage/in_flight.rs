//! Requests in flight: when their parts end, as far as that is known, and the flushes that
//! wait for writes.

use alloc::vec;
use alloc::vec::Vec;

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

/// What is known of a part's end.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum End {
    /// Nothing: it waits for tokens.
    Open,
    /// When it is, or was.
    Known,
    /// When it would be, if its volume were not paused.
    Stalled,
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

#[derive(Clone, Debug)]
struct Entry {
    device: u32,
    kind: Kind,
    /// Its place among the writes and flushes to its device.
    number: u64,
    /// Parts whose end is not known; 1 for a flush that waits.
    open: u32,
    /// Its only part; of a request in several parts only the reply counts, the end of all.
    whole: Part,
    /// The parts, if there are several.
    parts: Vec<Part>,
}

#[derive(Clone, Copy, Debug)]
struct Part {
    volume: u32,
    end: End,
    /// How it ends, unless it is open.
    reply: Reply,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Kind {
    Read,
    Write,
    Flush,
}

#[derive(Clone, Debug, Default)]
struct Device {
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
    pub(super) fn new(devices: usize) -> Self {
        Self {
            requests: Vec::new(),
            devices: vec![Device::default(); devices],
        }
    }

    /// Enters a request in one part on `volume`, whose end is `reply` if that is known.
    #[inline]
    pub(super) fn enter(
        &mut self,
        ticket: Ticket,
        (device, write): (usize, bool),
        volume: usize,
        reply: Option<Reply>,
    ) {
        let entry = self.entry(ticket);
        entry.kind = Kind::Read;
        entry.whole.volume = volume as u32;
        if !entry.parts.is_empty() {
            entry.parts.clear();
        }
        match reply {
            Some(reply) => {
                entry.open = 0;
                entry.whole.set(End::Known, reply);
            }
            None => {
                entry.open = 1;
                entry.whole.end = End::Open;
            }
        }
        if write {
            self.note_write(ticket, device, reply);
        }
    }

    /// A request is a write to `device`: flushes wait for it.
    #[inline]
    fn note_write(&mut self, ticket: Ticket, device: usize, reply: Option<Reply>) {
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
        let part = |&(volume, reply): &(usize, Option<Reply>)| Part {
            volume: volume as u32,
            end: if reply.is_some() {
                End::Known
            } else {
                End::Open
            },
            reply: reply.unwrap_or(Reply::free(0)),
        };
        self.entry(ticket).parts.extend(parts.iter().map(part));
        self.settle(ticket)
    }

    /// Enters a flush at `now`. Gives its end if that is known: when all earlier writes to
    /// the device have ended.
    pub(super) fn flush(&mut self, now: Nanos, ticket: Ticket, device: usize) -> Option<Reply> {
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

    /// Enters a request that ends at `now` and that nothing can touch.
    pub(super) fn passed(&mut self, now: Nanos, ticket: Ticket) {
        let entry = self.entry(ticket);
        entry.kind = Kind::Read;
        entry.parts.clear();
        entry.open = 0;
        (entry.whole.end, entry.whole.reply) = (End::Known, Reply::free(now));
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
            if entry.kind == Kind::Write && !self.devices[device].flushes.is_empty() {
                self.release_flushes(device, reply.at, ends);
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
            let device = &mut self.devices[entry.device as usize];
            device.open_writes -= 1;
            device.wrote(reply.at);
        }
        Some(reply)
    }

    /// Ends the flushes of a device that wait for no write any more.
    fn release_flushes(&mut self, device: usize, now: Nanos, ends: &mut impl FnMut(Ticket, Reply)) {
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

    fn entry(&mut self, ticket: Ticket) -> &mut Entry {
        let index = ticket as usize;
        if index >= self.requests.len() {
            self.requests.resize(index + 1, Entry::unused());
        }
        &mut self.requests[index]
    }
}

/// What a change of a volume does to requests in flight. Each tells `ends` of the requests
/// whose end is another now, or is no longer known.
impl InFlight {
    /// `volume` is paused at `now`: parts on it that have not ended do not until it resumes.
    pub(super) fn pause(
        &mut self,
        now: Nanos,
        volume: usize,
        ends: &mut impl FnMut(Ticket, Option<Reply>),
    ) {
        self.change(now, volume, ends, |part| {
            if part.end == End::Known && part.reply.at > now {
                part.end = End::Stalled;
            }
        });
    }

    /// `volume` works again from `now` on.
    pub(super) fn resume(
        &mut self,
        now: Nanos,
        volume: usize,
        ends: &mut impl FnMut(Ticket, Option<Reply>),
    ) {
        self.change(now, volume, ends, |part| {
            if part.end == End::Stalled {
                part.end = End::Known;
                part.reply.at = part.reply.at.max(now);
            }
        });
    }

    /// `volume` fails at `now`, and with it all parts on it that have not ended.
    pub(super) fn fail(
        &mut self,
        now: Nanos,
        volume: usize,
        ends: &mut impl FnMut(Ticket, Option<Reply>),
    ) {
        self.change(now, volume, ends, |part| {
            if part.end != End::Known || part.reply.at > now {
                part.set(End::Known, Reply::failed(now));
            }
        });
    }

    fn change(
        &mut self,
        now: Nanos,
        volume: usize,
        ends: &mut impl FnMut(Ticket, Option<Reply>),
        change: impl Fn(&mut Part),
    ) {
        for (ticket, entry) in (0..).zip(&mut self.requests) {
            if entry.kind == Kind::Flush || !entry.in_flight(now) {
                continue;
            }
            let before = entry.end();
            let on_volume = |part: &&mut Part| part.volume as usize == volume;
            entry
                .parts_mut()
                .iter_mut()
                .filter(on_volume)
                .for_each(&change);
            let after = entry.recount();
            if before != after {
                ends(ticket, after);
            }
        }
        self.change_flushes(now, ends);
    }

    /// Looks again when each flush in flight ends, after writes have changed.
    fn change_flushes(&mut self, now: Nanos, ends: &mut impl FnMut(Ticket, Option<Reply>)) {
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

impl Entry {
    fn unused() -> Self {
        Self {
            device: 0,
            kind: Kind::Read,
            number: 0,
            open: 0,
            whole: Part {
                volume: 0,
                end: End::Known,
                reply: Reply::free(0),
            },
            parts: Vec::new(),
        }
    }

    fn in_flight(&self, now: Nanos) -> bool {
        self.open > 0 || self.whole.reply.at > now
    }

    fn parts_mut(&mut self) -> &mut [Part] {
        match self.parts.is_empty() {
            true => core::slice::from_mut(&mut self.whole),
            false => &mut self.parts,
        }
    }

    fn part(&mut self, index: u32) -> &mut Part {
        &mut self.parts_mut()[index as usize]
    }

    /// The end of the request, if it is known.
    fn end(&self) -> Option<Reply> {
        (self.open == 0).then_some(self.whole.reply)
    }

    /// Counts the open parts anew; gives the end of the request if there are none.
    fn recount(&mut self) -> Option<Reply> {
        let parts = self.parts_mut().iter();
        let open = parts.filter(|part| part.end != End::Known).count();
        self.open = open as u32;
        if open == 0 {
            // In the order of the parts, which decides between ends at the same time.
            let replies = self.parts_mut().iter().map(|part| part.reply);
            self.whole.reply = replies.reduce(Reply::later)?;
        }
        self.end()
    }
}

impl Part {
    fn set(&mut self, end: End, reply: Reply) {
        (self.end, self.reply) = (end, reply);
    }
}

impl Device {
    #[inline]
    fn number(&mut self) -> u64 {
        self.submitted += 1;
        self.submitted
    }

    #[inline]
    fn wrote(&mut self, at: Nanos) {
        self.written = self.written.max(at);
    }
}
