//! What surrounds the jobs of a run: where their IO goes and who counts it.

use std::io;

use blockyard_model::storage::{Reply, Request, Storage, Submitted};
use blockyard_model::units::Nanos;
use blockyard_model::workload::{Fact, IoSink, Lane};
use blockyard_record::{Completed, IoLog, Recorder};

use crate::agenda::{Agenda, NEVER};

/// The leaf of the storage's own steps. It comes before all lanes: what is
/// granted at a time is granted before anything else is asked at that time.
pub(crate) const STORAGE: usize = 0;

/// The agenda, the storage and the recorder of a run.
pub(crate) struct World {
    pub(crate) agenda: Agenda,
    pub(crate) storage: Storage,
    pub(crate) recorder: Recorder,
    /// What each leaf waits for; leaf 0 is the storage, then lane by lane.
    leaves: Vec<Leaf>,
    jobs: Vec<Job>,
    stepwise: bool,
    io_log: Option<Box<IoLog>>,
    /// The leaf whose event is being handled, until it has another.
    handled: Option<usize>,
}

/// A lane of a job.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Leaf {
    pub(crate) job: usize,
    pub(crate) lane: Lane,
    /// The IO in flight; none while the lane waits for an alarm.
    pub(crate) io: Option<Completed>,
}

#[derive(Clone, Copy, Debug)]
struct Job {
    first_leaf: usize,
    open_loop: bool,
}

impl World {
    /// The world of jobs with `lanes` lanes each.
    pub(crate) fn new(
        storage: Storage,
        recorder: Recorder,
        io_log: Option<IoLog>,
        lanes: &[u32],
        stepwise: bool,
    ) -> Self {
        let mut leaves = vec![Leaf {
            job: 0,
            lane: 0,
            io: None,
        }];
        let mut jobs = Vec::new();
        for (job, &lanes) in lanes.iter().enumerate() {
            let open_loop = recorder.plan().jobs[job].open_loop;
            jobs.push(Job {
                first_leaf: leaves.len(),
                open_loop,
            });
            leaves.extend((0..lanes).map(|lane| Leaf {
                job,
                lane,
                io: None,
            }));
        }
        let agenda = Agenda::new(leaves.len());
        Self {
            agenda,
            storage,
            recorder,
            io_log: io_log.map(Box::new),
            leaves,
            jobs,
            stepwise,
            handled: None,
        }
    }

    /// Begins to handle the event of `leaf` at `now`; says what it was.
    #[inline(always)]
    pub(crate) fn begin(&mut self, now: Nanos, leaf: usize) -> Leaf {
        self.handled = Some(leaf);
        let event = self.leaves[leaf];
        if let Some(io) = event.io {
            self.recorder.completed(now, &io);
            if self.jobs[event.job].open_loop {
                self.recorder.tally().served(event.job, io.due, now);
            }
        }
        event
    }

    /// Ends it. Most lanes have their next event by now; one that has not
    /// must leave the agenda.
    #[inline]
    pub(crate) fn end(&mut self) {
        if let Some(leaf) = self.handled.take() {
            self.agenda.set(leaf, NEVER);
        }
    }

    /// Ends the log of IOs, if there is one.
    pub(crate) fn finish_log(&mut self) -> io::Result<()> {
        self.io_log.take().map_or(Ok(()), |log| log.finish())
    }

    /// The storage's step at `now`.
    pub(crate) fn advance_storage(&mut self, now: Nanos) {
        let (agenda, leaves) = (&mut self.agenda, &mut self.leaves);
        self.storage.advance(now, &mut |ticket, reply| {
            let leaf = ticket as usize;
            if let Some(io) = &mut leaves[leaf].io {
                *io = ended(*io, reply);
            }
            agenda.set(leaf, reply.at);
        });
        self.schedule_storage();
    }

    /// Whether IOs are to go through [`World::submitted`].
    pub(crate) fn is_unusual(&self) -> bool {
        self.stepwise || self.io_log.is_some()
    }

    /// What only some runs do for each IO.
    fn submitted(&mut self, now: Nanos, due: Nanos, lane: Lane, request: Request) {
        if let Some(log) = &mut self.io_log {
            log.issued(now, due, lane, &request);
        }
        if self.stepwise {
            self.schedule_storage();
        }
    }

    fn schedule_storage(&mut self) {
        let next = self.storage.next_event().unwrap_or(NEVER);
        self.agenda.set(STORAGE, next);
    }

    #[inline]
    fn schedule(&mut self, leaf: usize, at: Nanos) {
        if self.handled == Some(leaf) {
            self.handled = None;
        }
        self.agenda.set(leaf, at);
    }
}

/// Where a job's IO and alarms are entered at a moment. With `UNUSUAL` each IO
/// also goes through [`World::submitted`]; to ask for that at run time would
/// cost the others a tenth of their speed.
pub(crate) struct Desk<'a, const UNUSUAL: bool> {
    pub(crate) world: &'a mut World,
    pub(crate) now: Nanos,
    pub(crate) job: usize,
}

impl<const UNUSUAL: bool> IoSink for Desk<'_, UNUSUAL> {
    #[inline]
    fn io(&mut self, lane: Lane, due: Nanos, request: Request) {
        let (world, now) = (&mut *self.world, self.now);
        let Job {
            first_leaf,
            open_loop,
        } = world.jobs[self.job];
        let leaf = first_leaf + lane as usize;
        let tally = world.recorder.tally();
        let series = tally.series_of(self.job, request.device, request.op);
        tally.issued(series, now);
        if open_loop {
            tally.lagged(self.job, due, now);
        }
        let io = Completed::issued(series, due, request.len);
        match world.storage.submit(now, leaf as u32, request) {
            Submitted::Done(reply) => {
                world.leaves[leaf].io = Some(ended(io, reply));
                world.schedule(leaf, reply.at);
            }
            Submitted::Later => world.leaves[leaf].io = Some(io),
        }
        if UNUSUAL {
            world.submitted(now, due, lane, request);
        }
    }

    fn wake(&mut self, lane: Lane, at: Nanos) {
        let leaf = self.world.jobs[self.job].first_leaf + lane as usize;
        self.world.leaves[leaf].io = None;
        self.world.schedule(leaf, at);
    }

    fn fact(&mut self, fact: Fact) {
        self.world.recorder.fact(self.job, fact);
    }
}

#[inline]
fn ended(io: Completed, reply: Reply) -> Completed {
    Completed {
        held: reply.held,
        cause: reply.cause,
        failed: reply.failed,
        ..io
    }
}
