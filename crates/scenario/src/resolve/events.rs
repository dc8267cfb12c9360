//! From a scenario's events to those of the model and of results.

mod clusters;
mod cut;
mod faults;
mod grow;
mod happened;
mod impair;
mod modify;
mod outage;
mod target;

use blockyard_model::fault::{Does, Schedule, Terms};
use blockyard_model::spec::{AfterSplitBrain, DeviceSpec, Layout, LinkSpec};
use blockyard_model::units::{Bytes, Nanos};
use blockyard_model::workload::Offered;
use blockyard_model::workload::spec::JobSpec;
use blockyard_text::hint;

use self::clusters::Switch;
use self::cut::CutWay;
pub use self::happened::{EventKind, ResolvedEvent};
use self::modify::History;
pub(super) use self::modify::NewTerms;
pub use self::outage::{OutageStep, ResolvedOutage, StepKind};
use self::target::Target;
use super::storage::Builder;
use super::{Invalid, Zones};
use crate::schema::{Add, Event, Reconnect, Scenario};
use crate::units::{Duration, Size};

/// What of a scenario's events the model is told, and what of them results tell.
#[derive(Clone, Debug, Default)]
pub(crate) struct Events {
    pub(crate) schedule: Schedule,
    /// In the order of their times.
    pub(crate) list: Vec<ResolvedEvent>,
    /// Devices that grow.
    pub(crate) grown: Vec<Grown>,
    /// Links that are degraded, each with the place that says so.
    pub(super) degraded: Vec<(usize, String)>,
    /// Hosts whose processors are slow, likewise.
    pub(super) slowed: Vec<(usize, String)>,
    pub(crate) notices: Vec<String>,
}

/// A device that grows.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Grown {
    device: usize,
    at: Nanos,
    /// Its size until then.
    before: Bytes,
}

/// The events so far.
struct Resolver<'a, 'b> {
    scenario: &'a Scenario,
    builder: &'a mut Builder<'b>,
    devices: &'a mut Vec<DeviceSpec>,
    events: Events,
    /// By volume.
    states: Vec<State>,
    /// Links that were down or are with a host or a zone, with the time.
    down: Vec<(usize, Spell)>,
    /// Ways of links that were cut or are.
    cuts: Vec<CutWay>,
    /// Hosts that were lost or are, likewise.
    lost: Vec<(usize, Spell)>,
    switches: Vec<Switch>,
    zones: &'a Zones,
    links: &'a [LinkSpec],
}

/// What the events so far have made of a volume.
#[derive(Clone, Debug, Default)]
struct State {
    /// When it is there.
    from: Nanos,
    failed: Option<Spell>,
    paused: Option<Spell>,
    history: History,
}

/// A time in which a volume has failed or is paused.
#[derive(Clone, Copy, Debug)]
struct Spell {
    from: Nanos,
    until: Option<Nanos>,
    /// The event that began it.
    event: usize,
}

impl Spell {
    fn is_on(self, now: Nanos) -> bool {
        self.until.is_none_or(|until| now < until)
    }
}

/// Resolves the events of a scenario with these `devices`, which may grow by them.
///
/// # Errors
/// An event after the end, on what does not exist, or that cannot follow those before it.
pub(super) fn resolve(
    (scenario, zones): (&Scenario, &Zones),
    links: &[LinkSpec],
    builder: &mut Builder<'_>,
    devices: &mut Vec<DeviceSpec>,
) -> Result<Events, Invalid> {
    let mut order: Vec<_> = scenario.events.iter().enumerate().collect();
    order.sort_by_key(|(_, event)| event.at());
    let states = vec![State::default(); builder.volumes.len()];
    let mut resolver = Resolver {
        scenario,
        builder,
        devices,
        events: Events::default(),
        states,
        down: Vec::new(),
        cuts: Vec::new(),
        lost: Vec::new(),
        switches: Vec::new(),
        zones,
        links,
    };
    for (index, event) in order {
        resolver.event(&format!("events.{index}"), event)?;
    }
    resolver.hand_over()?;
    let mut events = resolver.events;
    events.schedule.terms.sort_by_key(|terms: &Terms| terms.at);
    Ok(events)
}

