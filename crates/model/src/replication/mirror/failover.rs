//! Which host serves when the two lose each other: the one that did, alone, once the other is
//! fenced; or the other, once it has noticed that the first is lost.

use super::Mirrors;
use super::flow::{FlowId, LinkEnd};
use super::regions::Regions;
use super::state::{Data, History, Mirror, Reach, Service, Transition};
use crate::engine::{Change, Engine};
use crate::event_queue::NEVER;
use crate::spec::Fencing;
use crate::units::Nanos;

impl Mirrors {
    /// What there is to tell of where jobs run, with when that was, since the last call.
    pub(crate) fn take_turned(&mut self) -> impl Iterator<Item = (Nanos, Change)> {
        self.turned.drain(..)
    }

    /// What runs where a mirror is served from is gone, or is started on a host.
    fn runs(&mut self, now: Nanos, mirror: usize, on: Option<usize>) {
        let device = self.mirrors[mirror].device;
        self.turned.push((now, Change::Runs { device, on }));
    }

    /// A host goes down: to be told before its links and volumes do.
    pub(crate) fn host_fails(&mut self, engine: &mut Engine, now: Nanos, host: usize) {
        let Some(down) = self.hosts_down.get_mut(host) else {
            return;
        };
        *down = true;
        for mirror in 0..self.mirrors.len() {
            let of = &self.mirrors[mirror];
            let serves = of.hosts.is_some_and(|hosts| hosts[of.primary] == host);
            if serves && of.spec.partition.failover.is_some() {
                self.primary_goes(engine, now, mirror);
            }
        }
    }

    /// A host works again: to be told after its volumes do and before its links.
    pub(crate) fn host_works(&mut self, engine: &mut Engine, now: Nanos, host: usize) {
        let Some(down) = self.hosts_down.get_mut(host) else {
            return;
        };
        *down = false;
        for mirror in 0..self.mirrors.len() {
            let of = &mut self.mirrors[mirror];
            if of.hosts.is_none_or(|hosts| hosts[of.primary] != host) {
                continue;
            }
            if let Service::Down { unsure, lost, .. } = &of.service {
                let unsure = unsure.clone();
                let is_stale = !of.legs[of.primary].dirty.is_empty();
                let stale = if is_stale { of.primary } else { of.secondary() };
                if is_stale {
                    // It is made what the other leg is, which has not received these.
                    of.counts.lost = of.counts.lost.max(*lost);
                }
                of.differs(stale, &unsure);
                of.transitions.push((now, Transition::GoesOn));
                self.runs(now, mirror, Some(host));
                self.serve(engine, now, mirror);
                self.await_failover(now, mirror);
            }
        }
    }

    /// The processors of a host stand still, or go on: to be told before its links go
    /// down and after they are up.
    pub(crate) fn host_runs_at(
        &mut self,
        engine: &mut Engine,
        now: Nanos,
        host: usize,
        speed: u32,
    ) {
        let Some(paused) = self.hosts_paused.get_mut(host) else {
            return;
        };
        let was = *paused;
        *paused = (speed == 0).then(|| was.unwrap_or(now));
        for mirror in 0..self.mirrors.len() {
            let of = &self.mirrors[mirror];
            let Some(hosts) = of.hosts.filter(|hosts| hosts.contains(&host)) else {
                continue;
            };
            if hosts[of.primary] == host && speed > 0 {
                self.server_goes_on(engine, now, mirror);
            }
            self.await_failover(now, mirror);
        }
    }

    /// Since when the host that serves a mirror stands still, if it does.
    pub(super) fn server_paused(&self, mirror: usize) -> Option<Nanos> {
        let of = &self.mirrors[mirror];
        of.hosts
            .and_then(|hosts| self.hosts_paused[hosts[of.primary]])
    }

    /// The host that serves is no longer paused: it gives up the other leg if that was, and is not
    /// heard yet.
    fn server_goes_on(&mut self, engine: &mut Engine, now: Nanos, mirror: usize) {
        let of = &mut self.mirrors[mirror];
        match (&of.service, of.spec.partition.fencing) {
            (Service::Paused { .. }, fencing) => {
                let other = of.secondary();
                (of.transitions).push((now, Transition::GivenUp { leg: other }));
                self.goes_alone(engine, now, mirror, other);
                if !matches!(fencing, Fencing::ResourceAndStonith(_)) {
                    self.serve(engine, now, mirror);
                }
            }
            (Service::Fencing { since }, Fencing::ResourceAndStonith(time)) => {
                let at = since.saturating_add(time).max(now);
                self.events.set(self.service_slot(mirror), at);
            }
            _ => {}
        }
    }

