//! What can be bought and what it delivers: volume types and instance types by
//! date, latency profiles, access patterns, account quotas.
//!
//! The data is text under `catalog/`, built into the program. A volume type
//! whose rules are of the known kinds is added there and nowhere else.

mod amount;
mod depth;
mod instance;
mod instance_table;
mod latency;
mod list;
mod provision;
mod rate;
mod rule;
mod source;
mod table;
#[cfg(test)]
mod tests;
mod volume;
mod volume_check;

use std::sync::OnceLock;

use indexmap::IndexMap;
use serde::Deserialize;
use serde::de::DeserializeOwned;

use crate::Error;
use crate::nearest::hint;
use crate::schema::Pattern;
use crate::tree::{Node, from_node, parse};
use crate::units::Date;

pub(crate) use amount::grouped;
pub(crate) use depth::in_time;
pub(crate) use instance::{Instance, InstanceRules};
pub(crate) use latency::Profile;
pub(crate) use provision::Ask;
pub(crate) use rate::Given;
pub(crate) use rule::VolumeRule;
pub(crate) use source::Sources;
pub(crate) use volume::LimitRule;

pub use list::{InstanceListing, VolumeListing};
pub use volume::Confidence;

/// The catalog.
#[derive(Clone, Debug)]
pub struct Catalog {
    sources: Sources,
    /// The newest day on which a source was seen.
    newest: Option<Date>,
    volumes: volume::Volumes,
    rules: InstanceRules,
    /// Sorted by name.
    instances: Vec<Instance>,
    profiles: IndexMap<String, Profile>,
    patterns: IndexMap<String, Pattern>,
    quotas: Quotas,
}

/// `quotas.yaml`.
#[derive(Clone, Debug, Deserialize)]
#[serde(deny_unknown_fields)]
struct Quotas {
    source: String,
    iops: IndexMap<String, u64>,
}

/// The texts that a catalog is read from, one a file.
#[derive(Clone, Copy, Debug)]
struct Texts<'a> {
    sources: &'a str,
    volumes: &'a str,
    instances: &'a str,
    instance_table: &'a str,
    instance_store: &'a str,
    latency: &'a str,
    patterns: &'a str,
    quotas: &'a str,
}

const EMBEDDED: Texts<'static> = Texts {
    sources: include_str!("../../../../catalog/sources.yaml"),
    volumes: include_str!("../../../../catalog/volumes.yaml"),
    instances: include_str!("../../../../catalog/instances.yaml"),
    instance_table: include_str!("../../../../catalog/instances.csv"),
    instance_store: include_str!("../../../../catalog/instance-store.csv"),
    latency: include_str!("../../../../catalog/latency.yaml"),
    patterns: include_str!("../../../../catalog/patterns.yaml"),
    quotas: include_str!("../../../../catalog/quotas.yaml"),
};

