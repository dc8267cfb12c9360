//! The requests of a device: from events in the order of time to IOs that ended.

use std::collections::VecDeque;

use blockyard_model::streams::{SSD_UNIT, Streams};
use blockyard_model::units::Nanos;

use super::event::{Event, FLUSH, Kind, Task, WRITE, What};
use super::open::Open;
use crate::row::SECTOR;

/// No device has more sectors; a wrong event may say so.
const SECTORS: u64 = 1 << 52;

/// An IO that ended.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Io {
    /// When.
    pub time: Nanos,
    /// Index into [`crate::OPS`].
    pub op: usize,
    /// Whether with an error.
    pub failed: bool,
    /// From its arrival to its end.
    pub latency: Nanos,
    /// From its arrival to its issue to the device; none of what was never issued as it was, such
    /// as a write that waits for flushes around it, and of the flushes themselves.
    pub queue: Option<Nanos>,
    /// From its issue on.
    pub device: Option<Nanos>,
    /// The first sector, and how many.
    pub place: (u64, u64),
    /// As how many IOs EBS counts it on an SSD type: split, and merged with what came before.
    pub counted: u64,
    /// Who asked for it.
    pub by: Task,
}

/// What a device is given.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Takes {
    /// Requests, which wait in queues of this machine; whether it makes single writes durable by
    /// itself.
    Requests {
        /// Whether it does.
        fua: bool,
    },
    /// Bios, as LVM, RAID and memory are: nothing tells when one is passed on.
    Bios,
}

/// Requests, or bios, that go on.
#[derive(Debug)]
pub struct Requests {
    takes: Takes,
    open: Open,
    /// When the flushes were issued that the device has, and by whom.
    flushes: VecDeque<(Nanos, Task)>,
    streams: Streams,
    arrived: u64,
}

/// One that goes on.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Request {
    /// Which one it is in the order of arrival.
    pub(super) nth: u64,
    pub(crate) arrival: Nanos,
    pub(crate) issue: Option<Nanos>,
    /// Index into [`crate::OPS`].
    pub(crate) op: usize,
    /// Of what has not ended yet.
    sectors: u64,
    /// The first sector of all of it, and how many.
    pub(crate) place: (u64, u64),
    /// Once the device has it.
    counted: Option<u64>,
    pub(crate) by: Task,
    /// It begins with a flush.
    preflush: bool,
    /// The kernel sends flushes before or after it, and ends it by an empty completion.
    flushed: bool,
    /// Of such a one: its data are written.
    written: bool,
    failed: bool,
}

/// More requests than this are in flight on no device; events were lost.
const MOST: usize = 1 << 17;

impl Requests {
    /// None yet.
    #[must_use]
    pub fn new(takes: Takes) -> Self {
        Self {
            takes,
            open: Open::default(),
            flushes: VecDeque::new(),
            streams: Streams::new(SSD_UNIT.ilog2(), false),
            arrived: 0,
        }
    }

    /// Takes the next event, and gives the IO that it ends, if it ends one whose arrival is known.
    pub fn take(&mut self, event: &Event) -> Option<Io> {
        if event.what.op == FLUSH {
            return self.flush(event);
        }
        match event.kind {
            Kind::Arrival => self.arrive(event),
            Kind::FrontMerge => {
                // What began behind the bio begins with it now.
                let behind = event.sector.wrapping_add(event.sectors);
                if let Some(mut request) = self.open.remove(behind, waits) {
                    request.place.0 = event.sector;
                    self.open.insert(event.sector, request);
                }
            }
            Kind::Merge => drop(self.open.remove(event.sector, waits)),
            Kind::Issue => self.issue(event),
            Kind::Requeue => {
                let here = self.open.at_mut(event.sector).iter_mut();
                if let Some(request) = here.filter(|one| !waits(one)).last() {
                    request.issue = None;
                }
            }
            Kind::Completion => return self.complete(event),
        }
        None
    }

    /// Forgets all that goes on: events were lost, and what comes next may belong to others.
    pub fn forget(&mut self) {
        self.open.clear();
        self.flushes.clear();
    }

    /// When the first one that goes on arrived; none if none does.
    #[must_use]
    pub fn oldest(&self) -> Option<Nanos> {
        let flush = self.flushes.front().map(|(issue, _)| *issue);
        self.open.oldest().into_iter().chain(flush).min()
    }

    /// Whether one goes on that begins there.
    pub(crate) fn is_open(&self, sector: u64) -> bool {
        !self.open.at(sector).is_empty()
    }

    /// Whether one waits for its issue that begins there.
    pub(crate) fn waits(&self, sector: u64) -> bool {
        self.open.at(sector).iter().any(waits)
    }

