//! Mirrors that ship a job's journal: the active backup's acknowledgement inside of the primary's
//! journal write, the replay of the journal on each member, and who may commit when contact is
//! lost.
//!
//! What is shipped is counted in bytes from the start of the run: [`JournalMirror::position`] is
//! the end of the journal. A member has a place of its own for what was sent to it, what has come,
//! what is on its disk, and what it has replayed.

mod commits;
mod control;
mod member;
mod replay;
mod shipping;
mod sides;
mod status;
#[cfg(test)]
mod tests;

use alloc::format;
use alloc::vec::Vec;

use self::commits::Commit;
pub(super) use self::control::Connection;
pub use self::control::{BackupState, Transition};
use self::control::{Control, Health};
use self::member::{Member, MemberId};
use self::sides::Side;
use self::status::Marks;
pub use self::status::{JournalMirrorStatus, MemberStatus};
use super::Mirrors;
use super::flow::{Branch, Flow, FlowId, FlowLeg, NOBODY, Step};
use crate::engine::Engine;
use crate::event_queue::NEVER;
use crate::random::Stream;
use crate::request::{Op, Reply, Request};
use crate::spec::{JournalMirrorSpec, MemberSpec, Region, StorageSpec};
use crate::units::{Bytes, Nanos, SECOND};
use crate::workload::spec::RanWriteSpec;
use crate::workload::{Replica, Slot};

/// How long after an IO of a member failed it tries again: the journal daemon does about every
/// second (`FreezeOnError` in the configuration parameter file's reference).
const RETRY: Nanos = SECOND;

/// The link to an arbiter that there is not.
const NO_LINK: usize = usize::MAX;

/// Who reads the primary's journal for a member that catches up.
const READER: u32 = u32::MAX;

/// The mirror of one job's journal.
#[derive(Clone, Debug)]
pub(super) struct JournalMirror {
    spec: JournalMirrorSpec,
    job: u16,
    record: Bytes,
    block: Bytes,
    /// The job's host, then that of the backup at first.
    sides: [Side; 2],
    /// Which of them is primary.
    serving: usize,
    /// How often that has changed.
    takeovers: u32,
    control: Control,
    /// The backup at first, then the asynchronous ones, then what the first primary is once it is
    /// backup: only where one can take over.
    members: Vec<Member>,
    /// How many members nobody waits for.
    asynchronous: usize,
    /// Of each of these, the link from either side, and at which end of that the side is.
    links: Vec<[Option<(usize, usize)>; 2]>,
    /// The journal write that the job waits for.
    commit: Option<Commit>,
    /// Whether the last one failed on the primary's disk, so that the next is the same again.
    again: bool,
    /// Whether the disk refused the last one that ended.
    refused: bool,
    /// The end of the journal: of what was given to write.
    position: Bytes,
    /// The end of what was committed.
    committed: Bytes,
    /// Committed bytes that a backup that took over did not have.
    lost: Bytes,
    /// When that was.
    marks: Marks,
    /// Since when commits have been waiting for more than an answer on its way.
    paused: Option<Nanos>,
    /// Times that they did, and how long until the last such time ended.
    pauses: u64,
    pausing: Nanos,
    longest_pause: Nanos,
    /// Its first flow; one for each of its slots.
    first_flow: FlowId,
    /// Its first event.
    first_event: usize,
}

/// What a slot of a mirror does.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Task {
    /// A primary writes its journal.
    Commit,
    /// A member writes what has come.
    Store(usize),
    /// The primary reads its journal for a member.
    Read(usize),
    /// A member reads the block of a record.
    Dejournal(usize),
    /// A member's write daemons.
    Write(usize, Slot),
}

