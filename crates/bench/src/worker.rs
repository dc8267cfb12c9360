//! One thread of a run: its share of the jobs on its own engine.

use std::fs::File;
use std::io;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::mpsc::{Receiver, Sender};
use std::time::Duration;

use blockyard_machine::Clock;
use blockyard_model::job::Job;
use blockyard_model::random::Stream;
use blockyard_model::units::{MICROSECOND, MILLISECOND, Nanos};
use blockyard_model::workload::spec::JobSpec;
use blockyard_model::workload::{Backlog, Fact, Part};
use blockyard_record::{Histogram, IntervalCounts, IoLog, RunShape, ThreadCounters};
use blockyard_sys::{Buffer, Done};

use crate::engine::Engine;
use crate::payload;
use crate::thread_context::{Failure, Issuer, SlotState, ThreadContext};
use crate::verify::Verifier;

/// A thread looks at least so often whether it is to stop.
const LONGEST_PAUSE: Nanos = 100 * MILLISECOND;

/// An open loop's thread wakes so long before an IO is due and polls from then
/// on: sleeping threads are woken up to 0.1 ms late.
const POLLED: Nanos = 60 * MICROSECOND;

/// Most IOs that are gathered before they are submitted, where more follow.
const LARGEST_BATCH: usize = 16;

/// How long the IOs in flight at the end may take.
const DRAIN: Duration = Duration::from_secs(30);

/// What a thread is to do.
#[derive(Debug)]
pub(crate) struct Setup {
    /// Its jobs: number in the run, what it is, and the thread's share of it.
    pub(crate) jobs: Vec<(u16, JobSpec, Part)>,
    pub(crate) shape: RunShape,
    pub(crate) seed: u64,
    pub(crate) engine: Engine,
    /// The open targets, and which one each device has; none for `null:`.
    pub(crate) files: Vec<File>,
    pub(crate) file_of: Vec<Option<u32>>,
    pub(crate) verifier: Option<Verifier>,
    pub(crate) io_log: Option<IoLog>,
    pub(crate) stop: Arc<AtomicBool>,
}

/// What a thread reports.
#[derive(Debug)]
pub(crate) enum Report {
    /// It is set up, or could not be.
    Ready(io::Result<()>),
    /// What it counted in interval number `index`, which ended at `end`:
    /// earlier than it should if the thread was stopped.
    Interval {
        index: u64,
        end: Nanos,
        counts: IntervalCounts,
        /// What its jobs reported of themselves, each with the job's number.
        facts: Vec<(u16, Fact)>,
    },
    /// It ended.
    Ended(Ended),
}

/// How a thread ended.
#[derive(Debug)]
pub(crate) struct Ended {
    /// How far each of its open-loop jobs was behind.
    pub(crate) backlogs: Vec<(u16, Option<Backlog>)>,
    pub(crate) failure: Option<Failure>,
    /// IOs that did not complete although they were waited for.
    pub(crate) hung: u32,
    pub(crate) verifier: Option<Verifier>,
    /// How late its jobs' alarms went off.
    pub(crate) lateness: Histogram,
    /// Whether the log of its IOs could be written.
    pub(crate) logged: io::Result<()>,
}

struct Assigned {
    workload: Job,
    issuer: Issuer,
}

/// A thread at work.
pub(crate) struct Worker {
    jobs: Vec<Assigned>,
    thread: ThreadContext,
    report: Sender<(usize, Report)>,
    number: usize,
    stop: Arc<AtomicBool>,
    clock: Clock,
    interval: Nanos,
    intervals: u64,
    /// The running interval.
    index: u64,
    polled: Nanos,
    done: Vec<Done>,
}

/// Sets up thread `number`, waits for the clock to start, and works until the
/// run's end. Reports all along.
pub(crate) fn work(
    number: usize,
    setup: Setup,
    report: Sender<(usize, Report)>,
    clock: &Receiver<Clock>,
) {
    // Without it the kernel may let a sleeping thread sleep 50 µs longer.
    let _ = rustix::thread::set_current_timer_slack(std::num::NonZeroU64::new(1));
    let (ready, worker) = match Worker::new(number, setup, report.clone()) {
        Ok(worker) => (Ok(()), Some(worker)),
        Err(error) => (Err(error), None),
    };
    let _ = report.send((number, Report::Ready(ready)));
    if let (Some(mut worker), Ok(clock)) = (worker, clock.recv()) {
        worker.clock = clock;
        let ended = worker.run();
        let _ = report.send((number, Report::Ended(ended)));
    }
}

/// Whether to submit after `handled` of several completions, with more to be
/// handled: storage that answers in bursts would lie idle until all are.
fn begins_early(handled: usize) -> bool {
    handled.is_power_of_two() || handled.is_multiple_of(LARGEST_BATCH)
}

