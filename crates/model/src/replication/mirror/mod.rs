//! Mirrors: devices that keep each byte on two legs, one of which may be on another host.
//!
//! A request to a mirror is a **flow**: it asks one leg or both, in the order that the
//! acknowledgement and the log want, and ends when what it waits for has. A leg on the same
//! host is asked of the engine at once, one on another with a message over the link, and the
//! answer is a message back. What lies ahead stands in a queue of events; the engine's own
//! volumes, limits and latencies are as they are without mirrors.

mod buffers;
mod events;
mod failover;
mod failures;
mod flow;
mod journal;
mod log;
mod regions;
mod resync;
mod resync_stages;
mod service;
mod split_brain;
mod state;
mod steps;
#[cfg(test)]
pub(crate) mod tests;
mod waits;
mod writes;

use alloc::vec;
use alloc::vec::Vec;

use self::flow::{Flow, FlowId, FlowLeg, NOBODY, Step};
use self::journal::JournalMirror;
pub use self::journal::{BackupState, JournalMirrorStatus, MemberStatus, Transition};
pub use self::resync_stages::{ResyncStage, ResyncStages};
use self::state::{Mirror, Service};
pub use self::state::{MirrorCounts, MirrorState, MirrorStatus, Transition as MirrorTransition};
pub use self::waits::LinkWait;
use self::waits::LinkWaits;
use crate::engine::Engine;
use crate::engine::{Change, Ticket};
use crate::event_queue::{EventQueue, NEVER};
use crate::network::{Link, LinkCounts, Released, Resumption};
use crate::request::{Op, Reply, Request};
use crate::spec::{Layout, StorageSpec};
use crate::units::Nanos;
use crate::workload::spec::JobSpec;

/// All mirrors of a storage, with the links between their hosts.
#[derive(Clone, Debug)]
pub(crate) struct Mirrors {
    mirrors: Vec<Mirror>,
    journals: Vec<JournalMirror>,
    /// By device: which mirror it is, if it is one.
    of_devices: Vec<Option<u16>>,
    links: Vec<Link>,
    /// By link and direction: when something happens next to what goes over it.
    moves: EventQueue,
    /// The same, by what `moves` has.
    link_events: Vec<Nanos>,
    flows: Vec<Flow>,
    unused: Vec<FlowId>,
    /// By ticket: the last flow under it.
    by_ticket: Vec<FlowId>,
    /// What is rarer: by link a timeout, then by mirror the next copy, then by mirror when it is
    /// fenced or taken over, then those of the mirrors of journals.
    events: EventQueue,
    /// By flow the next end on the disks of its two legs.
    disks: EventQueue,
    /// The flows that `disks` has room for.
    room: usize,
    /// Whether each volume has failed.
    failed: Vec<bool>,
    /// Whether each host is down.
    hosts_down: Vec<bool>,
    /// Since when it is paused, if it is.
    hosts_paused: Vec<Option<Nanos>>,
    /// When something happens next, in the engine or here.
    next: Nanos,
    /// Requests to report: they end at another time, or when is not known any more.
    told: Vec<(Ticket, Option<Reply>)>,
    /// The ticket that is being submitted: of it nothing need be told.
    submitting: Ticket,
    /// What the engine reported, until it is handled.
    ended: Vec<(Ticket, Option<Reply>)>,
    released: Vec<Released>,
    freed: Vec<FlowId>,
    waits: LinkWaits,
    /// What is to be told of where jobs run, and since when.
    pub(crate) turned: Vec<(Nanos, Change)>,
    /// Whether the backup of any journal is its primary.
    is_moved: bool,
}

/// No flow.
const NONE: FlowId = FlowId::MAX;

