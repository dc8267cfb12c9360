//! The lines of a bill.

use blockyard_catalog::{NoPrice, Price, PriceList, Provisioned};
use blockyard_model::units::GIB;
use blockyard_scenario::{BoughtVolume, Resolved};
use indexmap::IndexMap;

use super::Terms;
use crate::Pace;
use crate::line::{BillLine, Bought, Item};
use crate::pace::in_hours;

/// The lines, and what there is to say about them.
pub(super) fn lines(
    list: &PriceList<'_>,
    resolved: &Resolved,
    terms: &Terms<'_>,
    pace: Option<&Pace>,
) -> Result<(Vec<BillLine>, Vec<String>), NoPrice> {
    let mut builder = Builder {
        list,
        resolved,
        terms,
        pace,
        lines: Vec::new(),
        notes: Vec::new(),
    };
    builder.hosts()?;
    builder.volumes()?;
    builder.requests();
    builder.traffic()?;
    builder.snapshots()?;
    if !resolved.events.is_empty() {
        let note = "events may change the storage; the bill is of what the run begins with";
        builder.notes.push(note.to_owned());
        let is_traffic = |line: &BillLine| line.item == Item::CrossZone;
        if builder.lines.iter().any(is_traffic) {
            let note = "the month's traffic between zones is at the pace of this run, its events \
                        included";
            builder.notes.push(note.to_owned());
        }
    }
    Ok((builder.lines, builder.notes))
}

struct Builder<'a> {
    list: &'a PriceList<'a>,
    resolved: &'a Resolved,
    terms: &'a Terms<'a>,
    pace: Option<&'a Pace>,
    lines: Vec<BillLine>,
    notes: Vec<String>,
}

