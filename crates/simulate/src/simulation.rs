//! The loop: the workloads' IOs on the storage, event by event.

use std::io;
use std::ops::ControlFlow;

use blockyard_model::fault::Faults;
use blockyard_model::job::Job;
use blockyard_model::storage::Storage;
use blockyard_model::units::{Nanos, SECOND};
use blockyard_record::result::{Mode, Status};
use blockyard_record::{
    Detail, Interval, IoLog, LatencyLog, Network, Observer, Recorder, RunOutcome, RunShape,
    RunTimes,
};
use blockyard_scenario::Resolved;

use crate::world::{IoContext, World};

/// Events between two looks at whether to stop: some tens of milliseconds.
const EVENTS_BETWEEN_LOOKS: u32 = 1 << 18;

/// What is to be run.
pub(crate) struct Setup<'a> {
    pub(crate) resolved: &'a Resolved,
    /// Length of the intervals, of the warm-up and of the run.
    pub(crate) times: RunTimes,
    pub(crate) seed: u64,
    pub(crate) log: Option<LatencyLog>,
    pub(crate) io_log: Option<Box<dyn io::Write + Send>>,
    pub(crate) detail: Detail,
    /// The numbers of jobs that issue nothing.
    pub(crate) silent: Vec<usize>,
}

/// A run at time 0.
pub(crate) struct Simulation {
    jobs: Vec<Job>,
    silent: Vec<usize>,
    world: World,
    network: Network,
    /// Events until the next look at whether to stop.
    before_look: u32,
}

impl Simulation {
    /// # Errors
    /// `InvalidInput` if the run is too long for its number of slots, which
    /// share 64 bits with the time: 4.8 hours at a million slots.
    pub(crate) fn new(setup: Setup<'_>) -> io::Result<Self> {
        let Setup {
            resolved,
            times,
            seed,
            log,
            io_log,
            detail,
            silent,
        } = setup;
        let Resolved {
            storage,
            jobs,
            schedule,
            events,
            ..
        } = resolved;
        let storage_model = Storage::under(storage, jobs, seed);
        let mut faults = Faults::new(storage, seed);
        schedule.drawn(seed).for_each(|fault| faults.start(fault));
        faults.plan(schedule.terms.iter().cloned());
        let events = events.iter().map(|event| event.drawn(schedule, seed));
        let shape = RunShape::new(times, jobs, storage, storage_model.limits());
        let io_log = io_log.map(|out| IoLog::new(out, &shape));
        let recorder = Recorder::new(shape, log)
            .timing_mirrors(storage)
            .with_detail(detail)
            .watching(events.collect(), jobs, true);
        let jobs: Vec<_> = (0..)
            .zip(jobs)
            .map(|(number, spec)| Job::new(spec, number, seed))
            .collect();
        let slots: Vec<_> = jobs.iter().map(Job::slots).collect();
        let world = World::new(storage_model, faults, recorder, io_log, &slots);
        if times.duration >= world.events.horizon() {
            let (run, most) = (times.duration / SECOND, world.events.horizon() / SECOND);
            let ios: u32 = slots.iter().sum();
            let message = format!(
                "duration: {run} s is too long with up to {ios} IOs in flight; expected less than {most} s"
            );
            return Err(io::Error::new(io::ErrorKind::InvalidInput, message));
        }
        Ok(Self {
            jobs,
            silent,
            world,
            network: Network::new(storage),
            before_look: EVENTS_BETWEEN_LOOKS,
        })
    }

    /// Runs to the end, or until `observer` stops it.
    ///
    /// # Errors
    /// If it is stopped before any time has passed.
    pub(crate) fn run(mut self, observer: &mut dyn Observer) -> io::Result<RunOutcome> {
        for (job, workload) in self.jobs.iter_mut().enumerate() {
            if self.silent.contains(&job) {
                continue;
            }
            workload.start(&mut IoContext {
                world: &mut self.world,
                now: 0,
                job,
            });
        }
        tell_what_turned(&mut self.jobs, &mut self.world);
        let period = self.world.recorder.shape().period();
        let periods = self.world.recorder.shape().duration / period;
        for index in 0..periods {
            let end = (index + 1) * period;
            if let ControlFlow::Break(now) = self.run_until(end, observer) {
                return self.cut(now, Status::Interrupted, observer);
            }
            if self.world.recorder.all_done() {
                return self.cut(end, Status::Complete, observer);
            }
            self.network.look(&self.world.storage, end);
            self.network.look_at_jobs(&self.jobs, end);
            if let Some(interval) = self.end_period(index) {
                observer.interval(self.world.recorder.shape(), interval, None);
                if index + 1 < periods && observer.stopped() {
                    return Ok(self.finish(end, Status::Interrupted));
                }
            }
        }
        Ok(self.finish(periods * period, Status::Complete))
    }

