//! How a device's address space is laid out over volumes, mirrors among them.

use alloc::boxed::Box;
use alloc::vec::Vec;
use core::num::NonZeroU64;

use crate::units::{Bytes, Nanos};

/// How a device's address space is laid out over volumes.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Layout {
    /// One volume, by its index in [`StorageSpec::volumes`](super::StorageSpec::volumes).
    Volume(usize),
    /// LVM stripe or RAID 0: chunks go to the parts in turn.
    Stripe {
        /// Bytes on one part before the next part's turn; a power of two.
        chunk: Bytes,
        /// The striped parts, at least 1.
        parts: Vec<Layout>,
    },
    /// The parts one after another (LVM linear).
    Linear {
        /// The parts with their sizes, at least 1.
        parts: Vec<(Layout, Bytes)>,
    },
    /// Two copies; only a device as a whole.
    Mirror(Box<MirrorSpec>),
}

/// When a write to a mirror is acknowledged, by DRBD's protocols.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
pub enum Acknowledge {
    /// When it is on the local disk and the link has taken it to send.
    A,
    /// When it is on the local disk and in the peer's memory.
    B,
    /// When it is on both disks.
    #[default]
    C,
}

/// Which leg serves a read.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
pub enum ReadPolicy {
    /// The first, while it is up to date.
    #[default]
    Local,
    /// Each in turn, of those that are up to date.
    RoundRobin,
}

/// One copy of a mirror's data.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct LegSpec {
    /// Where its bytes lie; no mirror.
    pub layout: Layout,
    /// What link it is reached by, by index in
    /// [`StorageSpec::links`](super::StorageSpec::links), and at which end of it the
    /// mirror's user is; none for a leg on the same host.
    pub link: Option<(usize, usize)>,
}

/// Two copies of a device.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct MirrorSpec {
    /// The copies. The first is in sync at the start, as is the second.
    pub legs: [LegSpec; 2],
    /// Bytes of the device, as of each leg.
    pub size: Bytes,
    /// When a write is acknowledged.
    pub acknowledge: Acknowledge,
    /// Most bytes of requests that the host of a leg behind a link has in memory; a larger
    /// request is there alone.
    pub max_buffers: Bytes,
    /// Which leg serves a read.
    pub read: ReadPolicy,
    /// In what steps differences between the legs are kept account of: a power of two. What
    /// differs anywhere in a region is copied with the whole of it.
    pub region: Bytes,
    /// The dirty-region log; none if the mirror keeps none.
    pub log: Option<LogSpec>,
    /// How a leg that has returned is brought up to date.
    pub resync: ResyncSpec,
    /// What is done when the legs' hosts lose each other.
    pub partition: PartitionSpec,
}

/// What is done when the hosts of a mirror's legs lose each other.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct PartitionSpec {
    /// How long after that the other host serves, if it may; none if it never does.
    pub failover: Option<Nanos>,
    /// What the host that serves does before it goes on alone.
    pub fencing: Fencing,
    /// What is done when legs meet of which each has writes that the other lacks.
    pub after_split_brain: AfterSplitBrain,
}

/// What the host that serves does before it goes on without the other, by DRBD's policies.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Fencing {
    /// Nothing: either host may serve alone.
    #[default]
    DontCare,
    /// It has the other leg know that it is outdated.
    ResourceOnly,
    /// The same, and no IO is served for as long as that takes.
    ResourceAndStonith(Nanos),
}

/// What is done when legs meet of which each has writes that the other lacks, by DRBD's policies.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum AfterSplitBrain {
    /// They stay apart until they are told to connect.
    #[default]
    Disconnect,
    /// The leg whose host does not serve is made what the other is.
    DiscardSecondary,
}

/// A log of the regions that are being written to. It is written before the data of a clean
/// region, so that after a crash only those are compared.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct LogSpec {
    /// On which legs it lies, at least on one.
    pub on: [bool; 2],
    /// Bytes of a write to it, at least 1.
    pub block: Bytes,
    /// What it names: a power of two, at least a region.
    pub extent: Bytes,
    /// A region that was not written to for so long is clean.
    pub clean_after: Nanos,
    /// Most regions that are dirty at once; the one not written to for longest gives way.
    pub active: u32,
}

/// The copying of regions that differ.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct ResyncSpec {
    /// Most bytes a second; none for no bound.
    pub rate: Option<NonZeroU64>,
    /// Bytes of one copy, a power of two and at most the region.
    pub request: Bytes,
    /// Most copies under way, at least 1.
    pub depth: u32,
    /// Whether all is copied, as which regions differ is not known.
    pub full: bool,
}
