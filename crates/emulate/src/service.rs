//! A scenario that is served: from its start to the accounts at its end.

use std::sync::Arc;
use std::thread;
use std::time::Duration;

use blockyard_machine::{Error, kernel, processor, processors};
use blockyard_model::fault::Schedule;
use blockyard_model::spec::StorageSpec;
use blockyard_model::units::Nanos;
use blockyard_record::result::{Cpu, Machine, Mode, RunResult, Status, Target};
use blockyard_record::{LatencyLog, Observer, RunOutcome, new_file};
use blockyard_scenario::schema::Scenario;
use blockyard_scenario::{Resolved, ResolvedEvent, units};
use blockyard_sys::{CpuTime, cpu_time};
use blockyard_text::said;

use crate::controller::Controller;
use crate::disk::Disk;
use crate::emulator::{Emulator, Settings};
use crate::front::Serving;
use crate::options::Options;
use crate::timer::CompletionTimer;
use crate::trace::Trace;
use crate::{control, exports, probe};

/// How often the service checks whether to end, and passes on what was measured.
const LOOK_UP: Duration = Duration::from_millis(100);

/// Serves `scenario`, as `resolved`, until it is stopped.
///
/// # Errors
/// If nothing was served: see [`Error`].
pub fn emulate(
    scenario: &Scenario,
    resolved: &Resolved,
    options: Options,
    observer: &mut dyn Observer,
) -> Result<RunResult, Error> {
    let spec = exports::view(&resolved.storage, &options.devices, options.each_volume)?;
    let happens = exports::events(&resolved.storage, &resolved.events, &spec);
    let service = Service::start(scenario, spec, resolved.schedule.clone(), happens, options)?;
    let outcome = service.carry_on(observer)?;
    if let Some(error) = &outcome.summary.unwritten {
        observer.unwritten(error);
    }
    let mut result = outcome.result(scenario, resolved);
    result.notices.extend(mirrors_left_out(resolved));
    Ok(result)
}

/// The scenario's jobs do not run, and what clients write to a journal is not known as one.
fn mirrors_left_out(resolved: &Resolved) -> impl Iterator<Item = String> {
    let jobs = resolved.jobs.iter();
    let mirrored = jobs.filter(|job| job.journal_mirror().is_some());
    mirrored.map(|job| {
        let name = job.name();
        format!("workload.{name}.mirror: left out of an emulation; no client's journal was shipped")
    })
}

/// Everything that is set up.
struct Service {
    controller: Arc<Controller>,
    control: Option<control::Server>,
    _timer: CompletionTimer,
    overhead: Nanos,
    started: String,
    length: Option<Nanos>,
    cpu: CpuTime,
}

impl Service {
    fn start(
        scenario: &Scenario,
        spec: StorageSpec,
        schedule: Schedule,
        events: Vec<ResolvedEvent>,
        options: Options,
    ) -> Result<Self, Error> {
        options.front.prepare();
        let spin = options.spin.map_or(0, units::Duration::nanos);
        let tls = options.tls()?;
        let sizes: Vec<_> = spec
            .devices
            .iter()
            .map(|device| (device.name.clone(), device.size))
            .collect();
        let started = Emulator::start(spec, probe::HOLD, spin);
        let (emulator, timer) = started.map_err(no_thread)?;
        let disks = disks(&options, &sizes, &emulator)?;
        let serving = Serving::start(&options.front, tls.as_ref(), disks.clone())?;
        let probed = serving.probe(&disks[0], probe::ROUNDS).map_err(|error| {
            Error::Failed(format!(
                "cannot connect to the served devices: {}",
                said(&error)
            ))
        })?;
        let overhead = probe::overhead(probed);
        let names = sizes.iter().map(|(name, _)| name.clone()).collect();
        let log = options.latency_log.as_deref().map(LatencyLog::create);
        let arrivals = options.arrivals.as_deref().map(new_file);
        let arrivals = arrivals
            .transpose()
            .map_err(|error| Error::unwritten(&error))?;
        emulator.serve(Settings {
            seed: scenario.seed,
            schedule,
            events,
            interval: scenario.interval.nanos(),
            overhead,
            log: log.transpose().map_err(|error| Error::unwritten(&error))?,
            trace: arrivals.map(|out| Trace::new(out, names)),
        });
        let backing = options.backing.describe();
        let controller = Arc::new(Controller::new(emulator, disks, serving, &backing));
        let control = options.control.as_deref();
        let control = control.map(|path| control::Server::start(path, controller.clone()));
        Ok(Self {
            control: control.transpose()?,
            controller,
            _timer: timer,
            overhead,
            started: options.started,
            length: options.length.map(units::Duration::nanos),
            cpu: cpu_time(),
        })
    }

