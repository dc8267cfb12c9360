//! What can be bought and what it delivers: volume types and instance types by date, latency
//! profiles, file systems, access patterns, account quotas, prices.
//!
//! The data is text under `catalog/`, built into the program. To add a volume type whose rules are
//! of the known kinds takes an edit there and nowhere else.
//!
//! ```
//! use blockyard_catalog::{Ask, Catalog, Field};
//!
//! let catalog = Catalog::get()?;
//! let gp3 = catalog.volume_type("gp3")?;
//! let host = catalog.instance("r5n.24xlarge")?;
//! let day = Some("2022-11-10".parse()?);
//!
//! let mut ask = Ask { size: Some("10GiB".parse()?), iops: Some(6000), ..Ask::default() };
//! let refusal = gp3.limits(&ask, Some(host), day).unwrap_err();
//! assert_eq!(refusal.field(), Field::Iops);
//! assert!(refusal.to_string().ends_with("6,000 IOPS need a size of 12GiB or more, not 10GiB"));
//!
//! ask.size = Some("12GiB".parse()?);
//! let limits = gp3.limits(&ask, Some(host), day)?.limits;
//! assert_eq!((limits[0].name, limits[0].rate), ("iops", 6000));
//! # Ok::<(), Box<dyn std::error::Error>>(())
//! ```

mod amount;
mod bound;
mod db_classes;
mod depth;
mod discipline;
mod engine;
mod file_system;
mod files;
mod grounds;
mod host;
mod host_limits;
mod instance;
mod instance_history;
mod instance_store;
mod instance_table;
mod latency;
mod limits;
mod modification;
mod multi_attach;
mod offer;
mod pattern;
mod price;
mod provision;
mod queues;
mod rate;
mod rds;
mod refusal;
mod source;
mod table;
#[cfg(test)]
mod tests;
mod unknown;
mod volume;
mod volume_check;
mod zones;

use std::sync::OnceLock;

use blockyard_text::Error;
use blockyard_text::units::{Date, Size};
use indexmap::IndexMap;
use serde::Deserialize;

pub use amount::{Amount, ByteUnit};
pub use bound::{Bound, Remedy};
pub use engine::{
    Adaptive, Checkpoints, Engine, EngineErrors, EngineFlush, EngineLog, EngineReplication,
    EngineSemiSync, OnError,
};
pub use file_system::FileSystem;
pub use grounds::{Assumption, Note};
pub use host::HostKind;
pub use host_limits::HostLimits;
pub use instance::{DiskRates, Disks, Generation, HostRate, Instance, NetworkRate, Purpose};
pub use instance_history::Levels;
pub use latency::{
    Basis, Class, Factor, Grounds, LatencyError, LatencyFigure, LatencyProfile, Profile, Quantiles,
    Slope, SlowPhase, Standing, Stated,
};
pub use limits::{Ask, Limit, Limits, Provisioned};
pub use modification::{ModificationRule, TooOften};
pub use multi_attach::NoMultiAttach;
pub use offer::{Offer, VolumeType};
pub use pattern::Pattern;
pub use price::{
    Charge, ManagedStorage, NoPrice, NothingPriced, Price, PriceFile, PriceList, PriceSource, Term,
    VolumeLine, Wanted,
};
pub use rate::{DiskRate, Provision, Rate, SizeStep};
pub use rds::Striping;
pub use refusal::{Field, Refusal};
pub use source::{Period, Source};
pub use unknown::{Named, Unknown};
pub use volume::{
    Confidence, HostCap, IopsRange, LimitRule, SizeRange, ThroughputRange, VolumeRow,
};

/// The catalog.
#[derive(Clone, Debug)]
pub struct Catalog {
    sources: source::Sources,
    /// The newest day on which a source was seen.
    newest: Option<Date>,
    volumes: volume::Volumes,
    rules: instance::InstanceRules,
    /// Sorted by name.
    instances: Vec<Instance>,
    /// The DB instance classes of RDS, likewise.
    db_classes: Vec<Instance>,
    profiles: IndexMap<String, Profile>,
    latency_errors: latency::ErrorTable,
    modifications: modification::Modifications,
    file_systems: IndexMap<String, FileSystem>,
    engines: IndexMap<String, Engine>,
    patterns: IndexMap<String, Pattern>,
    quotas: Quotas,
    rds: rds::Rds,
    prices: price::Prices,
    zones: zones::Zones,
}

