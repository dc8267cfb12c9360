//! Other types for the volumes that there are.

use blockyard_scenario::schema::Volume;
use blockyard_scenario::units::{Size, Throughput};

use super::device::Of;
use super::lasting::{Now, largest, lasting, least_size};
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

    /// The overrides that make volumes another type, with what they have now, and as large as that
    /// takes.
    fn as_type(&self, spot: &Spot<'_>, to: &str) -> Vec<String> {
        let now = self.now(spot.volume);
        let has = now.as_ref().map(|now| (now.iops, now.throughput));
        let larger = now.and_then(|now| self.size_for(&of_type(spot.volume, to, has), &now));
        let mut sets = as_type(spot, to, has);
        sets.extend(larger.map(|size| format!("{}.size={size}", spot.path)));
        sets
    }

    /// The size from which on a volume of another type has as many IOPS as there are now, or the
    /// most that it can have; none where that is no more than the size now.
    fn size_for(&self, other: &Volume, now: &Now) -> Option<Size> {
        let lasting = lasting(self.scenario, self.catalog, self.device, other)?;
        let iops = |size: Size| lasting(Some(size)).map(|(iops, ..)| iops);
        let least = now.size.bytes().div_ceil(GIB);
        let most = iops(Size::new(largest(&lasting, least)? * GIB))?;
        let wanted = now.iops.min(most);
        match iops(Size::new(least * GIB)) {
            Some(enough) if enough >= wanted => None,
            _ => least_size(&lasting, now.size, &|(iops, ..)| *iops >= wanted),
        }
    }
}

/// A volume of another type, with so many IOPS and so much throughput where the type provisions
/// these. A latency profile goes: it is the old type's.
fn of_type(volume: &Volume, to: &str, has: Option<(u64, u64)>) -> Volume {
    let (iops, throughput) = has.unzip();
    let least_iops = if to == "gp3" { 3000 } else { 100 };
    let throughput = throughput.filter(|_| to == "gp3");
    let whole_mib = |bytes: u64| Throughput::new(bytes.max(MORE_THROUGHPUT) >> 20 << 20);
    Volume {
        volume_type: to.to_owned(),
        iops: iops.filter(|_| to != "gp2").map(|it| it.max(least_iops)),
        throughput: throughput.map(whole_mib),
        latency: None,
        ..volume.clone()
    }
}

/// The overrides that make the volumes of a spot another type, as [`of_type`] does.
pub(super) fn as_type(spot: &Spot<'_>, to: &str, has: Option<(u64, u64)>) -> Vec<String> {
    let (path, old) = (&spot.path, spot.volume);
    let new = of_type(old, to, has);
    let set = |key: &str, stated: bool, value: Option<String>| match value {
        Some(value) => Some(format!("{path}.{key}={value}")),
        None => stated.then(|| format!("{path}.{key}=null")),
    };
    let iops = new.iops.map(|it| it.to_string());
    let throughput = new.throughput.map(|it| it.to_string());
    let provisioned = [
        set("iops", old.iops.is_some(), iops),
        set("throughput", old.throughput.is_some(), throughput),
        set("latency", old.latency.is_some(), None),
    ];
    let mut sets = vec![format!("{path}.type={to}")];
    sets.extend(provisioned.into_iter().flatten());
    sets
}
