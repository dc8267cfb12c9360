//! The database under random updates and its three kinds of writer.

use std::num::NonZeroU32;

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use super::job::database_block;
use super::{JournalMirror, Load, NameOr, OneOrMany, ScheduleStep, count};
use crate::units::{Duration, Percent, Rate, Size};

/// Update processes dirty random blocks in the database cache. The journal is
/// written all the time; a write-daemon cycle writes the dirty blocks first to
/// the write image journal (WIJ), then to the database. Has exactly one of
/// `processes` and `schedule`.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct RanWrite {
    /// The device of all three files, or a device for each.
    pub on: NameOr<Roles>,
    /// Its host: of a device, by default the first; of a job, that of its devices.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub host: Option<String>,
    /// Size of the file.
    pub file_size: Size,
    /// Database block size, a multiple of 512B.
    #[serde(default = "database_block")]
    pub block: Size,
    /// Update processes.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub processes: Option<OneOrMany<u32>>,
    /// Steps at stated times, each with `processes`.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub schedule: Option<Vec<ScheduleStep>>,
    /// Updates per second of each process, of random blocks. The default is the 2022 test tool's,
    /// with a pause of 10 ms after each.
    #[serde(default = "default_updates")]
    pub updates: Rate,
    /// Maximum time between starts of write-daemon cycles.
    #[serde(default = "default_cycle")]
    pub cycle: Duration,
    /// Size of the database cache.
    pub cache: Size,
    /// Dirty share of the cache that starts a cycle early. Assumed; the product's is not published.
    #[serde(default = "default_dirty_limit")]
    pub dirty_limit: Percent,
    /// Time per dirty block to form the list, while updates pause. Assumed; none is published.
    #[serde(default = "default_list_time")]
    pub list_time: Duration,
    /// Maximum adjacent dirty blocks written as one IO.
    #[serde(default = "default_coalesce")]
    pub coalesce: NonZeroU32,
    /// The write image journal: the blocks a cycle is about to write, in sequence.
    #[serde(default)]
    pub wij: Wij,
    /// The write daemons.
    #[serde(default)]
    pub wdparm: WriteDaemons,
    /// The journal: a record per update, in sequence.
    #[serde(default)]
    pub journal: Journal,
    /// Ships the journal to other hosts, which replay it on databases and WIJs of their own (an
    /// IRIS mirror); default: none. A journal write ends when it is on the primary's disk and an
    /// active backup has acknowledged it.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub mirror: Option<Box<JournalMirror>>,
}

/// The device of each database file.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct Roles {
    /// The database file.
    pub data: String,
    /// The write image journal.
    pub wij: String,
    /// The journal.
    pub journal: String,
}

/// The write image journal: the blocks a cycle is about to write, in sequence.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields, default)]
pub struct Wij {
    /// Size of a WIJ write.
    pub write: Size,
    /// WIJ writes in flight, up to 1024; 0 means synchronous, 1 and 2 both mean 2. Published
    /// defaults disagree (2 and 8); this is the 2023 article's.
    pub asyncwij: u32,
    /// File size; writing wraps at its end. The default is assumed.
    pub file_size: Size,
}

/// The write daemons.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields, default)]
pub struct WriteDaemons {
    /// Write daemons.
    pub daemons: NonZeroU32,
    /// Database writes kept in flight over all daemons: `wdwrite_asyncio_max` of a stock start-up
    /// log of 2023. The 2023 article's `wdparm` permits 512.
    pub outstanding: NonZeroU32,
    /// Maximum database writes in flight per daemon. The default is the 2023 article's.
    pub per_daemon: NonZeroU32,
}

/// The journal: a record per update, in sequence.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields, default)]
pub struct Journal {
    /// Journal bytes per update. Assumed: about 40 bytes of text with name and header.
    pub record: Size,
    /// Journal bytes written at once.
    pub buffer: Size,
    /// Longest wait of journal bytes.
    pub interval: Duration,
    /// File size; writing wraps at its end. The default is the product's limit.
    pub file_size: Size,
}

impl Default for Wij {
    fn default() -> Self {
        Self {
            write: Size::new(256 << 10),
            asyncwij: 8,
            file_size: Size::new(1 << 30),
        }
    }
}

impl Default for WriteDaemons {
    fn default() -> Self {
        Self {
            daemons: count(8),
            outstanding: count(64),
            per_daemon: count(128),
        }
    }
}

impl Default for Journal {
    fn default() -> Self {
        Self {
            record: Size::new(100),
            buffer: Size::new(64 << 10),
            interval: Duration::new(2_000_000_000),
            file_size: Size::new(1 << 30),
        }
    }
}

fn default_updates() -> Rate {
    Rate::new(100)
}

fn default_cycle() -> Duration {
    Duration::new(80_000_000_000)
}

fn default_dirty_limit() -> Percent {
    Percent::new(250)
}

fn default_list_time() -> Duration {
    Duration::new(100)
}

fn default_coalesce() -> NonZeroU32 {
    count(16)
}

impl RanWrite {
    pub(crate) fn load(&self) -> Load<'_> {
        Load {
            processes: self.processes.as_ref(),
            rate: None,
            schedule: self.schedule.as_deref(),
            outstanding: None,
            arrivals: None,
            max_outstanding: None,
            latency_limit: None,
        }
    }

    /// The devices of the database file, the WIJ and the journal, in this
    /// order, each with the path of the key that names it, within the job.
    #[must_use]
    pub fn roles(&self) -> [(&'static str, &str); 3] {
        roles(&self.on)
    }
}

/// The devices of database file, WIJ and journal, each with the path of the key that names it.
pub(super) fn roles(on: &NameOr<Roles>) -> [(&'static str, &str); 3] {
    match on {
        NameOr::Name(device) => [("on", device), ("on", device), ("on", device)],
        NameOr::Given(roles) => [
            ("on.data", &roles.data),
            ("on.wij", &roles.wij),
            ("on.journal", &roles.journal),
        ],
    }
}
