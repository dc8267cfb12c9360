//! One volume of a scenario.

use blockyard_catalog::{Ask, LatencyProfile, Limits};
use blockyard_model::spec::{LatencySpec, Layout, VolumeSpec};
use blockyard_model::units::Bytes;
use blockyard_text::grouped;

use super::limit::Owner;
use super::{Builder, MAX_VOLUMES, discipline};
use crate::resolve::Invalid;
use crate::schema::{NameOr, Volume};

impl<'a> Builder<'a> {
    /// Adds the volume at `path` and returns its layout and size.
    pub(super) fn volume(
        &mut self,
        name: &str,
        path: &str,
        volume: &Volume,
    ) -> Result<(Layout, Bytes), Invalid> {
        if self.volumes.len() == MAX_VOLUMES {
            let most = grouped(MAX_VOLUMES as u64);
            return Err(Invalid::new(
                path,
                format!("more than {most} volumes in the scenario"),
            ));
        }
        let Limits {
            offer,
            provisioned,
            limits,
        } = self.limits_of(path, volume)?;
        let row = offer.row();
        if row.local {
            self.take_local_disk()
                .map_err(|message| Invalid::new(format!("{path}.type"), message))?;
        }
        let latency = self
            .latency_of(volume.latency.as_ref(), &row.latency)
            .map_err(|message| Invalid::new(format!("{path}.latency"), message))?;
        let iops = provisioned.iops.unwrap_or(0);
        let sum = self
            .provisioned
            .entry(volume.volume_type.clone())
            .or_default();
        *sum = sum.saturating_add(iops);

        let owner = Owner {
            name,
            source: offer.source(),
            stated_in: row.stated_in,
        };
        let ((order, note), queue) = (offer.discipline(), offer.queue_depth());
        let resolved = limits.iter().map(|limit| {
            let full = if limit.credits {
                volume.burst_balance
            } else {
                volume.tokens
            };
            let (spec, mut resolved) = owner.resolve(limit, full);
            let notes = [
                note.filter(|_| volume.discipline.is_none()),
                queue.map(|it| it.1),
            ];
            let notes = notes.into_iter().flatten();
            notes.for_each(|note| resolved.add_note(&note));
            (spec, resolved)
        });
        let (specs, resolved): (Vec<_>, Vec<_>) = resolved.unzip();
        self.limits.extend(resolved);
        let size = provisioned.size.bytes();
        self.volumes.push(VolumeSpec {
            name: name.to_owned(),
            size,
            io_unit: row.counted_in.bytes(),
            whole_units: row.whole_units,
            limits: specs,
            discipline: volume.discipline.map_or(order, discipline),
            latency,
            queue_depth: queue.map(|(depth, _)| depth),
            host: self.host,
            behind_host: !row.local,
        });
        Ok((Layout::Volume(self.volumes.len() - 1), size))
    }

    /// The limits that the catalog gives the volume at `path`.
    fn limits_of(&self, path: &str, volume: &Volume) -> Result<Limits<'a>, Invalid> {
        let volume_type = self
            .catalog
            .volume_type(&volume.volume_type)
            .map_err(|unknown| Invalid::new(format!("{path}.type"), unknown))?;
        let ask = Ask {
            size: volume.size,
            iops: volume.iops,
            throughput: volume.throughput,
        };
        volume_type
            .limits(&ask, self.hosts[self.host].instance, self.day)
            .map_err(|refusal| Invalid::new(format!("{path}.{}", refusal.field().name()), refusal))
    }

    /// The latency that a volume is `given`, or else that of its type's profile, `usual`.
    fn latency_of(
        &self,
        given: Option<&NameOr<Box<LatencyProfile>>>,
        usual: &str,
    ) -> Result<LatencySpec, String> {
        let name = match given {
            Some(NameOr::Given(profile)) => {
                return profile.spec();
            }
            Some(NameOr::Name(name)) => name,
            None => usual,
        };
        let profile = self.catalog.profile(name).map_err(|e| e.to_string())?;
        Ok(profile.spec.clone())
    }

    /// Counts a disk of the device's host, which has only so many.
    fn take_local_disk(&mut self) -> Result<(), String> {
        let host = &mut self.hosts[self.host];
        host.local_disks += 1;
        let instance = host.instance;
        let Some((instance, disks)) = instance.and_then(|it| Some((it, it.disks()?))) else {
            return Ok(());
        };
        if host.local_disks > disks.count {
            let (name, count) = (instance.name(), disks.count);
            return Err(format!(
                "the scenario uses more local disks than the {count} of `{name}`"
            ));
        }
        Ok(())
    }
}