impl JournalMirror {
    pub(super) fn new(
        (job, of, spec): (u16, &RanWriteSpec, &JournalMirrorSpec),
        storage: &StorageSpec,
        first_event: usize,
        seed: u64,
    ) -> Self {
        let member = |(number, to): (usize, MemberSpec)| {
            let own = RanWriteSpec {
                data: to.data,
                wij: to.wij,
                journal: to.journal,
                mirror: None,
                ..of.clone()
            };
            let cache = Stream::new(seed, &format!("job/{job}/member/{number}/cache"));
            let replica = Replica::new(&own, job, seed);
            let mut member = Member::new(to, spec.dejournal.jobs, replica, cache);
            member.in_step = number == 0;
            member
        };
        let (link, end) = spec.backup.link;
        let mut sides = [
            Side::of_job(storage.links[link].ends[end], of, storage),
            Side::of_backup(&spec.backup, storage),
        ];
        let former = spec.arbiter.map(|_| sides[0].as_member((link, 1 - end)));
        let asked = spec.members().copied().chain(former);
        let mut members: Vec<_> = asked.enumerate().map(member).collect();
        let asynchronous = spec.asynchronous.len();
        if former.is_some() {
            sides[0].member = 1 + asynchronous;
            members[1 + asynchronous].connected = false;
        }
        let links = spec.asynchronous.iter().map(|to| {
            let found = link_between(storage, sides[1].host, to.host);
            [Some(to.link), found]
        });
        Self {
            links: links.collect(),
            sides,
            serving: 0,
            takeovers: 0,
            asynchronous,
            job,
            record: of.journal_record,
            block: of.block,
            control: Control::new(spec.qos_timeout, spec.arbiter.is_some()),
            members,
            commit: None,
            again: false,
            refused: false,
            position: 0,
            committed: 0,
            lost: 0,
            marks: Marks::default(),
            paused: None,
            pauses: 0,
            pausing: 0,
            longest_pause: 0,
            first_flow: 0,
            first_event,
            spec: spec.clone(),
        }
        .with_slots()
    }

    /// Each side writes its journal by a slot of its own: one write of a host that is lost may
    /// still be under way when the other is primary.
    fn with_slots(mut self) -> Self {
        self.sides[1].commits = self.first_slot(self.members.len());
        self
    }

    /// How many events it needs: one of its own, and two of each member.
    pub(super) fn events(spec: &JournalMirrorSpec) -> usize {
        let members = spec.members().count() + usize::from(spec.arbiter.is_some());
        1 + Replica::ALARMS.len() * members
    }

    /// Whether a request is the job's next write to its journal.
    fn takes(&self, request: &Request) -> bool {
        let file = self.sides[0].journal;
        request.op == Op::Write
            && request.requester == self.job.into()
            && request.device == file.device
            && (file.offset..file.offset + file.size).contains(&request.offset)
    }

    /// Slots of a member: its journal, the primary's, its jobs and its write daemons.
    fn slots_of_member(&self) -> u32 {
        2 + self.spec.dejournal.jobs + self.members[0].replica.slots()
    }

    fn slots(&self) -> u32 {
        self.first_slot(self.members.len()) + 1
    }

    fn task(&self, slot: u32) -> Task {
        if self.sides.iter().any(|side| side.commits == slot) {
            return Task::Commit;
        }
        let slot = slot - 1;
        let each = self.slots_of_member();
        let (member, slot) = ((slot / each) as usize, slot % each);
        let jobs = self.spec.dejournal.jobs;
        match slot {
            0 => Task::Store(member),
            1 => Task::Read(member),
            _ if slot < 2 + jobs => Task::Dejournal(member),
            _ => Task::Write(member, slot - 2 - jobs),
        }
    }

    /// The first slot of a member.
    fn first_slot(&self, member: usize) -> u32 {
        1 + member as u32 * self.slots_of_member()
    }

    /// The event of a member's alarm.
    fn alarm(&self, member: usize, alarm: usize) -> usize {
        self.first_event + 1 + member * Replica::ALARMS.len() + alarm
    }

    /// Bytes of a file of the journal's kind from `position` on, at most `len`.
    fn place(file: Region, position: Bytes, len: Bytes) -> (Bytes, Bytes) {
        let at = position % file.size;
        (file.offset + at, len.min(file.size - at))
    }
}

