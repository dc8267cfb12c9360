//! What happens to storage while it runs.

use alloc::sync::Arc;

use crate::limits::LimitId;
use crate::spec::{Impairment, LatencySpec};

/// Something that happens to storage while it runs.
#[derive(Clone, Debug, PartialEq)]
pub enum Change {
    /// A limit gets another rate and depth (an elastic modification).
    Limit {
        /// Which limit.
        limit: LimitId,
        /// Tokens a second, at least 1.
        rate: u64,
        /// Most tokens in the bucket, at least 1.
        depth: u64,
    },
    /// A limit does not hold any more. If it is changed again it holds, with a full bucket.
    Lift {
        /// Which limit.
        limit: LimitId,
    },
    /// What a volume takes from now on has other latencies.
    Latency {
        /// Index of the volume.
        volume: usize,
        /// The latencies.
        latency: Arc<LatencySpec>,
    },
    /// A volume stops granting and completing.
    Pause {
        /// Index of the volume.
        volume: usize,
    },
    /// A volume fails everything outstanding and everything that follows.
    Fail {
        /// Index of the volume.
        volume: usize,
    },
    /// A volume takes nothing that comes; what is in flight goes on.
    Hold {
        /// Index of the volume.
        volume: usize,
    },
    /// A volume is torn from its host: what is in flight on it fails, except for what came
    /// while it was held.
    Detach {
        /// Index of the volume.
        volume: usize,
    },
    /// A volume is attached to another host. What is in flight fails, as if it was detached.
    Attach {
        /// Index of the volume.
        volume: usize,
        /// Index of the host.
        host: usize,
    },
    /// A volume that was paused, held or failed works again. What came while it was held comes
    /// now.
    Resume {
        /// Index of the volume.
        volume: usize,
    },
    /// Other ways of a link are cut than before, both, one, or none any more.
    Cut {
        /// Index of the link.
        link: usize,
        /// By end: whether nothing that is sent from there arrives from now on.
        from: [bool; 2],
    },
    /// A link is worse than by itself, or no longer.
    Impair {
        /// Index of the link.
        link: usize,
        /// What is wrong with it from now on.
        is: Impairment,
    },
    /// The mirror with a volume discards what the leg that does not serve has written alone, if its
    /// legs stay apart after a split brain.
    Reconnect {
        /// Index of the volume.
        volume: usize,
    },
    /// A host goes down with all that runs on it.
    HostDown {
        /// Index of the host.
        host: usize,
    },
    /// A host that was down works again.
    HostUp {
        /// Index of the host.
        host: usize,
    },
    /// What runs where a device is served from is gone, with its host or as a cluster stops it; or
    /// it is started, there again or elsewhere.
    Runs {
        /// Index of the device: a shared disk, or a mirror over two hosts.
        device: usize,
        /// Index of the host that it is started on.
        on: Option<usize>,
    },
    /// The processors of a host are faster or slower than before.
    HostSpeed {
        /// Index of the host.
        host: usize,
        /// How fast they are, in 1/1000; at 0 they stand still.
        speed: u32,
    },
    /// The packets of a host are handled faster or slower than before, from now on. A pause does
    /// not say so: nothing comes while it lasts, and what waits goes out the moment it is over.
    PacketSpeed {
        /// Index of the host.
        host: usize,
        /// How fast they are handled, in 1/1000, at least 1.
        speed: u32,
    },
}
