//! Which host serves when the two lose each other: the one that did, alone, once the other is
//! fenced; or the other, once it has noticed that the first is lost.

use super::Mirrors;
use super::flow::LinkEnd;
use super::regions::Regions;
use super::state::{Data, History, Mirror, Reach, Service, Transition};
use crate::engine::Engine;
use crate::event_queue::NEVER;
use crate::spec::Fencing;
use crate::units::Nanos;

impl Mirrors {
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
            if let Service::Down { unsure, .. } = &of.service {
                let unsure = unsure.clone();
                let is_stale = !of.legs[of.primary].dirty.is_empty();
                let stale = if is_stale { of.primary } else { of.secondary() };
                of.differs(stale, &unsure);
                of.transitions.push((now, Transition::GoesOn));
                self.serve(engine, now, mirror);
                self.await_failover(now, mirror);
            }
        }
    }

    /// The processors of a host stand still, or go on: to be told before its links go
    /// down and after they are up.
    pub(crate) fn host_runs_at(&mut self, now: Nanos, host: usize, speed: u32) {
        let Some(paused) = self.hosts_paused.get_mut(host) else {
            return;
        };
        *paused = speed == 0;
        for mirror in 0..self.mirrors.len() {
            let of = &self.mirrors[mirror];
            let is_other = of.hosts.is_some_and(|hosts| hosts[of.secondary()] == host);
            if is_other && speed > 0 {
                self.await_failover(now, mirror);
            }
        }
    }

    /// The host that serves is lost: whatever was under way fails, what comes waits.
    fn primary_goes(&mut self, engine: &mut Engine, now: Nanos, mirror: usize) {
        let other = self.mirrors[mirror].secondary();
        let lost = self.at_risk(now, mirror, other);
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
        if let Service::Fencing { .. } = self.mirrors[mirror].service {
            self.lose(engine, now, mirror, other, now);
        }
        self.stop_resync(mirror);
        let of = &mut self.mirrors[mirror];
        of.counts.lost = of.counts.lost.max(lost);
        let since = of.frozen_since().unwrap_or(now);
        of.service = Service::Down {
            since,
            lost,
            unsure,
        };
        of.transitions.push((now, Transition::Lost));
        of.silent_since.get_or_insert(now);
        self.await_failover(now, mirror);
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
            if let Service::Fencing { .. } = self.mirrors[mirror].service {
                self.is_fenced(engine, now, mirror);
            }
        }
    }

    fn is_over(&self, mirror: usize, link: usize) -> bool {
        let of = &self.mirrors[mirror];
        of.legs[of.secondary()]
            .link
            .is_some_and(|at| at.link == link)
    }

    /// Has the other host take over in time, if it is to: without fencing it does not know whether
    /// the first is lost or cannot be heard.
    pub(super) fn await_failover(&mut self, now: Nanos, mirror: usize) {
        let of = &self.mirrors[mirror];
        let partition = of.spec.partition;
        let is_to = match of.service {
            Service::Down { .. } => true,
            Service::Serves => partition.fencing == Fencing::DontCare,
            Service::Fencing { .. } => false,
        };
        if let (true, Some(since), Some(after)) = (is_to, of.silent_since, partition.failover) {
            let at = since.saturating_add(after).max(now);
            self.events.set(self.service_slot(mirror), at);
        }
    }

    /// It is time for a mirror to go on, or to be taken over.
    pub(super) fn service_event(&mut self, engine: &mut Engine, now: Nanos, mirror: usize) {
        self.events.set(self.service_slot(mirror), NEVER);
        match self.mirrors[mirror].service {
            Service::Fencing { .. } => self.is_fenced(engine, now, mirror),
            Service::Serves | Service::Down { .. } => {
                let of = &self.mirrors[mirror];
                let other = of.secondary();
                let leg = &of.legs[other];
                let knows = matches!(leg.data, Data::UpToDate | Data::Consistent);
                let lives = |host: usize| !(self.hosts_down[host] || self.hosts_paused[host]);
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
        let at_risk = self.at_risk(now, mirror, leg);
        if self.mirrors[mirror].legs[leg].reach != Reach::Away {
            self.events.set(self.timeout_slot(link), NEVER);
            self.give_up(engine, now, link);
        }
        let (lost, unsure) = match &self.mirrors[mirror].service {
            Service::Down { lost, unsure, .. } => (*lost, unsure.clone()),
            // The first serves on, and its clients go to the other.
            Service::Serves | Service::Fencing { .. } => {
                let at_risk = at_risk.max(self.at_risk(now, mirror, leg));
                let under_way = self.under_way(now, mirror);
                self.fail_all(now, mirror);
                (at_risk, under_way)
            }
        };
        self.stop_resync(mirror);
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
