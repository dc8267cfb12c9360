//! Other types for the volumes that there are, with what the load takes.

use blockyard_experiment::{Edit, Place};
use blockyard_scenario::schema::Volume;
use blockyard_scenario::units::{Size, Throughput};
use blockyard_text::grouped;

use super::super::need::Rates;
use super::device::Of;
use super::lasting::{largest, lasting, least_size};
use super::less::{iops_for, throughput_for};
use super::{Change, GIB, Proposal};

/// The types that one may change to: those that databases are kept on.
const TYPES: [&str; 4] = ["gp3", "gp2", "io2", "io1"];

/// Closed loops that limits throttle take more of a type that has more: they are tried with these
/// multiples of what the type comes with.
const MULTIPLES: [f64; 3] = [1.0, 2.0, 4.0];

impl Of<'_> {
    /// Each other type with what the load takes. Where the old type's size was there for the sake
    /// of its performance, also as small as the files allow.
    pub(super) fn types(&self) -> Vec<Proposal> {
        let mut found = Vec::new();
        for to in TYPES {
            for smaller in [false, true] {
                match self.is_laddered(to) {
                    true => found.extend(
                        MULTIPLES
                            .iter()
                            .filter_map(|&times| self.proposal(to, smaller, Some(times))),
                    ),
                    false => found.extend(self.proposal(to, smaller, None)),
                }
            }
        }
        found
    }

    /// Whether closed loops are throttled, and the type comes with something to multiply.
    fn is_laddered(&self, to: &str) -> bool {
        let places = self.places();
        let comes_with = places
            .first()
            .and_then(|spot| self.row(spot.volume, to)?.throughput);
        self.need.is_unbounded(self.name) && comes_with.is_some()
    }

    /// The overrides that make the volumes of a place another type.
    pub(super) fn as_type(&self, spot: &Place<'_>, to: &str) -> Vec<Edit> {
        edits(
            spot,
            &self.of_type(spot, to, self.wanted(spot, to, None), spot.volume.size),
        )
    }

    /// Type `to` for all volumes that are of another one.
    fn proposal(&self, to: &str, smaller: bool, multiple: Option<f64>) -> Option<Proposal> {
        let places = self.places();
        let others = |spot: &&Place<'_>| spot.volume.volume_type != to;
        let changed: Vec<_> = places.iter().filter(others).collect();
        let mut new = Vec::new();
        let mut refused = None;
        for spot in &changed {
            let size = match smaller {
                true => Some(self.fits(spot)?),
                false => spot.volume.size,
            };
            let volume = self.of_type(spot, to, self.wanted(spot, to, multiple), size);
            if !self.need.is_unbounded(self.name) && refused.is_none() {
                refused = self.falls_short(spot, &volume);
            }
            new.push(volume);
        }
        let mut from: Vec<&str> = Vec::new();
        for spot in &changed {
            let name = spot.volume.volume_type.as_str();
            if !from.contains(&name) {
                from.push(name);
            }
        }
        let both = || changed.iter().zip(&new);
        let other = both().map(|(spot, new)| new.size.filter(|_| new.size != spot.volume.size));
        let mib = |new: &Volume| new.throughput.map(|it| it.bytes_per_s() >> 20);
        let change = Change::Type {
            device: self.name.to_owned(),
            volumes: changed.iter().map(|spot| spot.count).sum(),
            from: from.join(" and "),
            to: to.to_owned(),
            iops: of_all(new.iter().map(|new| new.iops)),
            throughput: of_all(new.iter().map(mib)),
            size: of_all(other.map(|size| Some(size?.bytes() / GIB))),
        };
        let edits = both().flat_map(|(spot, new)| edits(spot, new)).collect();
        let proposal = match smaller {
            true => Proposal::saving(change, edits),
            false => Proposal::of(change, edits),
        };
        (!changed.is_empty()).then_some(Proposal {
            refused,
            ..proposal
        })
    }

    /// What each volume of a place is to let through as type `to`: what the load takes with
    /// headroom, or a multiple of what the type comes with, in the load's proportions.
    fn wanted(&self, spot: &Place<'_>, to: &str, multiple: Option<f64>) -> Rates {
        // Without IO nothing is known but what there is.
        let now = || {
            let has = self.has(spot.volume);
            has.map_or(Rates::default(), |(iops, bytes, _)| Rates {
                iops: iops as f64,
                bytes: bytes as f64,
            })
        };
        let Some(takes) = self.takes(spot, to) else {
            return now();
        };
        let wanted = takes.with_headroom();
        let Some(multiple) = multiple else {
            return match self.need.is_unbounded(self.name) {
                true => wanted.max(now()),
                false => wanted,
            };
        };
        let row = self.row(spot.volume, to);
        let of = |included: Option<u64>, takes: f64| match (included, takes > 0.0) {
            (Some(included), true) => included as f64 / takes,
            _ => f64::INFINITY,
        };
        let range = row.and_then(|row| row.throughput);
        let included = range.map(|range| range.default.bytes_per_s());
        let first = of(row.and_then(|row| row.iops?.default), takes.iops);
        let first = first.min(of(included, takes.bytes));
        match first.is_finite() && first > 1.0 {
            true => takes.times(first * multiple),
            false => wanted.times(multiple),
        }
    }

    /// A volume of another type that lets `wanted` through, or the most that can be had, from
    /// `size` on as large as that takes. A latency profile goes: it is the old type's.
    fn of_type(&self, spot: &Place<'_>, to: &str, wanted: Rates, size: Option<Size>) -> Volume {
        let row = self.row(spot.volume, to);
        let mut other = Volume {
            volume_type: to.to_owned(),
            size,
            iops: None,
            throughput: None,
            latency: None,
            ..spot.volume.clone()
        };
        let mut ratio = None;
        if let Some(range) = row.and_then(|row| row.throughput) {
            let mib = |it: Throughput| it.bytes_per_s() >> 20;
            let least = mib(range.default).max(mib(range.min));
            let to = throughput_for(wanted).clamp(least, mib(range.max));
            other.throughput = Some(Throughput::new(to << 20));
            ratio = Some((to << 20).div_ceil(range.max_per_iops.bytes_per_s().max(1)));
        }
        if let Some(range) = row.and_then(|row| row.iops) {
            let least = range.default.unwrap_or(range.min);
            let to = iops_for(wanted).max(ratio.unwrap_or(0));
            other.iops = Some(to.clamp(least, range.max));
            // Of types that provision no throughput it comes with IOPS.
            let large = self.largest(&other);
            let most = Volume {
                size: large,
                ..other.clone()
            };
            if other.throughput.is_none() && !self.holds(&most, wanted) {
                let enough = self.least_iops(&most, wanted, least, range.max);
                other.iops = Some(enough.unwrap_or(range.max));
            }
        }
        let larger = self.size_for(&other, wanted);
        Volume {
            size: larger.or(other.size),
            ..other
        }
    }

    /// The largest size that a volume can have.
    fn largest(&self, volume: &Volume) -> Option<Size> {
        let get = lasting(self.scenario, self.catalog, self.device, volume)?;
        Some(Size::new(largest(&get, 0)? * GIB))
    }

    /// The size from which on a volume of another type lets `wanted` through, or the most that a
    /// size brings; none where that is no more than it has.
    fn size_for(&self, other: &Volume, wanted: Rates) -> Option<Size> {
        let get = lasting(self.scenario, self.catalog, self.device, other)?;
        let now = other.size?;
        let (iops, throughput, _) = get(Some(Size::new(largest(&get, now.bytes() / GIB)? * GIB)))?;
        let most = Rates {
            iops: wanted.iops.min(iops as f64),
            bytes: wanted.bytes.min(throughput as f64),
        };
        match get(Some(now)) {
            Some(it) if most.is_held_by(it.0, it.1) => None,
            _ => least_size(&get, now, &|it| most.is_held_by(it.0, it.1)),
        }
    }

    /// Why a volume cannot hold the load: what it has at most, and what is taken of it.
    fn falls_short(&self, spot: &Place<'_>, volume: &Volume) -> Option<String> {
        let takes = self.takes(spot, &volume.volume_type)?;
        let (iops, throughput, _) = self.has(volume)?;
        if takes.is_held_by(iops, throughput) {
            return None;
        }
        let mib = |bytes: f64| grouped((bytes / f64::from(1 << 20)).ceil() as u64);
        let (most, taken) = match takes.iops > iops as f64 {
            true => (
                format!("{} IOPS", grouped(iops)),
                format!("{} IOPS", grouped(takes.iops.ceil() as u64)),
            ),
            false => (
                format!("{} MiB/s", mib(throughput as f64)),
                format!("{} MiB/s", mib(takes.bytes)),
            ),
        };
        Some(format!(
            "a `{}` has at most {most} in the long run, the load takes {taken} of each volume",
            volume.volume_type
        ))
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
    let other = new.size.filter(|_| new.size != old.size);
    let others = [
        set("iops", old.iops.is_some(), iops),
        set("throughput", old.throughput.is_some(), throughput),
        set("latency", old.latency.is_some(), None),
        set("size", false, other.map(|size| size.to_string())),
    ];
    let mut edits = vec![Edit::set(format!("{path}.type"), &new.volume_type)];
    edits.extend(others.into_iter().flatten());
    edits
}