impl Mirrors {
    /// The mirrors of `spec`, and those of the journals of `jobs`; none if there are none.
    pub(crate) fn new(spec: &StorageSpec, jobs: &[JobSpec], seed: u64) -> Option<Self> {
        let mut mirrors = Vec::new();
        let mut of_devices = vec![None; spec.devices.len()];
        for (device, of) in spec.devices.iter().enumerate() {
            if let Layout::Mirror(mirror) = &of.layout {
                of_devices[device] = Some(mirrors.len() as u16);
                let first_leg = spec.devices.len() + 2 * mirrors.len();
                mirrors.push(Mirror::new(mirror, &spec.links, device, first_leg));
            }
        }
        let mut slots = spec.links.len() + 2 * mirrors.len();
        let mut journals = Vec::new();
        for (number, job) in jobs.iter().enumerate() {
            if let Some((of, mirror)) = job.journal_mirror() {
                let of = (number as u16, of, mirror);
                journals.push(JournalMirror::new(of, spec, slots, seed));
                slots += JournalMirror::events(mirror);
            }
        }
        if mirrors.is_empty() && journals.is_empty() {
            return None;
        }
        let ends = spec.links.iter().flat_map(|link| link.ends);
        let hosts = ends.map(|end| end + 1).max().unwrap_or(0);
        let mut all = Self {
            of_devices,
            links: (spec.links.iter().enumerate())
                .map(|(index, link)| Link::new(link, seed, index))
                .collect(),
            moves: EventQueue::new(2 * spec.links.len()),
            link_events: vec![NEVER; 2 * spec.links.len()],
            flows: Vec::new(),
            unused: Vec::new(),
            by_ticket: Vec::new(),
            events: EventQueue::new(slots),
            disks: EventQueue::new(1),
            room: 1,
            failed: vec![false; spec.volumes.len()],
            hosts_down: vec![false; hosts],
            hosts_paused: vec![None; hosts],
            next: NEVER,
            told: Vec::new(),
            submitting: NOBODY,
            ended: Vec::new(),
            released: Vec::new(),
            freed: Vec::new(),
            waits: LinkWaits::default(),
            turned: Vec::new(),
            is_moved: false,
            mirrors,
            journals,
        };
        all.start_journals();
        // The engine has nothing to do yet.
        all.next = all.events.first().0;
        Some(all)
    }

    /// Takes a request, as [`crate::storage::Storage::submit`] does.
    #[inline(never)]
    pub(crate) fn submit(
        &mut self,
        engine: &mut Engine,
        now: Nanos,
        ticket: Ticket,
        request: &Request,
    ) -> Option<Reply> {
        let Some(mirror) = self.of_devices[request.device] else {
            if let Some(journal) = self.journal_of(request) {
                self.commit(engine, now, journal, ticket, request);
                return None;
            }
            if self.is_moved {
                return engine.submit(now, 2 * ticket, &self.asked_of_primary(request));
            }
            return engine.submit(now, 2 * ticket, request);
        };
        let id = self.enter_under(ticket, mirror, request);
        let of = &mut self.mirrors[usize::from(mirror)];
        if !matches!(of.service, Service::Serves) {
            of.waiting.push_back(id);
            return None;
        }
        self.submitting = ticket;
        self.begin(engine, now, id);
        self.submitting = NOBODY;
        self.flows[id as usize].reply
    }

    /// Begins with a request that has come.
    #[inline(always)]
    fn begin(&mut self, engine: &mut Engine, now: Nanos, id: FlowId) {
        match self.flows[id as usize].request.op {
            Op::Read => self.read(engine, now, id),
            Op::Write | Op::Zero | Op::Journal => self.write(engine, now, id),
            Op::Flush | Op::Trim => self.ask_all(engine, now, id),
        }
    }

    /// Enters the flow of a request to `mirror` under its ticket, in the place of the last one
    /// there if nothing of that is under way.
    #[inline]
    fn enter_under(&mut self, ticket: Ticket, mirror: u16, request: &Request) -> FlowId {
        let place = ticket as usize;
        if place >= self.by_ticket.len() {
            self.by_ticket.resize(place + 1, NONE);
        }
        let last = self.by_ticket[place];
        if last != NONE {
            self.count_link(last);
            let of = &mut self.flows[last as usize];
            if !of.is_open() {
                of.renew(mirror, request);
                return last;
            }
            of.ticket = NOBODY;
        }
        let id = self.enter(Flow::new(ticket, mirror, request, Step::Data));
        self.by_ticket[place] = id;
        id
    }