impl Catalog {
    /// The catalog that is built into the program, read at the first call.
    ///
    /// # Errors
    /// None in a released program: tests read the same text.
    pub fn embedded() -> Result<&'static Self, Error> {
        static CATALOG: OnceLock<Result<Catalog, Error>> = OnceLock::new();
        let catalog = CATALOG.get_or_init(|| Self::parse(&EMBEDDED));
        catalog.as_ref().map_err(Clone::clone)
    }

    fn parse(texts: &Texts<'_>) -> Result<Self, Error> {
        let sources = Sources(File::read("sources", texts.sources)?.content);
        let volumes: File<volume::Volumes> = File::read("volumes", texts.volumes)?;
        let rules: File<InstanceRules> = File::read("instances", texts.instances)?;
        let latency: File<IndexMap<String, latency::ProfileText>> =
            File::read("latency", texts.latency)?;
        let quotas: File<Quotas> = File::read("quotas", texts.quotas)?;

        let mut profiles = IndexMap::new();
        for (name, text) in &latency.content {
            let profile = text.profile(&sources).map_err(|m| latency.error(name, m))?;
            profiles.insert(name.clone(), profile);
        }
        volumes
            .content
            .check(&sources, |name| {
                known("latency profile", name, &profiles).map(|_| ())
            })
            .map_err(|(path, message)| volumes.error(&path, message))?;
        (rules.content.check(&sources)).map_err(|m| rules.error("", m))?;
        (sources.check(&quotas.content.source)).map_err(|m| quotas.error("source", m))?;
        let instances =
            instance_table::read(&rules.content, texts.instance_table, texts.instance_store)?;
        Ok(Self {
            newest: sources.newest(),
            sources,
            volumes: volumes.content,
            rules: rules.content,
            instances,
            profiles,
            patterns: File::read("patterns", texts.patterns)?.content,
            quotas: quotas.content,
        })
    }

    /// The rule of a volume type on a day, or the newest one without a day,
    /// behind a host. The error names the nearest type, or the day on which the
    /// type was announced if that came later.
    pub(crate) fn volume_rule<'a>(
        &'a self,
        volume_type: &str,
        day: Option<Date>,
        host: Option<&'a Instance>,
    ) -> Result<VolumeRule<'a>, String> {
        let (name, rows) = self
            .volumes
            .types
            .get_key_value(volume_type)
            .ok_or_else(|| unknown("volume type", volume_type, self.volume_types()))?;
        self.check_launched(name, day)?;
        VolumeRule::choose(name, rows, day, host, &self.sources)
            .ok_or_else(|| format!("the catalog has no rule of `{name}` for this host"))
    }

    /// Refuses a day on which a volume type was not to be had yet.
    fn check_launched(&self, name: &str, day: Option<Date>) -> Result<(), String> {
        match (self.volumes.launched.get(name), day) {
            (Some(launch), Some(day)) if day < launch.day => {
                let (since, source) = (launch.day, self.sources.cite(&launch.source));
                Err(format!(
                    "`{name}` was not to be had on {day}; expected as_of {since} or later ({source})"
                ))
            }
            _ => Ok(()),
        }
    }

    /// What has to be assumed of limits on a day after everything that the
    /// catalog rests on, in words.
    pub(crate) fn outdated(&self, day: Option<Date>) -> Option<String> {
        let (day, newest) = (day?, self.newest?);
        (day > newest).then(|| {
            format!("the catalog's newest source is of {newest}; limits may have changed by {day}")
        })
    }

    /// Names of the volume types.
    pub(crate) fn volume_types(&self) -> impl Iterator<Item = &str> {
        self.volumes.types.keys().map(String::as_str)
    }

    /// An instance type. The error names the nearest one.
    pub(crate) fn instance(&self, name: &str) -> Result<&Instance, String> {
        self.instances
            .iter()
            .find(|instance| instance.name() == name)
            .ok_or_else(|| {
                let names = self.instances.iter().map(Instance::name);
                unknown("instance type", name, names)
            })
    }

    /// What hosts' limits rest on beside the instance type's figures.
    pub(crate) fn instance_rules(&self) -> &InstanceRules {
        &self.rules
    }

    /// A latency profile. The error names the nearest one.
    pub(crate) fn profile(&self, name: &str) -> Result<&Profile, String> {
        known("latency profile", name, &self.profiles)
    }

    /// The access patterns by name.
    pub(crate) fn patterns(&self) -> &IndexMap<String, Pattern> {
        &self.patterns
    }

    /// The sources by key.
    pub(crate) fn sources(&self) -> &Sources {
        &self.sources
    }

    /// The tokens that a limit of a volume of `size` bytes holds at `rate`
    /// tokens a second, and what that rests on if it is not published.
    pub(crate) fn depth(&self, limit: &LimitRule, rate: u64, size: u64) -> (u64, Option<String>) {
        match self.volumes.depths.get(&limit.depth) {
            Some(depth) => (depth.tokens(rate, size), depth.note(&self.sources)),
            // A checked catalog has every depth that its limits name.
            None => (rate, None),
        }
    }
}

/// One file's content, with its tree for the places of later errors.
struct File<T> {
    tree: Node,
    content: T,
}

impl<T: DeserializeOwned> File<T> {
    fn read(name: &str, text: &str) -> Result<Self, Error> {
        let tree = parse(text, &format!("catalog/{name}.yaml"))?;
        let content = from_node(&tree)?;
        Ok(Self { tree, content })
    }

    fn error(&self, path: &str, message: String) -> Error {
        Error::new(self.tree.locate(path), path, message)
    }
}

fn known<'a, T>(what: &str, name: &str, all: &'a IndexMap<String, T>) -> Result<&'a T, String> {
    all.get(name)
        .ok_or_else(|| unknown(what, name, all.keys().map(String::as_str)))
}

fn unknown<'a>(what: &str, name: &str, all: impl IntoIterator<Item = &'a str>) -> String {
    format!("no {what} is called `{name}`{}", hint(name, all))
}
