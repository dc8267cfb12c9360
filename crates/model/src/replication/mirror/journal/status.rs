//! How the mirror of a journal is.

use alloc::collections::VecDeque;
use alloc::vec::Vec;

use super::{BackupState, JournalMirror, Mirrors, Transition};
use crate::units::{Bytes, Nanos, SECOND};

/// How the mirror of a job's journal is, and what became of it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct JournalMirrorStatus {
    /// The job, by index.
    pub job: usize,
    /// The host that is primary, by index: that of the job, or one that has taken over.
    pub primary: usize,
    /// How the backup is.
    pub backup: BackupState,
    /// Bytes of the journal that were committed and that have not come to the backup.
    pub at_risk: Bytes,
    /// How long the job's commits waited for more than an answer on its way: for a backup out of
    /// contact, or in trouble, until one that has taken over is ready.
    pub paused: Nanos,
    /// Times that they did.
    pub pauses: u64,
    /// The longest of these.
    pub longest_pause: Nanos,
    /// Bytes that were committed and that a backup that took over did not have.
    pub lost: Bytes,
    /// What became of it, in order.
    pub transitions: Vec<(Nanos, Transition)>,
    /// The backup, then the asynchronous members.
    pub members: Vec<MemberStatus>,
}

/// How a member is.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct MemberStatus {
    /// Its host, by index.
    pub host: usize,
    /// Bytes of the journal that have come.
    pub received: Bytes,
    /// Bytes of the journal that were committed and have not come.
    pub lag_bytes: Bytes,
    /// How long ago the first of these was committed.
    pub lag: Nanos,
    /// Bytes of the journal that have come and are not replayed.
    pub backlog_bytes: Bytes,
    /// The time from the commit of the last that was replayed to that of the last that has come.
    pub backlog: Nanos,
}

/// When which part of the journal was committed.
#[derive(Clone, Debug, Default)]
pub(super) struct Marks(VecDeque<(Bytes, Nanos)>);

impl Marks {
    /// All up to a place is committed at `now`. Tenths of a second are told apart.
    pub(super) fn add(&mut self, until: Bytes, now: Nanos) {
        const APART: Nanos = SECOND / 10;
        match self.0.back_mut() {
            Some(last) if last.1 / APART == now / APART => last.0 = until,
            _ => self.0.push_back((until, now)),
        }
    }

    /// What comes before a place is not asked for any more.
    pub(super) fn forget_before(&mut self, place: Bytes) {
        while self.0.front().is_some_and(|first| first.0 < place) {
            self.0.pop_front();
        }
    }

    /// When the byte after a place was committed; none if it was not.
    fn of(&self, place: Bytes) -> Option<Nanos> {
        let index = self.0.partition_point(|mark| mark.0 <= place);
        self.0.get(index).map(|mark| mark.1)
    }
}

impl JournalMirror {
    fn status(&self, now: Nanos) -> JournalMirrorStatus {
        let members = self.followers().map(|member| {
            let member = &self.members[member];
            let backlog_bytes = member.backlog(self.record);
            let replayed = self.marks.of(member.replayed * self.record);
            let received = self.marks.of(member.arrived.saturating_sub(1));
            let backlog = received
                .unwrap_or(now)
                .saturating_sub(replayed.unwrap_or(now));
            let lag_bytes = self.committed.saturating_sub(member.arrived);
            let first = self.marks.of(member.arrived).filter(|_| lag_bytes > 0);
            MemberStatus {
                host: member.spec.host,
                received: member.arrived,
                lag_bytes,
                lag: first.map_or(0, |at| now - at),
                backlog_bytes,
                backlog: if backlog_bytes > 0 { backlog } else { 0 },
            }
        });
        let running = self.paused.map_or(0, |since| now - since);
        JournalMirrorStatus {
            job: self.job.into(),
            primary: self.serving().host,
            backup: self.control.backup(),
            at_risk: self
                .committed
                .saturating_sub(self.members[self.backup()].arrived),
            paused: self.pausing + running,
            pauses: self.pauses + u64::from(self.paused.is_some()),
            longest_pause: self.longest_pause.max(running),
            lost: self.lost,
            transitions: self.control.transitions().to_vec(),
            members: members.collect(),
        }
    }
}

impl Mirrors {
    /// How each mirror of a journal is at `now`.
    pub(crate) fn journal_status(&self, now: Nanos) -> impl Iterator<Item = JournalMirrorStatus> {
        self.journals.iter().map(move |it| it.status(now))
    }

    /// What has become of each mirror of a journal, with its job.
    pub(crate) fn journal_transitions(
        &self,
    ) -> impl Iterator<Item = (usize, &[(Nanos, Transition)])> {
        let all = self.journals.iter();
        all.map(|it| (it.job.into(), it.control.transitions()))
    }
}