    fn enter(&mut self, flow: Flow) -> FlowId {
        if let Some(id) = self.unused.pop() {
            self.flows[id as usize] = flow;
            return id;
        }
        self.flows.push(flow);
        if self.flows.len() > self.room {
            self.room *= 2;
            self.disks.grow(self.room);
        }
        (self.flows.len() - 1) as FlowId
    }

    /// A flow that nobody waits for is over once nothing of it is under way.
    #[inline]
    fn leave(&mut self, id: FlowId) {
        let flow = &mut self.flows[id as usize];
        if flow.ticket == NOBODY && !flow.is_open() && !flow.is_over {
            flow.is_over = true;
            self.unused.push(id);
        }
    }

    fn timeout_slot(&self, link: usize) -> usize {
        link
    }

    fn copy_slot(&self, mirror: usize) -> usize {
        self.links.len() + mirror
    }

    fn service_slot(&self, mirror: usize) -> usize {
        self.links.len() + self.mirrors.len() + mirror
    }

    /// Enters when a leg's disk ends what a flow asked of it, or with [`NEVER`] that it does
    /// not.
    #[inline]
    fn schedule_disk(&mut self, FlowLeg { id, leg }: FlowLeg, at: Nanos) {
        let next = self.flows[id as usize].disk_is_due(leg, at);
        self.disks.set(id as usize, next);
    }

    /// What the engine is to tell its ends to, until [`Mirrors::take_ends`].
    pub(crate) fn ended(&mut self) -> &mut Vec<(Ticket, Option<Reply>)> {
        &mut self.ended
    }

    /// Takes what the engine told at `now`.
    pub(crate) fn take_ends(&mut self, engine: &mut Engine, now: Nanos) {
        let mut ended = core::mem::take(&mut self.ended);
        for (ticket, reply) in ended.drain(..) {
            match ticket % 2 {
                0 => self.told.push((ticket / 2, reply)),
                _ => {
                    let (flow, leg) = (ticket / 4, (ticket / 2 % 2) as usize);
                    if let Step::Journal(..) = self.flows[flow as usize].step {
                        self.journal_io_is_known(flow, reply);
                        continue;
                    }
                    self.disk_is_known(engine, now, FlowLeg { id: flow, leg }, reply);
                }
            }
        }
        self.ended = ended;
    }

    /// Gives what is to be reported of requests.
    #[inline]
    pub(crate) fn tell(&mut self, ends: &mut impl FnMut(Ticket, Option<Reply>)) {
        for &(ticket, reply) in &self.told {
            ends(ticket, reply);
        }
        self.told.clear();
    }

    /// What went over link number `link` from each end until `now`.
    pub(crate) fn link(&self, link: usize, now: Nanos) -> [LinkCounts; 2] {
        self.links[link].counts(now)
    }

    /// The senders over each link that did not notice at once that their way works again.
    pub(crate) fn resumptions(&self) -> impl Iterator<Item = (usize, Resumption)> {
        let links = self.links.iter().enumerate();
        links.flat_map(|(link, it)| it.resumptions().map(move |one| (link, one)))
    }

    /// How each mirror is at `now`.
    pub(crate) fn status(&self, now: Nanos) -> impl Iterator<Item = MirrorStatus> {
        self.mirrors
            .iter()
            .enumerate()
            .map(move |(index, mirror)| MirrorStatus {
                device: mirror.device,
                state: mirror.state(),
                at_risk: self.at_risk(now, index, mirror.secondary()),
                counts: mirror.counts(now),
            })
    }

    /// What has become of each mirror whose hosts lost each other, with when, by the indices of
    /// their devices.
    pub(crate) fn transitions(
        &self,
    ) -> impl Iterator<Item = (usize, &[(Nanos, MirrorTransition)])> {
        let mirrors = self.mirrors.iter();
        mirrors.map(|mirror| (mirror.device, &mirror.transitions[..]))
    }
}
