//! Legs and links that go, and that return.

use super::Mirrors;
use super::flow::{Branch, FlowId, FlowLeg, LinkEnd, Step};
use super::state::{Data, Reach, Service, Transition};
use crate::engine::Engine;
use crate::request::{Op, Request};
use crate::spec::{Acknowledge, Fencing, Impairment};
use crate::units::Nanos;

/// What the host of a leg knows of its data when its link is given up.
fn left_by(fencing: Fencing) -> Data {
    match fencing {
        Fencing::DontCare | Fencing::ResourceAndStonith(_) => Data::Consistent,
        Fencing::ResourceOnly => Data::Outdated,
    }
}

impl Mirrors {
    /// A volume has failed: to be told before the engine is.
    pub(crate) fn volume_fails(&mut self, now: Nanos, volume: usize) {
        if core::mem::replace(&mut self.failed[volume], true) {
            return;
        }
        for mirror in 0..self.mirrors.len() {
            for leg in [0, 1] {
                let of = &mut self.mirrors[mirror].legs[leg];
                if !of.volumes.contains(&volume) {
                    continue;
                }
                let heard = of
                    .link
                    .is_none_or(|at| self.links[at.link].is_heard(1 - at.end));
                if !heard && of.is_up() {
                    of.reach = Reach::Unheard;
                } else {
                    self.leg_goes(now, mirror, leg, Data::Outdated);
                }
                self.mirrors[mirror].legs[leg].failed_volumes += 1;
            }
        }
    }

    /// A volume works again: to be told after the engine is.
    pub(crate) fn volume_works(&mut self, engine: &mut Engine, now: Nanos, volume: usize) {
        if !core::mem::replace(&mut self.failed[volume], false) {
            return;
        }
        for mirror in 0..self.mirrors.len() {
            for leg in &mut self.mirrors[mirror].legs {
                leg.failed_volumes -= usize::from(leg.volumes.contains(&volume));
                if leg.reach == Reach::Unheard && leg.failed_volumes == 0 {
                    leg.reach = Reach::Here;
                }
            }
            self.start_resync(engine, now, mirror);
            self.await_failover(now, mirror);
        }
    }

    /// Ways of a link are cut at `now`, by the end that sends, beside those that are.
    pub(crate) fn link_fails(
        &mut self,
        engine: &mut Engine,
        now: Nanos,
        link: usize,
        from: [bool; 2],
    ) {
        let of = &mut self.links[link];
        let (was_whole, before) = (of.is_whole(), of.cut());
        let cut = [0, 1].map(|end| before[end] || from[end]);
        if cut == before {
            return;
        }
        of.turn(now, cut, &mut engine.processors, &mut self.released);
        self.look_at_ways(engine, now, link);
        if was_whole {
            self.journal_link_turns(engine, now, link, false);
            for mirror in 0..self.mirrors.len() {
                self.contact_is_lost(now, mirror, link);
            }
        }
    }

    /// What goes over a link, and when its ends give each other up or are heard again, is as the
    /// ways that work have it.
    pub(super) fn look_at_ways(&mut self, engine: &mut Engine, now: Nanos, link: usize) {
        for end in [0, 1] {
            self.look_at_link(engine, now, LinkEnd { link, end });
        }
        let next = self.links[link].given_up_at();
        let next = next.min(self.links[link].heard_at());
        self.events.set(self.timeout_slot(link), next.max(now));
    }

    /// A link is worse than by itself from now on, or no longer.
    pub(crate) fn link_is_impaired(
        &mut self,
        engine: &mut Engine,
        now: Nanos,
        link: usize,
        is: Impairment,
    ) {
        self.links[link].impair(now, is);
        self.look_at_ways(engine, now, link);
    }

    /// The ends of a link hear each other again, or give each other up.
    pub(super) fn contact_turns(&mut self, engine: &mut Engine, now: Nanos, link: usize) {
        if self.links[link].hear(now) {
            self.is_heard(engine, now, link);
        } else if self.links[link].given_up_at() <= now {
            self.give_up(engine, now, link);
        }
        self.look_at_ways(engine, now, link);
    }

    /// Only these ways of a link are cut from `now` on, all of which were.
    pub(crate) fn link_works(
        &mut self,
        engine: &mut Engine,
        now: Nanos,
        link: usize,
        from: [bool; 2],
    ) {
        if self.links[link].cut() == from {
            return;
        }
        let of = &mut self.links[link];
        of.turn(now, from, &mut engine.processors, &mut self.released);
        self.look_at_ways(engine, now, link);
        self.is_heard(engine, now, link);
    }

