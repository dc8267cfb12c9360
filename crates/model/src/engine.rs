//! What serves all IO: volumes, limits, those who wait for them, and what is in flight.
//!
//! Time only moves through the arguments: [`Engine::submit`] takes a request,
//! [`Engine::next_event`] says when the storage wants to be called again, and
//! [`Engine::advance`] tells it that the time has come.
//!
//! IO passes **stages**, one after another: its volume's limits, then its host's. A request
//! that conforms at a stage and finds nobody waiting passes at once, in the call. One that
//! does not waits in the stage's line and costs an event when it is granted. When it has
//! passed all of them its end is known, in advance, since from there on only its latency is
//! left. A [`Change`] therefore touches lines and what is in flight, and re-times nothing.

mod change;
mod guest;
mod held;
mod in_flight;
mod line;
mod stage;
mod topology;
mod turns;

use alloc::sync::Arc;
use alloc::vec::Vec;
use core::ops::RangeInclusive;

pub use self::change::Change;
use self::guest::Guests;
use self::held::Held;
use self::in_flight::{InFlight, PartName};
use self::stage::{StageId, Waiting};
use self::topology::Topology;
use crate::event_queue::{EventQueue, NEVER};
use crate::latency::{Origin, Tables};
use crate::layout::leg_layouts;
use crate::limits::{LimitId, Limits, Owner};
use crate::meter::Counted;
use crate::network::Processors;
use crate::request::{Op, Reply, Request};
use crate::spec::{HostSpec, LatencySpec, Layout, StorageSpec};
use crate::throttle::Cost;
use crate::units::{Bytes, Nanos};
use crate::volume::{Part, Queueing, Volume};

/// Names an outstanding request; unique among those. Small numbers: memory is taken for all
/// below the largest.
pub type Ticket = u32;

/// Hosts with their volumes and devices; behind the devices it has the legs of mirrors.
#[derive(Clone, Debug)]
pub(crate) struct Engine {
    limits: Limits,
    /// What handles the packets of each host, whose messages mirrors and jobs send.
    pub(crate) processors: Processors,
    /// Whether any host has a network that it shares with storage.
    shares_network: bool,
    topology: Topology,
    volumes: Vec<Volume>,
    states: Vec<State>,
    layouts: Vec<Layout>,
    in_flight: InFlight,
    /// Those who wait in guests for a tag of a volume's driver.
    guests: Guests,
    /// What arrived at volumes while they were held, in order.
    held: Vec<Held>,
    /// When each stage grants its next request, and then, by volume, when tags are returned for
    /// which somebody waits in the guest.
    events: EventQueue,
}

/// How a volume is.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum State {
    Working,
    Paused,
    Failed,
    Held,
}

/// What comes of a part that was sent on its way.
#[derive(Clone, Copy, Debug)]
enum Start {
    /// It ends then, and nothing throttled it. Most do: a reply would be written to memory, and
    /// copied at once, for which a processor waits.
    Free(Nanos),
    /// It ends like this.
    Ends(Reply),
    /// It waits.
    Waits,
}

impl Start {
    /// How it ends, if that is known.
    #[inline]
    fn end(self) -> Option<Reply> {
        match self {
            Self::Free(at) => Some(Reply::free(at)),
            Self::Ends(reply) => Some(reply),
            Self::Waits => None,
        }
    }
}

impl Engine {
    /// The storage of `spec` at time 0. Its random streams depend on `seed` and the volumes'
    /// places in `spec`, not on their names.
    pub(crate) fn new(spec: &StorageSpec, seed: u64) -> Self {
        let limits = Limits::new(spec);
        let topology = Topology::new(spec, &limits);
        let mut profiles: Vec<(&LatencySpec, Arc<Tables>)> = Vec::new();
        let mut volumes = Vec::with_capacity(spec.volumes.len());
        for (index, volume) in spec.volumes.iter().enumerate() {
            let mut known = profiles.iter();
            let tables = match known.find(|(latency, _)| **latency == volume.latency) {
                Some((_, tables)) => tables.clone(),
                None => Arc::new(Tables::new(&volume.latency)),
            };
            profiles.push((&volume.latency, tables.clone()));
            let origin = Origin::new(seed, index, spec);
            volumes.push(Volume::new(volume, tables, origin, limits.over(index)));
        }
        let guests = Guests::new(spec, seed);
        let devices = spec.devices.iter().map(|it| &it.layout);
        let layouts: Vec<_> = devices.chain(leg_layouts(spec)).cloned().collect();
        Self {
            events: EventQueue::new(topology.stages.len() + guests.events()),
            guests,
            held: Vec::new(),
            states: spec.volumes.iter().map(|_| State::Working).collect(),
            in_flight: InFlight::new(layouts.len()),
            layouts,
            limits,
            processors: Processors::new(&spec.hosts, &spec.links),
            shares_network: spec.hosts.iter().any(HostSpec::shares_network),
            topology,
            volumes,
        }
    }

