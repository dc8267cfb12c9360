//! The mirror that a database's journal is shipped to.

use std::num::NonZeroU32;

use indexmap::IndexMap;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use super::{NameOr, Roles, count, full};
use crate::units::{Duration, Percent};

/// Ships the journal to other hosts, which replay it on databases and WIJs of their own (an IRIS
/// mirror); default: none. A journal write ends when it is on the primary's disk and an active
/// backup has acknowledged it.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct JournalMirror {
    /// The backup failover member.
    pub backup: MirrorMember,
    /// The arbiter's host, with a link to each failover member. Without it primary and backup
    /// decide alone.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub arbiter: Option<String>,
    /// How long failover members wait for each other and for the arbiter. Default and maximum
    /// (300s) are the product's.
    #[serde(default = "qos_timeout")]
    pub qos_timeout: Duration,
    /// When the backup acknowledges journal data.
    #[serde(default = "received")]
    pub acknowledge: JournalAcknowledge,
    /// Dejournaling: a member replays the journal on its database. Its write daemons, WIJ and cache
    /// are like the job's.
    #[serde(default)]
    pub dejournal: Dejournal,
    /// Asynchronous members by name; nobody waits for them.
    #[serde(default, skip_serializing_if = "IndexMap::is_empty")]
    pub asynchronous: IndexMap<String, MirrorMember>,
}

/// A member that receives the journal.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct MirrorMember {
    /// The link between the job's host and the member's.
    pub link: String,
    /// The member's device for all three files, or a device for each, on one host. File sizes are
    /// the job's.
    pub on: NameOr<Roles>,
}

/// When the backup acknowledges journal data.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum JournalAcknowledge {
    /// When it is in the backup's memory, as in the product's documentation.
    Received,
    /// When it is on the backup's journal disk.
    Written,
}

/// Dejournaling: a member replays the journal on its database. Its write daemons, WIJ and cache are
/// like the job's.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields, default)]
pub struct Dejournal {
    /// Parallel replay jobs, one record each. The default is the product's maximum.
    pub jobs: NonZeroU32,
    /// Share of records whose block is not in the member's cache and is read first. The default is
    /// assumed.
    pub read: Percent,
}

impl Default for Dejournal {
    fn default() -> Self {
        Self {
            jobs: count(16),
            read: full(),
        }
    }
}

impl MirrorMember {
    /// The devices of its database file, WIJ and journal, in this order, each with the path of
    /// the key that names it.
    #[must_use]
    pub fn roles(&self) -> [(&'static str, &str); 3] {
        super::ranwrite::roles(&self.on)
    }
}

fn qos_timeout() -> Duration {
    Duration::new(8_000_000_000)
}

fn received() -> JournalAcknowledge {
    JournalAcknowledge::Received
}