    /// Somebody is heard again over a link, perhaps.
    fn is_heard(&mut self, engine: &mut Engine, now: Nanos, link: usize) {
        let is_whole = self.links[link].is_whole();
        for mirror in 0..self.mirrors.len() {
            if is_whole {
                self.contact_is_back(engine, now, mirror, link);
            }
        }
        self.hear(now, link);
        if !is_whole {
            return;
        }
        self.journal_link_turns(engine, now, link, true);
        for mirror in 0..self.mirrors.len() {
            let legs = &self.mirrors[mirror].legs;
            let over = |leg: &super::state::Leg| leg.link.is_some_and(|at| at.link == link);
            if legs.iter().any(over) {
                self.legs_meet(now, mirror);
            }
            self.start_resync(engine, now, mirror);
        }
    }

    /// Ends of a link are heard again: what failed behind it is known where that can be heard.
    fn hear(&mut self, now: Nanos, link: usize) {
        for mirror in 0..self.mirrors.len() {
            for leg in [0, 1] {
                let of = &self.mirrors[mirror].legs[leg];
                let hears = |at: LinkEnd| at.link == link && self.links[link].is_heard(1 - at.end);
                if of.reach == Reach::Unheard && of.link.is_some_and(hears) {
                    self.leg_goes(now, mirror, leg, Data::Outdated);
                    self.mirrors[mirror].legs[leg].reach = Reach::Here;
                }
            }
        }
    }

    /// A link has been down for too long: the legs behind it are given up.
    pub(super) fn give_up(&mut self, engine: &mut Engine, now: Nanos, link: usize) {
        let of = &mut self.links[link];
        of.close(now, &mut engine.processors, &mut self.released);
        of.forget();
        self.drop_journals(link);
        for mirror in 0..self.mirrors.len() {
            for leg in [0, 1] {
                let of = self.mirrors[mirror].legs[leg].link;
                if of.is_none_or(|at| at.link != link) {
                    continue;
                }
                // What the link has forgotten is not read from it any more.
                self.mirrors[mirror].legs[leg].buffers.unread.clear();
                // A host that stands still gives nobody up, and tells nobody that they are.
                let paused = self.server_paused(mirror);
                let fencing = self.mirrors[mirror].spec.partition.fencing;
                let leaves = paused.map_or(left_by(fencing), |_| Data::Consistent);
                self.leg_goes(now, mirror, leg, leaves);
                let of = &mut self.mirrors[mirror];
                of.legs[leg].reach = Reach::Away;
                match (&of.service, paused) {
                    (Service::Serves, Some(since)) => {
                        of.service = Service::Paused { since };
                        self.cut_off(mirror, leg);
                    }
                    (Service::Serves, None) => self.goes_alone(engine, now, mirror, leg),
                    // It is to be lost once the host goes on, or is.
                    (Service::Fencing { .. } | Service::Paused { .. }, _) => {}
                    (Service::Down { .. }, _) => self.lose(engine, now, mirror, leg, now),
                }
            }
        }
    }

    /// The host that serves has given up the other leg: it goes on alone, or has that fenced.
    pub(super) fn goes_alone(
        &mut self,
        engine: &mut Engine,
        now: Nanos,
        mirror: usize,
        leg: usize,
    ) {
        match self.mirrors[mirror].spec.partition.fencing {
            Fencing::ResourceAndStonith(time) => {
                self.cut_off(mirror, leg);
                self.fence(now, mirror, time);
            }
            fencing => {
                let data = &mut self.mirrors[mirror].legs[leg].data;
                if matches!(data, Data::UpToDate | Data::Consistent) {
                    *data = left_by(fencing);
                }
                self.lose(engine, now, mirror, leg, now);
            }
        }
    }

    /// A leg of `mirror` is about to go: counts what is lost with it. The last one is not given
    /// up, as there is none to go on with. `leaves` is what its host knows of its data then.
    fn leg_goes(&mut self, now: Nanos, mirror: usize, leg: usize, leaves: Data) {
        if self.mirrors[mirror].legs[leg].is_up() {
            let of = &self.mirrors[mirror];
            let is_for_good = leg == of.primary && of.spec.partition.failover.is_none();
            let lost = if !of.legs[1 - leg].dirty.is_empty() {
                // The other will be made what this one is, without what was under way to it.
                let under_way = self.acknowledged_under_way(now, mirror, leg);
                under_way.map(|(_, flow)| flow.request.len).sum()
            } else if is_for_good {
                self.lacked(now, mirror, 1 - leg)
            } else {
                0
            };
            let is_last = !self.mirrors[mirror].legs[1 - leg].is_up();
            let counts = &mut self.mirrors[mirror].counts;
            counts.failures += u64::from(!is_last);
            counts.lost = counts.lost.max(lost);
            let of = &mut self.mirrors[mirror];
            let goes_on = !is_last && !matches!(of.service, Service::Down { .. });
            let hosts = of.hosts;
            let knows = |host: usize| !self.hosts_down[host] && self.hosts_paused[host].is_none();
            if goes_on && hosts.is_none_or(|hosts| knows(hosts[of.primary])) {
                of.transitions.push((now, Transition::GivenUp { leg }));
            }
            if goes_on && of.legs[leg].data == Data::UpToDate {
                of.legs[leg].data = leaves;
            }
        }
        self.stop_resync(now, mirror);
    }

