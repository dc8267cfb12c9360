//! One volume of a scenario.

use blockyard_model::spec::{Layout, LimitSpec, VolumeSpec};
use blockyard_model::units::Bytes;

use super::limit::{ByteUnit, Grounds, ResolvedLimit, level};
use super::{Builder, MAX_VOLUMES, discipline};
use crate::catalog::{Ask, Given, LimitRule, VolumeRule, grouped};
use crate::resolve::Invalid;
use crate::schema::Volume;

impl Builder<'_> {
    /// Adds the volume at `path` and gives its layout and size.
    pub(super) fn volume(
        &mut self,
        name: &str,
        path: &str,
        volume: &Volume,
    ) -> Result<(Layout, Bytes), Invalid> {
        let at = |field: &str, message| Invalid::new(format!("{path}.{field}"), message);
        if self.volumes.len() == MAX_VOLUMES {
            let most = grouped(MAX_VOLUMES as u64);
            return Err(Invalid::new(
                path,
                format!("more than {most} volumes in the scenario"),
            ));
        }
        let rule = self
            .catalog
            .volume_rule(&volume.volume_type, self.day, self.host)
            .map_err(|message| at("type", message))?;
        let ask = Ask {
            size: volume.size,
            iops: volume.iops,
            throughput: volume.throughput,
        };
        let given = rule
            .provision(&ask)
            .map_err(|refusal| at(refusal.field, refusal.message))?;
        let row = rule.row();
        if row.local {
            self.take_local_disk()
                .map_err(|message| at("type", message))?;
        }
        let profile = volume.latency.as_ref().unwrap_or(&row.latency);
        let profile = self
            .catalog
            .profile(profile)
            .map_err(|message| at("latency", message))?;
        let provisioned = self
            .provisioned
            .entry(volume.volume_type.clone())
            .or_default();
        *provisioned = provisioned.saturating_add(given.iops);

        let rules = row.limits.iter();
        let limits: Vec<LimitSpec> = rules
            .filter(|limit| limit.below.is_none_or(|size| given.size < size.bytes()))
            .map(|limit| self.limit(name, volume, &rule, limit, &given))
            .collect();
        self.volumes.push(VolumeSpec {
            name: name.to_owned(),
            size: given.size,
            unit: row.counted_in.bytes(),
            whole_units: row.whole_units,
            limits,
            discipline: discipline(volume.discipline),
            latency: profile.spec.clone(),
            unfairness_permille: profile.unfairness_permille,
            behind_host: !row.local,
        });
        Ok((Layout::Volume(self.volumes.len() - 1), given.size))
    }

    /// One limit of a volume, which is also noted for the results.
    fn limit(
        &mut self,
        name: &str,
        volume: &Volume,
        rule: &VolumeRule<'_>,
        limit: &LimitRule,
        given: &Given,
    ) -> LimitSpec {
        let mut assumptions = rule.assumptions();
        assumptions.extend(self.catalog.outdated(self.day));
        let mut notes = Vec::new();
        let mut rate = limit.rate.apply(given);
        if let Some(most) = limit.max_off_nitro.filter(|most| most.per_s < rate) {
            match self.host {
                Some(host) if !host.is_nitro() => {
                    rate = most.per_s;
                    notes.push(format!(
                        "{} is no Nitro instance, which reach {most} at most",
                        host.name()
                    ));
                }
                Some(_) => {}
                None => assumptions.push("no host is stated; a Nitro instance is assumed".into()),
            }
        }
        let (depth, note) = self.catalog.depth(limit, rate, given.size);
        notes.extend(note);
        let start = if limit.credits {
            volume.burst_balance
        } else {
            volume.tokens
        };
        let spec = LimitSpec {
            name: limit.name.clone(),
            unit: limit.unit,
            applies: limit.applies,
            rate,
            depth,
            level: level(depth, start.permille()),
            credits: limit.credits,
        };
        let grounds = Grounds {
            source: rule.source(),
            assumptions,
            notes,
        };
        self.limits
            .push(ResolvedLimit::new(name, &spec, ByteUnit::Mib, grounds));
        spec
    }

    /// Counts a disk of the host, which has only so many.
    fn take_local_disk(&mut self) -> Result<(), String> {
        self.local_disks += 1;
        let Some((host, disks)) = self.host.and_then(|host| Some((host, host.disks()?))) else {
            return Ok(());
        };
        if self.local_disks > disks.count {
            let (name, count) = (host.name(), disks.count);
            return Err(format!(
                "the scenario uses more local disks than the {count} of `{name}`"
            ));
        }
        Ok(())
    }
}
