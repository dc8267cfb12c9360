//! The guest, whose processes wait where a volume's driver has no tag for their requests.
//!
//! A process submits its requests one after another, and sleeps in the middle of it until it has a
//! tag (`io_submit` and `pwrite` do so in Linux). What it wants of the volume, and of others, waits
//! behind. So a process contends for one tag at a time however deep its queue is.

mod driver;

use alloc::boxed::Box;
use alloc::collections::{BTreeMap, VecDeque};
use alloc::vec::Vec;
use core::mem;

use self::driver::Driver;
use super::in_flight::PartName;
use super::{Engine, Start, Ticket};
use crate::event_queue::NEVER;
use crate::limits::LimitId;
use crate::request::{Reply, Requester};
use crate::spec::StorageSpec;
use crate::throttle::Cost;
use crate::units::Nanos;
use crate::volume::{Part, Queueing};

/// A process of a guest: the host, who asks, and who of theirs submits.
type Process = (usize, Requester, u32);

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

/// What a process that does not get on wants, in its order.
#[derive(Clone, Debug)]
struct Blocked {
    requests: VecDeque<Queued>,
    queue: u8,
    /// The volume for whose tag it slept last.
    slept_for: usize,
}

/// The guests of all hosts.
#[derive(Clone, Debug)]
pub(super) struct Guests {
    /// By volume; none where it takes all requests in turn.
    drivers: Vec<Option<Box<Driver>>>,
    blocked: BTreeMap<Process, Blocked>,
}

impl Guests {
    pub(super) fn new(spec: &StorageSpec, seed: u64) -> Self {
        let volumes = spec.volumes.iter().enumerate();
        let driver = |(index, spec)| Driver::new(index, spec, seed).map(Box::new);
        Self {
            drivers: volumes.map(driver).collect(),
            blocked: BTreeMap::new(),
        }
    }

    #[inline]
    pub(super) fn has_driver(&self, volume: usize) -> bool {
        self.drivers[volume].is_some()
    }

    /// How many events it has: for each volume up to the last that has a driver.
    pub(super) fn events(&self) -> usize {
        let last = self.drivers.iter().rposition(Option::is_some);
        last.map_or(0, |last| last + 1)
    }
}

/// The guests' part in a storage's events.
impl Engine {
    /// A request comes from a guest, and enters its volume or waits there.
    #[inline(never)]
    pub(super) fn start_in_guest(
        &mut self,
        now: Nanos,
        name: PartName,
        part: Part,
        (cost, sequential): (Cost, bool),
    ) -> Start {
        let host = self.limits.host_of(part.volume);
        let process = (host, part.requester, part.submitter);
        let request = Queued {
            name,
            part,
            cost,
            sequential,
            arrival: now,
        };
        let Some(driver) = &mut self.guests.drivers[part.volume] else {
            return Start::Waits;
        };
        if !self.guests.blocked.is_empty()
            && let Some(blocked) = self.guests.blocked.get_mut(&process)
        {
            blocked.requests.push_back(request);
            return Start::Waits;
        }
        let queue = driver.draw();
        if driver.has_tag(now, queue) {
            return self.enter(now, queue, &request, part.volume);
        }
        driver.wait(now, queue, process);
        let blocked = Blocked {
            requests: VecDeque::from([request]),
            queue,
            slept_for: part.volume,
        };
        self.guests.blocked.insert(process, blocked);
        self.schedule_driver(now, part.volume);
        Start::Waits
    }

