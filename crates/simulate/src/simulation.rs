//! The loop: the workloads' IOs on the storage, event by event.

use std::io;
use std::ops::ControlFlow;

use blockyard_model::spec::StorageSpec;
use blockyard_model::storage::{Mode, Storage};
use blockyard_model::units::{Nanos, SECOND};
use blockyard_model::workload::Workload;
use blockyard_model::workload::spec::JobSpec;
use blockyard_record::result::{Mode as RunMode, Status};
use blockyard_record::{Finished, Interval, IoLog, LatencyLog, Plan, Recorder};

use crate::world::{Desk, Leaf, STORAGE, World};

/// Events between two looks at whether to stop: some tens of milliseconds.
const EVENTS_BETWEEN_LOOKS: u32 = 1 << 18;

/// What is to be run.
pub(crate) struct Setup<'a> {
    pub(crate) storage: &'a StorageSpec,
    pub(crate) jobs: &'a [JobSpec],
    /// Length of the intervals, of the warm-up and of the run.
    pub(crate) times: (Nanos, Nanos, Nanos),
    pub(crate) seed: u64,
    pub(crate) mode: Mode,
    pub(crate) log: Option<LatencyLog>,
    pub(crate) io_log: Option<Box<dyn io::Write + Send>>,
    pub(crate) stopped: Box<dyn FnMut() -> bool + Send>,
}

/// A run at time 0.
pub(crate) struct Simulation {
    jobs: Vec<Workload>,
    world: World,
    stopped: Box<dyn FnMut() -> bool + Send>,
    /// Events until the next look at whether to stop.
    before_look: u32,
}

impl Simulation {
    /// # Errors
    /// `InvalidInput` if the run is too long for its number of lanes, which
    /// share 64 bits with the time: 4.8 hours at a million lanes.
    pub(crate) fn new(setup: Setup<'_>) -> io::Result<Self> {
        let Setup {
            storage,
            jobs,
            times,
            seed,
            mode,
            log,
            io_log,
            stopped,
        } = setup;
        let storage_model = Storage::new(storage, seed, times.0.min(SECOND), mode);
        let plan = Plan::new(times, jobs, storage, storage_model.causes());
        let io_log = io_log.map(|out| IoLog::new(out, &plan));
        let recorder = Recorder::new(plan, log);
        let jobs: Vec<_> = (0..)
            .zip(jobs)
            .map(|(number, spec)| Workload::new(spec, number, seed))
            .collect();
        let lanes: Vec<_> = jobs.iter().map(Workload::lanes).collect();
        let stepwise = mode == Mode::Stepwise;
        let world = World::new(storage_model, recorder, io_log, &lanes, stepwise);
        if times.2 >= world.agenda.horizon() {
            let (run, most) = (times.2 / SECOND, world.agenda.horizon() / SECOND);
            let ios: u32 = lanes.iter().sum();
            let message = format!(
                "duration: {run} s is too long with up to {ios} IOs in flight; expected less than {most} s"
            );
            return Err(io::Error::new(io::ErrorKind::InvalidInput, message));
        }
        Ok(Self {
            jobs,
            world,
            stopped,
            before_look: EVENTS_BETWEEN_LOOKS,
        })
    }

    /// Runs to the end, or until `observe` breaks off after an interval.
    ///
    /// # Errors
    /// If a log cannot be written.
    pub(crate) fn run(
        self,
        observe: &mut dyn FnMut(&Plan, Interval) -> ControlFlow<()>,
    ) -> io::Result<Finished> {
        if self.world.is_unusual() {
            self.run_as::<true>(observe)
        } else {
            self.run_as::<false>(observe)
        }
    }

    fn run_as<const UNUSUAL: bool>(
        mut self,
        observe: &mut dyn FnMut(&Plan, Interval) -> ControlFlow<()>,
    ) -> io::Result<Finished> {
        for (job, workload) in self.jobs.iter_mut().enumerate() {
            workload.start(&mut Desk::<UNUSUAL> {
                world: &mut self.world,
                now: 0,
                job,
            });
        }
        let period = self.world.recorder.plan().period();
        let periods = self.world.recorder.plan().duration / period;
        for index in 0..periods {
            let end = (index + 1) * period;
            if let ControlFlow::Break(now) = self.run_until::<UNUSUAL>(end) {
                return self.cut(index, now, observe);
            }
            if let Some(interval) = self.end_period(index)? {
                let flow = observe(self.world.recorder.plan(), interval);
                if flow.is_break() && index + 1 < periods {
                    return self.finish(end, true);
                }
            }
        }
        self.finish(periods * period, false)
    }

    /// Handles every event before `end`, or as many as there are until it is
    /// stopped: then gives the time.
    fn run_until<const UNUSUAL: bool>(&mut self, end: Nanos) -> ControlFlow<Nanos> {
        loop {
            if self.run_some::<UNUSUAL>(end) {
                return ControlFlow::Continue(());
            }
            self.before_look = EVENTS_BETWEEN_LOOKS;
            if (self.stopped)() {
                return ControlFlow::Break(self.world.agenda.next().0.min(end));
            }
        }
    }

    /// Handles some events before `end`; whether those were all.
    fn run_some<const UNUSUAL: bool>(&mut self, end: Nanos) -> bool {
        let (jobs, world) = (&mut self.jobs, &mut self.world);
        for left in (0..self.before_look).rev() {
            let (now, leaf) = world.agenda.next();
            if now >= end {
                self.before_look = left;
                return true;
            }
            if leaf == STORAGE {
                world.advance_storage(now);
                continue;
            }
            let Leaf { job, lane, io } = world.begin(now, leaf);
            let mut desk = Desk::<UNUSUAL> {
                world: &mut *world,
                now,
                job,
            };
            match io {
                Some(_) => jobs[job].completed(now, lane, &mut desk),
                None => jobs[job].woken(now, lane, &mut desk),
            }
            world.end();
        }
        false
    }

    /// Ends a run that was stopped at `now`, within period number `index`.
    fn cut(
        mut self,
        index: u64,
        now: Nanos,
        observe: &mut dyn FnMut(&Plan, Interval) -> ControlFlow<()>,
    ) -> io::Result<Finished> {
        if now == 0 {
            let message = "stopped before any time had passed";
            return Err(io::Error::new(io::ErrorKind::Interrupted, message));
        }
        let recorder = &mut self.world.recorder;
        if let Some(interval) = recorder.cut(&mut self.world.storage, index, now)? {
            let _ = observe(self.world.recorder.plan(), interval);
        }
        self.finish(now, true)
    }

    fn end_period(&mut self, index: u64) -> io::Result<Option<Interval>> {
        self.world
            .recorder
            .end_period(&mut self.world.storage, index)
    }

    fn finish(mut self, end: Nanos, interrupted: bool) -> io::Result<Finished> {
        let backlogs = self.jobs.iter().map(|job| job.backlog(end)).collect();
        self.world.finish_log()?;
        let measured = self.world.recorder.finish()?;
        Ok(Finished {
            mode: RunMode::Simulate,
            status: if interrupted {
                Status::Interrupted
            } else {
                Status::Complete
            },
            reason: None,
            measured,
            backlogs,
            machine: None,
            emulated: None,
        })
    }
}
