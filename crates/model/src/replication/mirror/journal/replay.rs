//! Dejournaling: a member replays the journal on its database, and its write daemons write that.

use alloc::vec::Vec;

use super::member::MemberId;
use crate::engine::Engine;
use crate::replication::mirror::Mirrors;
use crate::request::{Op, Request};
use crate::units::{Bytes, Nanos};
use crate::workload::{Fact, IoSink, Replica, Slot};

/// What a member's write daemons want done.
#[derive(Clone, Copy, Debug)]
enum Wanted {
    Io(Slot, Request),
    Wake(Slot, Nanos),
}

/// Takes down what they want.
#[derive(Default)]
struct List(Vec<Wanted>);

impl IoSink for List {
    fn io(&mut self, slot: Slot, _due: Nanos, request: Request) {
        self.0.push(Wanted::Io(slot, request));
    }

    fn wake(&mut self, slot: Slot, at: Nanos) {
        self.0.push(Wanted::Wake(slot, at));
    }

    /// A member's cycles are not reported.
    fn fact(&mut self, _fact: Fact) {}
}

impl Mirrors {
    /// Has as many jobs replay as are idle and have a record.
    pub(super) fn replay(&mut self, engine: &mut Engine, now: Nanos, of: MemberId) {
        let MemberId { journal, member } = of;
        let spec = self.journals[journal].spec.dejournal;
        let record = self.journals[journal].record;
        loop {
            let it = &mut self.journals[journal].members[member];
            if it.free_jobs.is_empty() || (it.begun + 1) * record > it.stored {
                break;
            }
            it.begun += 1;
            let place = it.replica.next_place();
            if it.is_cached(spec.read_permille) {
                self.apply(engine, now, of, place);
                continue;
            }
            self.read_block(engine, now, of, place);
        }
        self.look_at_backlog(engine, now, of);
    }

    /// An idle job reads the block at a place of its device.
    fn read_block(
        &mut self,
        engine: &mut Engine,
        now: Nanos,
        MemberId { journal, member }: MemberId,
        place: Bytes,
    ) {
        let of = &mut self.journals[journal];
        let first = of.first_slot(member) + 2;
        let Some(slot) = of.members[member].free_jobs.pop().map(|job| first + job) else {
            return;
        };
        let data = of.members[member].spec.data;
        self.flows[(of.first_flow + slot) as usize].request = Request {
            device: data.device,
            op: Op::Read,
            offset: place,
            len: of.block,
            requester: of.job.into(),
            submitter: slot,
        };
        self.journal_io(engine, now, journal, slot);
    }

    /// A job has read the block of its record.
    pub(super) fn block_was_read(
        &mut self,
        engine: &mut Engine,
        now: Nanos,
        MemberId { journal, member }: MemberId,
        slot: u32,
    ) {
        let of = &mut self.journals[journal];
        let place = self.flows[(of.first_flow + slot) as usize].request.offset;
        let job = slot - of.first_slot(member) - 2;
        of.members[member].free_jobs.push(job);
        self.apply(engine, now, MemberId { journal, member }, place);
        self.replay(engine, now, MemberId { journal, member });
    }

    /// A record is replayed: the block at its place is dirty.
    fn apply(&mut self, engine: &mut Engine, now: Nanos, of: MemberId, place: Bytes) {
        self.journals[of.journal].members[of.member].replayed += 1;
        self.with_replica(engine, now, of, |replica, list| {
            replica.apply(now, place, list)
        });
    }

    /// One that has become primary is ready once it has replayed all.
    fn look_at_backlog(
        &mut self,
        engine: &mut Engine,
        now: Nanos,
        MemberId { journal, member }: MemberId,
    ) {
        let of = &self.journals[journal];
        if member == of.backup() && !of.control.may_commit() {
            self.heed(engine, now, journal);
        }
    }

    /// A member's write daemons begin at `now`.
    pub(super) fn start_replica(&mut self, now: Nanos, journal: usize, member: usize) {
        let mut list = List::default();
        self.journals[journal].members[member]
            .replica
            .start(&mut list);
        for wanted in list.0 {
            if let Wanted::Wake(slot, at) = wanted {
                self.set_alarm(MemberId { journal, member }, slot, at.max(now));
            }
        }
    }

    pub(super) fn replica_wrote(
        &mut self,
        engine: &mut Engine,
        now: Nanos,
        of: MemberId,
        slot: Slot,
    ) {
        self.with_replica(engine, now, of, |replica, list| {
            replica.completed(now, slot, list)
        });
    }

    pub(super) fn replica_wakes(
        &mut self,
        engine: &mut Engine,
        now: Nanos,
        of: MemberId,
        slot: Slot,
    ) {
        self.with_replica(engine, now, of, |replica, list| {
            replica.woken(now, slot, list)
        });
    }

    /// Has a member's write daemons do something, and does what they want.
    fn with_replica(
        &mut self,
        engine: &mut Engine,
        now: Nanos,
        MemberId { journal, member }: MemberId,
        act: impl FnOnce(&mut Replica, &mut List),
    ) {
        let mut list = List::default();
        let of = &mut self.journals[journal];
        act(&mut of.members[member].replica, &mut list);
        let first = of.first_slot(member) + 2 + of.spec.dejournal.jobs;
        let first_flow = of.first_flow;
        for wanted in list.0 {
            match wanted {
                Wanted::Io(slot, request) => {
                    self.flows[(first_flow + first + slot) as usize].request = request;
                    self.journal_io(engine, now, journal, first + slot);
                }
                Wanted::Wake(slot, at) => self.set_alarm(MemberId { journal, member }, slot, at),
            }
        }
    }

    fn set_alarm(&mut self, MemberId { journal, member }: MemberId, slot: Slot, at: Nanos) {
        if let Some(alarm) = Replica::ALARMS.iter().position(|alarm| *alarm == slot) {
            let event = self.journals[journal].alarm(member, alarm);
            self.events.set(event, at);
        }
    }
}
