//! A limit that is multiplied.

use std::fmt;

use blockyard_model::spec::LimitSpec;
use blockyard_record::limit_names::{LimitKind, device_of, leg_of};
use blockyard_scenario::Resolved;
use serde::{Deserialize, Serialize};

use super::{in_range, times};

/// A limit of each volume of a device or of a leg of one, or of a host, and what it is multiplied
/// with.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct ScaledLimit {
    /// The device; none for a host's.
    pub device: Option<String>,
    /// The leg of a mirror whose it is; none for all volumes of the device.
    #[serde(default)]
    pub leg: Option<String>,
    /// The host, where no device is named.
    pub host: Option<String>,
    /// Which of its limits.
    #[serde(flatten)]
    pub kind: LimitKind,
    /// More than 0, at most 100. A bucket keeps its depth in seconds of its rate; of burst
    /// credits only the rate at which they come changes, not how many there are.
    pub factor: f64,
}

impl ScaledLimit {
    /// What the depth of a limit is multiplied with: there are as many credits as ever.
    fn depth_factor(&self) -> f64 {
        if self.kind.credits { 1.0 } else { self.factor }
    }

    pub(super) fn apply(&self, resolved: &mut Resolved) -> Result<(), String> {
        in_range(self.factor)?;
        let storage = &mut resolved.storage;
        let mut found = 0;
        let is_it = |name: &str| LimitKind::named(name) == Some(self.kind);
        let mut multiply = |limits: &mut [LimitSpec]| {
            let own = |limit: &&mut LimitSpec| is_it(&limit.name);
            for limit in limits.iter_mut().filter(own) {
                multiply(limit, self.factor);
                found += 1;
            }
        };
        match (&self.device, &self.host) {
            (Some(device), None) => {
                let is_own = |volume: &str| {
                    let leg = self.leg.as_deref();
                    device_of(volume) == device && (leg.is_none() || leg_of(volume) == leg)
                };
                let own = storage.volumes.iter_mut();
                own.filter(|volume| is_own(&volume.name))
                    .for_each(|volume| multiply(&mut volume.limits));
                // What a modification makes of it is multiplied as well.
                let names = storage.volumes.iter().map(|volume| &volume.name);
                let own: Vec<_> = names.map(|name| is_own(name)).collect();
                let terms = resolved.schedule.terms.iter_mut();
                let terms = terms.filter(|terms| own[terms.volume]);
                for term in terms.flat_map(|terms| &mut terms.limits) {
                    if let (true, Some(holds)) = (is_it(&term.name), &mut term.holds) {
                        *holds = (
                            times(holds.0, self.factor),
                            times(holds.1, self.depth_factor()),
                        );
                    }
                }
            }
            (None, Some(host)) => {
                let own = storage.hosts.iter_mut();
                own.filter(|own| own.name == *host)
                    .for_each(|own| multiply(&mut own.limits));
            }
            _ => return Err("expected a device or a host whose limit it is".to_owned()),
        }
        match (
            found,
            self.device.as_ref().or(self.host.as_ref()),
            &self.leg,
        ) {
            (0, Some(device), Some(leg)) => Err(format!("{device}.{leg} has no such limit")),
            (0, Some(owner), None) => Err(format!("{owner} has no such limit")),
            _ => Ok(()),
        }
    }
}

/// Multiplies what a limit lets through in the long run.
fn multiply(limit: &mut LimitSpec, factor: f64) {
    // What is empty stays so; a rate and a depth are at least 1.
    let times = |tokens| times(tokens, factor);
    limit.rate = times(limit.rate);
    if limit.credits {
        if let Some(top_up) = &mut limit.top_up {
            top_up.kept = times(top_up.kept).min(limit.depth);
        }
    } else {
        limit.depth = times(limit.depth);
        let level = (limit.level as f64 * factor).round() as u64;
        limit.level = level.min(limit.depth);
    }
}

impl fmt::Display for ScaledLimit {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let owner = self.device.as_ref().or(self.host.as_ref());
        let parts = owner.into_iter().chain(&self.leg);
        for part in parts {
            write!(f, "{part}.")?;
        }
        write!(f, "{} x {}", self.kind, self.factor)
    }
}