/// `quotas.yaml`.
#[derive(Clone, Debug, Deserialize)]
#[serde(deny_unknown_fields)]
struct Quotas {
    source: String,
    iops: IndexMap<String, u64>,
    storage: IndexMap<String, Size>,
}

impl Catalog {
    /// The catalog that is built into the program, read at the first call.
    ///
    /// # Errors
    /// None in a released program: tests read the same text.
    pub fn get() -> Result<&'static Self, Error> {
        static CATALOG: OnceLock<Result<Catalog, Error>> = OnceLock::new();
        let catalog = CATALOG.get_or_init(|| Self::parse(&files::EMBEDDED));
        catalog.as_ref().map_err(Clone::clone)
    }

    /// A volume type.
    ///
    /// # Errors
    /// If there is none with this name; suggests the nearest one.
    pub fn volume_type<'a>(&'a self, name: &str) -> Result<VolumeType<'a>, Unknown> {
        match self.volumes.types.get_key_value(name) {
            Some((name, rows)) => Ok(self.type_of(name, rows)),
            None => {
                let names = self.volumes.types.keys().map(String::as_str);
                Err(Unknown::new(Named::VolumeType, name, names))
            }
        }
    }

    /// The volume types, in the file's order.
    pub fn volume_types(&self) -> impl Iterator<Item = VolumeType<'_>> {
        self.volumes
            .types
            .iter()
            .map(|(name, rows)| self.type_of(name, rows))
    }

    fn type_of<'a>(&'a self, name: &'a String, rows: &'a Vec<volume::VolumeRow>) -> VolumeType<'a> {
        VolumeType {
            name,
            rows,
            catalog: self,
        }
    }

    /// An instance type, or a DB instance class of RDS, as `db.r5.large`.
    ///
    /// # Errors
    /// If there is none with this name; suggests the nearest one.
    pub fn instance(&self, name: &str) -> Result<&Instance, Unknown> {
        let table = match name.starts_with(db_classes::PREFIX) {
            true => &self.db_classes,
            false => &self.instances,
        };
        match instance_table::find(table, name) {
            Some(index) => Ok(&table[index]),
            None => {
                let names = self.instances.iter().map(Instance::name);
                Err(Unknown::new(Named::Instance, name, names))
            }
        }
    }

    /// The instance types of EC2, sorted by name.
    #[must_use]
    pub fn instances(&self) -> &[Instance] {
        &self.instances
    }

    /// The ids of the zones of a region that offer an instance type, as `use1-az4`: names, as
    /// `us-east-1a`, differ from account to account. Empty where the region does not offer the
    /// type; none of a type or region that the list of offers does not have.
    #[must_use]
    pub fn zones(&self, instance: &str, region: &str) -> Option<&[String]> {
        self.zones.of(instance, region)
    }

    /// A kind of hosts, which rows and limits name.
    #[must_use]
    pub fn host_kind(&self, name: &str) -> Option<&HostKind> {
        self.volumes.hosts.get(name)
    }

    /// A latency profile.
    ///
    /// # Errors
    /// If there is none with this name; suggests the nearest one.
    pub fn profile(&self, name: &str) -> Result<&Profile, Unknown> {
        self.profiles.get(name).ok_or_else(|| {
            let names = self.profiles.keys().map(String::as_str);
            Unknown::new(Named::Profile, name, names)
        })
    }

    /// The access patterns by name.
    #[must_use]
    pub fn patterns(&self) -> &IndexMap<String, Pattern> {
        &self.patterns
    }

    /// What must be assumed about limits on a day after the catalog's newest source.
    #[must_use]
    pub fn outdated(&self, day: Option<Date>) -> Option<Assumption<'static>> {
        let (day, newest) = (day?, self.newest?);
        (day > newest).then_some(Assumption::AfterAllSources { newest, day })
    }
}
