//! Limits in words: `data IOPS`, `instance throughput`, `primary's IOPS baseline`.

use std::collections::BTreeMap;

use blockyard_explain::{Facts, LimitId, Owner, UsedUp};
use blockyard_model::spec::{Applies, Unit};

/// What results call the host of a scenario that does not name it.
const UNNAMED: &str = "host";

/// What a result calls credits is, once they are used up, the baseline at which they come.
const BASELINE: &str = "baseline";

/// What is counted: `IOPS` or `throughput`.
#[must_use]
pub fn counted(unit: Unit) -> &'static str {
    match unit {
        Unit::Io => "IOPS",
        Unit::Byte => "throughput",
    }
}

/// A limit of a device, of a leg or of a host: `data read IOPS`, `data.far IOPS`.
#[must_use]
pub fn in_words(limit: &LimitId) -> String {
    if limit.kind.network {
        let name = match &limit.owner {
            Owner::Host(name) => Some(name.as_str()),
            Owner::Device(_) | Owner::Leg { .. } => None,
        };
        return format!("the network of {} shared with links", the_host(name));
    }
    let one_way = match limit.kind.applies {
        Applies::Both => "",
        Applies::Reads => "read",
        Applies::Writes => "write",
    };
    let baseline = if limit.kind.credits { BASELINE } else { "" };
    joined(&[
        &owner(&limit.owner),
        one_way,
        counted(limit.kind.counts),
        baseline,
    ])
}

/// A host: `instance`, or the name that it has.
#[must_use]
pub fn host(name: Option<&str>) -> &str {
    match name {
        None | Some(UNNAMED) => "instance",
        Some(name) => name,
    }
}

/// A host with its article: `the instance`, or the name that it has.
#[must_use]
pub fn the_host(name: Option<&str>) -> String {
    match name {
        None | Some(UNNAMED) => "the instance".to_owned(),
        Some(name) => name.to_owned(),
    }
}

/// `primary's`, `readers'`.
#[must_use]
pub fn possessive(noun: &str) -> String {
    if noun.ends_with('s') {
        format!("{noun}'")
    } else {
        format!("{noun}'s")
    }
}

/// The host of each volume: `instance` where it has no name.
#[must_use]
pub fn host_by_volume(facts: Option<&Facts>) -> BTreeMap<&str, &str> {
    let devices = facts.map_or(&[][..], |facts| &facts.devices);
    let legs = devices.iter().flat_map(|device| &device.legs);
    let volumes = legs.flat_map(|leg| {
        let host = host(Some(&leg.host));
        leg.volumes
            .iter()
            .map(move |volume| (volume.as_str(), host))
    });
    volumes.collect()
}

/// How many volumes a limit is of, those of a device or of a leg of it; 0 of a host's.
#[must_use]
pub fn volumes_of(facts: &Facts, owner: &Owner) -> usize {
    let (of, leg) = match owner {
        Owner::Host(_) => return 0,
        Owner::Device(device) => (device, None),
        Owner::Leg { device, leg } => (device, Some(leg)),
    };
    let devices = facts.devices.iter().filter(|device| device.name == *of);
    let legs = devices.flat_map(|device| &device.legs);
    let own = legs.filter(|one| leg.is_none() || one.name.as_ref() == leg);
    own.map(|leg| leg.volumes.len()).sum()
}

/// What is left to say of a limit where its unit is said: nothing, `baseline`, `reads`.
#[must_use]
pub fn qualifier(limit: &LimitId) -> String {
    let one_way = match limit.kind.applies {
        Applies::Both => "",
        Applies::Reads => "reads",
        Applies::Writes => "writes",
    };
    joined(&[one_way, if limit.kind.credits { BASELINE } else { "" }])
}

/// Whose it is: `data`, of a leg `data.far`, of a host `instance` or `primary's`.
#[must_use]
pub fn owner(owner: &Owner) -> String {
    match owner {
        Owner::Device(device) => device.clone(),
        Owner::Leg { device, leg } => format!("{device}.{leg}"),
        Owner::Host(name) if name == UNNAMED => host(None).to_owned(),
        Owner::Host(name) => possessive(name),
    }
}

/// Whose the credits are that were used up.
#[must_use]
pub fn owner_of(used_up: &UsedUp) -> String {
    owner(&used_up.owner)
}

fn joined(parts: &[&str]) -> String {
    let said: Vec<_> = parts
        .iter()
        .copied()
        .filter(|part| !part.is_empty())
        .collect();
    said.join(" ")
}
