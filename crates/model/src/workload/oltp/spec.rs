//! What an `oltp` job is built from, and what it says of itself.

use alloc::string::String;
use alloc::vec::Vec;

use crate::request::Op;
use crate::spec::GroupSpec;
use crate::spec::Region;
use crate::units::{Bytes, Nanos};
use crate::workload::describe::{Describe, FileUse, LoopType, Offered, most, processes};
use crate::workload::sequential::{self, padded};
use crate::workload::skew::nurand::NuRand;
use crate::workload::spec::{Arrivals, Preference};

/// Most bytes of log that one write has.
pub(super) const LARGEST_LOG_WRITE: Bytes = 1 << 20;

/// `oltp`: threads of a transactional engine over a buffer pool, its log, and what writes out
/// the pages that they change.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct OltpSpec {
    /// The job's name.
    pub name: String,
    /// The tables and indexes.
    pub data: Region,
    /// Size of a page.
    pub page: Bytes,
    /// Pages that the buffer pool has.
    pub pool: u64,
    /// What is in the pool when it starts.
    pub start: Start,
    /// The tables that transactions access, at least one.
    pub tables: Vec<TableSpec>,
    /// The kinds of transactions, at least one.
    pub kinds: Vec<TransactionSpec>,
    /// What makes transactions begin.
    pub load: TransactionLoad,
    /// Its host, by index.
    pub host: usize,
    /// Processor cores that transactions share.
    pub cores: u32,
    /// The redo log, or write-ahead log.
    pub log: LogSpec,
    /// The binary log, written after the redo log at each commit; none if there is none.
    pub binlog: Option<Region>,
    /// Where pages are written first, so that none is ever torn; none if they are not.
    pub doublewrite: Option<Region>,
    /// Where a replica writes the binary log that it receives; none of any other engine.
    pub relay_log: Option<RelayLog>,
    /// How changed pages are written out.
    pub flushing: Flushing,
    /// What it does when an IO of it fails.
    pub on_error: OnError,
    /// The device that it moves with, a shared disk or a mirror over two hosts: where that is
    /// handed over, it is started again. None if nobody starts it.
    pub moves_with: Option<usize>,
    /// What a commit waits for beside the logs: how long other nodes take to have agreed; 0
    /// without any.
    pub certification: Nanos,
    /// The group of nodes that its changes are replicated in; none if it is alone.
    pub group: Option<GroupSpec>,
}

/// What is in a pool when its engine starts.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Start {
    /// What a long time of reads would have left there.
    Warm,
    /// Nothing.
    Cold,
}

/// A table, or an index: pages of the data, and which of these accesses prefer. Tables may have
/// pages in common, which are then accessed in several ways.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct TableSpec {
    /// Its first page, and how many there are.
    pub first: u64,
    /// At least one.
    pub pages: u64,
    /// Which of them are accessed.
    pub draw: Draw,
}

/// Which pages of a table are accessed.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Draw {
    /// All alike, or as preferred.
    Preferred(Preference),
    /// By TPC-C's law.
    NuRand(NuRand),
}

/// Pages of a table that a transaction accesses.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct PageUse {
    /// Number of the table.
    pub table: u16,
    /// Pages of it, at least one.
    pub accesses: u32,
    /// How many of these it changes.
    pub changes: u32,
}

/// What an engine does when an IO of it fails.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum OnError {
    /// It stops, until the end of the run.
    Stop,
    /// It rolls a transaction back whose page read failed, and stops for anything else. Where it
    /// applies the changes of another node, it stops.
    Abort,
}

/// A kind of transaction.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct TransactionSpec {
    /// Its name.
    pub name: String,
    /// How often it is drawn, against the weights of the others.
    pub weight: u32,
    /// Pages that it accesses, one after another; at least one.
    pub accesses: u32,
    /// How many of these it changes; 0 if it only reads.
    pub changes: u32,
    /// Both by table, of which they are the sums.
    pub tables: Vec<PageUse>,
    /// Bytes of redo log.
    pub log: Bytes,
    /// Bytes of binary log, where there is one.
    pub binlog: Bytes,
    /// Processor time.
    pub processor: Nanos,
}

/// What makes transactions begin.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum TransactionLoad {
    /// Each thread begins one when its last has ended, after a pause.
    Closed {
        /// (from, threads), rising in time, the first at 0.
        steps: Vec<(Nanos, u32)>,
        /// Mean of the pauses, which are exponential; 0 if there are none.
        think: Nanos,
    },
    /// They come due by the clock, and wait for a free thread.
    Open {
        /// (from, transactions a second), rising in time, the first at 0.
        steps: Vec<(Nanos, u64)>,
        /// How the gaps are drawn.
        arrivals: Arrivals,
        /// Threads.
        threads: u32,
    },
}

/// A redo log, or write-ahead log.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct LogSpec {
    /// Where it is written, over and over.
    pub region: Region,
    /// Most bytes since the oldest change that is in the log only: with more, transactions that
    /// change anything wait.
    pub capacity: Bytes,
    /// Whether a commit waits until the logs are written; otherwise they are each second.
    pub durable: bool,
    /// Whether the first change of a page after a checkpoint logs the page whole.
    pub full_pages: bool,
}

/// A replica's relay log: the binary log of another engine, as it has come.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct RelayLog {
    /// Where it is written, over and over.
    pub region: Region,
    /// Whether what has come counts, and is applied, once it is on disk (`sync_relay_log` 1);
    /// otherwise it does at once, and is written each second.
    pub durable: bool,
}

