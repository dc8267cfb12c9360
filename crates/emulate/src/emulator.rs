//! The storage that is served: an engine for each group of devices, and one recording of all.

mod commands;
mod recording;

use std::sync::atomic::AtomicU64;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use blockyard_model::fault::Schedule;
use blockyard_model::spec::{DeviceSpec, Layout, StorageSpec};
use blockyard_model::storage::{Limits, Ticket};
use blockyard_model::units::Nanos;
use blockyard_record::limit_names::OwnerNames;
use blockyard_record::result::{Event, LatencyUs};
use blockyard_record::{Emulated, Interval, LatencyLog, Network, RunShape, Summary};
use blockyard_scenario::{EventKind, ResolvedEvent};

use self::recording::Recording;
use crate::engine::{Account, Arrived, Counters, Engine, MirrorStatus, Model, VolumeStatus};
use crate::fault::{FaultStatus, PowerChange};
use crate::groups::{Group, groups};
use crate::request::{DueReply, IoRequest, IoResult, Responder};
use crate::timer::{CompletionTimer, ServiceClock, TimedEngine};
use crate::trace::Trace;

/// How many of the latest events the status has: all are in the result.
const LATEST: usize = 20;

/// The storage that is served. No lock of it is shared by devices that share no stage, but for
/// what happens once a period or when somebody looks.
#[derive(Debug)]
pub(crate) struct Emulator {
    clock: Arc<ServiceClock>,
    spec: StorageSpec,
    groups: Vec<Served>,
    /// None before the service. It is locked before any engine is.
    recording: Mutex<Option<Recording>>,
}

/// A group with its engine.
#[derive(Debug)]
struct Served {
    group: Group,
    /// Names of its hosts and of its volumes.
    hosts: Vec<String>,
    volumes: Vec<String>,
    engine: Arc<TimedEngine>,
}

/// How storage is served.
#[derive(Debug)]
pub(crate) struct Settings {
    pub(crate) seed: u64,
    /// What is to happen to its volumes, and what results tell of that.
    pub(crate) schedule: Schedule,
    pub(crate) events: Vec<ResolvedEvent>,
    /// Length of an interval.
    pub(crate) interval: Nanos,
    /// What this machine adds to every request.
    pub(crate) overhead: Nanos,
    /// Gets the latencies of each interval.
    pub(crate) log: Option<LatencyLog>,
    /// Gets every request.
    pub(crate) trace: Option<Trace>,
}

/// A device, with the engine that it belongs to.
#[derive(Clone, Debug)]
pub(crate) struct Device {
    engine: Arc<TimedEngine>,
    /// Its number there.
    number: usize,
}

/// The state of what is served.
#[derive(Debug)]
pub(crate) struct Snapshot {
    /// How long it has been served.
    pub(crate) uptime: Nanos,
    /// By device.
    pub(crate) accounts: Vec<Account>,
    /// By volume: balances, limits and what was served, as of the last interval.
    pub(crate) volumes: Vec<VolumeStatus>,
    /// By device: how it is, if it is a mirror.
    pub(crate) mirrors: Vec<Option<MirrorStatus>>,
    /// By link: its name, and whether it is up.
    pub(crate) links: Vec<(String, bool)>,
    /// How much later than the model's time replies went out; none before the first.
    pub(crate) lateness_us: Option<LatencyUs>,
    /// The faults that go on.
    pub(crate) faults: Vec<FaultStatus>,
    /// The latest of what was changed or injected.
    pub(crate) events: Vec<Event>,
}

impl Emulator {
    /// The storage `spec`, whose requests take `hold` until [`Emulator::serve`], and the timer
    /// that sends their replies; see [`CompletionTimer::start`] for `spin`.
    pub(crate) fn start(
        spec: StorageSpec,
        hold: Nanos,
        spin: Nanos,
    ) -> std::io::Result<(Self, CompletionTimer)> {
        let clock = Arc::new(ServiceClock::start());
        let groups = groups(&spec);
        let engines = groups.iter().map(|_| Engine::new(hold)).collect();
        let (engines, timer) = CompletionTimer::start(engines, &clock, spin)?;
        let served = |(group, engine): (Group, Arc<TimedEngine>)| {
            let hosts = group.storage.hosts.iter();
            let volumes = group.storage.volumes.iter();
            Served {
                hosts: hosts.map(|host| host.name.clone()).collect(),
                volumes: volumes.map(|volume| volume.name.clone()).collect(),
                group,
                engine,
            }
        };
        let emulator = Self {
            clock,
            groups: groups.into_iter().zip(engines).map(served).collect(),
            spec,
            recording: Mutex::new(None),
        };
        Ok((emulator, timer))
    }

