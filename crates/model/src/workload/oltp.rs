//! `oltp`: a transactional engine with pages, a buffer pool and a log.
//!
//! Threads do transactions: each accesses pages, one after another, on a processor core that it
//! gives up while it reads a page that is not in the pool; one that has changed anything ends
//! with a commit. What is changed stays in the pool until a cleaner writes it, to make room or
//! so that the log need not be kept.

pub(crate) mod applier;
mod cleaner;
mod failures;
mod log;
mod member;
mod node_engine;
pub(crate) mod outbox;
mod pool;
mod processors;
mod restart;
pub(crate) mod roles;
mod shipped;
pub(crate) mod slots;
pub(crate) mod spec;
mod threads;
mod transactions;
mod write_back;

use alloc::collections::VecDeque;
use alloc::format;
use alloc::vec;
use alloc::vec::Vec;

use self::applier::Applier;
use self::cleaner::Cleaner;
use self::log::Log;
use self::outbox::Outbox;
use self::pool::{Mix, Pool};
use self::processors::Processors;
use self::slots::{BINLOG, CLEANER, CLOCK, LOAD, LOG, LOG_WRITER, OF_NODE};
use self::spec::{LARGEST_LOG_WRITE, OltpSpec, TransactionLoad};
use self::threads::{Phase, Thread};
use super::arrivals::Schedule;
use super::facts::EngineCounts;
use super::io::{IoSink, Outcome, Part, Slot, StateMachine};
use super::sequential::{self, Sequential, padded};
use super::steps::Steps;
use crate::random::Stream;
use crate::spec::GroupSpec;
use crate::units::{Bytes, MILLISECOND, Nanos};

/// How often the engine looks at what is to be written out.
const TICK: Nanos = 100 * MILLISECOND;

/// An `oltp` job.
#[derive(Clone, Debug)]
pub(crate) struct Oltp {
    spec: OltpSpec,
    job: u16,
    /// The first of its submitters.
    submitters: u32,
    /// Sum of the weights of all kinds.
    weights: u64,
    load: Load,
    threads: Vec<Thread>,
    processors: Processors,
    pool: Pool,
    /// Accesses that were not yet sampled.
    unsampled: u64,
    log: Log,
    binlog: Option<Log>,
    /// What it has received, as a replica.
    relay_log: Option<Log>,
    doublewrite: Option<Sequential>,
    cleaner: Cleaner,
    service: Service,
    /// IOs in flight of those that it had as it stopped.
    late: u32,
    /// Whether somebody starts it again as soon as these have ended.
    starts: bool,
    /// How fast hosts are that are or were slow, in 1/1000.
    slow_hosts: Vec<(usize, u32)>,
    /// Whether transactions are asked of it, and not what another node sends.
    leads: bool,
    /// Whether its clients try again after it has stopped, as it or another node will serve them.
    clients_stay: bool,
    /// What it applies, as one of the other nodes of a group.
    applier: Applier,
    /// What it was committing as it stopped: where in the log, and of what kinds.
    given_up: Vec<(Bytes, u16)>,
    /// Threads whose write sets the group is to agree on; none of an engine that is alone.
    unsent: Option<Vec<Slot>>,
    /// What its standbys get; none of an engine that ships no log.
    outbox: Option<Outbox>,
    /// Threads that wait until a page can be replaced, and until the log has space.
    for_room: Vec<Slot>,
    for_space: Vec<Slot>,
    counts: EngineCounts,
    kinds: Stream,
    places: Stream,
    pages: Stream,
    /// Scratch space: the threads that go on at once.
    go_on: Vec<Slot>,
    begun: Vec<usize>,
}

/// Whether an engine does transactions.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Service {
    Serves,
    /// It refuses them, as its group has no quorum, or as it has not applied all that it must.
    Refuses,
    /// It has stopped, and does nothing more.
    Stopped,
}

/// What makes transactions begin.
#[derive(Clone, Debug)]
#[allow(
    clippy::large_enum_variant,
    reason = "an engine has one; a pointer to it would cost every transaction"
)]
enum Load {
    Closed {
        steps: Steps,
        think: Nanos,
        pauses: Stream,
    },
    Open {
        schedule: Schedule,
        free: VecDeque<Slot>,
        /// What has come due, and how many of these have not begun.
        arrived: Schedule,
        waiting: u64,
    },
    /// They are asked of another node.
    Elsewhere,
}

impl Oltp {
    pub(crate) fn new(spec: &OltpSpec, job: u16, seed: u64) -> Self {
        Self::of_node(spec, (job, seed), 0, 0)
    }

