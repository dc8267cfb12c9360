//! The layout of a scenario as JSON, for what writes it in the form of other tools: what is bought
//! for which host, what LVM makes of it, and what lies where.

mod files;
mod resolved;
mod storage;

use blockyard_scenario::{Loaded, Resolved};
use indexmap::{IndexMap, IndexSet};
use schemars::JsonSchema;
use serde::Serialize;

use crate::refused::Refused;

/// The layout at the start: sizes in bytes, throughputs in bytes a second. Volumes that events add
/// are left out.
#[derive(Debug, Serialize, JsonSchema)]
pub struct Layout {
    /// The scenario's name.
    pub(crate) name: String,
    /// Its hosts.
    pub(crate) hosts: Vec<Host>,
    /// Its volumes, in their order on the devices.
    pub(crate) volumes: Vec<Volume>,
    /// Its devices.
    pub(crate) devices: Vec<Device>,
    /// Its clusters.
    pub(crate) clusters: Vec<Cluster>,
    /// The files of the jobs, and of members of their mirrors.
    pub(crate) files: Vec<Files>,
    /// How many events may change it later.
    pub(crate) events: usize,
    /// How often a volume may be modified.
    pub(crate) modifications: Modifications,
}

/// How often a volume may be modified while it is in use; what is not limited is none.
#[derive(Debug, Serialize, JsonSchema)]
pub(crate) struct Modifications {
    /// Seconds that must pass between two.
    pub(crate) apart_s: Option<u64>,
    /// At most this number ..
    pub(crate) most: Option<u32>,
    /// .. in any time of this many seconds.
    pub(crate) within_s: Option<u64>,
}

/// A host.
#[derive(Debug, Serialize, JsonSchema)]
pub(crate) struct Host {
    /// Its name.
    pub(crate) name: String,
    /// Its instance type; none where the scenario does not state it.
    pub(crate) instance: Option<String>,
    /// Its zone; none likewise.
    pub(crate) zone: Option<String>,
    /// How many volumes the type takes beside its root volume; none without a type.
    pub(crate) attachments: Option<u64>,
    /// The architecture of its processors; none likewise.
    pub(crate) architecture: Option<String>,
    /// `nitro`, `xen` or `metal`; none likewise.
    pub(crate) platform: Option<String>,
    /// Bytes a second of all its volumes that it sustains; none where nothing limits them.
    pub(crate) sustained: Option<u64>,
}

/// A volume as it is ordered.
#[derive(Debug, Serialize, JsonSchema)]
pub(crate) struct Volume {
    /// Its name.
    pub(crate) name: String,
    /// The device that it is of.
    pub(crate) device: String,
    /// The host that it is attached to.
    pub(crate) host: String,
    /// Its type.
    #[serde(rename = "type")]
    pub(crate) volume_type: String,
    /// Its size.
    pub(crate) size: u64,
    /// Provisioned IOPS; none where the type provisions none.
    pub(crate) iops: Option<u64>,
    /// Provisioned throughput; none likewise.
    pub(crate) throughput: Option<u64>,
    /// Bytes a second of large sequential IO that its limits sustain, without bursts; none where
    /// nothing limits it.
    pub(crate) sustained: Option<u64>,
    /// Seconds for which a modification to it is optimised.
    pub(crate) optimising_s: u64,
    /// Whether it is a disk of the instance, which comes with that.
    pub(crate) local: bool,
    /// Whether anyone sells it: `unlimited` is only for tests.
    pub(crate) sold: bool,
}

/// A device of the scenario.
#[derive(Debug, Serialize, JsonSchema)]
pub(crate) struct Device {
    /// Its name.
    pub(crate) name: String,
    /// Its size.
    pub(crate) size: u64,
    /// What it is made of.
    pub(crate) layout: Tree,
}