    /// The service begins: time 0 is now, the model decides, and all is recorded.
    pub(crate) fn serve(&self, settings: Settings) {
        let mut recording = self.lock();
        let plan = RunShape::of_clients(settings.interval, &self.spec, &Limits::new(&self.spec));
        let numbers = settings.trace.as_ref().map(|_| Arc::new(AtomicU64::new(0)));
        self.clock.restart();
        for Served { group, engine, .. } in &self.groups {
            let limits = Limits::new(&group.storage);
            let own = RunShape::of_clients(settings.interval, &group.storage, &limits);
            let counters = Counters::new(group, &own, numbers.clone());
            let model = Model::new(group, &settings.schedule, settings.seed, counters);
            engine.with(|engine, _| engine.serve(model, settings.overhead));
        }
        *recording = Some(Recording::new(&self.spec, plan, settings));
    }

    /// The devices, in the order of the storage's.
    pub(crate) fn devices(&self) -> Vec<Device> {
        let of_group = |served: &Served| {
            let engine = &served.engine;
            let own = served.group.devices.iter().enumerate();
            let device = |number| Device {
                engine: engine.clone(),
                number,
            };
            let own = own.map(|(number, &device_number)| (device_number, device(number)));
            own.collect::<Vec<_>>()
        };
        in_order(self.groups.iter().flat_map(of_group).collect())
    }

    /// Time since the service began.
    pub(crate) fn now(&self) -> Nanos {
        self.clock.now()
    }

    /// Brings together what the groups counted in periods that have ended. Gives the intervals
    /// that have ended since the last call, and the plan of what is recorded.
    pub(crate) fn take_intervals(&self) -> Vec<(RunShape, Interval)> {
        let mut recording = self.lock();
        let Some(recording) = &mut *recording else {
            return Vec::new();
        };
        self.collect(recording);
        recording.take_intervals()
    }

    /// Notes something that happened, for the result.
    pub(crate) fn note(&self, what: String) {
        if let Some(recording) = &mut *self.lock() {
            recording.note(self.now(), EventKind::Note, None, what);
        }
    }

    /// The power cuts and returns to be reported to the stores.
    pub(crate) fn take_power(&self) -> Vec<PowerChange> {
        let now = self.now();
        let mut recording = self.lock();
        let recording = recording.as_mut();
        recording.map_or(Vec::new(), |recording| recording.faults.take_power(now))
    }

    /// The state at this moment, or at the end of the service.
    pub(crate) fn snapshot(&self) -> Option<Snapshot> {
        let mut recording = self.lock();
        let recording = recording.as_mut()?;
        self.collect(recording);
        let now = recording.ended.unwrap_or_else(|| self.now());
        let mut lateness = recording.lateness.clone();
        let (mut accounts, mut volumes) = (Vec::new(), Vec::new());
        let mut mirrors: Vec<_> = self.spec.devices.iter().map(|_| None).collect();
        let links = self.spec.links.iter();
        let mut links: Vec<_> = links.map(|link| (link.name.clone(), true)).collect();
        for served in &self.groups {
            let engine = served.engine.lock();
            let Some(model) = engine.model() else {
                continue;
            };
            for (device, mirror) in model.mirrors(now.max(engine.now())) {
                mirrors[served.group.devices[device]] = Some(mirror);
            }
            for (link, (_, up)) in links.iter_mut().enumerate() {
                *up &= !model.is_cut(link);
            }
            let counted = model.counted();
            lateness.merge(counted.lateness());
            let own = served.group.devices.iter().copied();
            accounts.extend(own.zip(counted.accounts().iter().copied()));
            let owners = OwnerNames {
                hosts: &served.hosts,
                volumes: &served.volumes,
            };
            let own = served.group.volumes.iter().enumerate();
            volumes.extend(own.map(|(number, &volume)| {
                let last = recording.last_row(volume);
                (volume, model.volume(number, owners, last))
            }));
        }
        let mut events = recording.events_until(now);
        events.drain(..events.len().saturating_sub(LATEST));
        Some(Snapshot {
            uptime: now,
            accounts: in_order(accounts),
            volumes: in_order(volumes),
            mirrors,
            links,
            lateness_us: LatencyUs::of(&lateness),
            faults: recording.faults.active(now),
            events,
        })
    }