/// How changed pages are written out.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Flushing {
    /// How many, by the age of the oldest change.
    pub pace: Pace,
    /// Most pages that are written together, between two syncs.
    pub batch: u32,
    /// Batches under way at most, each submitted by a cleaner of its own.
    pub cleaners: u32,
    /// Pages at the end of the pool that are kept clean, to be replaced.
    pub depth: u64,
}

/// How fast changed pages are written out, beside those that must make room in the pool.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Pace {
    /// By the age of the oldest change, in bytes of log: so many pages a second as long as any
    /// is changed, rising to the most from an age of `low` in 1000 of the log's capacity to one
    /// of `high`.
    Adaptive {
        /// Pages a second.
        rate: u64,
        /// Pages a second at `high`, and beyond.
        most: u64,
        /// In 1000 of the log's capacity.
        low: u32,
        /// In 1000 of the log's capacity.
        high: u32,
    },
    /// By checkpoints: what is changed when one begins is written evenly over a share of the
    /// time to the next.
    Checkpoints {
        /// From one to the next, unless the log's capacity is used up before.
        every: Nanos,
        /// In 1000 of that.
        spread: u32,
    },
}

impl OltpSpec {
    /// Pages of its tables and indexes.
    pub(super) fn pages(&self) -> u64 {
        self.data.size / self.page
    }

    /// The most threads that it ever has.
    pub(crate) fn threads(&self) -> u32 {
        match &self.load {
            TransactionLoad::Closed { steps, .. } => most(steps),
            TransactionLoad::Open { threads, .. } => *threads,
        }
    }

    /// Bytes of a write to the doublewrite area at most.
    pub(super) fn largest_batch(&self) -> Bytes {
        self.page * u64::from(self.flushing.batch)
    }

    /// The other nodes of its group, as engines that apply its write sets.
    pub(crate) fn others(&self) -> impl Iterator<Item = Self> {
        let group = self.group.iter();
        group.flat_map(|group| group.nodes.iter().map(|node| group.engine(self, node)))
    }

    fn logs(&self) -> impl Iterator<Item = Region> {
        [self.log.region].into_iter().chain(self.binlog)
    }
}

impl Describe for OltpSpec {
    fn name(&self) -> &str {
        &self.name
    }

    fn files(&self) -> Vec<FileUse> {
        let writes = self.flushing.cleaners * self.flushing.batch;
        let data = FileUse {
            region: self.data,
            unit: self.page,
            ops: &[Op::Read, Op::Write],
            in_flight: u64::from(self.threads() + writes),
            largest_io: self.page,
            least_size: self.page,
        };
        let written = |region, in_flight: u32, largest_io, least_size| FileUse {
            region,
            unit: sequential::UNIT,
            ops: &[Op::Write],
            in_flight: in_flight.into(),
            largest_io,
            least_size,
        };
        let largest = |log| sequential::largest(LARGEST_LOG_WRITE, log);
        let logs = self
            .logs()
            .map(|log| written(log, 1, largest(log), sequential::UNIT));
        let batch = padded(self.largest_batch());
        let doublewrite = self
            .doublewrite
            .map(|area| written(area, self.flushing.cleaners, batch, batch));
        let relay_log = self.relay_log.map(|it| it.region);
        let relay_log = relay_log.map(|log| written(log, 1, largest(log), sequential::UNIT));
        let own = [data].into_iter().chain(logs).chain(doublewrite);
        let own = own.chain(relay_log);
        let others = self.others().flat_map(|node| node.files());
        let mut all: Vec<_> = own.chain(others).collect();
        if self.group.as_ref().is_some_and(GroupSpec::has_copies) {
            // Any node's data may be copied to another.
            for data in all.iter_mut().filter(|it| it.ops.contains(&Op::Read)) {
                data.in_flight += u64::from(1 + GroupSpec::COPY_WINDOW);
                let chunk = GroupSpec::COPY_CHUNK.min(data.region.size);
                data.largest_io = data.largest_io.max(chunk);
            }
        }
        all
    }

    fn on_nodes(&self) -> Vec<Vec<Region>> {
        let others: Vec<_> = self.others().collect();
        let nodes = || [self].into_iter().chain(&others);
        let everywhere = |of: fn(&Self) -> Option<Region>| nodes().filter_map(of).collect();
        let files: [Vec<_>; 5] = [
            everywhere(|node| Some(node.data)),
            everywhere(|node| Some(node.log.region)),
            everywhere(|node| node.binlog),
            everywhere(|node| node.doublewrite),
            everywhere(|node| node.relay_log.map(|log| log.region)),
        ];
        files.into_iter().filter(|it| !it.is_empty()).collect()
    }

    fn regions_mut(&mut self) -> Vec<&mut Region> {
        let others = self.binlog.iter_mut().chain(&mut self.doublewrite);
        let relay_log = self.relay_log.iter_mut().map(|it| &mut it.region);
        let nodes = self.group.iter_mut().flat_map(GroupSpec::regions_mut);
        [&mut self.data, &mut self.log.region]
            .into_iter()
            .chain(others)
            .chain(relay_log)
            .chain(nodes)
            .collect()
    }

    fn loop_type(&self) -> LoopType {
        LoopType::Timed
    }

    fn steps(&self) -> Vec<(Nanos, Offered)> {
        match &self.load {
            TransactionLoad::Closed { steps, .. } => processes(steps),
            TransactionLoad::Open { steps, .. } => {
                let rate = |&(from, rate): &(Nanos, u64)| (from, Offered::Rate(rate));
                steps.iter().map(rate).collect()
            }
        }
    }
}