    /// Number `node` of its group: the first has the load, the others apply what it sends. It has
    /// `reserved` threads at least, for its other part in the group.
    pub(crate) fn of_node(
        spec: &OltpSpec,
        (job, seed): (u16, u64),
        node: u32,
        reserved: u32,
    ) -> Self {
        let whose = match node {
            0 => format!("job/{job}"),
            node => format!("job/{job}/node/{node}"),
        };
        let stream = |what| Stream::new(seed, &format!("{whose}/{what}"));
        let submitters = node * OF_NODE;
        let threads = spec.threads();
        let mut pages = stream("pages");
        let group = spec.group.as_ref().filter(|_| node == 0);
        let shipping = group.and_then(|it| it.shipping.as_ref());
        let sizes = (spec.pages(), spec.pool, spec.flushing.depth);
        let mix = Mix::of(&spec.kinds, spec.tables.len());
        let log = |file| Log::new(file, job, submitters + LOG_WRITER);
        Self {
            job,
            weights: spec.kinds.iter().map(|kind| u64::from(kind.weight)).sum(),
            submitters,
            unsent: group.is_some_and(|it| it.shipping.is_none()).then(Vec::new),
            outbox: shipping.map(|it| Outbox::new(it.log, it.holds_commits(spec.log.durable))),
            load: match &spec.load {
                _ if node > 0 => Load::Elsewhere,
                TransactionLoad::Closed { steps, think } => Load::Closed {
                    steps: Steps::new(steps, Part::WHOLE),
                    think: *think,
                    pauses: stream("think"),
                },
                TransactionLoad::Open {
                    steps, arrivals, ..
                } => {
                    let schedule = Schedule::new(steps, *arrivals, stream("arrivals"));
                    Load::Open {
                        free: (0..threads).collect(),
                        arrived: schedule.clone(),
                        waiting: 0,
                        schedule,
                    }
                }
            },
            threads: vec![Thread::IDLE; threads.max(reserved) as usize],
            processors: Processors::new(spec.cores),
            pool: Pool::new(sizes, spec.start, (&spec.tables, &mix), &mut pages),
            unsampled: 0,
            log: log(spec.log.region),
            binlog: spec.binlog.map(log),
            relay_log: spec.relay_log.map(|it| log(it.region)),
            doublewrite: spec
                .doublewrite
                .map(|area| Sequential::new(area, job, submitters + slots::cleaner(0))),
            cleaner: Cleaner::new(spec),
            service: Service::Serves,
            late: 0,
            starts: false,
            slow_hosts: Vec::new(),
            leads: node == 0,
            clients_stay: group.map_or(spec.moves_with.is_some(), GroupSpec::serves_again),
            applier: Applier::new(if node == 0 { reserved } else { threads }),
            given_up: Vec::new(),
            for_room: Vec::new(),
            for_space: Vec::new(),
            counts: EngineCounts::default(),
            kinds: stream("kinds"),
            places: stream("places"),
            pages,
            go_on: Vec::new(),
            begun: Vec::new(),
            spec: spec.clone(),
        }
    }

    /// Slots of a batch of the cleaner.
    fn of_batch(&self) -> Slot {
        1 + self.spec.flushing.batch
    }

    fn first_thread(&self) -> Slot {
        CLEANER + self.spec.flushing.cleaners * self.of_batch()
    }

    fn thread(&mut self, thread: Slot) -> &mut Thread {
        &mut self.threads[thread as usize]
    }

    /// The slot of a thread.
    fn slot(&self, thread: Slot) -> Slot {
        self.first_thread() + thread
    }

    /// The thread of a slot, if it is one's.
    fn thread_of(&self, slot: Slot) -> Option<Slot> {
        let thread = slot.checked_sub(self.first_thread())?;
        ((thread as usize) < self.threads.len()).then_some(thread)
    }

    /// The slot of writes of the relay log, after those of the threads.
    fn relay_slot(&self) -> Slot {
        self.first_thread() + self.threads.len() as Slot
    }

    /// The log that is written on a slot, if one is.
    fn log_of(&mut self, slot: Slot) -> Option<&mut Log> {
        match slot {
            LOG => Some(&mut self.log),
            BINLOG => self.binlog.as_mut(),
            _ if slot == self.relay_slot() => self.relay_log.as_mut(),
            _ => None,
        }
    }
}

impl StateMachine for Oltp {
    fn slots(&self) -> u32 {
        self.relay_slot() + u32::from(self.relay_log.is_some())
    }

    fn largest_io(&self, slot: Slot) -> Bytes {
        let log = |region| sequential::largest(LARGEST_LOG_WRITE, region);
        match slot {
            CLOCK | LOAD => 0,
            LOG => log(self.spec.log.region),
            BINLOG => self.spec.binlog.map_or(0, log),
            _ if slot < self.first_thread() && (slot - CLEANER).is_multiple_of(self.of_batch()) => {
                let area = self.spec.doublewrite;
                area.map_or(0, |_| padded(self.spec.largest_batch()))
            }
            _ if slot == self.relay_slot() => self.spec.relay_log.map_or(0, |it| log(it.region)),
            _ => self.spec.page,
        }
    }

    fn start(&mut self, sink: &mut impl IoSink) {
        sink.wake(CLOCK, TICK);
        self.load_goes_on(0, sink);
    }

    fn completed(&mut self, now: Nanos, slot: Slot, outcome: Outcome, sink: &mut impl IoSink) {
        if outcome == Outcome::Failed {
            return self.io_failed(now, slot, sink);
        }
        if self.is_stopped() {
            return self.ended_late(now, slot, sink);
        }
        match slot {
            LOG | BINLOG => self.log_was_written(now, slot, sink),
            _ if slot == self.relay_slot() => self.log_was_written(now, slot, sink),
            _ if slot < self.first_thread() => {
                let batch = ((slot - CLEANER) / self.of_batch()) as usize;
                self.cleaner.completed(batch);
                self.batch_goes_on(now, batch, sink);
            }
            _ => {
                let thread = slot - self.first_thread();
                // Nobody waits any more for what is read for transactions of another node.
                if self.thread(thread).phase == Phase::Reading {
                    self.works(now, thread, 1, sink);
                }
            }
        }
    }

    fn woken(&mut self, now: Nanos, slot: Slot, sink: &mut impl IoSink) {
        match slot {
            CLOCK => self.tick(now, sink),
            _ if self.is_stopped() => self.client_tries_again(now, slot, sink),
            LOAD => self.load_goes_on(now, sink),
            _ if slot < self.first_thread() => {}
            _ => {
                let thread = slot - self.first_thread();
                match self.threads[thread as usize].phase {
                    Phase::Working => self.has_worked(now, thread, sink),
                    Phase::Certifying => self.ends(now, thread, sink),
                    // Of a time before it was started again.
                    Phase::Idle if !self.leads => {}
                    _ => self.begins_next(now, thread, sink),
                }
            }
        }
    }
}
