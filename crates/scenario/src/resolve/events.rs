//! From a scenario's events to what the model is told of them, and what results tell.

mod grow;
mod happened;
mod modify;

use blockyard_model::fault::{Does, Drawn, Fault, Planned, Schedule, Terms};
use blockyard_model::spec::DeviceSpec;
use blockyard_model::units::{Bytes, Nanos};
use blockyard_model::workload::Offered;
use blockyard_model::workload::spec::JobSpec;
use blockyard_text::hint;

pub use self::happened::{EventKind, ResolvedEvent};
use self::modify::History;
pub(super) use self::modify::NewTerms;
use super::Invalid;
use super::storage::Builder;
use crate::schema::{Add, Degrade, Event, Scenario};
use crate::units::{Duration, Percent, Size};

/// What of a scenario's events the model is told, and what of them results tell.
#[derive(Clone, Debug, Default)]
pub(crate) struct Events {
    pub(crate) schedule: Schedule,
    /// In the order of their times.
    pub(crate) list: Vec<ResolvedEvent>,
    /// Devices that grow.
    pub(crate) grown: Vec<Grown>,
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
    scenario: &Scenario,
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
    };
    for (index, event) in order {
        resolver.event(&format!("events.{index}"), event)?;
    }
    let mut events = resolver.events;
    events.schedule.terms.sort_by_key(|terms: &Terms| terms.at);
    Ok(events)
}