    /// Takes a request at `now`; times must not fall from call to call, and no event may be
    /// left before `now`. Gives the request's end if that is known, which may lie ahead;
    /// otherwise [`Engine::advance`] will tell.
    // Forced: it has two call sites in the simulator's loop, and the compiler would not
    // inline both.
    #[inline(always)]
    pub(crate) fn submit(
        &mut self,
        now: Nanos,
        ticket: Ticket,
        request: &Request,
    ) -> Option<Reply> {
        // Whether it reads or writes cannot be foretold, so nothing branches on it.
        if request.op.is_whole() {
            return match self.is_held(request.device) {
                true => self.hold_whole(ticket, request),
                false => self.submit_whole(now, ticket, request),
            };
        }
        let write = request.op.writes();
        let layout = &self.layouts[request.device];
        let Some(extent) = layout.single(request.offset, request.len) else {
            return self.submit_split(now, ticket, request, write);
        };
        let name = PartName { ticket, index: 0 };
        let part = Part::of(request, &extent);
        let of = (request.device, write);
        match self.start(now, name, part) {
            Start::Free(at) => {
                self.in_flight.enter_free(ticket, of, extent.volume, at);
                Some(Reply::free(at))
            }
            other => {
                let end = other.end();
                self.in_flight.enter(ticket, of, extent.volume, end);
                end
            }
        }
    }

    /// Takes a request that falls on several volumes.
    fn submit_split(
        &mut self,
        now: Nanos,
        ticket: Ticket,
        request: &Request,
        write: bool,
    ) -> Option<Reply> {
        let mut parts = Vec::new();
        let layout = &self.layouts[request.device];
        layout.extents(request.offset, request.len, &mut |extent| {
            parts.push(Part::of(request, &extent));
        });
        let start = |(index, part): (u32, Part)| {
            let start = self.start(now, PartName { ticket, index }, part);
            (part.volume, start.end())
        };
        let ends: Vec<_> = (0..).zip(parts).map(start).collect();
        let of = (request.device, write);
        self.in_flight.enter_parts(ticket, of, &ends)
    }

    /// Takes a flush or a trim, which all volumes of its device answer.
    #[inline(never)]
    fn submit_whole(&mut self, now: Nanos, ticket: Ticket, request: &Request) -> Option<Reply> {
        let (in_flight, states) = (&mut self.in_flight, &self.states);
        match request.op {
            Op::Flush => in_flight.flush(now, ticket, request.device),
            _ => in_flight.trim(ticket),
        }
        self.layouts[request.device].volumes(&mut |volume| {
            let reply = match states[volume] {
                State::Failed => Reply::refused(now),
                State::Working | State::Paused | State::Held => Reply::free(now),
            };
            in_flight.answer(ticket, volume, reply, states[volume] == State::Paused);
        });
        self.in_flight.end_of_whole(ticket)
    }

    /// Sends a part on its way.
    #[inline(never)]
    fn start(&mut self, now: Nanos, name: PartName, part: Part) -> Start {
        match self.states[part.volume] {
            State::Working | State::Paused => {}
            State::Failed => return Start::Ends(Reply::refused(now)),
            State::Held => {
                self.held.push(Held::Part(name, part));
                return Start::Waits;
            }
        }
        let counted = self.volumes[part.volume].count(&part);
        if self.guests.has_driver(part.volume) {
            return self.start_in_guest(now, name, part, counted);
        }
        self.pass(now, Queueing::NONE, name, &part, counted)
    }

    /// Sends a request that its volume takes at `now`, after it was `queued` in the guest, through
    /// the stages.
    // Forced: it is the path of every IO, and has a second call site in the guest's.
    #[inline(always)]
    fn pass(
        &mut self,
        now: Nanos,
        queued: Queueing,
        name: PartName,
        part: &Part,
        (cost, sequential): (Cost, bool),
    ) -> Start {
        let path = &self.topology.paths[part.volume][usize::from(part.write)];
        for (passed, &stage) in (0..).zip(path.stages()) {
            if !self.topology.stages[stage].try_pass(now, &cost) {
                let waiting = Waiting {
                    name,
                    volume: part.volume,
                    whose: (part.requester, part.submitter),
                    cost,
                    sequential,
                    entered: now,
                    queued,
                    passed,
                    arrival: now,
                    longest: (0, None),
                };
                self.wait(stage, waiting);
                return Start::Waits;
            }
        }
        let volume = &mut self.volumes[part.volume];
        let at = volume.done(now, &cost, sequential);
        if queued.time > 0 {
            return Start::Ends(volume.reply(at, 0, queued, None));
        }
        Start::Free(at)
    }

