//! Other types for the volumes that there are.

use blockyard_scenario::schema::Volume;
use blockyard_scenario::units::Size;

use super::device::Of;
use super::lasting::{Now, largest, lasting, least_size, with_size};
use super::{Change, GIB, MORE_THROUGHPUT, Proposal};
use crate::spot::Spot;

/// The types that one may change to: those that databases are kept on.
const TYPES: [&str; 4] = ["gp3", "gp2", "io2", "io1"];

impl Of<'_> {
    pub(super) fn types(&self) -> Vec<Proposal> {
        let spots = self.spots();
        let Some(from) = spots.first().map(|spot| &spot.volume.volume_type) else {
            return Vec::new();
        };
        let others = TYPES.iter().filter(|name| **name != from.as_str());
        let proposal = |to: &&str| {
            let sets = spots.iter().flat_map(|spot| self.as_type(spot, to));
            Proposal {
                change: Change::Type {
                    device: self.name.to_owned(),
                    volumes: self.volumes(),
                    from: from.clone(),
                    to: (*to).to_owned(),
                },
                sets: sets.collect(),
            }
        };
        others.map(proposal).collect()
    }

    /// The overrides that make volumes another type, with what they have now: where IOPS come
    /// with the size, as large as that takes.
    fn as_type(&self, spot: &Spot<'_>, to: &str) -> Vec<String> {
        let now = self.now(spot.volume);
        let mut sets = as_type(spot, to, now.as_ref().map(|now| (now.iops, now.throughput)));
        let larger = now.and_then(|now| self.size_for(spot.volume, to, &now));
        sets.extend(larger.map(|size| format!("{}.size={size}", spot.path)));
        sets
    }

    /// The size from which on a type whose IOPS come with it has as many as there are now, or the
    /// most that it has; none where that is no more than the size now.
    fn size_for(&self, volume: &Volume, to: &str, now: &Now) -> Option<Size> {
        let other = Volume {
            volume_type: to.to_owned(),
            iops: None,
            throughput: None,
            ..volume.clone()
        };
        let lasting = lasting(self.scenario, self.catalog, self.device, &other)?;
        let iops = |size: Size| lasting(Some(size)).map(|(iops, ..)| iops);
        let least = now.size.bytes().div_ceil(GIB);
        let most = iops(Size::new(largest(&lasting, least)? * GIB))?;
        let wanted = now.iops.min(most);
        if !with_size(&lasting, now.size) || iops(Size::new(least * GIB))? >= wanted {
            return None;
        }
        least_size(&lasting, now.size, &|(iops, ..)| *iops >= wanted)
    }
}

/// The overrides that make the volumes of a spot another type, with so many IOPS and so much
/// throughput where the type provisions these. A latency profile goes: it is the old type's.
pub(super) fn as_type(spot: &Spot<'_>, to: &str, has: Option<(u64, u64)>) -> Vec<String> {
    let path = &spot.path;
    let mut sets = vec![format!("{path}.type={to}")];
    let mut set = |key: &str, stated: bool, value: Option<String>| match value {
        Some(value) => sets.push(format!("{path}.{key}={value}")),
        None if stated => sets.push(format!("{path}.{key}=null")),
        None => {}
    };
    let (iops, throughput) = has.unzip();
    let provisioned = iops.filter(|_| to != "gp2").map(|iops| match to {
        "gp3" => iops.max(3000),
        _ => iops.max(100),
    });
    let throughput = throughput
        .filter(|_| to == "gp3")
        .map(|it| it.max(MORE_THROUGHPUT) >> 20);
    set(
        "iops",
        spot.volume.iops.is_some(),
        provisioned.map(|it| it.to_string()),
    );
    set(
        "throughput",
        spot.volume.throughput.is_some(),
        throughput.map(|it| format!("{it}MiB/s")),
    );
    set("latency", spot.volume.latency.is_some(), None);
    sets
}