    /// The host that serves is lost: whatever was under way fails, what comes waits.
    fn primary_goes(&mut self, engine: &mut Engine, now: Nanos, mirror: usize) {
        let other = self.mirrors[mirror].secondary();
        let lost = self.lacked(now, mirror, other);
        let on_the_way = self.not_received(now, mirror, other);
        let on_the_way = on_the_way.map(|(id, _)| id).collect();
        let mut unsure = self.under_way(now, mirror);
        // After a crash only the log tells where the legs may differ.
        match &self.mirrors[mirror].log {
            Some(log) => {
                let size = self.mirrors[mirror].spec.size;
                for start in log.named(now) {
                    unsure.insert(start, log.spec.extent.min(size - start));
                }
            }
            None => unsure.insert_all(),
        }
        self.fail_all(now, mirror);
        if let Service::Fencing { .. } | Service::Paused { .. } = self.mirrors[mirror].service {
            self.lose(engine, now, mirror, other, now);
        }
        self.stop_resync(now, mirror);
        let of = &mut self.mirrors[mirror];
        let since = of.frozen_since().unwrap_or(now);
        of.service = Service::Down {
            since,
            lost,
            on_the_way,
            unsure,
        };
        of.transitions.push((now, Transition::Lost));
        of.silent_since.get_or_insert(now);
        self.runs(now, mirror, None);
        self.await_failover(now, mirror);
    }

    /// The other host has received a write after the one that sent it was lost: it writes it.
    #[cold]
    pub(super) fn received_after_all(&mut self, id: FlowId) {
        let flow = &self.flows[id as usize];
        let of = &mut self.mirrors[usize::from(flow.mirror)];
        if let Service::Down {
            lost, on_the_way, ..
        } = &mut of.service
            && let Some(place) = on_the_way.iter().position(|&it| it == id)
        {
            on_the_way.swap_remove(place);
            *lost -= flow.request.len;
        }
    }

    /// A disk has failed a write that the memory of its host had, perhaps alone: the host that
    /// acknowledged it is lost, or its own disk is.
    #[cold]
    pub(super) fn memory_is_lost(&mut self, id: FlowId, leg: usize) {
        let flow = &self.flows[id as usize];
        let is_acknowledged = flow.reply.is_some_and(|reply| !reply.failed);
        if !flow.writes() || !is_acknowledged {
            return;
        }
        let of = &mut self.mirrors[usize::from(flow.mirror)];
        match &mut of.service {
            Service::Down { lost, .. } if leg != of.primary => *lost += flow.request.len,
            // It has taken over.
            _ if leg == of.primary => of.counts.lost += flow.request.len,
            _ if !of.legs[of.primary].dirty.is_empty()
                || of.legs[of.primary].failed_volumes > 0 =>
            {
                of.counts.lost += flow.request.len
            }
            _ => {}
        }
    }

    /// The hosts of a mirror's legs lose each other where its link is this one.
    pub(super) fn contact_is_lost(&mut self, now: Nanos, mirror: usize, link: usize) {
        if self.is_over(mirror, link) {
            self.mirrors[mirror].silent_since.get_or_insert(now);
            self.await_failover(now, mirror);
        }
    }

    /// They are about to hear of each other again.
    pub(super) fn contact_is_back(
        &mut self,
        engine: &mut Engine,
        now: Nanos,
        mirror: usize,
        link: usize,
    ) {
        if self.is_over(mirror, link) {
            self.mirrors[mirror].silent_since = None;
            self.events.set(self.service_slot(mirror), NEVER);
            match self.mirrors[mirror].service {
                Service::Fencing { .. } => self.is_fenced(engine, now, mirror),
                Service::Paused { since } => {
                    let other = self.mirrors[mirror].secondary();
                    self.lose(engine, now, mirror, other, since);
                    self.serve(engine, now, mirror);
                }
                Service::Serves | Service::Down { .. } => {}
            }
        }
    }

    fn is_over(&self, mirror: usize, link: usize) -> bool {
        let of = &self.mirrors[mirror];
        of.legs[of.secondary()]
            .link
            .is_some_and(|at| at.link == link)
    }

    /// Whether the other host is to take over once it has heard nothing for long enough: without
    /// fencing it does not know whether the first is lost or cannot be heard, and one that is lost
    /// or stands still fences nobody.
    fn is_to_take_over(&self, mirror: usize) -> bool {
        let of = &self.mirrors[mirror];
        match of.service {
            Service::Down { .. } | Service::Paused { .. } => true,
            Service::Serves => {
                of.spec.partition.fencing == Fencing::DontCare
                    || self.server_paused(mirror).is_some()
            }
            Service::Fencing { .. } => self.server_paused(mirror).is_some(),
        }
    }

    /// When the other host takes over, if it is to.
    fn takes_over_at(&self, mirror: usize) -> Option<Nanos> {
        let of = &self.mirrors[mirror];
        let (since, after) = of.silent_since.zip(of.spec.partition.failover)?;
        let at = since.saturating_add(after);
        self.is_to_take_over(mirror).then_some(at)
    }

