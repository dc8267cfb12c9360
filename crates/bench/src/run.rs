//! The run itself: threads that work, and one that collects.

mod collect;
mod watchdog;

use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::mpsc::{Receiver, RecvTimeoutError, Sender, channel};
use std::thread;
use std::time::Duration;

use blockyard_machine::{Clock, Error, processors};
use blockyard_model::storage::Limits;
use blockyard_model::units::SECOND;
use blockyard_model::workload::spec::JobSpec;
use blockyard_record::result::{Cpu, Machine, Mode, Status, Verified};
use blockyard_record::{
    IoLog, LatencyLog, Network, Observer, Recorder, RunOutcome, RunShape, new_file,
};
use blockyard_scenario::Resolved;
use blockyard_scenario::schema::Scenario;
use blockyard_sys::{CpuTime, cpu_time};
use blockyard_text::said;

use self::collect::Collected;
use self::watchdog::Watchdog;
use crate::engine::Engine;
use crate::steady::Steady;
use crate::target::Targets;
use crate::thread_context::Failure;
use crate::verify::Verifier;
use crate::worker::{self, Ended, Report};
use crate::{Options, machine, share};

/// How often the collecting thread looks up while no thread reports.
const LOOK_UP: Duration = Duration::from_millis(50);

/// After this long without a word from a thread that is to end, it is left
/// behind: longer than a thread waits for its own IOs.
const GIVEN_UP: Duration = Duration::from_secs(40);

/// The same after the user asked to stop.
const GIVEN_UP_STOPPED: Duration = Duration::from_secs(5);

/// Shown of the bad blocks.
const EXAMPLES: usize = 3;

/// Everything that is set up for a run.
pub(crate) struct Run {
    shape: RunShape,
    targets: Targets,
    machine: Machine,
    log: Option<LatencyLog>,
    steady: Option<Steady>,
    setups: Vec<worker::Setup>,
    stop: Arc<AtomicBool>,
    jobs: usize,
    /// Whether any job is late by what makes it another load.
    replays: bool,
}

/// Threads that are ready, waiting for the clock.
struct Threads {
    reports: Receiver<(usize, Report)>,
    clocks: Vec<Sender<Clock>>,
}

/// Why a run ended before its time.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Cut {
    /// The user asked for it.
    Stopped,
    /// It was steady.
    Steady,
    /// All jobs had done what they had to do.
    Done,
}

impl Run {
    pub(crate) fn new(
        scenario: &Scenario,
        resolved: &Resolved,
        jobs: Vec<JobSpec>,
        targets: Targets,
        options: Options,
    ) -> Result<Self, Error> {
        let shape = RunShape {
            hosts: Vec::new(),
            volumes: Vec::new(),
            ..RunShape::new(
                scenario.into(),
                &jobs,
                &resolved.storage,
                &Limits::default(),
            )
        };
        let engine = options.engine.unwrap_or_else(Engine::best);
        let automatic = share::threads(&jobs, processors());
        // Generations, and the log of IOs, are kept in one place.
        let threads = match options.verify || options.io_log.is_some() {
            true => 1,
            false => options.threads.unwrap_or(automatic),
        };
        let latency_log = options.latency_log.as_deref().map(LatencyLog::create);
        let latency_log = latency_log
            .transpose()
            .map_err(|error| Error::unwritten(&error))?;
        let io_log = options.io_log.as_deref().map(new_file);
        let io_log = io_log
            .transpose()
            .map_err(|error| Error::unwritten(&error))?;
        let mut io_log = io_log.map(|out| IoLog::new(out, &shape));
        let assigned = share::assign(&jobs, threads);
        let machine = machine::machine(&targets, engine, assigned.len() as u32, options.started);
        let stop = Arc::new(AtomicBool::new(false));
        let unopened = |error| {
            let why = said(&error);
            Error::Failed(format!("cannot open the targets once more: {why}"))
        };
        let setups = assigned.into_iter().map(|of_thread| {
            let (files, file_of) = targets.files().map_err(unopened)?;
            Ok(worker::Setup {
                jobs: of_thread,
                shape: shape.clone(),
                seed: scenario.seed,
                engine,
                files,
                file_of,
                verifier: options.verify.then(|| Verifier::new(&jobs)),
                io_log: io_log.take(),
                stop: stop.clone(),
            })
        });
        Ok(Self {
            setups: setups.collect::<Result<_, _>>()?,
            shape,
            targets,
            machine,
            log: latency_log,
            steady: options.steady_stop,
            stop,
            jobs: jobs.len(),
            replays: jobs.iter().any(JobSpec::is_replay),
        })
    }