    /// A request that has a tag of `queue` enters its volume at `now`. What its process slept for,
    /// a tag of another volume of a stripe perhaps, is what it waited for.
    fn enter(&mut self, now: Nanos, queue: u8, request: &Queued, slept_for: usize) -> Start {
        let Queued {
            name,
            part,
            cost,
            sequential,
            arrival,
        } = *request;
        let driver = self.guests.drivers[slept_for].as_ref();
        let full_by = driver.and_then(|driver| driver.kept_full_by());
        let queued = Queueing {
            time: now - arrival,
            limit: full_by.and_then(|limit| self.limits.alike(limit, part.volume)),
        };
        let start = self.pass(now, queued, name, &part, (cost, sequential));
        if let Some(driver) = &mut self.guests.drivers[part.volume] {
            driver.entered(queue, start.end());
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
        if let Some(driver) = &mut self.guests.drivers[volume] {
            driver.ends_at(end, limit);
            self.schedule_driver(now, volume);
        }
    }

    /// Tags of `volume` are returned, and those who are woken for them run, each on a processor
    /// that is drawn anew.
    #[inline(never)]
    pub(super) fn return_tags(
        &mut self,
        now: Nanos,
        volume: usize,
        ends: &mut impl FnMut(Ticket, Reply),
    ) {
        let Some(driver) = &mut self.guests.drivers[volume] else {
            return;
        };
        let mut woken = VecDeque::new();
        driver.wake(now, &mut woken);
        let late = driver.take_late();
        while let Some(process) = woken.pop_front() {
            let guests = &mut self.guests;
            if let Some(blocked) = guests.blocked.get_mut(&process)
                && let Some(driver) = &mut guests.drivers[volume]
            {
                let before = mem::replace(&mut blocked.queue, driver.draw());
                if driver.own(before) != blocked.queue {
                    driver.leave(driver.own(before), &mut woken);
                }
            }
            self.run(now, process, ends);
        }
        for process in late {
            self.run(now, process, ends);
        }
        self.schedule_driver(now, volume);
    }

    /// A process goes on until it finds no tag, or wants nothing more.
    fn run(&mut self, now: Nanos, process: Process, ends: &mut impl FnMut(Ticket, Reply)) {
        while let Some(blocked) = self.guests.blocked.get_mut(&process) {
            let Some(request) = blocked.requests.front().copied() else {
                self.guests.blocked.remove(&process);
                return;
            };
            let volume = request.part.volume;
            let Some(driver) = &mut self.guests.drivers[volume] else {
                return;
            };
            let queue = driver.own(blocked.queue);
            if !driver.has_tag(now, queue) {
                driver.wait(now, queue, process);
                blocked.slept_for = volume;
                self.schedule_driver(now, volume);
                return;
            }
            blocked.requests.pop_front();
            let slept_for = blocked.slept_for;
            if let Some(reply) = self.enter(now, queue, &request, slept_for).end() {
                self.in_flight.close(request.name, reply, ends);
            }
        }
    }

    /// `volume` was paused.
    pub(super) fn pause_guest(&mut self, now: Nanos, volume: usize) {
        if let Some(driver) = &mut self.guests.drivers[volume] {
            driver.pause(now);
            self.schedule_driver(now, volume);
        }
    }

    /// `volume` works again, and what was `stalled` in it ends then.
    pub(super) fn resume_guest(&mut self, now: Nanos, volume: usize, mut stalled: Vec<Nanos>) {
        stalled.sort_unstable();
        for end in stalled {
            self.note_end(now, volume, (end, None));
        }
    }

    /// `volume` failed: nothing waits for it and nothing is in it. Who slept until it had a tag
    /// gets on.
    pub(super) fn clear_guest(
        &mut self,
        now: Nanos,
        volume: usize,
        ends: &mut impl FnMut(Ticket, Reply),
    ) {
        let Some(driver) = &mut self.guests.drivers[volume] else {
            return;
        };
        let slept = driver.clear();
        for blocked in self.guests.blocked.values_mut() {
            blocked.requests.retain(|it| it.part.volume != volume);
        }
        for process in slept {
            self.run(now, process, ends);
        }
        self.schedule_driver(now, volume);
    }

    fn schedule_driver(&mut self, now: Nanos, volume: usize) {
        let driver = self.guests.drivers[volume].as_ref();
        let next = driver.and_then(|it| it.next_event(now));
        let event = self.topology.stages.len() + volume;
        self.events.set(event, next.unwrap_or(NEVER));
    }
}
