//! What surrounds the jobs of a run: where their IO goes and who counts it.

use std::io;

use blockyard_model::event_queue::{EventQueue, NEVER};
use blockyard_model::fault::Faults;
use blockyard_model::network::Processors;
use blockyard_model::replication::NetworkSink;
use blockyard_model::storage::{Change, Reply, Request, Storage};
use blockyard_model::units::Nanos;
use blockyard_model::workload::{Fact, IoSink, Outcome, Slot};
use blockyard_record::{InFlight, IoLog, Recorder};

/// The events, the storage and the recorder of a run.
pub(crate) struct World {
    /// What comes next to the slots of jobs.
    pub(crate) events: EventQueue,
    pub(crate) storage: Storage,
    pub(crate) recorder: Recorder,
    /// What each slot waits for, job by job.
    slots: Vec<SlotState>,
    /// The first slot of each job.
    first_slots: Vec<usize>,
    /// What happens to the storage, and when it does next.
    faults: Faults,
    fault_event: Nanos,
    /// When the storage wants to be called, or something happens to it.
    pub(crate) storage_event: Nanos,
    /// Links and hosts that went down or work again, and where jobs run, with when that was, that
    /// these have not been told of.
    pub(crate) turned: Vec<(Nanos, Change)>,
    /// Whether the storage has mirrors.
    mirrors: bool,
    /// The takeovers that the recorder knows of.
    takeovers: u32,
    io_log: Option<Box<IoLog>>,
    /// The slot whose event is being handled, until it has another.
    handled: Option<usize>,
}

/// What a slot of a job waits for.
#[derive(Clone, Copy, Debug)]
struct SlotState {
    job: usize,
    /// Its number within the job.
    slot: Slot,
    /// The IO in flight; none while the slot waits for an alarm.
    io: Option<InFlight>,
}

impl World {
    /// The world of jobs with `of_jobs` slots each.
    pub(crate) fn new(
        storage: Storage,
        faults: Faults,
        recorder: Recorder,
        io_log: Option<IoLog>,
        of_jobs: &[u32],
    ) -> Self {
        let mut slots = Vec::new();
        let mut first_slots = Vec::with_capacity(of_jobs.len());
        for (job, &count) in of_jobs.iter().enumerate() {
            first_slots.push(slots.len());
            slots.extend((0..count).map(|slot| SlotState {
                job,
                slot,
                io: None,
            }));
        }
        let mirrors = storage.has_mirrors();
        let mut world = Self {
            events: EventQueue::new(slots.len()),
            storage,
            faults,
            fault_event: 0,
            recorder,
            io_log: io_log.map(Box::new),
            slots,
            first_slots,
            storage_event: 0,
            turned: Vec::new(),
            mirrors,
            takeovers: 0,
            handled: None,
        };
        world.advance_storage(0);
        world
    }

    /// When something happens next, to the storage or to a slot.
    pub(crate) fn next_event(&self) -> Nanos {
        self.events.first().0.min(self.storage_event)
    }

    /// Begins to handle the event of `slot` at `now`; says whose it was, and how its IO ended if
    /// it was not an alarm.
    #[inline(always)]
    pub(crate) fn begin(&mut self, now: Nanos, slot: usize) -> (usize, Slot, Option<Outcome>) {
        self.handled = Some(slot);
        // By reference: a copy of it would wait for what was written of it just now.
        let SlotState { job, slot, io } = &self.slots[slot];
        if let Some(io) = io {
            self.recorder.completed(now, io);
            if let Some(log) = &mut self.io_log {
                log.completed(now, (*job as u16).into(), *slot, io.failed);
            }
        }
        let outcome = io.as_ref().map(|io| Outcome::of(io.failed));
        (*job, *slot, outcome)
    }

    /// Ends it. Most slots have their next event by now, which has taken the place of this
    /// one in the queue; one that has none must leave it.
    #[inline]
    pub(crate) fn end(&mut self) {
        if let Some(slot) = self.handled.take() {
            self.events.set(slot, NEVER);
        }
    }

    /// Ends the log of IOs, if there is one.
    pub(crate) fn finish_log(&mut self) -> io::Result<()> {
        self.io_log.take().map_or(Ok(()), |log| log.finish())
    }

