//! Hosts with their volumes and devices, as one state machine.
//!
//! Time only moves through the arguments: [`Storage::submit`] takes a request,
//! [`Storage::next_event`] says when the storage wants to be called again, and
//! [`Storage::advance`] tells it that the time has come. The engine does what volumes and
//! limits do; above it stand the mirrors, where there are any.

use alloc::boxed::Box;

use crate::engine::Engine;
pub use crate::engine::{Change, Ticket};
use crate::event_queue::NEVER;
pub use crate::limits::{LimitId, LimitInfo, Limits, Owner};
pub use crate::meter::Counted;
use crate::network::{LinkCounts, Processors, Resumption};
pub use crate::replication::mirror::{
    BackupState, JournalMirrorStatus, LinkWait, MemberStatus, Transition,
};
use crate::replication::mirror::{MirrorStatus, MirrorTransition, Mirrors};
pub use crate::request::{Op, Reply, Request, Requester};
use crate::spec::StorageSpec;
use crate::units::Nanos;
use crate::workload::spec::JobSpec;

/// Hosts with their volumes and devices.
#[derive(Clone, Debug)]
pub struct Storage {
    engine: Engine,
    pub(crate) mirrors: Option<Box<Mirrors>>,
}

impl Storage {
    /// The storage of `spec` at time 0. Its random streams depend on `seed` and the places of
    /// volumes and links in `spec`, not on their names.
    pub fn new(spec: &StorageSpec, seed: u64) -> Self {
        Self {
            engine: Engine::new(spec, seed),
            mirrors: Mirrors::new(spec, &[], seed).map(Box::new),
        }
    }

    /// The same under these jobs, whose journals are shipped where they say so.
    pub fn under(spec: &StorageSpec, jobs: &[JobSpec], seed: u64) -> Self {
        Self {
            engine: Engine::new(spec, seed),
            mirrors: Mirrors::new(spec, jobs, seed).map(Box::new),
        }
    }

    /// Takes a request at `now`; times must not fall from call to call, and no event may be
    /// left before `now`. Gives the request's end if that is known, which may lie ahead;
    /// otherwise [`Storage::advance`] will tell. The next event may be another after it: with
    /// mirrors always, without them only where the end is not known.
    // Forced: it has two call sites in the simulator's loop, and the compiler would not
    // inline both.
    #[inline(always)]
    pub fn submit(&mut self, now: Nanos, ticket: Ticket, request: &Request) -> Option<Reply> {
        match &mut self.mirrors {
            None => self.engine.submit(now, ticket, request),
            Some(mirrors) => {
                let reply = mirrors.submit(&mut self.engine, now, ticket, request);
                mirrors.look_ahead(&mut self.engine, now);
                reply
            }
        }
    }

    /// Whether any device is a mirror.
    #[inline]
    pub fn has_mirrors(&self) -> bool {
        self.mirrors.is_some()
    }

    /// When the storage wants [`Storage::advance`] to be called.
    #[inline]
    pub fn next_event(&self) -> Option<Nanos> {
        match &self.mirrors {
            None => self.engine.next_event(),
            Some(mirrors) => Some(mirrors.next_event()).filter(|&next| next != NEVER),
        }
    }

    /// Moves to `now`, and tells `ends` of every request whose end became known on the way;
    /// it may lie ahead.
    pub fn advance(&mut self, now: Nanos, ends: &mut impl FnMut(Ticket, Reply)) {
        match &mut self.mirrors {
            None => self.engine.advance(now, ends),
            Some(_) => self.advance_mirrors(now, &mut |ticket, reply| {
                if let Some(reply) = reply {
                    ends(ticket, reply);
                }
            }),
        }
    }

    /// Moves on to `until`, or to an earlier event of which there is something to tell: tells
    /// `ends` of every request whose end became known by it. So who has nothing to do before
    /// `until` need not be asked about each event on the way.
    pub fn advance_until_told(&mut self, until: Nanos, ends: &mut impl FnMut(Ticket, Reply)) {
        let mut is_told = false;
        while let Some(next) = self.next_event()
            && next <= until
            && !is_told
            && !self.has_turned()
        {
            let ends = &mut |ticket, reply| {
                is_told = true;
                ends(ticket, reply);
            };
            match &mut self.mirrors {
                None => self.engine.advance(next, ends),
                Some(mirrors) => {
                    mirrors.advance(&mut self.engine, until);
                    mirrors.tell(&mut |ticket, reply| {
                        if let Some(reply) = reply {
                            ends(ticket, reply);
                        }
                    });
                }
            }
        }
    }

    /// Moves to `now`, engine and mirrors in turn, as their events come.
    fn advance_mirrors(&mut self, now: Nanos, ends: &mut impl FnMut(Ticket, Option<Reply>)) {
        let (engine, Some(mirrors)) = (&mut self.engine, &mut self.mirrors) else {
            return;
        };
        while mirrors.next_event() <= now && mirrors.next_event() != NEVER {
            mirrors.advance(engine, now);
            mirrors.tell(ends);
        }
    }

