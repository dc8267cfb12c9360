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

impl JournalMirror {
    /// Commits wait for nothing any more, if they have.
    fn pause_ends(&mut self, now: Nanos) {
        if let Some(since) = self.paused.take() {
            self.pauses += 1;
            self.pausing += now - since;
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
        if !core::mem::replace(&mut commit.begun, true) {
            let first = of.first_flow;
            self.flows[first as usize].request = commit.request;
            self.journal_io(engine, now, journal, 0);
            let of = &self.journals[journal];
            if of.members[0].in_step && of.members[0].sent < of.position {
                self.send(engine, now, MemberId { journal, member: 0 });
            }
            return;
        }
        let backup = &of.members[0];
        let acknowledged = !backup.in_step || backup.acknowledged >= commit.until;
        if let Some(stored) = commit.stored
            && acknowledged
        {
            self.commit_ends(engine, now, journal, stored);
        }
    }

    /// The commit is on the primary's disk, or could not be written there.
    pub(super) fn commit_is_stored(
        &mut self,
        engine: &mut Engine,
        now: Nanos,
        journal: usize,
        reply: Reply,
    ) {
        let of = &mut self.journals[journal];
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
            let replayed = of.members.iter().map(|it| it.replayed * of.record).min();
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
        let backup = &of.members[0];
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
        let backup = &of.members[0];
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
