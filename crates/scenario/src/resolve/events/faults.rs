//! Volumes fail, pause or degrade, and return.

use blockyard_model::fault::{Does, Drawn, Fault, Planned};
use blockyard_model::units::Nanos;

use super::{EventKind, Events, ResolvedEvent, Resolver, Spell};
use crate::resolve::Invalid;
use crate::schema::Degrade;
use crate::units::{Duration, Percent};

impl Resolver<'_, '_> {
    /// Volumes fail or pause.
    pub(super) fn fault(
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
    pub(super) fn end(
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

    pub(super) fn degrade(&mut self, path: &str, it: &Degrade) -> Result<(), Invalid> {
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