/// What a device is made of: one of a volume, a stripe, parts one after another and a mirror.
#[derive(Debug, Serialize, JsonSchema)]
#[serde(untagged)]
pub(crate) enum Tree {
    /// A volume.
    Volume {
        /// Its place in `volumes`.
        volume: usize,
    },
    /// Equal parts, striped.
    Stripe {
        /// The parts.
        stripe: Vec<Tree>,
        /// Bytes on one before the next one's turn.
        chunk: u64,
    },
    /// Parts one after another.
    Linear {
        /// The parts.
        linear: Vec<Tree>,
    },
    /// Copies.
    Mirror {
        /// The legs by name.
        mirror: IndexMap<String, Tree>,
    },
}

/// Hosts that share devices, which one of them uses at a time.
#[derive(Debug, Serialize, JsonSchema)]
pub(crate) struct Cluster {
    /// Its name.
    pub(crate) name: String,
    /// The hosts.
    pub(crate) nodes: Vec<String>,
    /// The devices.
    pub(crate) disks: Vec<String>,
    /// Whether the devices are attached to all of them.
    pub(crate) multi_attach: bool,
}

/// What a job, or a member of its mirror, has on which device.
#[derive(Debug, Serialize, JsonSchema)]
pub(crate) struct Files {
    /// The job.
    pub(crate) job: String,
    /// What kind of job it is.
    pub(crate) kind: &'static str,
    /// The device of each file by its role; what is not named lies with the data.
    pub(crate) on: IndexMap<&'static str, String>,
    /// The member of the job's mirror; none is the job itself.
    pub(crate) member: Option<String>,
    /// How a database's server is configured; none of other jobs.
    pub(crate) settings: Option<Settings>,
}

/// How the server of a database under updates is configured.
#[derive(Debug, Serialize, JsonSchema)]
pub(crate) struct Settings {
    /// The size of the database.
    pub(crate) size: u64,
    /// The size of a block.
    pub(crate) block: u64,
    /// The size of the cache.
    pub(crate) cache: u64,
    /// WIJ writes in flight.
    pub(crate) asyncwij: u32,
    /// The size of the WIJ.
    pub(crate) wij_size: u64,
    /// The size of a journal file.
    pub(crate) journal_size: u64,
    /// Write daemons.
    pub(crate) daemons: u32,
    /// IOs in flight of all of them.
    pub(crate) outstanding: u32,
    /// IOs in flight of each.
    pub(crate) per_daemon: u32,
}

impl Layout {
    /// The layout of a scenario at its start.
    #[must_use]
    pub fn of(loaded: &Loaded, resolved: &Resolved) -> Self {
        resolved::layout(loaded, resolved)
    }

    /// Whether something can set it up.
    ///
    /// # Errors
    /// An instance of RDS, which does that itself.
    pub fn check(&self) -> Result<(), Refused> {
        let types = self
            .hosts
            .iter()
            .filter_map(|host| host.instance.as_deref());
        let mut of_rds = types.filter(|instance| instance.starts_with("db."));
        of_rds.next().map_or(Ok(()), |instance| {
            Err(Refused::new(
                "host.instance",
                format!(
                    "{instance} is of RDS, which makes the volumes itself: order its storage there"
                ),
            ))
        })
    }

    /// The roles that jobs have a device for, such as `journal`; `data` where none says.
    pub(crate) fn roles(&self, device: &str) -> Vec<&'static str> {
        let files = self
            .files
            .iter()
            .filter(|files| files.kind != "access_spec");
        let on = files
            .flat_map(|files| &files.on)
            .filter(|(_, on)| *on == device);
        let roles: IndexSet<_> = on.map(|(role, _)| *role).collect();
        match roles.is_empty() {
            true => vec!["data"],
            false => roles.into_iter().collect(),
        }
    }

    /// The cluster that shares a device, if one does.
    pub(crate) fn cluster(&self, device: &str) -> Option<&Cluster> {
        let shares = |cluster: &&Cluster| cluster.disks.iter().any(|disk| disk == device);
        self.clusters.iter().find(shares)
    }
}
