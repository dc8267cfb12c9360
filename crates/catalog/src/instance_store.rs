//! What local disks do: IOs as published, and streams in proportion to them, as measured.

use blockyard_text::Error;
use serde::Deserialize;

use crate::grounds::{Assumption, Note};
use crate::instance::{DiskRates, Instance};
use crate::instance_table::{find, whole};
use crate::source::Sources;
use crate::table::Table;

/// The local disks of an instance, all together.
#[derive(Clone, Debug)]
pub(crate) struct Store {
    /// Reads and writes of 4 KiB a second.
    iops: (u64, u64),
    pub(crate) streams: Streams,
}

/// What the disks of a family of instances stream.
#[derive(Clone, Debug)]
pub(crate) struct Streams {
    family: String,
    /// Bytes a second for each published IO a second, of reads and of writes.
    per_io: (u64, u64),
    /// Of how many types it is the median, if the family was measured.
    types: Option<u64>,
    /// Whose figures they are otherwise: a family's, or those of `all`.
    pub(crate) like: Option<String>,
}

/// `instances.yaml`: where streams were measured.
#[derive(Clone, Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub(crate) struct StreamRules {
    pub(crate) source: String,
    pub(crate) inferred: String,
}

impl Store {
    /// What one of `count` disks does.
    pub(crate) fn of_one(&self, count: u64) -> DiskRates {
        let (reads, writes) = (self.iops.0 / count, self.iops.1 / count);
        let (read, write) = self.streams.per_io;
        DiskRates {
            reads,
            writes,
            read_bytes: reads.saturating_mul(read),
            write_bytes: writes.saturating_mul(write),
        }
    }
}

impl Streams {
    /// What must be assumed for them.
    pub(crate) fn assumption(&self) -> Option<Assumption<'_>> {
        let like = self.like.as_deref()?;
        Some(Assumption::StreamsLike {
            family: &self.family,
            like,
        })
    }

    /// What they were inferred from.
    pub(crate) fn note<'a>(&'a self, rules: &'a StreamRules, sources: &'a Sources) -> Note<'a> {
        Note::StreamsInferred {
            reason: &rules.inferred,
            types: self.types,
            source: sources.get(&rules.source),
        }
    }
}

/// Adds `instance-store.csv` and `instance-store-streams.csv` to the instances. An error names the
/// offending line.
pub(crate) fn add(instances: &mut [Instance], iops: &str, streams: &str) -> Result<(), Error> {
    let header = "family,read_bytes,write_bytes,types,like";
    let streams = Table::new("catalog/instance-store-streams.csv", header, streams).rows(family)?;
    let of = |name: &str| {
        let family = name.split('.').next().unwrap_or(name);
        let found = streams.iter().find(|streams| streams.family == family);
        let missing = || format!("instance-store-streams.csv has no family `{family}`");
        found.cloned().ok_or_else(missing)
    };
    let iops = Table::new(
        "catalog/instance-store.csv",
        "type,read_iops,write_iops",
        iops,
    );
    let figures = iops.rows(|cells| match cells {
        [name, reads, writes] => {
            let iops = (whole(reads)?, whole(writes)?);
            let streams = of(name)?;
            Ok(((*name).to_owned(), Store { iops, streams }))
        }
        _ => Err("expected 3 cells".into()),
    })?;
    for (name, store) in figures {
        // The user guide names a few types that the table no longer lists.
        if let Some(index) = find(instances, &name) {
            instances[index].store = Some(store);
        }
    }
    Ok(())
}

fn family(cells: &[&str]) -> Result<Streams, String> {
    let [family, reads, writes, types, like] = cells else {
        return Err("expected 5 cells".into());
    };
    let types = (!types.is_empty()).then(|| whole(types)).transpose()?;
    if types.is_some() != like.is_empty() {
        return Err("expected either `types` or `like`".into());
    }
    Ok(Streams {
        family: (*family).to_owned(),
        per_io: (whole(reads)?, whole(writes)?),
        types,
        like: (!like.is_empty()).then(|| (*like).to_owned()),
    })
}