    /// What is wrong with the program itself, in words.
    pub(crate) fn failures(&self) -> Vec<String> {
        let recording = self.lock();
        self.all_failures(recording.as_ref())
    }

    /// What of that was not given before.
    pub(crate) fn new_failures(&self) -> Vec<String> {
        let mut recording = self.lock();
        let mut all = self.all_failures(recording.as_ref());
        if let Some(recording) = &mut *recording {
            all.retain(|failure| !recording.told.contains(failure));
            recording.told.extend(all.iter().cloned());
        }
        all
    }

    fn all_failures(&self, recording: Option<&Recording>) -> Vec<String> {
        let of_group = |served: &Served| {
            let panic = served.engine.lock().broken()?.to_owned();
            let devices = served.group.devices.iter();
            let names: Vec<_> = devices.map(|&it| &*self.spec.devices[it].name).collect();
            Some(format!(
                "{}: the model broke ({panic}); every request fails with EIO",
                names.join(", ")
            ))
        };
        let groups = self.groups.iter().filter_map(of_group);
        groups
            .chain(recording.and_then(Recording::failure))
            .collect()
    }

    /// The service ends: what is in flight or yet to come is done at once, and is not recorded.
    pub(crate) fn end(&self) {
        let mut recording = self.lock();
        // All at one moment: what one group counted up to here the others did, too.
        let engines: Vec<_> = self.groups.iter().map(|it| it.engine.lock()).collect();
        let latest = engines.iter().map(|engine| engine.now()).max();
        let now = self.now().max(latest.unwrap_or_default());
        for (served, mut engine) in self.groups.iter().zip(engines) {
            engine.end(now);
            served.engine.unlock(engine);
        }
        if let Some(recording) = &mut *recording {
            self.bring_together(recording, now);
            recording.cut(&self.groups, now);
            recording.write_trace(&self.groups, Nanos::MAX);
        }
    }

    /// The result, if anything was served; nothing can be recorded from then on.
    pub(crate) fn finish(&self) -> Option<(Summary, Network, Emulated)> {
        let (summary, emulated) = self.lock().take()?.finish();
        Some((summary, self.network(), emulated))
    }

    /// What went over links, and how mirrors fared.
    fn network(&self) -> Network {
        let is_mirror = |device: &DeviceSpec| matches!(device.layout, Layout::Mirror(_));
        if !self.spec.devices.iter().any(is_mirror) {
            return Network::default();
        }
        let mut all = Network::new(&self.spec);
        for served in &self.groups {
            if let Some(model) = served.engine.lock().model() {
                all.add(model.network(), &served.group.devices);
            }
        }
        all
    }

    /// Brings together what the groups counted in periods that have ended by now.
    fn collect(&self, recording: &mut Recording) {
        if recording.ended.is_none() {
            self.bring_together(recording, self.now());
        }
    }

    fn bring_together(&self, recording: &mut Recording, now: Nanos) {
        if recording.next_period() <= now {
            for served in &self.groups {
                served.engine.with(|engine, _| engine.pass(now));
            }
            while recording.next_period() <= now {
                recording.end_period(&self.groups);
            }
        }
        recording.write_trace(&self.groups, now);
    }

    fn lock(&self) -> MutexGuard<'_, Option<Recording>> {
        let recording = self.recording.lock();
        recording.unwrap_or_else(PoisonError::into_inner)
    }
}

impl Served {
    /// Does something with what the group counts.
    fn counted<T>(&self, look: impl FnOnce(&mut Counters) -> T) -> Option<T> {
        self.engine.with(|engine, _| engine.counters().map(look))
    }
}

/// What belongs to numbers, in their order.
fn in_order<T>(mut numbered: Vec<(usize, T)>) -> Vec<T> {
    numbered.sort_by_key(|(number, _)| *number);
    numbered.into_iter().map(|(_, item)| item).collect()
}

impl Device {
    /// Time since the service began.
    #[inline]
    pub(crate) fn now(&self) -> Nanos {
        self.engine.now()
    }

    /// Takes a request; see [`Engine::arrived`].
    pub(crate) fn arrived(
        &self,
        request: IoRequest,
        moved: Option<IoResult>,
        responder: Box<dyn Responder>,
    ) -> (Ticket, Option<DueReply>) {
        self.engine.arrived(Arrived {
            device: self.number,
            request,
            moved,
            responder,
        })
    }

    /// A request's bytes are durable, or could not be made so.
    pub(crate) fn moved(&self, ticket: Ticket, result: IoResult) {
        self.engine.moved(ticket, result);
    }
}

#[cfg(test)]
mod tests;