impl Resolver<'_, '_> {
    fn event(&mut self, path: &str, event: &Event) -> Result<(), Invalid> {
        self.check_time(path, event.at())?;
        match event {
            Event::Fail(it) => self.fault(
                (
                    path,
                    "fail",
                    &it.fail,
                    self.failing((path, "fail", &it.fail), it.at)?,
                ),
                EventKind::Fail,
                Does::Fail,
                it.at,
                it.lasts,
            ),
            Event::Cut(it) => self.cut(path, it),
            Event::Restore(it) => self.restore(path, it),
            Event::Pause(it) => self.fault(
                (
                    path,
                    "pause",
                    &it.pause,
                    self.pausing((path, "pause", &it.pause), it.at)?,
                ),
                EventKind::Pause,
                Does::Pause,
                it.at,
                it.lasts,
            ),
            Event::Return(it) => {
                let target = self.failing((path, "return", &it.on), it.at)?;
                self.end((path, "return", &it.on, target), EventKind::Fail, it.at)
            }
            Event::Resume(it) => {
                let target = self.pausing((path, "resume", &it.resume), it.at)?;
                self.end(
                    (path, "resume", &it.resume, target),
                    EventKind::Pause,
                    it.at,
                )
            }
            Event::Degrade(it) if self.is_link(&it.degrade) => self.impair(path, it),
            Event::Degrade(it) if self.is_host(&it.degrade) => self.slow_host(path, it),
            Event::Degrade(it) => self.degrade(path, it),
            Event::Modify(it) => self.modify(path, it),
            Event::Grow(it) => self.grow(path, it),
            Event::Switch(it) => self.switch(path, it),
            Event::Reconnect(it) => self.reconnect(path, it),
            Event::Add(it) => self.add(path, it),
        }
    }

    fn check_time(&self, path: &str, at: Duration) -> Result<(), Invalid> {
        let duration = self.scenario.duration;
        if duration.nanos() > 0 && at >= duration {
            let message = format!("`{at}` is not within the duration of {duration}");
            return Err(Invalid::new(format!("{path}.at"), message));
        }
        Ok(())
    }

    /// The volumes of a device or volume that is there, by their indices.
    fn volumes(&self, place: (&str, &str, &str), at: Duration) -> Result<Vec<usize>, Invalid> {
        self.volumes_or(place, at, (&[], ""))
    }

    /// The same, where what is not known could also have been one of `others`: then it is not
    /// `any` of what it could be.
    fn volumes_or(
        &self,
        place: (&str, &str, &str),
        at: Duration,
        (others, any): (&[&str], &str),
    ) -> Result<Vec<usize>, Invalid> {
        let (path, key, name) = place;
        let invalid = |message: String| Invalid::new(format!("{path}.{key}"), message);
        if let Some(device) = self.devices.iter().find(|device| device.name == name) {
            let mut volumes = Vec::new();
            device.layout.volumes(&mut |volume| volumes.push(volume));
            volumes.retain(|&volume| self.states[volume].from <= at.nanos());
            return Ok(volumes);
        }
        let volumes = &self.builder.volumes;
        let devices = self.devices.iter().map(|device| device.name.as_str());
        // A device of one volume has the name of that.
        let is_device = |name: &&str| self.devices.iter().any(|device| device.name == *name);
        let names = volumes.iter().map(|volume| volume.name.as_str());
        let known = devices.chain(names.filter(|name| !is_device(name)));
        let known = known.chain(others.iter().copied());
        // A volume, or a leg of several.
        let is_of = |own: &str| {
            let rest = own.strip_prefix(name);
            rest.is_some_and(|rest| rest.is_empty() || rest.starts_with('.'))
        };
        let found = (0..volumes.len()).filter(|&volume| {
            is_of(&volumes[volume].name) && self.states[volume].from <= at.nanos()
        });
        let found: Vec<_> = found.collect();
        let exists = volumes.iter().any(|volume| is_of(&volume.name));
        (exists).then_some(found).ok_or_else(|| {
            let later = self.joins_later(name);
            let hint = hint(name, known);
            invalid(match later {
                Some(at) => format!("`{name}` is not there before {at}"),
                None if others.is_empty() => {
                    format!("`{name}` is neither a device nor a volume{hint}")
                }
                None => format!("`{name}` is no {any}{hint}"),
            })
        })
    }

    /// When a volume joins its device, if it does by an event that is yet to come.
    fn joins_later(&self, name: &str) -> Option<Duration> {
        let (device, part) = name.split_once('.')?;
        part.parse::<u32>().ok()?;
        let grows = self.scenario.events.iter().find_map(|event| match event {
            Event::Grow(it) if it.grow == device => Some(it.at),
            _ => None,
        });
        grows.filter(|at| !self.events.grown.iter().any(|it| it.at == at.nanos()))
    }

    /// The devices that these volumes are of.
    fn devices_of(&self, volumes: &[usize]) -> Vec<usize> {
        let has = |device: &&usize| {
            let mut has = false;
            let layout = &self.devices[**device].layout;
            layout.volumes(&mut |volume| has |= volumes.contains(&volume));
            has
        };
        let all: Vec<_> = (0..self.devices.len()).collect();
        all.iter().filter(has).copied().collect()
    }

