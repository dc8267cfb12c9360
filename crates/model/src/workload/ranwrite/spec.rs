//! What a `ranwrite` job is built from, and what it says of itself.

use alloc::string::String;
use alloc::vec;
use alloc::vec::Vec;

use crate::request::Op;
use crate::spec::{JournalMirrorSpec, MemberSpec, Region};
use crate::units::{Bytes, MIB, Nanos};
use crate::workload::describe::{Describe, FileUse, LoopType, Offered, processes};
use crate::workload::sequential::{self, padded};

/// The journal daemon writes at most this much at once (4 KiB to 4 MiB,
/// InterSystems monitoring guide, `JrnWrts`).
const LARGEST_JOURNAL_WRITE: Bytes = 4 * MIB;

/// All three files are made durable by flushes.
const OPS: &[Op] = &[Op::Write, Op::Flush];

/// `ranwrite`: update processes over a database cache, written out by a
/// journal, a write image journal (WIJ) and write daemons.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct RanWriteSpec {
    /// The job's name.
    pub name: String,
    /// The database file.
    pub data: Region,
    /// The write image journal.
    pub wij: Region,
    /// The journal.
    pub journal: Region,
    /// Database block size.
    pub block: Bytes,
    /// (from, update processes), rising in time, the first at 0.
    pub steps: Vec<(Nanos, u32)>,
    /// Updates a second of each process.
    pub updates_per_process: u64,
    /// Longest time from the start of one write-daemon cycle to the next.
    pub cycle: Nanos,
    /// Dirty blocks that start a cycle early.
    pub dirty_limit: u64,
    /// Time to form the list of dirty blocks, each; updaters are held meanwhile.
    pub list_time_per_block: Nanos,
    /// Size of a WIJ write.
    pub wij_write: Bytes,
    /// WIJ writes in flight (`asyncwij`).
    pub wij_outstanding: u32,
    /// Write daemons (`wdparm` a).
    pub daemons: u32,
    /// Database writes in flight over all daemons (`wdparm` c).
    pub outstanding: u32,
    /// Database writes in flight of one daemon (`wdparm` d).
    pub outstanding_per_daemon: u32,
    /// Most adjacent dirty blocks written as one IO.
    pub coalesce_blocks: u32,
    /// Journal bytes of one update.
    pub journal_record: Bytes,
    /// Journal bytes that are written at once.
    pub journal_buffer: Bytes,
    /// Longest time that journal bytes wait to be written.
    pub journal_interval: Nanos,
    /// The mirror that its journal is shipped to; none if it has none.
    pub mirror: Option<JournalMirrorSpec>,
}

impl RanWriteSpec {
    /// How it uses the database, the WIJ and the journal.
    pub(super) fn uses(&self) -> [FileUse; 3] {
        let log = |region, in_flight, largest_io, least_size| FileUse {
            region,
            unit: sequential::UNIT,
            ops: OPS,
            in_flight,
            largest_io,
            least_size: padded(least_size),
        };
        let data = FileUse {
            region: self.data,
            unit: self.block,
            ops: OPS,
            in_flight: self.outstanding.into(),
            largest_io: self.block * u64::from(self.coalesce_blocks),
            least_size: self.block,
        };
        // Clearing the WIJ writes a block.
        let wij_write = self.wij_write.max(self.block);
        [
            data,
            log(
                self.wij,
                self.wij_outstanding.into(),
                padded(wij_write),
                wij_write,
            ),
            log(
                self.journal,
                1,
                self.largest_journal_write(),
                self.journal_buffer,
            ),
        ]
    }
}

impl Describe for RanWriteSpec {
    fn name(&self) -> &str {
        &self.name
    }

    fn files(&self) -> Vec<FileUse> {
        self.uses().into()
    }

    fn on_nodes(&self) -> Vec<Vec<Region>> {
        let members: Vec<_> = self.mirror.iter().flat_map(|it| it.members()).collect();
        let everywhere = |own, of: fn(&MemberSpec) -> Region| {
            let others = members.iter().map(|member| of(member));
            [own].into_iter().chain(others).collect()
        };
        vec![
            everywhere(self.data, |member| member.data),
            everywhere(self.wij, |member| member.wij),
            everywhere(self.journal, |member| member.journal),
        ]
    }

    fn regions_mut(&mut self) -> Vec<&mut Region> {
        vec![&mut self.data, &mut self.wij, &mut self.journal]
    }

    fn loop_type(&self) -> LoopType {
        LoopType::Timed
    }

    fn steps(&self) -> Vec<(Nanos, Offered)> {
        processes(&self.steps)
    }

    fn cycle(&self) -> Option<Nanos> {
        Some(self.cycle)
    }

    fn updates_per_process(&self) -> Option<u64> {
        Some(self.updates_per_process)
    }
}

impl RanWriteSpec {
    /// The largest write to the journal.
    pub(super) fn largest_journal_write(&self) -> Bytes {
        sequential::largest(LARGEST_JOURNAL_WRITE, self.journal)
    }

    pub(in crate::workload) fn journal_mirror(
        &self,
    ) -> Option<(&RanWriteSpec, &JournalMirrorSpec)> {
        self.mirror.as_ref().map(|mirror| (self, mirror))
    }
}
