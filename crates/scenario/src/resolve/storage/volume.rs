//! One volume of a scenario.

use blockyard_catalog::{Ask, LatencyProfile, Limits};
use blockyard_model::spec::{LatencySpec, Layout, VolumeSpec};
use blockyard_model::units::Bytes;
use blockyard_text::grouped;

use super::limit::Owner;
use super::rests_on::{assumed_of, of_volume};
use super::{BoughtVolume, Builder, MAX_VOLUMES, discipline};
use crate::resolve::Invalid;
use crate::resolve::events::NewTerms;
use crate::schema::{NameOr, Volume};

/// A profile as it is written, with its name if it is the catalog's.
type Written<'a> = (Option<&'a str>, &'a LatencyProfile);

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
        let got = self.limits_of(path, volume, self.host)?;
        if got.offer.row().local {
            self.take_local_disk()
                .map_err(|message| Invalid::new(format!("{path}.type"), message))?;
        }
        let iops = got.provisioned.iops.unwrap_or(0);
        let sum = self
            .provisioned
            .entry(volume.volume_type.clone())
            .or_default();
        *sum = sum.saturating_add(iops);
        let order = got.offer.discipline().0;
        let queues = got.offer.queues().map(|(queues, _)| queues);
        let terms = self.terms_of(name, path, volume, self.host, &got)?;
        self.limits.extend(terms.resolved);
        self.rests_on.extend(terms.rests_on);
        self.asked.push((volume.clone(), terms.size));
        self.bought.push(BoughtVolume::of(&got));
        self.volumes.push(VolumeSpec {
            name: name.to_owned(),
            size: terms.size.bytes(),
            io_unit: terms.io_unit,
            whole_units: terms.whole_units,
            limits: terms.limits,
            discipline: volume.discipline.map_or(order, discipline),
            latency: terms.latency,
            queues,
            host: self.host,
            standby: self.standby.clone(),
            behind_host: terms.behind_host,
        });
        Ok((Layout::Volume(self.volumes.len() - 1), terms.size.bytes()))
    }

    /// What the volume called `name` would get on host number `host` by `volume`, the ask at
    /// `path`.
    pub(in crate::resolve) fn terms(
        &self,
        name: &str,
        path: &str,
        volume: &Volume,
        host: usize,
    ) -> Result<NewTerms, Invalid> {
        let got = self.limits_of(path, volume, host)?;
        self.terms_of(name, path, volume, host, &got)
    }

    fn terms_of(
        &self,
        name: &str,
        path: &str,
        volume: &Volume,
        host: usize,
        got: &Limits<'_>,
    ) -> Result<NewTerms, Invalid> {
        let offer = got.offer;
        let row = offer.row();
        let ((profile_name, profile), latency) = self
            .latency_of(volume.latency.as_ref(), &row.latency)
            .map_err(|message| Invalid::new(format!("{path}.latency"), message))?;
        let of_host = match row.local {
            true => &[],
            false => &*self.hosts[host].assumed,
        };
        let assumed = assumed_of(&got.limits, of_host);
        let rests_on = of_volume(profile_name, profile, &assumed, self.catalog);
        let owner = Owner {
            name,
            source: offer.source(),
            stated_in: row.stated_in,
        };
        let (note, queue) = (offer.discipline().1, offer.queues());
        let resolved = got.limits.iter().map(|limit| {
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
        let (limits, resolved) = resolved.unzip();
        Ok(NewTerms {
            size: got.provisioned.size,
            io_unit: row.counted_in.bytes(),
            whole_units: row.whole_units,
            behind_host: !row.local,
            limits,
            resolved,
            rests_on,
            latency,
        })
    }

    /// The limits that the catalog gives the volume at `path`, on host number `host`.
    fn limits_of(&self, path: &str, volume: &Volume, host: usize) -> Result<Limits<'a>, Invalid> {
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
            .limits(&ask, self.hosts[host].instance, self.day)
            .map_err(|refusal| Invalid::new(format!("{path}.{}", refusal.field().name()), refusal))
    }

    /// The latency that a volume is `given`, or else that of its type's profile, `usual`: as it
    /// is written, with its name in the catalog, and for the model.
    fn latency_of<'b>(
        &self,
        given: Option<&'b NameOr<Box<LatencyProfile>>>,
        usual: &'b str,
    ) -> Result<(Written<'b>, LatencySpec), String>
    where
        'a: 'b,
    {
        let name = match given {
            Some(NameOr::Given(profile)) => {
                return Ok(((None, profile), profile.spec()?));
            }
            Some(NameOr::Name(name)) => name,
            None => usual,
        };
        let profile = self.catalog.profile(name).map_err(|e| e.to_string())?;
        Ok(((Some(name), &profile.text), profile.spec.clone()))
    }

    /// Counts a disk of the device's host, which has a limited number.
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