    /// Changes the storage at `now`; no event may be left before it. Tells `ends` of every
    /// request whose end is another now, or with `None` is not known any more.
    pub fn change(
        &mut self,
        now: Nanos,
        change: Change,
        ends: &mut impl FnMut(Ticket, Option<Reply>),
    ) {
        let (engine, Some(mirrors)) = (&mut self.engine, &mut self.mirrors) else {
            return self.engine.change(now, change, ends);
        };
        match change {
            Change::Fail { volume } => mirrors.volume_fails(now, volume),
            Change::Cut { link, from } => mirrors.link_fails(engine, now, link, from),
            Change::HostDown { host } => mirrors.host_fails(engine, now, host),
            Change::HostSpeed { host, speed } => mirrors.host_runs_at(engine, now, host, speed),
            Change::Impair { link, is } => mirrors.link_is_impaired(engine, now, link, is),
            _ => {}
        }
        let is_of_members = matches!(
            change,
            Change::Fail { .. }
                | Change::Resume { .. }
                | Change::HostDown { .. }
                | Change::HostUp { .. }
                | Change::HostSpeed { .. }
        );
        let ended = mirrors.ended();
        engine.change(now, change.clone(), &mut |ticket, reply| {
            ended.push((ticket, reply))
        });
        mirrors.take_ends(engine, now);
        match change {
            Change::Resume { volume } => mirrors.volume_works(engine, now, volume),
            Change::Cut { link, from } => mirrors.link_works(engine, now, link, from),
            Change::HostUp { host } => mirrors.host_works(engine, now, host),
            Change::Reconnect { volume } => mirrors.reconnect(engine, now, volume),
            _ => {}
        }
        if is_of_members {
            mirrors.journal_members_turn(engine, now);
        }
        mirrors.look_ahead(engine, now);
        mirrors.tell(ends);
        self.advance_mirrors(now, ends);
    }

    /// The limits that can throttle IO, at the rates that they have now.
    pub fn limits(&self) -> &Limits {
        self.engine.limits()
    }

    /// What `owner` let through since the last call, in a period that ends at `end`: to be
    /// called when all before `end` has happened, and nothing from then on.
    pub fn take_counted(&mut self, owner: Owner, end: Nanos) -> Counted {
        self.engine.take_counted(owner, end)
    }

    /// What went over link number `link` until `now`, from each of its ends. Nothing does
    /// where no device is a mirror.
    pub fn link(&self, link: usize, now: Nanos) -> [LinkCounts; 2] {
        let mirrors = self.mirrors.as_ref();
        mirrors.map_or_else(Default::default, |it| it.link(link, now))
    }

    /// The senders over links that did not notice at once that their way works again, by link.
    pub fn resumptions(&self) -> impl Iterator<Item = (usize, Resumption)> {
        self.mirrors.iter().flat_map(|it| it.resumptions())
    }

    /// What links added to the latency of requests to mirrors since the last call, where it is
    /// more than nothing. A request counts once its ticket is used again.
    pub fn take_link_waits(&mut self) -> impl Iterator<Item = LinkWait> {
        self.mirrors.iter_mut().flat_map(|it| it.take_waits())
    }

    /// For how long host number `host` was busy until `now` with the packets of its links.
    pub fn busy(&self, host: usize, now: Nanos) -> Nanos {
        self.engine.processors.busy(host, now)
    }

    /// For how long the network interface of host number `host` was busy until `now` with what
    /// leaves it and with what it receives; none if it bounds no more than each link by itself.
    pub fn interface_busy(&self, host: usize, now: Nanos) -> Option<[Nanos; 2]> {
        self.engine.processors.interface_busy(host, now)
    }

    /// Has `act` do at `now` what a job's messages do over links of its own, with what handles
    /// the packets of each host. The next event may be another after it.
    pub fn over_network(&mut self, now: Nanos, act: impl FnOnce(&mut Processors)) {
        act(&mut self.engine.processors);
        match &mut self.mirrors {
            None => self.engine.charge_moved(now),
            Some(mirrors) => mirrors.look_ahead(&mut self.engine, now),
        }
    }

    /// How each mirror is at `now`, in the order of the devices.
    pub fn mirrors(&self, now: Nanos) -> impl Iterator<Item = MirrorStatus> {
        self.mirrors.iter().flat_map(move |it| it.status(now))
    }

    /// What has become of each mirror whose hosts lost each other, with when, by the indices of
    /// their devices.
    pub fn mirror_transitions(
        &self,
    ) -> impl Iterator<Item = (usize, &[(Nanos, MirrorTransition)])> {
        self.mirrors.iter().flat_map(|it| it.transitions())
    }

    /// How often backups of mirrors of jobs' journals have become primary, all together.
    #[inline]
    pub fn takeovers(&self) -> u32 {
        self.mirrors.as_ref().map_or(0, |it| it.takeovers())
    }

    /// Whether mirrors have to tell of where jobs run: nothing happens to these before they know.
    #[inline]
    pub fn has_turned(&self) -> bool {
        self.mirrors
            .as_ref()
            .is_some_and(|it| !it.turned.is_empty())
    }

    /// What they have to tell, with when that was, since the last call.
    pub fn take_turned(&mut self) -> impl Iterator<Item = (Nanos, Change)> {
        self.mirrors.iter_mut().flat_map(|it| it.take_turned())
    }

    /// How the mirror of each job's journal is at `now`, in the order of the jobs.
    pub fn journal_mirrors(&self, now: Nanos) -> impl Iterator<Item = JournalMirrorStatus> {
        self.mirrors
            .iter()
            .flat_map(move |it| it.journal_status(now))
    }

    /// What has become of the mirror of each job's journal, with when, in the order of the jobs.
    pub fn journal_transitions(&self) -> impl Iterator<Item = (usize, &[(Nanos, Transition)])> {
        self.mirrors.iter().flat_map(|it| it.journal_transitions())
    }
}
