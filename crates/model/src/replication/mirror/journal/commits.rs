//! The primary's journal writes: on its own disk and, while the backup is active, acknowledged
//! by that.

use super::member::{MemberId, Parcel};
use super::{BackupState, Connection, JournalMirror};
use crate::engine::Engine;
use crate::engine::Ticket;
use crate::replication::mirror::Mirrors;
use crate::request::{Reply, Request};
use crate::units::{Bytes, Nanos};

/// A journal write that the job waits for.
#[derive(Clone, Copy, Debug)]
pub(super) struct Commit {
    ticket: Ticket,
    request: Request,
    since: Nanos,
    /// Where in the journal it ends.
    until: Bytes,
    /// Whether it has been begun: in trouble it is not.
    begun: bool,
    /// How it ended on the primary's disk.
    stored: Option<Reply>,
}

impl Commit {
    /// It is written again from the start, by another primary.
    pub(super) fn begins_anew(&mut self, now: Nanos, position: &mut Bytes) {
        *position += self.request.len;
        (self.since, self.until) = (now, *position);
        (self.begun, self.stored) = (false, None);
    }
}

impl JournalMirror {
    /// Commits wait for nothing any more, if they have.
    pub(super) fn pause_ends(&mut self, now: Nanos) {
        if let Some(since) = self.paused.take() {
            self.pauses += 1;
            self.pausing += now - since;
            self.longest_pause = self.longest_pause.max(now - since);
        }
    }
}

impl Mirrors {
    /// The job writes its journal at `now`. Its end is told when it has come.
    pub(in crate::replication::mirror) fn commit(
        &mut self,
        engine: &mut Engine,
        now: Nanos,
        journal: usize,
        ticket: Ticket,
        request: &Request,
    ) {
        let of = &mut self.journals[journal];
        // What the primary's disk refused is written again; the backup may have it already.
        if !core::mem::replace(&mut of.again, false) {
            of.position += request.len;
        }
        of.commit = Some(Commit {
            ticket,
            request: *request,
            since: now,
            until: of.position,
            begun: false,
            stored: None,
        });
        self.note_pause(now, journal);
        self.look_at_commit(engine, now, journal);
        self.schedule_control(journal);
    }

    /// Begins the commit, or ends it, if that can be.
    pub(super) fn look_at_commit(&mut self, engine: &mut Engine, now: Nanos, journal: usize) {
        let of = &mut self.journals[journal];
        if !of.control.may_commit() {
            return;
        }
        let Some(commit) = &mut of.commit else {
            return;
        };
        if !commit.begun {
            let request = commit.request;
            return self.begin_commit(engine, now, journal, &request);
        }
        let backup = &of.members[of.sides[1 - of.serving].member];
        let acknowledged = !backup.in_step || backup.acknowledged >= commit.until;
        if let Some(stored) = commit.stored
            && acknowledged
        {
            self.commit_ends(engine, now, journal, stored);
        }
    }

    /// Has the primary write a commit and send it to a backup in step, once no write of an earlier
    /// time as primary is under way there.
    fn begin_commit(&mut self, engine: &mut Engine, now: Nanos, journal: usize, request: &Request) {
        let of = &mut self.journals[journal];
        let (member, slot) = (of.backup(), of.serving().commits);
        let flow = &mut self.flows[(of.first_flow + slot) as usize];
        if flow.is_open() {
            return;
        }
        flow.request = of.asked_of_primary(request).unwrap_or(*request);
        if let Some(commit) = &mut of.commit {
            commit.begun = true;
        }
        self.journal_io(engine, now, journal, slot);
        let of = &self.journals[journal];
        if of.members[member].in_step && of.members[member].sent < of.position {
            self.send(engine, now, MemberId { journal, member });
        }
    }

    /// The commit is on the primary's disk, or could not be written there.
    pub(super) fn commit_is_stored(
        &mut self,
        engine: &mut Engine,
        now: Nanos,
        journal: usize,
        (slot, reply): (u32, Reply),
    ) {
        let of = &mut self.journals[journal];
        let has_begun = of.commit.is_some_and(|commit| commit.begun);
        if slot != of.serving().commits || !has_begun {
            // It was of a primary that is none any more.
            return self.look_at_commit(engine, now, journal);
        }
        // What a host that is down took with it is written when that is back.
        let is_gone = reply.failed && !of.control.primary_works();
        if let Some(commit) = &mut of.commit {
            commit.stored = Some(reply).filter(|_| !is_gone);
            commit.begun = !is_gone;
        }
        self.look_at_commit(engine, now, journal);
    }

    fn commit_ends(&mut self, engine: &mut Engine, now: Nanos, journal: usize, stored: Reply) {
        let of = &mut self.journals[journal];
        let Some(commit) = of.commit.take() else {
            return;
        };
        of.again = stored.failed;
        if core::mem::replace(&mut of.refused, stored.failed) != stored.failed {
            of.control.journal_is(now, stored.failed);
        }
        if stored.failed {
            // Updates are frozen until the journal can be written again.
            let since = of.paused.unwrap_or(commit.since);
            of.paused = Some(since.min(commit.since));
        } else {
            of.pause_ends(now);
            of.committed = commit.until;
            let replayed = of.followers().map(|it| of.members[it].replayed);
            let replayed = replayed.min().map(|records| records * of.record);
            of.marks.forget_before(replayed.unwrap_or(0));
            of.marks.add(commit.until, now);
        }
        self.told
            .push((commit.ticket, Some(Reply { at: now, ..stored })));
        for member in 0..self.journals[journal].members.len() {
            self.ship(engine, now, MemberId { journal, member });
        }
    }

    /// Notes from when on a commit waits for more than an answer on its way.
    pub(super) fn note_pause(&mut self, now: Nanos, journal: usize) {
        let of = &mut self.journals[journal];
        if !of.control.primary_works() {
            // Whatever would come now cannot be committed.
            of.paused.get_or_insert(now);
        } else if of.commit.is_none() && of.control.may_commit() && !of.refused {
            of.pause_ends(now);
        }
        let Some(commit) = of.commit.filter(|_| of.paused.is_none()) else {
            return;
        };
        let backup = &of.members[of.backup()];
        let answered = backup.in_step && backup.acknowledged >= commit.until;
        let reached = !of.control.is_down(Connection::Backup);
        // One that was catching up, and that the primary had begun to wait for.
        let gone = backup.in_step && of.control.backup() == BackupState::Disconnected;
        let waits = !answered && (of.control.is_waiting() || gone && reached);
        if waits || !of.control.may_commit() {
            // A backup that can be reached and has not answered has been waited for all along.
            of.paused = Some(if reached { commit.since } else { now });
        }
    }

    /// The backup has answered, at `now`.
    pub(super) fn backup_answered(&mut self, engine: &mut Engine, now: Nanos, journal: usize) {
        let of = &mut self.journals[journal];
        let backup = &of.members[of.sides[1 - of.serving].member];
        let has_all = backup.in_step && backup.acknowledged >= of.committed;
        if has_all && of.control.backup() == BackupState::CatchingUp {
            of.control.caught_up(now);
        }
        // One that is active only now may owe the answer to a write that came meanwhile.
        let oldest = backup.unanswered.front().filter(|_| backup.in_step);
        of.control.owes(oldest.map(|it: &Parcel| it.sent_at));
        self.heed(engine, now, journal);
    }
}