    /// Has the other host take over in time, if it is to.
    pub(super) fn await_failover(&mut self, now: Nanos, mirror: usize) {
        if let Some(at) = self.takes_over_at(mirror) {
            self.events.set(self.service_slot(mirror), at.max(now));
        }
    }

    /// It is time for a mirror to go on, or to be taken over.
    pub(super) fn service_event(&mut self, engine: &mut Engine, now: Nanos, mirror: usize) {
        self.events.set(self.service_slot(mirror), NEVER);
        match self.mirrors[mirror].service {
            Service::Fencing { .. } if self.server_paused(mirror).is_none() => {
                self.is_fenced(engine, now, mirror);
            }
            // What fences stands still with its host.
            Service::Fencing { .. }
            | Service::Serves
            | Service::Paused { .. }
            | Service::Down { .. } => {
                if self.takes_over_at(mirror).is_none_or(|at| at > now) {
                    return;
                }
                let of = &self.mirrors[mirror];
                let other = of.secondary();
                let leg = &of.legs[other];
                let knows = matches!(leg.data, Data::UpToDate | Data::Consistent);
                let lives =
                    |host: usize| !self.hosts_down[host] && self.hosts_paused[host].is_none();
                let is_there = of.hosts.is_some_and(|hosts| lives(hosts[other]));
                if knows && is_there && leg.failed_volumes == 0 {
                    self.take_over(engine, now, mirror);
                }
            }
        }
    }

    /// The host of the leg that did not serve takes over.
    fn take_over(&mut self, engine: &mut Engine, now: Nanos, mirror: usize) {
        let leg = self.mirrors[mirror].secondary();
        let Some(LinkEnd { link, end }) = self.mirrors[mirror].legs[leg].link else {
            return;
        };
        let lacked = self.lacked(now, mirror, leg);
        if self.mirrors[mirror].legs[leg].reach != Reach::Away {
            self.give_up(engine, now, link);
            self.look_at_ways(engine, now, link);
        }
        let (lost, unsure) = match &self.mirrors[mirror].service {
            Service::Down { lost, unsure, .. } => (*lost, unsure.clone()),
            // The first serves on, and its clients go to the other.
            Service::Serves | Service::Fencing { .. } | Service::Paused { .. } => {
                let lacked = lacked.max(self.lacked(now, mirror, leg));
                let under_way = self.under_way(now, mirror);
                self.fail_all(now, mirror);
                (lacked, under_way)
            }
        };
        if let Service::Paused { .. } | Service::Fencing { .. } = self.mirrors[mirror].service {
            self.lose(engine, now, mirror, leg, now);
        }
        self.stop_resync(now, mirror);
        let of = &mut self.mirrors[mirror];
        // What only the other has written sets it apart from now on; what set this one apart
        // before is what the other lacks.
        let alone = of.legs[leg].dirty.take();
        of.legs[leg].lacks.take();
        let before = of.part(alone);
        of.differs(1 - leg, &unsure);
        of.differs(1 - leg, &before);
        of.legs[leg].link = None;
        of.legs[leg].reach = Reach::Here;
        of.legs[leg].data = Data::UpToDate;
        let end = 1 - end;
        of.legs[1 - leg].link = Some(LinkEnd { link, end });
        of.legs[1 - leg].reach = Reach::Away;
        of.legs[1 - leg].data = match of.spec.partition.fencing {
            Fencing::DontCare => Data::Consistent,
            Fencing::ResourceOnly | Fencing::ResourceAndStonith(_) => Data::Outdated,
        };
        of.primary = leg;
        of.silent_since = None;
        of.counts.lost = of.counts.lost.max(lost);
        of.counts.takeovers += 1;
        let lacks = lost;
        (of.transitions).push((now, Transition::TakenOver { leg, lacks }));
        let on = of.hosts.map(|hosts| hosts[leg]);
        self.runs(now, mirror, on);
        self.serve(engine, now, mirror);
    }
}

impl Mirror {
    /// The legs may differ in these regions, and `leg` is to be made what the other is.
    pub(super) fn differs(&mut self, leg: usize, regions: &Regions) {
        self.legs[leg].dirty.add(regions);
        self.legs[leg].lacks.add(regions);
    }

    /// The leg that no longer serves has written alone to these regions. Gives those of the other
    /// leg, if they had parted before.
    fn part(&mut self, alone: Regions) -> Regions {
        let history = match alone.is_empty() {
            true => History::One,
            false => History::Diverged(alone),
        };
        match core::mem::replace(&mut self.history, history) {
            History::One => Regions::none(self.spec.size, self.spec.region),
            History::Diverged(before) | History::SplitBrain(before) => before,
        }
    }
}
