//! Volumes fail, pause or degrade, and return.

use blockyard_model::fault::{Does, Drawn, Fault, Planned};
use blockyard_model::units::Nanos;

use super::{EventKind, Events, ResolvedEvent, Resolver, Spell, Target};
use crate::resolve::Invalid;
use crate::schema::Degrade;
use crate::units::{Duration, Percent};

impl Resolver<'_, '_> {
    /// Volumes, hosts and zones fail or pause.
    pub(super) fn fault(
        &mut self,
        place: (&str, &str, &str, Target),
        kind: EventKind,
        does: Does,
        at: Duration,
        lasts: Option<Duration>,
    ) -> Result<(), Invalid> {
        let (path, key, name, target) = place;
        let until = lasts.map(|lasts| end(path, at, lasts)).transpose()?;
        for &volume in &target.volumes {
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
        let lost = self.lost.iter();
        let mut lost =
            lost.filter(|(host, it)| target.hosts.contains(host) && it.is_on(at.nanos()));
        if let Some((host, spell)) = lost.next() {
            let own = self
                .scenario
                .hosts
                .get_index(*host)
                .map_or(name, |(name, _)| name);
            let since = Duration::new(spell.from);
            let what = match self.events.list[spell.event].kind {
                EventKind::Pause => "been paused",
                _ => "failed",
            };
            let message = format!("`{own}` has {what} since {since}");
            return Err(Invalid::new(format!("{path}.{key}"), message));
        }
        let mut on = self.down.iter().filter(|(_, spell)| {
            spell.is_on(at.nanos()) && self.events.list[spell.event].on == name
        });
        if let Some((_, spell)) = on.next() {
            let since = Duration::new(spell.from);
            let message = format!("`{name}` has been down since {since}");
            return Err(Invalid::new(format!("{path}.{key}"), message));
        }
        let event = self.start(kind, (name, &target), (at, until), (does, Drawn::default()));
        let from = at.nanos();
        let spell = Spell { from, until, event };
        self.down
            .extend(target.links.iter().map(|&link| (link, spell)));
        self.lost
            .extend(target.hosts.iter().map(|&host| (host, spell)));
        for &volume in &target.volumes {
            let spell = Some(spell);
            match kind {
                EventKind::Pause => self.states[volume].paused = spell,
                _ => self.states[volume].failed = spell,
            }
        }
        Ok(())
    }

    /// Plans a fault and tells of it; gives the place of what is told.
    pub(super) fn start(
        &mut self,
        kind: EventKind,
        (name, target): (&str, &Target),
        (at, until): (Duration, Option<Nanos>),
        (does, drawn): (Does, Drawn),
    ) -> usize {
        let faults = &mut self.events.schedule.faults;
        faults.push(Planned {
            fault: Fault {
                number: self.events.list.len() as u64,
                volumes: target.volumes.clone(),
                links: target.links.clone(),
                hosts: target.hosts.clone(),
                from: at.nanos(),
                until,
                does,
            },
            drawn,
        });
        let faults = vec![faults.len() - 1];
        let devices = self.devices_at(target);
        self.tell(ResolvedEvent {
            faults,
            spares_volumes: target.volumes.is_empty(),
            ..ResolvedEvent::new(kind, name, at.nanos(), until, devices)
        })
    }

    /// Volumes that have failed return, or those that are paused resume.
    pub(super) fn end(
        &mut self,
        place: (&str, &str, &str, Target),
        kind: EventKind,
        at: Duration,
    ) -> Result<(), Invalid> {
        let (path, key, name, target) = place;
        self.end_loss((path, key, name), kind, &target.hosts, at)?;
        let mut down = self.down.iter_mut();
        let own = |(link, spell): &&mut (usize, Spell)| {
            let on = &self.events.list[spell.event].on;
            target.links.contains(link) && spell.is_on(at.nanos()) && on == name
        };
        let first = down.find(own);
        if first.is_none() && !target.links.is_empty() {
            let message = format!("`{name}` is not down at {at}");
            return Err(Invalid::new(format!("{path}.{key}"), message));
        }
        let mut ended = None;
        for (_, spell) in first.into_iter().chain(down.filter(own)) {
            spell.until = Some(at.nanos());
            ended = Some(spell.event);
        }
        // A fault's links go down and are restored together.
        if let Some(event) = ended {
            self.end_links(event, at.nanos());
        }
        for &volume in &target.volumes {
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

    /// Hosts that were lost or paused are back.
    fn end_loss(
        &mut self,
        (path, key, name): (&str, &str, &str),
        kind: EventKind,
        hosts: &[usize],
        at: Duration,
    ) -> Result<(), Invalid> {
        let mut ended = None;
        for (host, spell) in &mut self.lost {
            let is_own = self.events.list[spell.event].kind == kind;
            if hosts.contains(host) && is_own && spell.is_on(at.nanos()) {
                spell.until = Some(at.nanos());
                ended = Some(spell.event);
            }
        }
        match ended {
            // What has volumes and links too is over when they are back.
            Some(event) => self.end_hosts(event, at.nanos()),
            None if hosts.is_empty() => {}
            None => {
                let what = match kind {
                    EventKind::Pause => "is not paused",
                    _ => "has not failed",
                };
                let message = format!("`{name}` {what} at {at}");
                return Err(Invalid::new(format!("{path}.{key}"), message));
            }
        }
        Ok(())
    }

    /// The hosts that an event has lost are back.
    fn end_hosts(&mut self, event: usize, at: Nanos) {
        let Events { schedule, list, .. } = &mut self.events;
        let event = &mut list[event];
        let mut ended = schedule.faults[event.faults[0]].clone();
        schedule.faults[event.faults[0]].fault.hosts.clear();
        (ended.fault.volumes, ended.fault.until) = (Vec::new(), Some(at));
        ended.fault.links.clear();
        event.faults.push(schedule.faults.len());
        schedule.faults.push(ended);
        event.until = Some(at);
    }

    /// The links that an event has cut are restored.
    fn end_links(&mut self, event: usize, at: Nanos) {
        let Events { schedule, list, .. } = &mut self.events;
        let event = &mut list[event];
        let mut ended = schedule.faults[event.faults[0]].clone();
        schedule.faults[event.faults[0]].fault.links.clear();
        ended.fault.hosts.clear();
        (ended.fault.volumes, ended.fault.until) = (Vec::new(), Some(at));
        event.faults.push(schedule.faults.len());
        schedule.faults.push(ended);
        event.until = Some(at);
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
        ended.fault.links.clear();
        ended.fault.hosts.clear();
        event.faults.push(schedule.faults.len());
        schedule.faults.push(ended);
        let left = |&place: &usize| {
            let fault = &schedule.faults[place].fault;
            !(fault.volumes.is_empty() && fault.links.is_empty())
        };
        let left = event.faults.iter().copied().filter(left);
        let ends: Option<Vec<_>> = left.map(|it| schedule.faults[it].fault.until).collect();
        event.until = ends.and_then(|ends| ends.into_iter().max());
    }

    /// The processors of a host are slow.
    pub(super) fn slow_host(&mut self, path: &str, it: &Degrade) -> Result<(), Invalid> {
        let name = it.degrade.as_str();
        let until = it.lasts.map(|lasts| end(path, it.at, lasts)).transpose()?;
        self.refuse_of_links(path, it)?;
        let Some(share) = share(path, it)? else {
            let message = format!("`{name}` is a host, and nothing says how; expected `to`");
            return Err(Invalid::new(format!("{path}.degrade"), message));
        };
        let hosts = self.scenario.hosts.get_index_of(name).into_iter().collect();
        let target = Target {
            hosts,
            ..Target::default()
        };
        let slowed = target
            .hosts
            .iter()
            .map(|&host| (host, format!("{path}.degrade")));
        self.events.slowed.extend(slowed);
        let on = (name, &target);
        let does = (Does::Slow(share), Drawn::default());
        let event = self.start(EventKind::Degrade, on, (it.at, until), does);
        " of its processors' speed".clone_into(&mut self.events.list[event].becomes);
        Ok(())
    }

    /// What only links can become.
    fn refuse_of_links(&self, path: &str, it: &Degrade) -> Result<(), Invalid> {
        let of_links = [
            ("round_trip", it.round_trip.map(|it| it.to_string())),
            ("loss", it.loss.map(|it| it.to_string())),
            ("from", it.from.clone()),
        ];
        for (key, given) in of_links {
            if let Some(given) = given {
                let message = format!("`{given}`, and `{}` is no link", it.degrade);
                return Err(Invalid::new(format!("{path}.{key}"), message));
            }
        }
        Ok(())
    }

    pub(super) fn degrade(&mut self, path: &str, it: &Degrade) -> Result<(), Invalid> {
        let until = it.lasts.map(|lasts| end(path, it.at, lasts)).transpose()?;
        let share = share(path, it)?;
        let links: Vec<_> = self.links.iter().map(|link| link.name.as_str()).collect();
        let hosts = self.scenario.hosts.keys().map(String::as_str);
        let links: Vec<_> = links.into_iter().chain(hosts).collect();
        let known = (&links[..], "device, volume, link or host");
        let volumes = self.volumes_or((path, "degrade", &it.degrade), it.at, known)?;
        self.refuse_of_links(path, it)?;
        let drawn = Drawn {
            share: share.is_none(),
            length: until.is_none(),
        };
        let does = Does::Slow(share.unwrap_or(1000));
        let target = Target::from(volumes);
        let on = (it.degrade.as_str(), &target);
        self.start(EventKind::Degrade, on, (it.at, until), (does, drawn));
        Ok(())
    }
}

/// What a degradation leaves of each rate, in 1/1000, if that is stated.
pub(super) fn share(path: &str, it: &Degrade) -> Result<Option<u32>, Invalid> {
    let share = it.to.map(|to| u32::try_from(to.permille()).unwrap_or(1000));
    if let Some(share) = share.filter(|share| !(10..=890).contains(share)) {
        let given = Percent::new(share.into());
        let message = format!("`{given}`; expected 1% to 89% of the rate");
        return Err(Invalid::new(format!("{path}.to"), message));
    }
    Ok(share)
}

/// When what lasts so long from `at` on ends.
pub(super) fn end(path: &str, at: Duration, lasts: Duration) -> Result<Nanos, Invalid> {
    match lasts.nanos() {
        0 => {
            let message = "`0s`; expected a time above 0";
            Err(Invalid::new(format!("{path}.for"), message))
        }
        lasts => Ok(at.nanos().saturating_add(lasts)),
    }
}
