//! What a group of nodes is built from.

use alloc::vec::Vec;

use super::{LinkSpec, Region};
use crate::units::{Bytes, MIB, Nanos};
use crate::workload::oltp::spec::RelayLog;

/// Nodes that each have all of the data. One takes all transactions, and sends what they change
/// to the others: before they commit, in virtually synchronous replication as Galera has it, or
/// as its log, or its binary log, is written.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct GroupSpec {
    /// The nodes beside the one of the job, at least one.
    pub nodes: Vec<GroupNode>,
    /// Threads of each that apply write sets (`wsrep_slave_threads`), at least 1.
    pub appliers: u32,
    /// With more write sets than this in its receive queue a node stops the group
    /// (`gcs.fc_limit`, scaled by the number of nodes or not).
    pub upper: u64,
    /// With this many or fewer it lets the group go on (`gcs.fc_factor` of `upper`).
    pub lower: u64,
    /// How a log is shipped, where the nodes are standbys: then no write sets are sent, and nothing
    /// stops the group. None of nodes that certify write sets.
    pub shipping: Option<Shipping>,
    /// Bytes of log that the disk of each node has room for, the job's first: with more kept for
    /// standbys the primary stops. Empty if all have room for any.
    pub log_rooms: Vec<Bytes>,
    /// Who is a member; of nodes that certify write sets.
    pub membership: Membership,
    /// The links between the other nodes: one between any two of a cluster that certifies write
    /// sets, and of standbys of which one takes over.
    pub between: Vec<Wire>,
    /// How another node takes the load over from one that is lost; none if none does.
    pub take_over: Option<TakeOver>,
}

/// How clients are sent to another node when the one that they ask is lost: by a proxy, or by
/// what promotes a standby.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct TakeOver {
    /// So long after the loss, and not before the other nodes have agreed on it.
    pub after: Nanos,
}

/// A link between two nodes of a group.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Wire {
    /// The link.
    pub link: LinkSpec,
    /// Its number in the storage.
    pub number: usize,
    /// The nodes at its ends; 0 is that of the job.
    pub nodes: [usize; 2],
}

/// How members lose each other, decide who goes on, and meet again: Galera's `evs`, `pc` and
/// `gmcast` (<https://galeracluster.com/library/documentation/galera-parameters.html>).
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Membership {
    /// A member of which nothing is heard for so long is given up (`evs.suspect_timeout`).
    pub suspect: Nanos,
    /// How often that is looked at (`evs.inactive_check_period`), above 0.
    pub check: Nanos,
    /// So long after that the rest has agreed (`evs.join_retrans_period`): messages go at once,
    /// and looked at when they are sent again (`gcomm/src/evs_proto.cpp`).
    pub agree: Nanos,
    /// The connections of nodes.
    pub connections: Connections,
    /// So long one that was given up is not let back (`gmcast.time_wait`).
    pub time_wait: Nanos,
    /// How long after its host is back the engine of a node joins, or serves, started again; none
    /// if nobody starts it.
    pub restart: Option<Nanos>,
    /// How many messages of a node may be on their way.
    pub windows: SendWindows,
    /// Votes of the first node (`pc.weight`).
    pub weight: u32,
    /// Bytes of write sets that are kept for members that come back (`gcache.size`): one that has
    /// missed more needs a copy of all data.
    pub gcache: Bytes,
    /// Whether the node that this copy is of applies and commits nothing meanwhile, as with
    /// `wsrep_sst_method=rsync`; backups (`mariabackup`, `xtrabackup-v2`) let it.
    pub blocks_donor: bool,
    /// Which node it is of, if that is up to date: 0 for the first (`wsrep_sst_donor`).
    pub donor: Option<usize>,
}

/// The connections between a cluster's nodes, as Galera has them (`gcomm/src/gmcast.cpp`).
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Connections {
    /// A node gives up one by which nothing has come for so long (`gmcast.peer_timeout`).
    pub timeout: Nanos,
    /// How often that is looked at, above 0.
    pub check: Nanos,
    /// How long after that it tries to make another, above 0.
    pub reconnect: Nanos,
    /// How often a node that has nothing to send says that it is there (`evs.keepalive_period`):
    /// what was lost with a connection is asked for then.
    pub keepalive: Nanos,
}

impl Connections {
    /// After how long without anything over a link messages go round it, if there is a way.
    pub(crate) fn relays(self) -> Nanos {
        self.timeout + self.keepalive
    }
}

/// How many messages of a node may be on their way that not all have told to have.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct SendWindows {
    /// When it sends the next as soon as there is one (`evs.user_send_window`), above 0.
    pub user: u64,
    /// When it sends what has waited, as it hears of others (`evs.send_window`), at least `user`.
    pub all: u64,
}