/// The link that joins two hosts, if there is one, and at which end the first is.
fn link_between(storage: &StorageSpec, one: usize, other: usize) -> Option<(usize, usize)> {
    let joins = |ends: [usize; 2]| ends == [one, other] || ends == [other, one];
    let link = storage.links.iter().position(|link| joins(link.ends))?;
    Some((link, usize::from(storage.links[link].ends[0] != one)))
}

impl Mirrors {
    /// Begins what members do of themselves, at time 0.
    pub(super) fn start_journals(&mut self) {
        for journal in 0..self.journals.len() {
            let slots = self.journals[journal].slots();
            for slot in 0..slots {
                let request = Request {
                    device: 0,
                    op: Op::Read,
                    offset: 0,
                    len: 0,
                    requester: self.journals[journal].job.into(),
                    submitter: READER,
                };
                let flow = Flow::new(
                    NOBODY,
                    u16::MAX,
                    &request,
                    Step::Journal(journal as u16, slot),
                );
                let id = self.enter(flow);
                if slot == 0 {
                    self.journals[journal].first_flow = id;
                }
            }
            let followers: Vec<_> = self.journals[journal].followers().collect();
            for member in followers {
                self.journals[journal].members[member].started = true;
                self.start_replica(0, journal, member);
            }
        }
    }

    /// The mirror whose journal a request writes, if there is one.
    #[inline]
    pub(super) fn journal_of(&self, request: &Request) -> Option<usize> {
        self.journals.iter().position(|it| it.takes(request))
    }

    /// Has the engine do a request for a slot.
    fn journal_io(&mut self, engine: &mut Engine, now: Nanos, journal: usize, slot: u32) {
        let id = self.journals[journal].first_flow + slot;
        let flow = &mut self.flows[id as usize];
        flow.branches[0] = Branch::UNUSED;
        flow.branches[0].open = Branch::DISK;
        let request = flow.request;
        let end = engine.submit(now, id << 2 | 1, &request);
        self.journal_io_is_known(id, end);
    }

    /// When a slot's IO ends is known now, or is not any more.
    pub(super) fn journal_io_is_known(&mut self, id: FlowId, end: Option<Reply>) {
        let branch = &mut self.flows[id as usize].branches[0];
        branch.disk = end.unwrap_or(Branch::UNUSED.disk);
        self.schedule_disk(FlowLeg { id, leg: 0 }, end.map_or(NEVER, |end| end.at));
    }

    /// A slot's IO has ended, or is to be tried again.
    pub(super) fn journal_io_ends(
        &mut self,
        engine: &mut Engine,
        now: Nanos,
        journal: usize,
        slot: u32,
    ) {
        let task = self.journals[journal].task(slot);
        let id = self.journals[journal].first_flow + slot;
        let branch = &mut self.flows[id as usize].branches[0];
        let disk = branch.disk;
        if core::mem::replace(&mut branch.lost, false) {
            return self.journal_io(engine, now, journal, slot);
        }
        let (from, of) = (
            self.flows[id as usize].request.device,
            &self.journals[journal],
        );
        if let Task::Read(member) = task
            && disk.failed
            && from != of.serving().journal.device
        {
            // The primary that was to read it is none any more.
            self.flows[id as usize].branches[0].open = 0;
            self.journals[journal].members[member].reading = 0;
            return self.ship(engine, now, MemberId { journal, member });
        }
        let branch = &mut self.flows[id as usize].branches[0];
        if disk.failed && task != Task::Commit {
            branch.lost = true;
            branch.open = 0;
            return self.schedule_disk(FlowLeg { id, leg: 0 }, now + RETRY);
        }
        branch.open = 0;
        match task {
            Task::Commit => self.commit_is_stored(engine, now, journal, (slot, disk)),
            Task::Store(member) => {
                self.journal_is_stored(engine, now, MemberId { journal, member })
            }
            Task::Read(member) => self.journal_was_read(engine, now, MemberId { journal, member }),
            Task::Dejournal(member) => {
                self.block_was_read(engine, now, MemberId { journal, member }, slot)
            }
            Task::Write(member, slot) => {
                self.replica_wrote(engine, now, MemberId { journal, member }, slot)
            }
        }
    }