impl Resolver<'_, '_> {
    fn event(&mut self, path: &str, event: &Event) -> Result<(), Invalid> {
        self.check_time(path, event.at())?;
        match event {
            Event::Fail(it) => self.fault(
                (path, "fail", &it.fail),
                (EventKind::Fail, Does::Fail),
                (it.at, it.lasts),
            ),
            Event::Pause(it) => self.fault(
                (path, "pause", &it.pause),
                (EventKind::Pause, Does::Pause),
                (it.at, it.lasts),
            ),
            Event::Return(it) => self.end((path, "return", &it.on), EventKind::Fail, it.at),
            Event::Resume(it) => self.end((path, "resume", &it.resume), EventKind::Pause, it.at),
            Event::Degrade(it) => self.degrade(path, it),
            Event::Modify(it) => self.modify(path, it),
            Event::Grow(it) => self.grow(path, it),
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
        let known = devices.chain(volumes.iter().map(|volume| volume.name.as_str()));
        let found = volumes.iter().position(|volume| volume.name == name);
        found.map(|volume| vec![volume]).ok_or_else(|| {
            let later = self.joins_later(name);
            let hint = hint(name, known);
            invalid(match later {
                Some(at) => format!("`{name}` is not there before {at}"),
                None => format!("`{name}` is neither a device nor a volume{hint}"),
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

    /// Volumes fail or pause.
    fn fault(
        &mut self,
        place: (&str, &str, &str),
        (kind, does): (EventKind, Does),
        (at, lasts): (Duration, Option<Duration>),
    ) -> Result<(), Invalid> {
        let (path, key, name) = place;
        let until = lasts.map(|lasts| end(path, at, lasts)).transpose()?;
        let volumes = self.volumes(place, at)?;
        for &volume in &volumes {
            let state = &self.states[volume];
            let on = |spell: &Option<Spell>| spell.filter(|spell| spell.is_on(at.nanos()));
            let (failed, paused) = (on(&state.failed), on(&state.paused));
            let paused = paused.filter(|_| kind == EventKind::Pause);
            let Some((what, spell)) = failed
                .map(|spell| ("failed", spell))
                .or(paused.map(|spell| ("been paused", spell)))
            else {
                continue;
            };
            let (own, since) = (
                &self.builder.volumes[volume].name,
                Duration::new(spell.from),
            );
            let message = format!("`{own}` has {what} since {since}");
            return Err(Invalid::new(format!("{path}.{key}"), message));
        }
        let event = self.start(
            kind,
            (name, &volumes),
            (at, until),
            (does, Drawn::default()),
        );
        for &volume in &volumes {
            let from = at.nanos();
            let spell = Some(Spell { from, until, event });
            match kind {
                EventKind::Pause => self.states[volume].paused = spell,
                _ => self.states[volume].failed = spell,
            }
        }
        Ok(())
    }

    /// Plans a fault and tells of it; gives the place of what is told.
    fn start(
        &mut self,
        kind: EventKind,
        (name, volumes): (&str, &[usize]),
        (at, until): (Duration, Option<Nanos>),
        (does, drawn): (Does, Drawn),
    ) -> usize {
        let faults = &mut self.events.schedule.faults;
        faults.push(Planned {
            fault: Fault {
                number: self.events.list.len() as u64,
                volumes: volumes.to_vec(),
                from: at.nanos(),
                until,
                does,
            },
            drawn,
        });
        let faults = vec![faults.len() - 1];
        let devices = self.devices_of(volumes);
        self.tell(ResolvedEvent {
            faults,
            ..ResolvedEvent::new(kind, name, at.nanos(), until, devices)
        })
    }

    /// Volumes that have failed return, or those that are paused resume.
    fn end(
        &mut self,
        place: (&str, &str, &str),
        kind: EventKind,
        at: Duration,
    ) -> Result<(), Invalid> {
        let (path, key, _) = place;
        let volumes = self.volumes(place, at)?;
        for &volume in &volumes {
            let state = &mut self.states[volume];
            let (spell, what) = match kind {
                EventKind::Pause => (&mut state.paused, "is not paused"),
                _ => (&mut state.failed, "has not failed"),
            };
            let Some(spell) = spell.as_mut().filter(|it| it.is_on(at.nanos())) else {
                let own = &self.builder.volumes[volume].name;
                let message = format!("`{own}` {what} at {at}");
                return Err(Invalid::new(format!("{path}.{key}"), message));
            };
            spell.until = Some(at.nanos());
            let event = spell.event;
            self.end_fault(event, volume, at.nanos());
        }
        Ok(())
    }

    /// The fault that an event began is over for a volume.
    fn end_fault(&mut self, event: usize, volume: usize, at: Nanos) {
        let Events { schedule, list, .. } = &mut self.events;
        let event = &mut list[event];
        let mut ended = schedule.faults[event.faults[0]].clone();
        for &place in &event.faults {
            let fault = &mut schedule.faults[place].fault;
            fault.volumes.retain(|&it| it != volume);
        }
        (ended.fault.volumes, ended.fault.until) = (vec![volume], Some(at));
        event.faults.push(schedule.faults.len());
        schedule.faults.push(ended);
        let left = |&place: &usize| !schedule.faults[place].fault.volumes.is_empty();
        let left = event.faults.iter().copied().filter(left);
        let ends: Option<Vec<_>> = left.map(|it| schedule.faults[it].fault.until).collect();
        event.until = ends.and_then(|ends| ends.into_iter().max());
    }

    fn degrade(&mut self, path: &str, it: &Degrade) -> Result<(), Invalid> {
        let until = it.lasts.map(|lasts| end(path, it.at, lasts)).transpose()?;
        let share = it.to.map(|to| u32::try_from(to.permille()).unwrap_or(1000));
        if let Some(share) = share.filter(|share| !(10..=890).contains(share)) {
            let given = Percent::new(share.into());
            let message = format!("`{given}`; expected 1% to 89% of the rate");
            return Err(Invalid::new(format!("{path}.to"), message));
        }
        let volumes = self.volumes((path, "degrade", &it.degrade), it.at)?;
        let drawn = Drawn {
            share: share.is_none(),
            length: until.is_none(),
        };
        let does = Does::Slow(share.unwrap_or(1000));
        let on = (it.degrade.as_str(), volumes.as_slice());
        self.start(EventKind::Degrade, on, (it.at, until), (does, drawn));
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

/// When what lasts so long from `at` on ends.
fn end(path: &str, at: Duration, lasts: Duration) -> Result<Nanos, Invalid> {
    match lasts.nanos() {
        0 => {
            let message = "`0s`; expected a time above 0";
            Err(Invalid::new(format!("{path}.for"), message))
        }
        lasts => Ok(at.nanos().saturating_add(lasts)),
    }
}