impl Builder<'_> {
    fn add(&mut self, bought: Bought<'_>, price: &Price<'_>) {
        let hours = self.terms.hours_per_month;
        self.lines.push(BillLine::new(bought, price, hours));
    }

    /// A line for each instance type, with the names of the hosts.
    fn hosts(&mut self) -> Result<(), NoPrice> {
        let resolved = self.resolved;
        let mut types: IndexMap<&str, Vec<&str>> = IndexMap::new();
        let hosts = resolved.storage.hosts.iter();
        for (host, instance) in hosts.zip(&resolved.bought.instances) {
            match instance {
                Some(instance) => types.entry(instance).or_default().push(&host.name),
                None => self
                    .notes
                    .push("no instance is stated; the bill has none".to_owned()),
            }
        }
        for (what, names) in types {
            let price = self.list.instance(what, self.terms.term)?;
            let count = names.len() as u64;
            let bought = |item| Bought {
                of: names.join(", "),
                item,
                what,
                count,
                amount: count,
                above: 0,
            };
            self.add(bought(Item::Instance), &price);
            if let Some(price) = self.list.ebs_optimized(what) {
                self.add(bought(Item::EbsOptimized), &price);
            }
        }
        Ok(())
    }

    /// The lines of each device, equal volumes together.
    fn volumes(&mut self) -> Result<(), NoPrice> {
        let mut equal: IndexMap<(&str, &str, Amounts), (u64, &BoughtVolume)> = IndexMap::new();
        let mut local = 0;
        for volume in &self.resolved.bought.volumes {
            let key = amounts(&volume.provisioned);
            let key = (&*volume.device, &*volume.volume_type, key);
            equal.entry(key).or_insert((0, volume)).0 += 1;
        }
        for ((device, what, _), (count, volume)) in equal {
            let lines = self.list.volume(what, &volume.provisioned)?;
            local += u64::from(lines.is_empty());
            for line in lines {
                let bought = Bought {
                    of: device.to_owned(),
                    item: line.charge.into(),
                    what,
                    count,
                    amount: line.amount.saturating_mul(count),
                    above: line.above,
                };
                self.add(bought, &line.price);
            }
        }
        if local > 0 {
            let note = "local disks come with their instance";
            self.notes.push(note.to_owned());
        }
        Ok(())
    }

    /// IO requests to volumes that are charged for them, a line for each device.
    fn requests(&mut self) {
        let resolved = self.resolved;
        let mut by_device: IndexMap<(&str, &str), (u64, u64)> = IndexMap::new();
        let volumes = resolved
            .bought
            .volumes
            .iter()
            .zip(&resolved.storage.volumes);
        for (bought, volume) in volumes {
            if self.list.requests(&bought.volume_type).is_some() {
                let ios = self.pace.map_or(0, |pace| pace.ios_of(&volume.name));
                let key = (&*bought.device, &*bought.volume_type);
                let sum = by_device.entry(key).or_default();
                (sum.0, sum.1) = (sum.0 + 1, sum.1.saturating_add(ios));
            }
        }
        for ((device, what), (count, ios)) in by_device {
            match (self.pace, self.list.requests(what)) {
                (Some(pace), Some(price)) => {
                    let hours = self.terms.hours_per_month;
                    let bought = Bought {
                        of: device.to_owned(),
                        item: Item::Requests,
                        what,
                        count,
                        amount: in_hours(ios, pace.measured, hours),
                        above: 0,
                    };
                    self.add(bought, &price);
                }
                (_, price) => self.notes.extend(price.map(|price| {
                    let price = price.amount;
                    format!(
                        "{device}: a million IO requests cost {price} $ more; a run's bill has them"
                    )
                })),
            }
        }
    }

    /// What went from zone to zone, all links together.
    fn traffic(&mut self) -> Result<(), NoPrice> {
        let resolved = self.resolved;
        if resolved.storage.links.is_empty() {
            return Ok(());
        }
        let Some(pace) = self.pace else {
            let note = "what goes from zone to zone depends on the load; a run's bill has it";
            if resolved.zones.names.len() > 1 {
                self.notes.push(note.to_owned());
            }
            return Ok(());
        };
        let zone = |host: &str| {
            let place = resolved
                .storage
                .hosts
                .iter()
                .position(|it| it.name == host)?;
            resolved.zones.of_hosts.get(place).copied().flatten()
        };
        let (mut bytes, mut copied) = (0_u64, 0_u64);
        let mut unknown = false;
        for link in &pace.links {
            match (zone(&link.from), zone(&link.to)) {
                (Some(from), Some(to)) if from != to => {
                    bytes = bytes.saturating_add(link.bytes);
                    copied = copied.saturating_add(link.copied);
                }
                (Some(_), Some(_)) => {}
                _ => unknown |= link.bytes > 0,
            }
        }
        if unknown {
            let note = "the zones of linked hosts are not stated; one zone is assumed, within \
                        which traffic costs nothing";
            self.notes.push(note.to_owned());
        }
        if bytes == 0 && copied == 0 {
            return Ok(());
        }
        let price = self.list.cross_zone()?;
        if copied > 0 {
            let gib = copied as f64 / GIB as f64;
            let once = price.amount.times(copied, GIB).dollars();
            self.notes.push(format!(
                "copies and resyncs took {gib:.1} GiB from zone to zone in this run, {once:.3} $ once; \
                 the month has none"
            ));
        }
        if bytes == 0 {
            return Ok(());
        }
        let bought = Bought {
            of: "links".to_owned(),
            item: Item::CrossZone,
            what: "traffic between zones",
            count: 1,
            amount: in_hours(bytes, pace.whole, self.terms.hours_per_month),
            above: 0,
        };
        self.add(bought, &price);
        Ok(())
    }

    fn snapshots(&mut self) -> Result<(), NoPrice> {
        let Some(size) = self.terms.snapshots else {
            return Ok(());
        };
        let price = self.list.snapshots()?;
        let bought = Bought {
            of: "snapshots".to_owned(),
            item: Item::Snapshots,
            what: "standard tier",
            count: 1,
            amount: size.bytes(),
            above: 0,
        };
        self.add(bought, &price);
        Ok(())
    }
}

/// Size, IOPS and throughput.
type Amounts = (u64, Option<u64>, Option<u64>);

fn amounts(volume: &Provisioned) -> Amounts {
    let throughput = volume.throughput.map(|it| it.bytes_per_s());
    (volume.size.bytes(), volume.iops, throughput)
}