    /// When the storage wants [`Engine::advance`] to be called: when it grants or takes what
    /// waits.
    #[inline]
    pub(crate) fn next_event(&self) -> Option<Nanos> {
        let (at, _) = self.events.first();
        (at != NEVER).then_some(at)
    }

    /// Moves to `now`, and tells `ends` of every request whose end became known on the way;
    /// it may lie ahead.
    pub(crate) fn advance(&mut self, now: Nanos, ends: &mut impl FnMut(Ticket, Reply)) {
        loop {
            let (at, event) = self.events.first();
            if at > now || at == NEVER {
                return;
            }
            match event.checked_sub(self.topology.stages.len()) {
                None => self.grant(at, event, ends),
                Some(volume) => self.return_tags(at, volume, ends),
            }
        }
    }

    /// A stage grants its next request.
    // Kept apart, so that it takes no registers from the loop around what needs no grant.
    #[inline(never)]
    fn grant(&mut self, now: Nanos, stage: StageId, ends: &mut impl FnMut(Ticket, Reply)) {
        let granted = self.topology.stages[stage].grant();
        self.schedule(stage);
        let Some(mut request) = granted else {
            return;
        };
        let volume = request.volume;
        let path = self.topology.paths[volume][usize::from(request.cost.write)];
        for &stage in &path.stages()[usize::from(request.passed)..] {
            if !self.topology.stages[stage].try_pass(now, &request.cost) {
                request.arrival = now;
                self.wait(stage, request);
                return;
            }
            request.passed += 1;
        }
        let model = &mut self.volumes[volume];
        let at = model.done(now, &request.cost, request.sequential);
        let reply = model.reply(at, now - request.entered, request.queued, request.longest.1);
        match self.states[volume] {
            State::Paused => self.in_flight.stall(request.name, reply),
            State::Working | State::Failed | State::Held => {
                self.in_flight.close(request.name, reply, ends);
                if self.guests.has_driver(volume) {
                    self.note_end(now, volume, (reply.at, request.longest.1));
                }
            }
        }
    }

    fn wait(&mut self, stage: StageId, request: Waiting) {
        if self.topology.stages[stage].wait(request) {
            self.schedule(stage);
        }
    }

    fn schedule(&mut self, stage: StageId) {
        let next = self.topology.stages[stage].next_grant();
        self.events.set(stage, next.unwrap_or(NEVER));
    }

    /// Changes the storage at `now`; no event may be left before it. Tells `ends` of every
    /// request whose end is another now, or with `None` is not known any more.
    pub(crate) fn change(
        &mut self,
        now: Nanos,
        change: Change,
        ends: &mut impl FnMut(Ticket, Option<Reply>),
    ) {
        match change {
            Change::Limit { limit, rate, depth } => self.set_limit(now, limit, rate, depth),
            Change::Lift { limit } => self.lift(now, limit),
            Change::Latency { volume, latency } => {
                let tables = Arc::new(Tables::new(&latency));
                self.volumes[volume].set_latency(&latency, tables);
            }
            Change::Pause { volume } => self.pause(now, volume, ends),
            Change::Fail { volume } => self.fail(now, volume, ends),
            Change::Hold { volume } => self.states[volume] = State::Held,
            Change::Detach { volume } => self.detach(now, volume, ends),
            Change::Attach { volume, host } => self.attach(now, (volume, host), ends),
            Change::Resume { volume } => self.resume(now, volume, ends),
            // No volume of one host is reached over a link.
            Change::Cut { .. } | Change::Impair { .. } => {}
            Change::PacketSpeed { host, speed } => self.processors.run_at(host, speed),
            // What runs there is for jobs to know.
            Change::HostDown { .. }
            | Change::HostUp { .. }
            | Change::HostSpeed { .. }
            | Change::Runs { .. }
            | Change::Reconnect { .. } => {}
        }
        self.advance(now, &mut |ticket, reply| ends(ticket, Some(reply)));
    }