    /// Handles every event before `end`, or as many as there are until it is
    /// stopped: then gives the time.
    fn run_until(&mut self, end: Nanos, observer: &mut dyn Observer) -> ControlFlow<Nanos> {
        loop {
            if self.run_some(end) {
                return ControlFlow::Continue(());
            }
            self.before_look = EVENTS_BETWEEN_LOOKS;
            if observer.stopped() {
                return ControlFlow::Break(self.world.next_event().min(end));
            }
        }
    }

    /// Handles some events before `end`; whether those were all.
    fn run_some(&mut self, end: Nanos) -> bool {
        let (jobs, world) = (&mut self.jobs, &mut self.world);
        for left in (0..self.before_look).rev() {
            let (now, slot) = world.events.first();
            if now.min(world.storage_event) >= end {
                self.before_look = left;
                return true;
            }
            // What is granted at a time is granted before anything else is asked at that time.
            if world.storage_event <= now {
                world.advance_storage(now.min(end - 1));
                if !world.turned.is_empty() {
                    tell_what_turned(jobs, world);
                }
                continue;
            }
            let (job, slot, outcome) = world.begin(now, slot);
            let mut context = IoContext {
                world: &mut *world,
                now,
                job,
            };
            match outcome {
                Some(outcome) => jobs[job].completed(now, slot, outcome, &mut context),
                None => jobs[job].woken(now, slot, &mut context),
            }
            world.end();
        }
        false
    }

    /// Ends a run before its time, at `now`.
    fn cut(
        mut self,
        now: Nanos,
        status: Status,
        observer: &mut dyn Observer,
    ) -> io::Result<RunOutcome> {
        if now == 0 {
            let message = "stopped before any time had passed";
            return Err(io::Error::new(io::ErrorKind::Interrupted, message));
        }
        self.network.look(&self.world.storage, now);
        self.network.look_at_jobs(&self.jobs, now);
        let recorder = &mut self.world.recorder;
        if let Some(interval) = recorder.cut(&mut self.world.storage, now) {
            observer.interval(self.world.recorder.shape(), interval, None);
        }
        Ok(self.finish(now, status))
    }

    fn end_period(&mut self, index: u64) -> Option<Interval> {
        self.world
            .recorder
            .end_period(&mut self.world.storage, index)
    }

    fn finish(mut self, end: Nanos, status: Status) -> RunOutcome {
        let jobs = self.jobs.iter_mut().enumerate();
        for (job, workload) in jobs.filter(|(job, _)| !self.silent.contains(job)) {
            workload.ended(
                end,
                &mut IoContext {
                    world: &mut self.world,
                    now: end,
                    job,
                },
            );
        }
        let backlogs = self.jobs.iter().map(|job| job.backlog(end)).collect();
        let logged = self.world.finish_log();
        let mut summary = self.world.recorder.finish();
        summary.unwritten = summary.unwritten.or(logged.err());
        RunOutcome {
            mode: Mode::Simulate,
            status,
            reason: None,
            summary,
            backlogs,
            machine: None,
            network: self.network,
            emulated: None,
            late: None,
        }
    }
}

/// Tells the jobs of links and hosts that went down or work again, and of where they run.
#[cold]
fn tell_what_turned(jobs: &mut [Job], world: &mut World) {
    for (now, change) in std::mem::take(&mut world.turned) {
        for (job, workload) in jobs.iter_mut().enumerate() {
            workload.storage_changed(now, &change, &mut IoContext { world, now, job });
        }
    }
}