    /// Runs to the end, or until the observer, an error or steadiness ends it.
    pub(crate) fn carry_out(mut self, observer: &mut dyn Observer) -> Result<RunOutcome, Error> {
        let threads = self.start_threads()?;
        observer.at_start();
        if observer.stopped() {
            return Err(Error::Stopped);
        }
        self.targets.begin();
        let mut recorder = Recorder::new(self.shape.clone(), self.log.take());
        let clock = Clock::start();
        let before = cpu_time();
        for go in &threads.clocks {
            // A thread that is gone reports so.
            let _ = go.send(clock);
        }
        let mut collected = Collected::new(threads.clocks.len());
        let cut = self.collect(&threads, &mut collected, &mut recorder, observer);
        let cpu = cpu_time();
        let hung = collected.running();
        let mut ended = collected.into_ended();
        let verified = self.read_back(&mut ended, observer);
        if hung == 0 && ended.iter().all(|ended| ended.hung == 0) {
            self.targets.end();
        }
        let mut summary = recorder.finish();
        for ended in &mut ended {
            let logged = std::mem::replace(&mut ended.logged, Ok(()));
            summary.unwritten = summary.unwritten.or(logged.err());
        }
        self.machine.cpu = Some(used(before, cpu, summary.ios()));
        self.machine.steady_s = (cut == Some(Cut::Steady)).then_some(summary.duration_s);
        let reason = self.failure(&ended, hung, &verified);
        self.machine.verified = verified.map(|(verified, _)| verified);
        let status = match (&reason, cut) {
            (Some(_), _) => Status::Failed,
            (None, Some(Cut::Stopped)) => Status::Interrupted,
            (None, Some(Cut::Steady | Cut::Done) | None) => Status::Complete,
        };
        Ok(RunOutcome {
            mode: Mode::Bench,
            status,
            reason,
            summary,
            backlogs: collect::backlogs(self.jobs, &ended),
            machine: Some(self.machine),
            network: Network::default(),
            emulated: None,
            late: self.replays.then(|| collect::lateness(&ended)),
        })
    }

    /// Starts the threads and waits until all are set up.
    fn start_threads(&mut self) -> Result<Threads, Error> {
        let (report, reports) = channel();
        let mut clocks = Vec::new();
        for (number, setup) in self.setups.drain(..).enumerate() {
            let (clock, clock_of_thread) = channel();
            let report = report.clone();
            let work = move || worker::work(number, setup, report, &clock_of_thread);
            let spawned = thread::Builder::new().name("bench".into()).spawn(work);
            spawned.map_err(|e| Error::Failed(format!("cannot start a thread: {}", said(&e))))?;
            clocks.push(clock);
        }
        for _ in 0..clocks.len() {
            if let Ok((_, Report::Ready(Err(error)))) = reports.recv() {
                return Err(Error::Lacks(format!(
                    "the engine {} cannot start: {}; see --engine",
                    self.machine.engine,
                    said(&error)
                )));
            }
        }
        Ok(Threads { reports, clocks })
    }

    /// Takes in what the threads report until all have ended or are given up.
    fn collect(
        &self,
        threads: &Threads,
        collected: &mut Collected,
        recorder: &mut Recorder,
        observer: &mut dyn Observer,
    ) -> Option<Cut> {
        let mut cut = None;
        let mut watchdog = Watchdog::new(self.shape.interval);
        let mut rates = Vec::new();
        while collected.running() > 0 {
            match threads.reports.recv_timeout(LOOK_UP) {
                Ok((thread, report)) => {
                    watchdog.heard();
                    collected.take_in(thread, report);
                }
                Err(RecvTimeoutError::Timeout) => {}
                Err(RecvTimeoutError::Disconnected) => break,
            }
            while let Some(interval) = collected.next_interval(recorder) {
                rates.push(interval.rows.iter().map(|row| row.ios as f64).sum());
                let quiet = watchdog.look(recorder.shape(), &interval);
                observer.interval(recorder.shape(), interval, None);
                for device in quiet {
                    observer.warn(&format!(
                        "{}: nothing has completed for {} s",
                        self.targets.describe(device),
                        watchdog::QUIET / SECOND
                    ));
                }
                cut = cut.or_else(|| self.cut_by(recorder, &rates));
            }
            if cut != Some(Cut::Stopped) && observer.stopped() {
                cut = Some(Cut::Stopped);
            }
            if cut.is_some() {
                self.stop.store(true, Ordering::Relaxed);
            }
            let patience = match cut {
                Some(Cut::Stopped) => GIVEN_UP_STOPPED,
                _ => GIVEN_UP,
            };
            if watchdog.silent(patience + Duration::from_nanos(self.shape.interval)) {
                break;
            }
        }
        cut
    }