    /// Serves until it is stopped or its time is over.
    fn carry_on(self, observer: &mut dyn Observer) -> Result<RunOutcome, Error> {
        observer.serving(self.controller.served());
        let mut interrupted = false;
        let over = |now| self.length.is_some_and(|length| now >= length);
        while !over(self.controller.emulator.now()) && !self.controller.is_stopped() {
            thread::sleep(LOOK_UP);
            self.controller.pass_on_power();
            self.pass_on_failures(observer);
            let warnings = self.controller.warnings();
            warnings.iter().for_each(|warning| observer.warn(warning));
            self.pass_on(observer);
            if observer.stopped() {
                interrupted = true;
                break;
            }
        }
        self.end(interrupted, observer)
    }

    /// Says once what the backing, or the program itself, does not do.
    fn pass_on_failures(&self, observer: &mut dyn Observer) {
        for failure in self.controller.new_failures() {
            observer.warn(&failure);
            self.controller.emulator.note(failure);
        }
    }

    /// Passes on the intervals that ended.
    fn pass_on(&self, observer: &mut dyn Observer) {
        for (plan, interval) in self.controller.emulator.take_intervals() {
            observer.interval(&plan, interval, Some(&self.controller.state()));
        }
    }

    fn end(mut self, interrupted: bool, observer: &mut dyn Observer) -> Result<RunOutcome, Error> {
        drop(self.control.take());
        self.pass_on_failures(observer);
        // Devices that are still in use may yet ask for something, which does not count any
        // more and is not held by limits, pauses or faults: what the machine has yet to write
        // is to get through.
        self.controller.emulator.end();
        self.pass_on(observer);
        let mut tell = |what: &str| {
            observer.warn(what);
            self.controller.emulator.note(what.into());
        };
        self.controller.end_serving(&mut tell);
        self.controller
            .failures()
            .iter()
            .for_each(|what| tell(what));
        let broken = self.controller.reasons();
        let machine = self.machine();
        let used = cpu_time();
        let (summary, network, emulated) = self
            .controller
            .emulator
            .finish()
            .ok_or_else(|| Error::Failed("nothing was served".into()))?;
        let user = used.user.saturating_sub(self.cpu.user);
        let system = used.system.saturating_sub(self.cpu.system);
        let ios = summary.ios();
        let cpu = Cpu {
            user_s: user.as_secs_f64(),
            system_s: system.as_secs_f64(),
            us_per_io: (ios > 0).then(|| (user + system).as_secs_f64() * 1e6 / ios as f64),
        };
        Ok(RunOutcome {
            mode: Mode::Emulate,
            status: match interrupted {
                _ if !broken.is_empty() => Status::Failed,
                true => Status::Interrupted,
                false => Status::Complete,
            },
            reason: (!broken.is_empty()).then(|| broken.join("; ")),
            summary,
            backlogs: Vec::new(),
            machine: Some(Machine {
                cpu: Some(cpu),
                ..machine
            }),
            network,
            emulated: Some(emulated),
            late: None,
        })
    }

    fn machine(&self) -> Machine {
        let served = self.controller.served();
        let targets = served.iter().map(|served| Target {
            device: served.name.clone(),
            path: served.place.clone(),
            kind: self.controller.kind().into(),
            backing: Some(served.backing.clone()),
            size_bytes: served.size.bytes(),
            ..Target::default()
        });
        Machine {
            started: self.started.clone(),
            kernel: kernel(),
            processor: processor(),
            processors: processors(),
            engine: self.controller.how().into(),
            targets: targets.collect(),
            overhead_us: Some(self.overhead as f64 / 1000.0),
            ..Machine::default()
        }
    }
}

/// The disks of these names and sizes, over the backing.
fn disks(
    options: &Options,
    sizes: &[(String, u64)],
    emulator: &Emulator,
) -> Result<Vec<Arc<Disk>>, Error> {
    let stores = options.backing.open(sizes)?;
    let devices = emulator.devices().into_iter();
    let disks = devices.zip(sizes).zip(stores);
    disks
        .map(|((device, (name, _)), store)| {
            // Only commands from outside can cut the power.
            let store = match options.control {
                Some(_) => store.with_power_cuts(),
                None => store,
            };
            let disk = Disk::start(name, device, store);
            disk.map(Arc::new).map_err(no_thread)
        })
        .collect()
}

fn no_thread(error: std::io::Error) -> Error {
    Error::Failed(format!("cannot start a thread: {}", said(&error)))
}