    /// The storage's next event, and those after it until `until` as far as no slot is told of
    /// anything: nothing may happen to any slot before that.
    pub(crate) fn advance_storage(&mut self, until: Nanos) {
        let (events, slots) = (&mut self.events, &mut self.slots);
        let mut tell = |ticket, reply: Reply| {
            let slot = ticket as usize;
            if let Some(io) = &mut slots[slot].io {
                *io = ended(*io, reply);
            }
            events.set(slot, reply.at);
        };
        let now = self.storage_event;
        if self.fault_event <= now {
            self.storage.advance(now, &mut tell);
            self.change_storage(now);
        } else {
            let until = until.min(self.fault_event);
            self.storage.advance_until_told(until, &mut tell);
        }
        if self.mirrors && self.storage.takeovers() != self.takeovers {
            self.tell_takeovers();
        }
        if self.storage.has_turned() {
            self.turned.extend(self.storage.take_turned());
        }
        self.schedule_storage();
    }

    /// Tells the recorder which backups have taken over, and when.
    #[cold]
    fn tell_takeovers(&mut self) {
        self.takeovers = self.storage.takeovers();
        for (job, transitions) in self.storage.journal_transitions() {
            self.recorder.taken_over(job, transitions);
        }
    }

    /// What happens to the storage at `now`.
    #[cold]
    fn change_storage(&mut self, now: Nanos) {
        let (events, slots) = (&mut self.events, &mut self.slots);
        let (storage, turned) = (&mut self.storage, &mut self.turned);
        self.faults.advance(now, &mut |change| {
            if let Change::Cut { .. }
            | Change::Impair { .. }
            | Change::HostDown { .. }
            | Change::HostUp { .. }
            | Change::HostSpeed { .. }
            | Change::Runs { .. } = change
            {
                turned.push((now, change.clone()));
            }
            storage.change(now, change, &mut |ticket, reply| {
                let slot = ticket as usize;
                if let (Some(io), Some(reply)) = (&mut slots[slot].io, reply) {
                    *io = ended(*io, reply);
                }
                events.set(slot, reply.map_or(NEVER, |reply| reply.at));
            });
        });
        self.fault_event = self.faults.next_event(now).unwrap_or(NEVER);
    }

    /// Notes when the storage wants to be called next, after anything was done to it.
    #[inline]
    fn schedule_storage(&mut self) {
        let next = self.storage.next_event().unwrap_or(NEVER);
        self.storage_event = next.min(self.fault_event);
    }

    #[inline]
    fn schedule(&mut self, slot: usize, at: Nanos) {
        if self.handled == Some(slot) {
            self.handled = None;
        }
        self.events.set(slot, at);
    }
}

/// Where a job's IO and alarms are entered at a moment.
pub(crate) struct IoContext<'a> {
    pub(crate) world: &'a mut World,
    pub(crate) now: Nanos,
    pub(crate) job: usize,
}

impl IoSink for IoContext<'_> {
    #[inline]
    fn io(&mut self, slot: Slot, due: Nanos, request: Request) {
        let (world, now) = (&mut *self.world, self.now);
        let index = world.first_slots[self.job] + slot as usize;
        let io = world.recorder.counters().begin(now, due, &request);
        if let Some(log) = &mut world.io_log {
            log.issued(now, due, slot, &request);
        }
        match world.storage.submit(now, index as u32, &request) {
            Some(reply) => {
                world.slots[index].io = Some(ended(io, reply));
                world.schedule(index, reply.at);
                // A mirror may have more to do for what it has acknowledged.
                if world.mirrors {
                    world.schedule_storage();
                }
            }
            None => {
                world.slots[index].io = Some(io);
                world.schedule_storage();
            }
        }
    }

    fn wake(&mut self, slot: Slot, at: Nanos) {
        let index = self.world.first_slots[self.job] + slot as usize;
        self.world.slots[index].io = None;
        self.world.schedule(index, at);
    }

    fn fact(&mut self, fact: Fact) {
        self.world.recorder.fact(self.job, fact);
    }
}

impl NetworkSink for IoContext<'_> {
    fn over_network(&mut self, act: impl FnOnce(&mut Processors)) {
        self.world.storage.over_network(self.now, act);
        self.world.schedule_storage();
    }
}

#[inline]
fn ended(io: InFlight, reply: Reply) -> InFlight {
    InFlight {
        throttled: reply.throttled,
        limit: reply.limit,
        failed: reply.failed,
        ..io
    }
}