    /// Adds an event to those that results tell of; gives its place among them.
    fn tell(&mut self, event: ResolvedEvent) -> usize {
        self.events.list.push(event);
        self.events.list.len() - 1
    }

    fn reconnect(&mut self, path: &str, it: &Reconnect) -> Result<(), Invalid> {
        let invalid = |message| Invalid::new(format!("{path}.reconnect"), message);
        let name = &it.reconnect;
        let mirrors = self
            .devices
            .iter()
            .filter_map(|device| match &device.layout {
                Layout::Mirror(mirror) => Some((device.name.as_str(), &mirror.partition)),
                _ => None,
            });
        let Some((_, partition)) = mirrors.clone().find(|(own, _)| own == name) else {
            let hint = hint(name, mirrors.map(|(own, _)| own));
            return Err(invalid(format!("no mirror is called `{name}`{hint}")));
        };
        if partition.failover.is_none()
            || partition.after_split_brain != AfterSplitBrain::Disconnect
        {
            let message = "stays apart after no split brain; expected a mirror with `failover` \
                           and without `after_split_brain`";
            return Err(invalid(format!("`{name}` {message}")));
        }
        let volumes = self.volumes((path, "reconnect", name), it.at)?;
        let at = it.at.nanos();
        let first = volumes.first().copied();
        self.events.schedule.terms.extend(first.map(|volume| Terms {
            at,
            volume,
            limits: Vec::new(),
            latency: None,
            host: None,
            reconnects: true,
        }));
        let devices = self.devices_of(&volumes);
        self.tell(ResolvedEvent::new(
            EventKind::Reconnect,
            name,
            at,
            None,
            devices,
        ));
        Ok(())
    }

    fn add(&mut self, path: &str, it: &Add) -> Result<(), Invalid> {
        let jobs = &self.scenario.workload;
        if !jobs.contains_key(&it.add) {
            let hint = hint(&it.add, jobs.keys().map(String::as_str));
            let message = format!("no job is called `{}`{hint}", it.add);
            return Err(Invalid::new(format!("{path}.add"), message));
        }
        let at = it.at.nanos();
        self.tell(ResolvedEvent {
            becomes: it.processes.to_string(),
            ..ResolvedEvent::new(EventKind::Add, &it.add, at, None, Vec::new())
        });
        Ok(())
    }
}

impl Events {
    /// Fits the events to the jobs, whose files were laid out with all devices grown.
    ///
    /// # Errors
    /// If a job has a load before its file has its place.
    pub(super) fn fit(&mut self, jobs: &[JobSpec]) -> Result<(), Invalid> {
        for event in &mut self.list {
            // What a link carries of a journal, its writes wait for.
            for (of, mirror) in jobs.iter().filter_map(JobSpec::journal_mirror) {
                let over = |place: &usize| {
                    let links = &self.schedule.faults[*place].fault.links;
                    links.contains(&mirror.backup.link.0)
                };
                if event.faults.iter().any(over) {
                    event.journals.push(of.journal.device);
                    event.devices.push(of.journal.device);
                    event.devices.sort_unstable();
                    event.devices.dedup();
                }
            }
            if event.kind == EventKind::Add
                && let Some(job) = jobs.iter().find(|job| job.name() == event.on)
            {
                let files = job.files();
                event.devices = files.iter().map(|file| file.region.device).collect();
                event.devices.sort_unstable();
                event.devices.dedup();
            }
        }
        for job in jobs {
            let steps = job.steps();
            let offers = |offered: &Offered| match *offered {
                Offered::Processes(processes) => processes > 0,
                Offered::Rate(rate) => rate > 0,
            };
            let begins = steps.iter().find(|(_, offered)| offers(offered));
            let begins = begins.map_or(Nanos::MAX, |step| step.0);
            for file in job.files() {
                let beyond = |grown: &&Grown| {
                    grown.device == file.region.device
                        && file.region.offset + file.region.size > grown.before
                        && begins < grown.at
                };
                if let Some(grown) = self.grown.iter().find(beyond) {
                    let (has, at) = (Size::new(grown.before), Duration::new(grown.at));
                    let begins = Duration::new(begins);
                    let message = format!(
                        "its file reaches beyond the {has} that the device has until it grows \
                         at {at}, and its load begins at {begins}; expected it to begin then"
                    );
                    return Err(Invalid::new(format!("workload.{}", job.name()), message));
                }
            }
        }
        Ok(())
    }
}