impl Worker {
    fn new(number: usize, setup: Setup, report: Sender<(usize, Report)>) -> io::Result<Self> {
        let shape = &setup.shape;
        let (mut jobs, mut slots, mut buffers) = (Vec::new(), Vec::new(), Vec::new());
        let mut random = Stream::new(setup.seed, &format!("content/{number}"));
        for (index, (number, spec, part)) in setup.jobs.iter().enumerate() {
            let workload = Job::part(spec, *number, setup.seed, *part);
            let first_slot = slots.len() as u32;
            for slot in 0..workload.slots() {
                slots.push(SlotState::new(index, slot));
                let mut buffer = Buffer::new(workload.largest_io(slot) as usize);
                if spec.writes() {
                    payload::fill(&mut buffer, &mut random);
                }
                buffers.push(buffer);
            }
            let issuer = Issuer {
                number: *number,
                first_slot,
            };
            jobs.push(Assigned { workload, issuer });
        }
        let is_open_loop = |job: &(u16, _, _)| shape.jobs[usize::from(job.0)].open_loop;
        let polled = match setup.jobs.iter().any(is_open_loop) {
            true => POLLED,
            false => 0,
        };
        let engine = setup.engine.start(setup.files, buffers)?;
        let counters = ThreadCounters::new(shape);
        let mut thread = ThreadContext::new(engine, counters, setup.file_of, slots, setup.verifier);
        thread.io_log = setup.io_log;
        Ok(Self {
            jobs,
            thread,
            report,
            number,
            stop: setup.stop,
            clock: Clock::start(),
            interval: shape.interval,
            intervals: shape.duration / shape.interval,
            index: 0,
            polled,
            done: Vec::new(),
        })
    }

    fn run(mut self) -> Ended {
        for job in &mut self.jobs {
            job.workload
                .start(&mut self.thread.io_context(0, job.issuer));
        }
        let end = loop {
            let now = self.clock.now();
            while now >= self.interval_end() && self.index < self.intervals {
                self.close_interval(self.interval_end());
            }
            if self.index == self.intervals {
                break self.index * self.interval;
            }
            if self.stop.load(Ordering::Relaxed) || self.thread.has_failed() {
                self.close_interval(now);
                break now;
            }
            self.handle(now);
            self.wait(now);
        };
        self.stop_others();
        self.finish(end)
    }

    fn interval_end(&self) -> Nanos {
        (self.index + 1) * self.interval
    }

    /// Tells the jobs what has happened by `now`.
    #[inline]
    fn handle(&mut self, now: Nanos) {
        let (jobs, thread) = (&mut self.jobs, &mut self.thread);
        while let Some(slot) = thread.due_alarm(now) {
            let Assigned { workload, issuer } = &mut jobs[slot.job];
            workload.woken(now, slot.slot, &mut thread.io_context(now, *issuer));
        }
        let completions = self.done.len();
        for (done, handled) in self.done.drain(..).zip(1..) {
            let (slot, outcome) = thread.completed(now, done);
            let Assigned { workload, issuer } = &mut jobs[slot.job];
            let context = &mut thread.io_context(now, *issuer);
            workload.completed(now, slot.slot, outcome, context);
            if handled < completions && begins_early(handled) {
                thread.submit();
            }
        }
    }

    /// Submits what was issued and waits for the next thing to happen.
    #[inline]
    fn wait(&mut self, now: Nanos) {
        let end = self.interval_end();
        let thread = &mut self.thread;
        let next = thread.next_alarm().min(end).saturating_sub(now);
        let pause = if thread.has_nulls() {
            0
        } else {
            next.min(LONGEST_PAUSE).saturating_sub(self.polled)
        };
        if pause > 0 || thread.engine.in_flight() > 0 {
            thread.submit_and_wait(Duration::from_nanos(pause));
            thread.engine.reap(&mut self.done);
        }
        thread.reap_nulls(&mut self.done);
    }

    /// Ends the running interval at `end`.
    fn close_interval(&mut self, end: Nanos) {
        let report = Report::Interval {
            index: self.index,
            end,
            counts: self.thread.counters.close(end),
            facts: std::mem::take(&mut self.thread.facts),
        };
        self.index += 1;
        // If the receiver is gone, the run has been given up.
        let _ = self.report.send((self.number, report));
    }

    /// A failed IO of one thread ends the run of all.
    fn stop_others(&self) {
        if self.thread.has_failed() {
            self.stop.store(true, Ordering::Relaxed);
        }
    }

    /// Waits for what is in flight. It is not counted: it did not complete
    /// within the run.
    fn finish(mut self, end: Nanos) -> Ended {
        let begun = Clock::start();
        while self.thread.engine.in_flight() > 0 && begun.elapsed() < DRAIN {
            let pause = Duration::from_nanos(LONGEST_PAUSE);
            if self.thread.engine.submit_and_wait(pause).is_err() {
                break;
            }
            self.thread.engine.reap(&mut self.done);
            for done in self.done.drain(..) {
                self.thread.drained(done);
            }
        }
        let backlog = |job: &Assigned| (job.issuer.number, job.workload.backlog(end));
        Ended {
            backlogs: self.jobs.iter().map(backlog).collect(),
            failure: self.thread.take_failure(),
            hung: self.thread.engine.in_flight(),
            verifier: self.thread.verifier.take(),
            lateness: std::mem::take(&mut self.thread.lateness),
            logged: self.thread.io_log.take().map_or(Ok(()), IoLog::finish),
        }
    }
}
