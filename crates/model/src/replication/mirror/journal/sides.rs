//! The two failover members of a mirror, of which one is primary: after a takeover the former
//! primary is the other's backup, and whatever was asked of its files is asked of the other's.

use alloc::vec::Vec;

use super::{JournalMirror, Mirrors};
use crate::engine::{Change, Engine};
use crate::request::{Op, Request};
use crate::spec::{MemberSpec, Region, StorageSpec};
use crate::units::{Bytes, KIB, Nanos};
use crate::workload::spec::RanWriteSpec;

/// What is asked of a place beyond the end of the other's device lies at a multiple of this.
const ALIGNMENT: Bytes = 4 * KIB;

/// A failover member, by what it has.
#[derive(Clone, Debug)]
pub(super) struct Side {
    pub(super) host: usize,
    pub(super) data: Region,
    wij: Region,
    pub(super) journal: Region,
    /// The size of the device of its data.
    size: Bytes,
    pub(super) volumes: Vec<usize>,
    /// Which member it is while it is the backup.
    pub(super) member: usize,
    /// The slot by which it writes its journal as primary.
    pub(super) commits: u32,
}

impl Side {
    fn new(host: usize, files: [Region; 3], storage: &StorageSpec) -> Self {
        let [data, wij, journal] = files;
        let mut volumes = Vec::new();
        for file in files {
            let layout = &storage.devices[file.device].layout;
            layout.volumes(&mut |volume| volumes.push(volume));
        }
        Self {
            host,
            data,
            wij,
            journal,
            size: storage.devices[data.device].size,
            volumes,
            member: 0,
            commits: 0,
        }
    }

    /// The host of the job, whose files these are.
    pub(super) fn of_job(host: usize, of: &RanWriteSpec, storage: &StorageSpec) -> Self {
        Self::new(host, [of.data, of.wij, of.journal], storage)
    }

    /// The one that is backup at first.
    pub(super) fn of_backup(of: &MemberSpec, storage: &StorageSpec) -> Self {
        Self::new(of.host, [of.data, of.wij, of.journal], storage)
    }

    /// What it is for the other as a member that gets the journal, over the `link` to that.
    pub(super) fn as_member(&self, link: (usize, usize)) -> MemberSpec {
        MemberSpec {
            host: self.host,
            link,
            data: self.data,
            wij: self.wij,
            journal: self.journal,
        }
    }

    fn files(&self) -> [Region; 3] {
        [self.data, self.wij, self.journal]
    }

    /// What is asked of this side's files, as it is asked of those of the `other`; none where it is
    /// of nothing that has a copy there. What others read of the device of its data, beside its
    /// files, they read of that of the other's.
    fn elsewhere(&self, other: &Self, request: &Request) -> Option<Request> {
        let own = self.files().into_iter().zip(other.files());
        for (from, to) in own {
            let is_within = request.offset >= from.offset
                && request.offset + request.len <= from.offset + from.size;
            if request.device == from.device && (is_within || request.op == Op::Flush) {
                let offset = match request.op {
                    Op::Flush => request.offset,
                    _ => to.offset + (request.offset - from.offset),
                };
                return Some(Request {
                    device: to.device,
                    offset,
                    ..*request
                });
            }
        }
        if request.device != self.data.device || request.op != Op::Read {
            return None;
        }
        let offset = match request.offset + request.len <= other.size {
            true => request.offset,
            false => {
                let room = other.size.saturating_sub(request.len).max(1);
                request.offset % room / ALIGNMENT * ALIGNMENT
            }
        };
        Some(Request {
            device: other.data.device,
            offset,
            ..*request
        })
    }
}

impl JournalMirror {
    /// The one that is primary.
    pub(super) fn serving(&self) -> &Side {
        &self.sides[self.serving]
    }

    /// The one that is not.
    pub(super) fn standing_by(&self) -> &Side {
        &self.sides[1 - self.serving]
    }

    /// Which member the backup is.
    pub(super) fn backup(&self) -> usize {
        self.standing_by().member
    }

    /// The members that get the journal: the backup, then the asynchronous ones.
    pub(super) fn followers(&self) -> impl Iterator<Item = usize> + use<> {
        core::iter::once(self.backup()).chain(1..=self.asynchronous)
    }

    /// A request to the files of the job, as its primary is asked now.
    pub(super) fn asked_of_primary(&self, request: &Request) -> Option<Request> {
        match self.serving {
            0 => None,
            _ => self.sides[0].elsewhere(&self.sides[1], request),
        }
    }

    /// The backup that has taken over, and has replayed all it had received, is primary; the
    /// former one is its backup and is not connected. It has on its disk what was committed, and
    /// forgets what was not.
    fn swap_sides(&mut self, now: Nanos) {
        let had = self.backup();
        let new = &mut self.members[had];
        new.is_primary();
        self.lost += self.committed.saturating_sub(new.arrived);
        let (shared, position) = (self.committed.min(new.arrived), new.arrived);
        self.serving = 1 - self.serving;
        self.takeovers += 1;
        let former = self.backup();
        self.members[former].has(shared, self.record);
        (self.again, self.refused) = (false, false);
        self.position = position;
        if position > self.committed {
            self.marks.add(position, now);
        }
        self.committed = position;
        for member in 1..=self.asynchronous {
            self.members[member].disconnect();
        }
        if let Some(commit) = &mut self.commit {
            commit.begins_anew(now, &mut self.position);
        }
        self.pause_ends(now);
    }

    /// An asynchronous member turns to the primary, if a link joins them: once nothing is under way
    /// to it from the former one.
    pub(super) fn turn_to_primary(&mut self, member: usize) {
        let link = self.links[member - 1][self.serving];
        let it = &mut self.members[member];
        if let Some(link) = link
            && !it.connected
            && it.has_settled()
        {
            it.spec.link = link;
            it.connect(self.spec.acknowledge);
        }
    }
}

impl Mirrors {
    /// How often backups have become primary, those of all mirrors together.
    #[inline]
    pub(crate) fn takeovers(&self) -> u32 {
        self.journals.iter().map(|it| it.takeovers).sum()
    }

    /// What is asked of the primary's files after a takeover, as the new one is asked.
    pub(in crate::replication::mirror) fn asked_of_primary(&self, request: &Request) -> Request {
        let owner = |it: &&JournalMirror| request.requester == it.job.into();
        let asked = match self.journals.iter().find(owner) {
            Some(own) => own.asked_of_primary(request),
            None => self
                .journals
                .iter()
                .find_map(|it| it.asked_of_primary(request)),
        };
        asked.unwrap_or(*request)
    }

    /// The backup of a mirror becomes primary.
    pub(super) fn becomes_primary(&mut self, engine: &mut Engine, now: Nanos, journal: usize) {
        let of = &mut self.journals[journal];
        of.swap_sides(now);
        let (former, backup) = (of.standing_by().host, of.backup());
        let volumes = of.standing_by().volumes.clone();
        if !core::mem::replace(&mut of.members[backup].started, true) {
            self.start_replica(now, journal, backup);
        }
        self.is_moved = self.journals.iter().any(|it| it.serving > 0);
        // What a paused host has under way ends for nobody: who waits for it asks the new primary.
        if self.hosts_paused[former].is_some() {
            let mut ended = core::mem::take(&mut self.ended);
            for volume in volumes {
                engine.change(now, Change::Fail { volume }, &mut |ticket, reply| {
                    ended.push((ticket, reply));
                });
            }
            self.ended = ended;
            self.take_ends(engine, now);
        }
        self.look_at_commit(engine, now, journal);
    }
}