    /// Nobody hears any more of what was asked of a leg, though it is not given up before the leg
    /// is fenced: the answer stays open, and is not sent over the next connection.
    fn cut_off(&mut self, mirror: usize, leg: usize) {
        for flow in &mut self.flows {
            let branch = &mut flow.branches[leg];
            if usize::from(flow.mirror) == mirror && branch.open != 0 && !branch.lost {
                branch.open = branch.open & Branch::DISK | Branch::ANSWER;
                branch.lost = true;
            }
        }
    }

    /// Gives up all that was asked of a leg over a link that was given up at `since`.
    pub(super) fn lose(
        &mut self,
        engine: &mut Engine,
        now: Nanos,
        mirror: usize,
        leg: usize,
        since: Nanos,
    ) {
        let link = self.mirrors[mirror].legs[leg].link;
        let cut = link.map_or(now, |at| since.saturating_sub(self.links[at.link].timeout));
        for id in 0..self.flows.len() {
            let flow = &mut self.flows[id];
            let branch = &mut flow.branches[leg];
            let is_over = branch.open == 0 || branch.lost && branch.open & Branch::ANSWER == 0;
            if usize::from(flow.mirror) != mirror || is_over {
                continue;
            }
            // The peer's disk may go on, but nobody hears of it.
            branch.open &= Branch::DISK;
            branch.lost = true;
            if branch.is_asked() {
                Self::waited_in_vain(flow, cut, now);
            }
            self.leg_failed(
                engine,
                now,
                FlowLeg {
                    id: id as FlowId,
                    leg,
                },
            );
            self.leave(id as FlowId);
        }
    }

    /// A leg has not done what a flow asked of it.
    pub(super) fn leg_failed(
        &mut self,
        engine: &mut Engine,
        now: Nanos,
        FlowLeg { id, leg }: FlowLeg,
    ) {
        let flow = &mut self.flows[id as usize];
        let Request {
            op, offset, len, ..
        } = flow.request;
        if !flow.branches[leg].fail() {
            return;
        }
        let of = &mut self.mirrors[usize::from(flow.mirror)];
        let other = &mut flow.branches[1 - leg];
        match flow.step {
            // The other leg may have it.
            Step::Data if op == Op::Read && !other.has_failed() => {
                return self.read_elsewhere(engine, now, FlowLeg { id, leg });
            }
            Step::Data if flow.request.op.writes() && other.counts() => {
                let stale = !of.legs[1 - leg].dirty.is_empty();
                let lacks = if stale { 1 - leg } else { leg };
                of.legs[lacks].dirty.insert(offset, len);
                // What is not up to date is not enough to acknowledge a write from.
                if stale {
                    other.fail();
                } else if match of.spec.acknowledge {
                    Acknowledge::A => other.open != 0,
                    Acknowledge::B => other.at_receipt && other.open & Branch::DISK != 0,
                    Acknowledge::C => false,
                } {
                    // That it was sent, or received, is not enough any more: its disk's own end
                    // is to come.
                    other.reopen();
                }
            }
            _ => {}
        }
        let mirror = usize::from(flow.mirror);
        self.conclude(engine, now, id);
        // The leg may have returned before it could tell that it had failed.
        self.start_resync(engine, now, mirror);
    }

    /// Reads from the leg that is not `leg`, if that can serve it.
    fn read_elsewhere(&mut self, engine: &mut Engine, now: Nanos, FlowLeg { id, leg }: FlowLeg) {
        let flow = &self.flows[id as usize];
        let Request { offset, len, .. } = flow.request;
        let mirror = &mut self.mirrors[usize::from(flow.mirror)];
        let other = 1 - leg;
        if mirror.is_usable(other) && !mirror.legs[other].dirty.touches(offset, len) {
            mirror.counts.reads[other] += 1;
            return self.ask(engine, now, id, other);
        }
        self.conclude(engine, now, id);
    }
}
