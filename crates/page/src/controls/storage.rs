//! Controls of devices: volume type, size, IOPS, throughput, and the width of stripes.

use blockyard_catalog::{Catalog, Offer, VolumeRow};
use blockyard_experiment::{Base, Place, places};
use blockyard_scenario::schema::{Device, Volume};
use blockyard_scenario::units::{Date, Throughput};
use blockyard_text::grouped;

use super::{Choice, Control, Kind, Scale, range, refused};

/// The types that databases are kept on, as `what-if` tries them.
const TYPES: [&str; 4] = ["gp3", "gp2", "io2", "io1"];

/// A stripe of more volumes than this no slider offers.
const WIDEST: u64 = 32;

const GIB: u64 = 1 << 30;
const MIB: u64 = 1 << 20;

/// Those of all devices.
pub(super) fn controls(base: &Base, catalog: &Catalog) -> Vec<Control> {
    let scenario = base.opened().scenario();
    let mut found = Vec::new();
    for (name, device) in &scenario.storage {
        let mut of_device = Vec::new();
        places(format!("storage.{name}"), device, 1, &mut of_device);
        for place in &of_device {
            let place = OfPlace {
                base,
                catalog,
                group: group(name, &of_device, place),
                place,
            };
            found.extend(place.controls());
        }
        widths(name, &format!("storage.{name}"), device, &mut found);
    }
    found
}

/// A device's name; of a mirror's leg, or of a part of several, with where it is.
fn group(device: &str, all: &[Place<'_>], place: &Place<'_>) -> String {
    let parts = place.path.split('.').skip(2);
    let words = ["of", "linear", "mirror", "legs"];
    let names: Vec<_> = parts.filter(|part| !words.contains(part)).collect();
    match all {
        [_] => device.to_owned(),
        _ => format!("{device}.{}", names.join(".")),
    }
}

/// The volumes that are written in one place.
struct OfPlace<'a> {
    base: &'a Base,
    catalog: &'a Catalog,
    group: String,
    place: &'a Place<'a>,
}

impl<'a> OfPlace<'a> {
    fn controls(&self) -> Vec<Control> {
        let mut found = vec![self.types()];
        let Some(row) = self
            .offer(&self.place.volume.volume_type)
            .map(|offer| offer.row())
        else {
            return found;
        };
        found.extend(self.size(row));
        found.extend(self.iops(row));
        found.extend(self.throughput(row));
        found
    }