/// How an engine's log is shipped to its standbys: streaming replication as PostgreSQL has it, or
/// replication of the binary log as MySQL and MariaDB have it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Shipping {
    /// Which log that is.
    pub log: Shipped,
    /// What commits wait for (`synchronous_commit`).
    pub wait: Wait,
    /// On how many standbys: from 1 to as many as there are.
    pub standbys: u32,
    /// Which these are (`synchronous_standby_names`).
    pub which: Which,
    /// A standby of which nothing is heard for so long is taken for gone (`wal_sender_timeout`);
    /// [`Nanos::MAX`] if that never happens.
    pub timeout: Nanos,
    /// When commits stop waiting, in semi-synchronous replication; none if they never do.
    pub fallback: Option<Fallback>,
    /// Bytes of log that are kept for a standby that is behind: one that is further needs a copy of
    /// all data (`max_slot_wal_keep_size`; without a slot `wal_keep_size`); [`Bytes::MAX`] if all
    /// is.
    pub kept: Bytes,
    /// What becomes of a primary that another has replaced.
    pub rejoin: Rejoin,
    /// Bytes of log that a standby may lack and be promoted (Patroni's `maximum_lag_on_failover`),
    /// by what the primary last said of its log; [`Bytes::MAX`] if nobody asks.
    pub most_lag: Bytes,
}

/// How a primary that another has replaced comes back. What it has that the new one has not are
/// errant transactions.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Rejoin {
    /// It goes back to where the new one began (`pg_rewind`).
    Rewind,
    /// It follows if it has no errant transactions, otherwise it gets a copy of all data.
    Copy,
    /// It follows if it has none, otherwise it stays away.
    Incremental,
    /// It stays away.
    Never,
}

impl Shipping {
    /// Whether commits wait for standbys, of an engine whose own logs are `durable` or not.
    pub(crate) fn holds_commits(&self, durable: bool) -> bool {
        // PostgreSQL's commits that do not wait for their own log wait for nothing.
        self.wait != Wait::Nothing && (durable || self.log == Shipped::Binlog)
    }
}

/// Which log of an engine is shipped.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Shipped {
    /// The write-ahead log: it is the standby's log, too.
    Wal,
    /// The binary log: a replica has it as its relay log, and has logs of its own.
    Binlog,
}

/// When commits stop waiting for replicas, until these have caught up.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Fallback {
    /// When one has waited for so long (`rpl_semi_sync_source_timeout`). With 0 none ever waits.
    pub timeout: Nanos,
    /// Whether they wait even with fewer replicas connected than must answer
    /// (`rpl_semi_sync_source_wait_no_replica`).
    pub wait_no_replica: bool,
}

/// On which standbys commits wait.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Which {
    /// Whichever are first (`ANY n`).
    Any,
    /// The first in their order that are not gone (`FIRST n`).
    First,
}

/// What commits wait for on standbys.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Wait {
    /// Nothing (`local`).
    Nothing,
    /// They have received the commit (`remote_write`).
    Received,
    /// They have it on disk (`on`), or in the relay log.
    Flushed,
    /// They have replayed it (`remote_apply`).
    Replayed,
}

/// Another node.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct GroupNode {
    /// Its host, by index.
    pub host: usize,
    /// The link between its host and that of the job.
    pub link: LinkSpec,
    /// The number of that in the storage, and the job's end of it.
    pub link_end: (usize, usize),
    /// Its votes (`pc.weight`).
    pub weight: u32,
    /// Processor cores of its host.
    pub cores: u32,
    /// The tables and indexes.
    pub data: Region,
    /// The redo log.
    pub log: Region,
    /// The binary log, where the job has one.
    pub binlog: Option<Region>,
    /// The doublewrite area, where the job has one.
    pub doublewrite: Option<Region>,
    /// Where it writes the binary log that it receives, if that is what is shipped.
    pub relay_log: Option<RelayLog>,
}

impl GroupSpec {
    /// A copy of all data goes in chunks of so much ...
    pub(crate) const COPY_CHUNK: Bytes = MIB;

    /// ... as long as fewer than this are on their way to the disk of the other: what a pipe
    /// between two programs and the buffers of a socket and of the page cache may hold. An
    /// assumption.
    pub(crate) const COPY_WINDOW: u32 = 8;

    /// Whether a node may get a copy of all data from another.
    pub(crate) fn has_copies(&self) -> bool {
        self.shipping.is_none() || self.membership.restart.is_some()
    }

    /// Whether transactions are served again after the node that they were asked of was lost, if
    /// all goes well.
    pub(crate) fn serves_again(&self) -> bool {
        self.take_over.is_some() || self.membership.restart.is_some()
    }

    /// The host of the job's node, by index.
    pub fn own_host(&self) -> usize {
        let first = self.nodes.first();
        first.map_or(0, |node| node.link.ends[node.link_end.1])
    }

    /// The hosts of its nodes beside that of the job, by index.
    pub fn hosts(&self) -> impl Iterator<Item = usize> {
        self.nodes.iter().map(|node| node.host)
    }

    /// What it has of the storage's links, with their numbers there.
    pub fn links_mut(&mut self) -> impl Iterator<Item = (usize, &mut LinkSpec)> {
        let own = self.nodes.iter_mut();
        let own = own.map(|node| (node.link_end.0, &mut node.link));
        let between = self.between.iter_mut();
        own.chain(between.map(|wire| (wire.number, &mut wire.link)))
    }

    /// Where the files of its nodes lie, to be moved, in the order of their kinds of use.
    pub(crate) fn regions_mut(&mut self) -> impl Iterator<Item = &mut Region> {
        self.nodes.iter_mut().flat_map(|node| {
            let others = node.binlog.iter_mut().chain(&mut node.doublewrite);
            let relay_log = node.relay_log.iter_mut().map(|it| &mut it.region);
            [&mut node.data, &mut node.log]
                .into_iter()
                .chain(others)
                .chain(relay_log)
        })
    }
}
