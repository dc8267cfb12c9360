//! Whether sheets hold together: names, tiers, and that something is priced.

use blockyard_text::hint;

use super::sheet::{Sheet, ThroughputTier};
use super::term::Term;
use crate::instance::Instance;
use crate::volume::Volumes;

/// The names that sheets may use.
pub(crate) struct Known<'a> {
    volume_types: Vec<&'a str>,
    instances: Vec<&'a str>,
}

impl<'a> Known<'a> {
    pub(crate) fn new(volumes: &'a Volumes, instances: &'a [Instance]) -> Self {
        Self {
            volume_types: volumes.types.keys().map(String::as_str).collect(),
            instances: instances.iter().map(Instance::name).collect(),
        }
    }

    pub(super) fn volume_type(&self, name: &str) -> Result<(), String> {
        one_of("volume type", name, self.volume_types.iter().copied())
    }

    pub(super) fn instance(&self, name: &str) -> Result<(), String> {
        // They are sorted, and a price list has hundreds.
        match self.instances.binary_search(&name) {
            Ok(_) => Ok(()),
            Err(_) => one_of("instance type", name, self.instances.iter().copied()),
        }
    }

    pub(super) fn region<'n>(
        &self,
        name: &str,
        names: impl Iterator<Item = &'n String> + Clone,
    ) -> Result<(), String> {
        one_of("region", name, names.map(String::as_str))
    }
}

fn one_of<'n>(
    what: &str,
    name: &str,
    mut names: impl Iterator<Item = &'n str> + Clone,
) -> Result<(), String> {
    let all = names.clone();
    match names.any(|known| known == name) {
        true => Ok(()),
        false => Err(format!("no {what} is called `{name}`{}", hint(name, all))),
    }
}

impl Sheet {
    /// Whether types exist, tiers rise and something is priced. An error has its path.
    pub(super) fn check(&self, path: &str, known: &Known<'_>) -> Result<(), (String, String)> {
        for (index, volume) in self.volumes.iter().enumerate() {
            let path = format!("{path}.volumes.{index}");
            (known.volume_type(&volume.name)).map_err(|m| (format!("{path}.type"), m))?;
            let iops: Vec<u64> = volume.iops.iter().map(|tier| tier.above).collect();
            rising(&iops).map_err(|(at, m)| (format!("{path}.iops.{at}"), m))?;
            let tiers = volume.throughput.iter();
            let throughput: Vec<u64> = tiers.map(ThroughputTier::above).collect();
            rising(&throughput).map_err(|(at, m)| (format!("{path}.throughput.{at}"), m))?;
            let none = iops.is_empty() && throughput.is_empty();
            if none && volume.capacity.is_none() && volume.requests.is_none() {
                let expected = "`capacity`, `iops`, `throughput` or `requests`";
                return Err((path, format!("has no price; expected {expected}")));
            }
        }
        for (index, instance) in self.instances.iter().enumerate() {
            let path = format!("{path}.instances.{index}");
            (known.instance(&instance.name)).map_err(|m| (format!("{path}.type"), m))?;
            let none = Term::ALL.iter().all(|term| instance.of(*term).is_none());
            if none && instance.ebs_optimized.is_none() {
                let keys = Term::ALL.map(|term| format!("`{}`", term.key())).join(", ");
                return Err((path, format!("has no price; expected one of {keys}")));
            }
        }
        let nothing = self.volumes.is_empty() && self.instances.is_empty();
        if nothing && self.snapshots.is_none() && self.cross_zone.is_none() {
            let expected = "expected `volumes`, `instances`, `snapshots` or `cross_zone`";
            return Err((path.to_owned(), format!("has no price; {expected}")));
        }
        Ok(())
    }
}

/// Whether bounds rise; otherwise where they do not.
fn rising(bounds: &[u64]) -> Result<(), (usize, String)> {
    match bounds.windows(2).position(|two| two[0] >= two[1]) {
        Some(at) => Err((
            at + 1,
            "`above` must rise from one price to the next".into(),
        )),
        None => Ok(()),
    }
}