    /// What holds for a type on the scenario's day; behind which host hardly matters for ranges,
    /// and what its instance does not allow is refused when it is tried.
    fn offer(&self, volume_type: &str) -> Option<Offer<'a>> {
        let day: Option<Date> = self.base.opened().scenario().as_of;
        let scenario = self.base.opened().scenario();
        let host = scenario.host.as_ref();
        let host = host.and_then(|host| self.catalog.instance(&host.instance).ok());
        let volume_type = self.catalog.volume_type(volume_type).ok()?;
        volume_type.offer(host, day).ok()
    }

    fn control(&self, key: &str, label: &str, why: String, kind: Kind) -> Control {
        Control {
            path: format!("{}.{key}", self.place.path),
            label: label.to_owned(),
            group: self.group.clone(),
            why,
            kind,
        }
    }

    fn types(&self) -> Control {
        let now = self.place.volume.volume_type.as_str();
        let mut names: Vec<_> = TYPES.to_vec();
        if !names.contains(&now) {
            names.push(now);
        }
        let choices = names.iter().map(|name| {
            let sets = if *name == now {
                Vec::new()
            } else {
                self.as_type(name)
            };
            Choice {
                label: (*name).to_owned(),
                refused: refused(self.base, &sets),
                sets,
            }
        });
        let kind = Kind::Choice {
            value: names.iter().position(|name| *name == now),
            choices: choices.collect(),
        };
        let why = "a new type keeps the size, and IOPS and throughput as far as it has them";
        self.control("type", "Volume type", why.to_owned(), kind)
    }

    /// The overrides that make the volumes another type, with as much as before where that is
    /// provisioned and can be had.
    fn as_type(&self, to: &str) -> Vec<String> {
        let (path, volume) = (&self.place.path, self.place.volume);
        let row = self.offer(to).map(|offer| offer.row());
        let iops = row.and_then(|row| row.iops).map(|range| {
            let most = volume.size.map_or(u64::MAX, |size| {
                (size.bytes() / GIB).saturating_mul(range.max_per_gib)
            });
            let least = range.default.unwrap_or(range.min).max(range.min);
            let now = volume.iops.unwrap_or(least);
            now.clamp(least, range.max.max(least))
                .min(most.max(range.min))
        });
        let throughput = row.and_then(|row| row.throughput).map(|range| {
            let least = range.default.max(range.min);
            let now = volume.throughput.unwrap_or(least);
            now.clamp(least, range.max.max(least))
        });
        let of = |value: Option<String>| value.unwrap_or_else(|| "null".to_owned());
        vec![
            format!("{path}.type={to}"),
            format!("{path}.iops={}", of(iops.map(|iops| iops.to_string()))),
            format!(
                "{path}.throughput={}",
                of(throughput.map(|it| it.to_string()))
            ),
            // A latency profile is the old type's.
            format!("{path}.latency=null"),
        ]
    }

    fn size(&self, row: &VolumeRow) -> Option<Control> {
        let (own, sizes) = (self.place.volume.size?, row.size?);
        let to_gib = |bytes: u64| bytes.div_ceil(GIB);
        let (min, max) = (to_gib(sizes.min.bytes()), sizes.max.bytes() / GIB);
        let why = format!("{}: {} to {} GiB", self.name(), grouped(min), grouped(max));
        // A size that is no whole number of GiB is changed in the text.
        let whole = own.bytes().is_multiple_of(GIB);
        let kind = range(own.bytes() / GIB, (min, max, 1), "GiB");
        whole.then(|| self.control("size", "Size", why, kind))
    }

    fn iops(&self, row: &VolumeRow) -> Option<Control> {
        let provisioned = row.iops?;
        let (min, max) = (provisioned.min, provisioned.max);
        let per_gib = provisioned.max_per_gib;
        let for_size = |volume: &Volume| Some((volume.size?.bytes() / GIB).saturating_mul(per_gib));
        let most = for_size(self.place.volume).map_or(max, |most| most.max(min).min(max));
        let own = self.place.volume.iops.or(provisioned.default)?;
        let (least, all) = (grouped(min), grouped(max));
        let why = format!(
            "{}: {least} to {all} IOPS, at most {per_gib} for each GiB",
            self.name()
        );
        let kind = Kind::Range {
            value: own,
            min,
            max: most.max(own),
            step: if max > 10 * min { 100 } else { 1 },
            suffix: "",
            unit: "IOPS",
            scale: Scale::Log,
        };
        Some(self.control("iops", "IOPS", why, kind))
    }

    fn throughput(&self, row: &VolumeRow) -> Option<Control> {
        let provisioned = row.throughput?;
        let mib = |it: Throughput| it.bytes_per_s() / MIB;
        let own = self.place.volume.throughput.unwrap_or(provisioned.default);
        let why = format!(
            "{}: {} to {} MiB/s, at most {} MiB/s for each 1,000 IOPS",
            self.name(),
            grouped(mib(provisioned.min)),
            grouped(mib(provisioned.max)),
            grouped(provisioned.max_per_iops.bytes_per_s().saturating_mul(1000) / MIB)
        );
        let bounds = (mib(provisioned.min), mib(provisioned.max), 5);
        let kind = range(mib(own), bounds, "MiB/s");
        Some(self.control("throughput", "Throughput", why, kind))
    }

    fn name(&self) -> &str {
        &self.place.volume.volume_type
    }
}

/// The widths of the stripes at `path` and below.
fn widths(name: &str, path: &str, device: &Device, found: &mut Vec<Control>) {
    match device {
        Device::Volume(_) => {}
        Device::Stripe(stripe) => {
            let width = u64::from(stripe.stripe.width.get());
            found.push(Control {
                path: format!("{path}.stripe.width"),
                label: "Volumes in the stripe".to_owned(),
                group: name.to_owned(),
                why: "each volume adds its limits and its price".to_owned(),
                kind: Kind::Range {
                    value: width,
                    min: 1,
                    max: WIDEST.max(width),
                    step: 1,
                    suffix: "",
                    unit: "volumes",
                    scale: Scale::Linear,
                },
            });
            widths(name, &format!("{path}.of"), &stripe.of, found);
        }
        Device::Linear(linear) => {
            for (index, part) in linear.linear.iter().enumerate() {
                widths(name, &format!("{path}.linear.{index}"), part, found);
            }
        }
        Device::Mirror(mirror) => {
            for (leg, part) in &mirror.mirror.legs {
                let path = format!("{path}.mirror.legs.{leg}");
                widths(&format!("{name}.{leg}"), &path, part, found);
            }
        }
    }
}