    /// The device takes bios after all.
    pub(crate) fn take_bios(&mut self) {
        self.takes = Takes::Bios;
    }

    /// Takes out those that have not ended, in the order of their arrival.
    pub(crate) fn rest(&mut self) -> Vec<Request> {
        self.open.take()
    }

    fn flush(&mut self, event: &Event) -> Option<Io> {
        match event.kind {
            Kind::Issue => self.flushes.push_back((event.time, event.by)),
            Kind::Requeue => drop(self.flushes.pop_back()),
            Kind::Completion => {
                let (issue, by) = self.flushes.pop_front()?;
                let latency = event.time.saturating_sub(issue);
                return Some(Io {
                    time: event.time,
                    op: FLUSH,
                    failed: event.failed,
                    latency,
                    queue: None,
                    device: Some(latency),
                    place: (0, 0),
                    counted: 0,
                    by,
                });
            }
            _ => {}
        }
        None
    }

    fn arrive(&mut self, event: &Event) {
        if self.open.len() >= MOST {
            self.forget();
        }
        self.arrived += 1;
        let What { op, preflush, fua } = event.what;
        // Nothing tells when the device has a bio.
        let counted = (self.takes == Takes::Bios)
            .then(|| counted(&mut self.streams, op, (event.sector, event.sectors)));
        let request = Request {
            nth: self.arrived,
            arrival: event.time,
            issue: None,
            op,
            sectors: event.sectors,
            place: (event.sector, event.sectors),
            counted,
            by: event.by,
            preflush,
            flushed: match self.takes {
                Takes::Requests { fua: durable } => preflush || fua && !durable,
                Takes::Bios => false,
            },
            written: event.sectors == 0,
            failed: false,
        };
        self.open.insert(event.sector, request);
    }

    fn issue(&mut self, event: &Event) {
        let here = self.open.at_mut(event.sector);
        // One that the driver gave back is issued again.
        let found = here.iter().position(waits).unwrap_or(0);
        if let Some(request) = here.get_mut(found) {
            request.issue = Some(event.time);
            // What was merged into it came after its arrival.
            request.sectors = event.sectors;
            request.place.1 = event.sectors;
            let (op, place) = (request.op, request.place);
            request.counted = request
                .counted
                .or_else(|| Some(counted(&mut self.streams, op, place)));
            // A device that is asked for it makes the write durable by itself.
            request.flushed &= request.preflush || !event.what.fua;
        }
    }

    fn complete(&mut self, event: &Event) -> Option<Io> {
        let bios = self.takes == Takes::Bios;
        let ends = |one: &Request| {
            if event.sectors == 0 {
                one.written && (one.flushed || bios)
            } else {
                !one.written
            }
        };
        // Empty ones end in the order of their arrival. Of others that begin at a sector events do
        // not say which they are of, and one may be there because its end was not seen.
        let mut request = match event.sectors {
            0 => self.open.remove(event.sector, ends)?,
            _ => self.open.remove_only(event.sector, ends)?,
        };
        request.failed |= event.failed;
        if event.sectors < request.sectors && event.sectors > 0 {
            request.sectors -= event.sectors;
            let rest = event.sector.wrapping_add(event.sectors);
            self.open.insert(rest, request);
            return None;
        }
        if request.flushed && !request.written {
            request.written = true;
            self.open.insert(event.sector, request);
            return None;
        }
        let place = request.place;
        let counted = request
            .counted
            .unwrap_or_else(|| counted(&mut self.streams, request.op, place));
        let latency = event.time.saturating_sub(request.arrival);
        let issue = request.issue.filter(|_| !request.flushed);
        let queue = issue.map(|issue| issue.saturating_sub(request.arrival));
        Some(Io {
            time: event.time,
            op: request.op,
            failed: request.failed,
            latency,
            queue,
            device: queue.map(|queue| latency.saturating_sub(queue)),
            place,
            counted,
            by: request.by,
        })
    }
}

/// As how many IOs EBS counts a request that a volume gets next.
fn counted(streams: &mut Streams, op: usize, (sector, sectors): (u64, u64)) -> u64 {
    if sectors == 0 || op > WRITE {
        return 0;
    }
    let bytes = |sectors: u64| sectors.min(SECTORS) * SECTOR;
    let followed = streams.follow(bytes(sector), bytes(sectors), op == WRITE);
    followed.ios
}

/// Whether it was not issued yet.
fn waits(request: &Request) -> bool {
    request.issue.is_none()
}

#[cfg(test)]
#[path = "requests_tests.rs"]
mod tests;