    /// Why it ends after the interval that was recorded last, if it does.
    fn cut_by(&self, recorder: &Recorder, rates: &[f64]) -> Option<Cut> {
        if recorder.all_done() {
            return Some(Cut::Done);
        }
        self.is_steady(rates).then_some(Cut::Steady)
    }

    fn is_steady(&self, rates: &[f64]) -> bool {
        let warmup = (self.shape.warmup / self.shape.interval) as usize;
        self.steady.is_some_and(|steady| {
            let rates = rates.get(warmup..).unwrap_or_default();
            steady.reached(rates, self.shape.interval)
        })
    }

    /// Reads back what was written, with `--verify`; what was found, and the
    /// first bad blocks in words.
    fn read_back(
        &self,
        ended: &mut [Ended],
        observer: &mut dyn Observer,
    ) -> Option<(Verified, Vec<String>)> {
        // Storage that failed or hangs would not be read to the end.
        let sound = ended
            .iter()
            .all(|ended| ended.failure.is_none() && ended.hung == 0);
        let verifier = ended.iter_mut().find_map(|ended| ended.verifier.as_mut())?;
        let file_of = |device| self.targets.file(device).ok().flatten();
        let mut examples = Vec::new();
        let read = verifier.read_back(file_of, &mut || !sound || observer.stopped());
        if let Err(error) = read {
            examples.push(format!("reading back: {}", said(&error)));
        }
        let found = verifier.found().iter().take(EXAMPLES);
        examples.extend(found.map(|bad| format!("{}: {bad}", self.targets.describe(bad.device))));
        let verified = Verified {
            blocks: verifier.checked(),
            bad: verifier.bad(),
        };
        Some((verified, examples))
    }

    /// What went wrong, if anything did.
    fn failure(
        &self,
        ended: &[Ended],
        silent: usize,
        verified: &Option<(Verified, Vec<String>)>,
    ) -> Option<String> {
        if let Some(failure) = ended.iter().find_map(|ended| ended.failure.as_ref()) {
            return Some(self.io_failure(failure));
        }
        let hung: u32 = ended.iter().map(|ended| ended.hung).sum();
        if hung > 0 || silent > 0 {
            return Some(match silent {
                0 => format!("{hung} IOs in flight at the end never completed"),
                _ => format!(
                    "{silent} threads hang in the kernel; what they did last is not counted"
                ),
            });
        }
        let (verified, examples) = verified.as_ref()?;
        (!examples.is_empty()).then(|| {
            format!(
                "verification found {} bad blocks of {}; {}",
                verified.bad,
                verified.blocks,
                examples.join("; ")
            )
        })
    }

    fn io_failure(&self, failure: &Failure) -> String {
        let why = said(&failure.error);
        let Some(request) = failure.request else {
            return format!("the kernel refused a submission: {why}");
        };
        let what = blockyard_record::op_name(request.op);
        let device = self.targets.describe(request.device);
        match request.len {
            0 => format!("{what} of {device}: {why}"),
            len => format!(
                "{what} of {len} bytes at offset {} of {device}: {why}",
                request.offset
            ),
        }
    }
}

fn used(before: CpuTime, after: CpuTime, ios: u64) -> Cpu {
    let user = after.user.saturating_sub(before.user);
    let system = after.system.saturating_sub(before.system);
    let all = (user + system).as_secs_f64();
    Cpu {
        user_s: user.as_secs_f64(),
        system_s: system.as_secs_f64(),
        us_per_io: (ios > 0).then(|| all * 1e6 / ios as f64),
    }
}