    fn set_limit(&mut self, now: Nanos, limit: LimitId, rate: u64, depth: u64) {
        self.limits.set(limit, rate, depth);
        for stage in self.stages_with(limit) {
            if self.topology.stages[stage].set(limit, now, rate, depth) {
                self.schedule(stage);
            }
        }
    }

    fn lift(&mut self, now: Nanos, limit: LimitId) {
        self.limits.lift(limit);
        for stage in self.stages_with(limit) {
            if self.topology.stages[stage].lift(limit, now) {
                self.schedule(stage);
            }
        }
    }

    /// The stages that may have a limit: those of its owner.
    fn stages_with(&self, limit: LimitId) -> RangeInclusive<StageId> {
        match self.limits[limit].owner {
            Owner::Host(host) => {
                let stage = self.topology.of_host(host);
                stage..=stage
            }
            Owner::Volume(volume) => self.topology.of_volume(volume),
        }
    }

    fn pause(&mut self, now: Nanos, volume: usize, ends: &mut impl FnMut(Ticket, Option<Reply>)) {
        self.states[volume] = State::Paused;
        for stage in self.topology.of_volume(volume) {
            self.topology.stages[stage].pause();
            self.schedule(stage);
        }
        self.in_flight.pause(now, volume, ends);
        self.pause_guest(now, volume);
    }

    fn resume(&mut self, now: Nanos, volume: usize, ends: &mut impl FnMut(Ticket, Option<Reply>)) {
        self.states[volume] = State::Working;
        for stage in self.topology.of_volume(volume) {
            self.topology.stages[stage].resume(now);
            self.schedule(stage);
        }
        let stalled = self.in_flight.stalled_on(now, volume);
        self.in_flight.resume(now, volume, ends);
        self.resume_guest(now, volume, stalled);
        if !self.held.is_empty() {
            self.release(now, volume, ends);
        }
    }

    fn fail(&mut self, now: Nanos, volume: usize, ends: &mut impl FnMut(Ticket, Option<Reply>)) {
        self.states[volume] = State::Failed;
        self.held.retain(|held| held.volume() != volume);
        self.fail_in_flight(now, volume, ends);
    }

    fn fail_in_flight(
        &mut self,
        now: Nanos,
        volume: usize,
        ends: &mut impl FnMut(Ticket, Option<Reply>),
    ) {
        let host = self.topology.of_host(self.limits.host_of(volume));
        for stage in self.topology.of_volume(volume).chain([host]) {
            self.topology.stages[stage].remove(now, volume);
            self.schedule(stage);
        }
        self.in_flight.fail(now, volume, ends);
        self.clear_guest(now, volume, &mut |ticket, reply| ends(ticket, Some(reply)));
    }

    /// Whether messages take tokens that storage waits for.
    #[inline]
    pub(crate) fn shares_network(&self) -> bool {
        self.shares_network
    }

    /// What messages have moved since the last call takes tokens of the networks that hosts share
    /// with storage.
    #[inline]
    pub(crate) fn charge_moved(&mut self, now: Nanos) {
        if self.shares_network {
            let moved: Vec<_> = self.processors.take_moved().collect();
            for (host, bytes) in moved {
                self.charge_network(now, host, bytes);
            }
        }
    }

    /// Messages of so many bytes take tokens of a host's network at `now`, ahead of all that
    /// waits for them.
    pub(crate) fn charge_network(&mut self, now: Nanos, host: usize, bytes: Bytes) {
        let mut own = self.limits.of(Owner::Host(host));
        let Some(limit) = own.find(|&limit| self.limits[limit].name == HostSpec::NETWORK) else {
            return;
        };
        let stage = self.topology.of_host(host);
        self.topology.stages[stage].charge(limit, now, bytes);
        self.schedule(stage);
    }

    /// The limits that can throttle IO, at the rates that they have now.
    pub(crate) fn limits(&self) -> &Limits {
        &self.limits
    }

    /// What `owner` let through since the last call, in a period that ends at `end`: to be
    /// called when all before `end` has happened, and nothing from then on.
    pub(crate) fn take_counted(&mut self, owner: Owner, end: Nanos) -> Counted {
        match owner {
            Owner::Host(host) => {
                let stage = self.topology.of_host(host);
                self.topology.stages[stage].take(end, self.limits.of(owner))
            }
            Owner::Volume(volume) => {
                let mut counted = Counted {
                    throttled: self.volumes[volume].take_throttled(),
                    ..Counted::default()
                };
                for stage in self.topology.of_volume(volume) {
                    counted.add(self.topology.stages[stage].take(end, core::iter::empty()));
                }
                counted
            }
        }
    }
}

#[cfg(test)]
mod tests;
