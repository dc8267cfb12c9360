//! Other types for the volumes that there are.

use blockyard_experiment::{Edit, Place};
use blockyard_scenario::schema::Volume;
use blockyard_scenario::units::{Size, Throughput};

use super::device::Of;
use super::lasting::{Now, instance_of, largest, lasting, least_size};
use super::{Change, GIB, Proposal};

/// The types that one may change to: those that databases are kept on.
const TYPES: [&str; 4] = ["gp3", "gp2", "io2", "io1"];

impl Of<'_> {
    pub(super) fn types(&self) -> Vec<Proposal> {
        let places = self.places();
        let proposal = |to: &&str| {
            let others = |spot: &&Place<'_>| spot.volume.volume_type != **to;
            let changed: Vec<_> = places.iter().filter(others).collect();
            let new = changed.iter().map(|spot| self.of_type(spot.volume, to));
            let new: Vec<_> = new.collect();
            let mut from: Vec<&str> = Vec::new();
            for spot in &changed {
                let name = spot.volume.volume_type.as_str();
                if !from.contains(&name) {
                    from.push(name);
                }
            }
            let both = || changed.iter().zip(&new);
            let larger =
                both().map(|(spot, new)| new.size.filter(|_| new.size != spot.volume.size));
            let mib = |new: &Volume| new.throughput.map(|it| it.bytes_per_s() >> 20);
            let change = Change::Type {
                device: self.name.to_owned(),
                volumes: changed.iter().map(|spot| spot.count).sum(),
                from: from.join(" and "),
                to: (*to).to_owned(),
                iops: of_all(new.iter().map(|new| new.iops)),
                throughput: of_all(new.iter().map(mib)),
                size: of_all(larger.map(|size| Some(size?.bytes() / GIB))),
            };
            let edits = both().flat_map(|(spot, new)| edits(spot, new));
            let edits = edits.collect();
            (!changed.is_empty()).then_some(Proposal { change, edits })
        };
        TYPES.iter().filter_map(proposal).collect()
    }

    /// The overrides that make the volumes of a place another type.
    pub(super) fn as_type(&self, spot: &Place<'_>, to: &str) -> Vec<Edit> {
        edits(spot, &self.of_type(spot.volume, to))
    }

    /// A volume of another type, with as many IOPS and as much throughput as there are now, or the
    /// most that the type provisions, and as large as these take. A latency profile goes: it is
    /// the old type's.
    fn of_type(&self, volume: &Volume, to: &str) -> Volume {
        let now = self.now(volume);
        let host = instance_of(self.scenario, self.device, volume);
        let host = host.and_then(|name| self.catalog.instance(name).ok());
        let known = self.catalog.volume_type(to).ok();
        let offer = known.and_then(|it| it.offer(host, self.scenario.as_of).ok());
        let row = offer.as_ref().map(|offer| offer.row());
        let range = row.and_then(|row| row.iops);
        let iops = now.as_ref().zip(range);
        let iops = iops.map(|(now, range)| now.iops.clamp(range.min, range.max));
        let range = row.and_then(|row| row.throughput);
        let throughput = now.as_ref().zip(range).map(|(now, range)| {
            let ratio = range.max_per_iops.bytes_per_s();
            let most = iops.map_or(u64::MAX, |iops| iops.saturating_mul(ratio));
            let most = most.min(range.max.bytes_per_s());
            let wanted = now.throughput.max(range.default.bytes_per_s()).min(most);
            Throughput::new((wanted >> 20 << 20).max(range.min.bytes_per_s()))
        });
        let other = Volume {
            volume_type: to.to_owned(),
            iops,
            throughput,
            latency: None,
            ..volume.clone()
        };
        let larger = now.and_then(|now| self.size_for(&other, &now));
        Volume {
            size: larger.or(other.size),
            ..other
        }
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

/// What all have alike; none if one has another.
fn of_all(mut each: impl Iterator<Item = Option<u64>>) -> Option<u64> {
    let first = each.next()??;
    each.all(|other| other == Some(first)).then_some(first)
}

/// The overrides that make the volumes of a place such as `new`.
fn edits(spot: &Place<'_>, new: &Volume) -> Vec<Edit> {
    let (path, old) = (&spot.path, spot.volume);
    let set = |key: &str, stated: bool, value: Option<String>| match value {
        Some(value) => Some(Edit::set(format!("{path}.{key}"), value)),
        None => stated.then(|| Edit::set(format!("{path}.{key}"), "null")),
    };
    let iops = new.iops.map(|it| it.to_string());
    let throughput = new.throughput.map(|it| it.to_string());
    let larger = new.size.filter(|_| new.size != old.size);
    let others = [
        set("iops", old.iops.is_some(), iops),
        set("throughput", old.throughput.is_some(), throughput),
        set("latency", old.latency.is_some(), None),
        set("size", false, larger.map(|size| size.to_string())),
    ];
    let mut edits = vec![Edit::set(format!("{path}.type"), &new.volume_type)];
    edits.extend(others.into_iter().flatten());
    edits
}