    /// An event of a mirror's own: an alarm of the control, or of a member's write daemons.
    pub(super) fn journal_event(&mut self, engine: &mut Engine, now: Nanos, slot: usize) {
        self.events.set(slot, NEVER);
        let after = self.journals.partition_point(|it| it.first_event <= slot);
        let journal = after - 1;
        let of = &mut self.journals[journal];
        match (slot - of.first_event).checked_sub(1) {
            None => self.heed(engine, now, journal),
            Some(alarm) => {
                let alarms = Replica::ALARMS.len();
                let (member, alarm) = (alarm / alarms, Replica::ALARMS[alarm % alarms]);
                self.replica_wakes(engine, now, MemberId { journal, member }, alarm);
            }
        }
    }

    /// A link goes down or works again.
    pub(super) fn journal_link_turns(
        &mut self,
        engine: &mut Engine,
        now: Nanos,
        link: usize,
        works: bool,
    ) {
        for journal in 0..self.journals.len() {
            let of = &mut self.journals[journal];
            let arbiter = of.spec.arbiter.unwrap_or([NO_LINK; 2]);
            let connections = [
                (of.spec.backup.link.0, Connection::Backup),
                (arbiter[of.serving], Connection::PrimaryArbiter),
                (arbiter[1 - of.serving], Connection::BackupArbiter),
            ];
            for (_, connection) in connections.iter().filter(|(of, _)| *of == link) {
                of.control.turn(now, *connection, works);
            }
            self.heed(engine, now, journal);
            if works {
                self.send_again(engine, now, journal, link);
            }
            for member in 1..=self.journals[journal].asynchronous {
                self.ship(engine, now, MemberId { journal, member });
            }
        }
    }

    /// Hosts or volumes have gone, or work again.
    pub(crate) fn journal_members_turn(&mut self, engine: &mut Engine, now: Nanos) {
        for journal in 0..self.journals.len() {
            let of = &self.journals[journal];
            let host = |host: usize| match (self.hosts_down[host], self.hosts_paused[host]) {
                (true, _) => Health::Down,
                (false, Some(_)) => Health::Halted,
                (false, None) => Health::Able,
            };
            let standing_by = of.standing_by();
            let has_failed = standing_by.volumes.iter().any(|it| self.failed[*it]);
            let backup = match host(standing_by.host) {
                Health::Able if has_failed => Health::Halted,
                health => health,
            };
            let primary = host(of.serving().host);
            self.journals[journal]
                .control
                .members_are(now, primary, backup);
            self.heed(engine, now, journal);
        }
    }

    /// Has the control do what is due, and does what follows from each state on the way.
    fn heed(&mut self, engine: &mut Engine, now: Nanos, journal: usize) {
        self.follow(engine, now, journal);
        while self.journals[journal].control.step(now) {
            self.follow(engine, now, journal);
        }
        self.schedule_control(journal);
    }

    /// Does what follows from the control's state.
    fn follow(&mut self, engine: &mut Engine, now: Nanos, journal: usize) {
        self.note_pause(now, journal);
        let of = &mut self.journals[journal];
        let member = of.backup();
        let backup = &mut of.members[member];
        let is_down = of.control.is_down(Connection::Backup);
        match of.control.backup() {
            BackupState::Disconnected if !is_down => backup.falls_behind(),
            BackupState::Disconnected | BackupState::Primary => backup.disconnect(),
            BackupState::CatchingUp => {
                // One that is reached, and starts anew or has not answered, is connected still.
                if !backup.connected {
                    backup.connect(of.spec.acknowledge);
                }
                self.ship(engine, now, MemberId { journal, member });
            }
            BackupState::Active => {}
        }
        self.look_at_commit(engine, now, journal);
        let of = &mut self.journals[journal];
        if of.control.takes_over() && of.members[member].has_replayed(of.record) {
            of.control.ready(now);
            self.becomes_primary(engine, now, journal);
        }
    }

    fn schedule_control(&mut self, journal: usize) {
        let of = &self.journals[journal];
        self.events.set(of.first_event, of.control.next_event());
    }
}
