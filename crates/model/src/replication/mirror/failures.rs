//! Legs and links that go, and that return.

use super::Mirrors;
use super::flow::{Branch, FlowId, FlowLeg, LinkEnd, Step};
use super::state::{Data, Reach, Service};
use crate::engine::Engine;
use crate::event_queue::NEVER;
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
                let cut = of.link.is_some_and(|at| !self.links[at.link].up);
                if cut && of.is_up() {
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

    /// A link goes down at `now`.
    pub(crate) fn link_fails(&mut self, engine: &mut Engine, now: Nanos, link: usize) {
        if !self.links[link].up {
            return;
        }
        self.links[link].cut(now);
        self.schedule_link(link, 0);
        self.schedule_link(link, 1);
        let timeout = now + self.links[link].timeout;
        self.events.set(self.timeout_slot(link), timeout);
        self.journal_link_turns(engine, now, link, false);
        for mirror in 0..self.mirrors.len() {
            self.contact_is_lost(now, mirror, link);
        }
    }

    /// A link is worse than by itself from now on, or no longer.
    pub(crate) fn link_is_impaired(&mut self, link: usize, is: Impairment) {
        self.links[link].impair(is);
    }

    /// A link works again at `now`.
    pub(crate) fn link_works(&mut self, engine: &mut Engine, now: Nanos, link: usize) {
        if self.links[link].up {
            return;
        }
        self.events.set(self.timeout_slot(link), NEVER);
        for mirror in 0..self.mirrors.len() {
            self.contact_is_back(engine, now, mirror, link);
        }
        self.links[link].restore(now, &mut engine.processors, &mut self.released);
        self.look_at_link(engine, now, LinkEnd { link, end: 0 });
        self.schedule_link(link, 1);
        self.hear(now, link);
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

    /// A link works again: what failed behind it is known.
    fn hear(&mut self, now: Nanos, link: usize) {
        for mirror in 0..self.mirrors.len() {
            for leg in [0, 1] {
                let of = &self.mirrors[mirror].legs[leg];
                if of.reach == Reach::Unheard && of.link.is_some_and(|at| at.link == link) {
                    self.leg_goes(now, mirror, leg, Data::Outdated);
                    self.mirrors[mirror].legs[leg].reach = Reach::Here;
                }
            }
        }
    }

    /// A link has been down for too long: the legs behind it are given up.
    pub(super) fn give_up(&mut self, engine: &mut Engine, now: Nanos, link: usize) {
        self.links[link].forget();
        self.drop_journals(link);
        for mirror in 0..self.mirrors.len() {
            for leg in [0, 1] {
                let of = self.mirrors[mirror].legs[leg].link;
                if of.is_none_or(|at| at.link != link) {
                    continue;
                }
                // What the link has forgotten is not read from it any more.
                self.mirrors[mirror].legs[leg].buffers.unread.clear();
                let partition = self.mirrors[mirror].spec.partition;
                self.leg_goes(now, mirror, leg, left_by(partition.fencing));
                let of = &mut self.mirrors[mirror];
                of.legs[leg].reach = Reach::Away;
                match (partition.fencing, &of.service) {
                    (Fencing::ResourceAndStonith(time), Service::Serves) => {
                        self.fence(now, mirror, time);
                    }
                    _ => self.lose(engine, now, mirror, leg, now),
                }
            }
        }
    }

    /// A leg of `mirror` is about to go: counts what the other would lack. The last one is not
    /// given up, as there is none to go on with. `leaves` is what its host knows of its data then.
    fn leg_goes(&mut self, now: Nanos, mirror: usize, leg: usize, leaves: Data) {
        if self.mirrors[mirror].legs[leg].is_up() {
            let mut lost = self.at_risk(now, mirror, 1 - leg);
            if !self.mirrors[mirror].legs[1 - leg].dirty.is_empty() {
                // The other will be made what this one is, without what was under way to it.
                lost = lost.max(self.at_risk(now, mirror, leg));
            }
            let is_last = !self.mirrors[mirror].legs[1 - leg].is_up();
            let counts = &mut self.mirrors[mirror].counts;
            counts.failures += u64::from(!is_last);
            counts.lost = counts.lost.max(lost);
            let of = &mut self.mirrors[mirror];
            let goes_on = !is_last && !matches!(of.service, Service::Down { .. });
            if goes_on && of.legs[leg].data == Data::UpToDate {
                of.legs[leg].data = leaves;
            }
        }
        self.stop_resync(mirror);
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
            if usize::from(flow.mirror) != mirror || branch.open == 0 || branch.lost {
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
