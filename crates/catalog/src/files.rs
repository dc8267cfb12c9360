//! Reads the catalog from its files.

use blockyard_text::Error;
use blockyard_text::tree::{Node, from_node, parse};
use indexmap::IndexMap;
use serde::Serialize;
use serde::de::DeserializeOwned;

use crate::instance::InstanceRules;
use crate::latency::{ErrorTable, LatencyProfile, Profile};
use crate::modification::Modifications;
use crate::price::{Known, PriceData, Prices};
use crate::rds::Rds;
use crate::source::Sources;
use crate::volume::Volumes;
use crate::zones::Zones;
use crate::{
    Catalog, Engine, FileSystem, Named, Quotas, Unknown, db_classes, instance_history,
    instance_store, instance_table,
};

/// The texts that a catalog is read from, one for each file.
#[derive(Clone, Copy, Debug, Serialize)]
pub(crate) struct Texts<'a> {
    pub(crate) sources: &'a str,
    pub(crate) volumes: &'a str,
    pub(crate) instances: &'a str,
    pub(crate) instance_table: &'a str,
    pub(crate) instance_history: &'a str,
    pub(crate) instance_store: &'a str,
    pub(crate) instance_store_streams: &'a str,
    pub(crate) latency: &'a str,
    pub(crate) latency_errors: &'a str,
    pub(crate) modifications: &'a str,
    pub(crate) file_systems: &'a str,
    pub(crate) engines: &'a str,
    pub(crate) patterns: &'a str,
    pub(crate) quotas: &'a str,
    pub(crate) rds: &'a str,
    pub(crate) db_classes: &'a str,
    pub(crate) prices: &'a str,
    /// The generated table and the transcribed one.
    pub(crate) instance_prices: [&'a str; 2],
    /// On demand, and reserved for three years.
    pub(crate) prices_by_region: [&'a str; 2],
    pub(crate) zones: &'a str,
}

pub(crate) const EMBEDDED: Texts<'static> = Texts {
    sources: include_str!("../../../catalog/sources.yaml"),
    volumes: include_str!("../../../catalog/volumes.yaml"),
    instances: include_str!("../../../catalog/instances.yaml"),
    instance_table: include_str!("../../../catalog/instances.csv"),
    instance_history: include_str!("../../../catalog/instance-history.csv"),
    instance_store: include_str!("../../../catalog/instance-store.csv"),
    instance_store_streams: include_str!("../../../catalog/instance-store-streams.csv"),
    latency: include_str!("../../../catalog/latency.yaml"),
    latency_errors: include_str!("../../../catalog/latency-errors.csv"),
    modifications: include_str!("../../../catalog/modifications.yaml"),
    file_systems: include_str!("../../../catalog/file_systems.yaml"),
    engines: include_str!("../../../catalog/engines.yaml"),
    patterns: include_str!("../../../catalog/patterns.yaml"),
    quotas: include_str!("../../../catalog/quotas.yaml"),
    rds: include_str!("../../../catalog/rds.yaml"),
    db_classes: include_str!("../../../catalog/db-classes.csv"),
    prices: include_str!("../../../catalog/prices.yaml"),
    instance_prices: [
        include_str!("../../../catalog/instance-prices.csv"),
        include_str!("../../../catalog/instance-prices-transcribed.csv"),
    ],
    prices_by_region: [
        include_str!("../../../catalog/instance-prices-by-region.csv"),
        include_str!("../../../catalog/instance-prices-3y.csv"),
    ],
    zones: include_str!("../../../catalog/instance-zones.csv"),
};

impl Catalog {
    /// The texts of the catalog that is built into the program, for whoever must know whether two
    /// programs have the same one.
    #[must_use]
    pub fn texts() -> impl Serialize {
        EMBEDDED
    }

    /// Reads and checks a catalog. An error names the offending line.
    pub(crate) fn parse(texts: &Texts<'_>) -> Result<Self, Error> {
        let sources = Sources(File::read("sources", texts.sources)?.content);
        let volumes: File<Volumes> = File::read("volumes", texts.volumes)?;
        let rules: File<InstanceRules> = File::read("instances", texts.instances)?;
        let latency: File<IndexMap<String, LatencyProfile>> = File::read("latency", texts.latency)?;
        let quotas: File<Quotas> = File::read("quotas", texts.quotas)?;

        let mut profiles: IndexMap<String, Profile> = IndexMap::new();
        for (name, text) in &latency.content {
            let Some(tree) = latency.tree.at(name) else {
                continue;
            };
            let profile = Profile::new(text.clone(), tree.clone(), &sources)
                .map_err(|m| latency.error(name, m))?;
            profiles.insert(name.clone(), profile);
        }
        let known_profile = |name: &str| match profiles.contains_key(name) {
            true => Ok(()),
            false => {
                let names = profiles.keys().map(String::as_str);
                Err(Unknown::new(Named::Profile, name, names).to_string())
            }
        };
        (volumes.content)
            .check(&sources, &rules.content.platforms, known_profile)
            .map_err(|(path, message)| volumes.error(&path, message))?;
        (rules.content.check(&sources)).map_err(|m| rules.error("", m))?;
        (sources.check(&quotas.content.source)).map_err(|m| quotas.error("source", m))?;
        let rds: File<Rds> = File::read("rds", texts.rds)?;
        (rds.content.check(&sources)).map_err(|(path, message)| rds.error(&path, message))?;
        let file_systems: File<IndexMap<String, FileSystem>> =
            File::read("file_systems", texts.file_systems)?;
        for (name, file_system) in &file_systems.content {
            let checked = file_system.check(&sources);
            checked.map_err(|m| file_systems.error(name, m))?;
        }
        let engines: File<IndexMap<String, Engine>> = File::read("engines", texts.engines)?;
        for (name, engine) in &engines.content {
            let checked = engine.check(&sources);
            checked.map_err(|m| engines.error(name, m))?;
        }
        let modifications: File<Modifications> = File::read("modifications", texts.modifications)?;
        (modifications.content.check(&sources))
            .map_err(|(path, message)| modifications.error(&path, message))?;
        let mut instances = instance_table::read(&rules.content, texts.instance_table)?;
        let history = &rules.content.history;
        instance_history::add(&mut instances, texts.instance_history, history)?;
        let streams = texts.instance_store_streams;
        instance_store::add(&mut instances, texts.instance_store, streams)?;
        let db_classes = db_classes::read(&rds.content.classes, texts.db_classes, &instances)?;
        let prices: File<PriceData> = File::read("prices", texts.prices)?;
        let known = Known::new(&volumes.content, &instances);
        (prices.content.check(&sources, &known))
            .map_err(|(path, message)| prices.error(&path, message))?;
        let prices = Prices::read(
            prices.content,
            texts.instance_prices,
            texts.prices_by_region,
        )?;
        Ok(Self {
            newest: sources.newest(),
            sources,
            volumes: volumes.content,
            rules: rules.content,
            instances,
            db_classes,
            profiles,
            latency_errors: ErrorTable::read(texts.latency_errors)?,
            modifications: modifications.content,
            file_systems: file_systems.content,
            engines: engines.content,
            patterns: File::read("patterns", texts.patterns)?.content,
            quotas: quotas.content,
            rds: rds.content,
            prices,
            zones: Zones::new(texts.zones),
        })
    }
}

/// One file's content, and its tree, which gives later errors their places.
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
