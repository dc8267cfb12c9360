//! The prices of one region on one day.

use std::fmt;

use blockyard_model::units::{GIB, MIB};
use blockyard_text::units::{Date, Money};

use super::none::{NoPrice, Wanted};
use super::sheet::{OfRegion, PriceFile, Sheet};
use super::term::Term;
use super::{Price, PriceSource};
use crate::Catalog;
use crate::limits::Provisioned;
use crate::source::Sources;
use crate::unknown::{Named, Unknown};

/// The prices of one region on one day.
#[derive(Clone, Copy)]
pub struct PriceList<'a> {
    catalog: &'a Catalog,
    region: &'a str,
    day: Option<Date>,
    ours: &'a OfRegion,
    users: Option<&'a OfRegion>,
}

/// Prints region and day, not the catalog.
impl fmt::Debug for PriceList<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let mut list = f.debug_struct("PriceList");
        list.field("region", &self.region).field("day", &self.day);
        list.finish_non_exhaustive()
    }
}

/// What is charged of a volume.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Charge {
    /// Its size, in bytes, priced by the GiB.
    Capacity,
    /// Provisioned IOs a second.
    Iops,
    /// Provisioned bytes a second, priced by the MiB.
    Throughput,
}

impl Charge {
    /// What one price is for, in the unit of [`VolumeLine::amount`].
    #[must_use]
    pub const fn unit(self) -> u64 {
        match self {
            Self::Capacity => GIB,
            Self::Iops => 1,
            Self::Throughput => MIB,
        }
    }

    /// What is missing where it has no price.
    fn wanted(self, name: &str) -> Wanted {
        let name = name.to_owned();
        match self {
            Self::Capacity => Wanted::Capacity(name),
            Self::Iops => Wanted::Iops(name),
            Self::Throughput => Wanted::Throughput(name),
        }
    }
}

/// One line of a volume's bill: an amount of something at one price.
#[derive(Clone, Copy, Debug)]
pub struct VolumeLine<'a> {
    /// What is charged.
    pub charge: Charge,
    /// How much of it at this price: bytes, IOs a second or bytes a second.
    pub amount: u64,
    /// How much of it is charged at lower tiers, or comes with the volume.
    pub above: u64,
    /// Of a unit in a month.
    pub price: Price<'a>,
    /// Of all of it in a month, rounded once.
    pub month: Money,
}

impl Catalog {
    /// The region that is meant where a user names none.
    #[must_use]
    pub fn default_region(&self) -> &str {
        &self.prices.default_region
    }

    /// Every region that can be named.
    pub fn regions(&self) -> impl Iterator<Item = &str> {
        self.prices.regions.keys().map(String::as_str)
    }

    /// The prices of a region on a day, or the newest if no day is given.
    ///
    /// # Errors
    /// If there is no such region; suggests the nearest one.
    pub fn prices(&self, region: &str, day: Option<Date>) -> Result<PriceList<'_>, Unknown> {
        let regions = &self.prices.regions;
        match regions.get_key_value(region) {
            Some((region, ours)) => Ok(PriceList {
                catalog: self,
                region,
                day,
                ours,
                users: None,
            }),
            None => {
                let names = regions.keys().map(String::as_str);
                Err(Unknown::new(Named::Region, region, names))
            }
        }
    }
}

impl<'a> PriceList<'a> {
    /// The same with a user's prices before the catalog's.
    #[must_use]
    pub fn with(self, file: &'a PriceFile) -> Self {
        let users = file.prices.regions.get(self.region);
        Self { users, ..self }
    }

    /// The region.
    #[must_use]
    pub fn region(&self) -> &'a str {
        self.region
    }

    /// The day; `None` for today.
    #[must_use]
    pub fn day(&self) -> Option<Date> {
        self.day
    }

    /// An hour of an instance type.
    ///
    /// # Errors
    /// If none is known.
    pub fn instance(&self, name: &str, term: Term) -> Result<Price<'a>, NoPrice> {
        let of = |term: Term| {
            self.find(|region, at| {
                let place = *region.instances[at].get(name)?;
                region.sheets[at].instances[place].of(term)
            })
        };
        of(term)
            .map(|(amount, at)| at.price(amount))
            .ok_or_else(|| {
                let known = Term::ALL.into_iter().filter(|term| of(*term).is_some());
                self.no_price(Wanted::Instance {
                    name: name.to_owned(),
                    term,
                    known: known.collect(),
                })
            })
    }

    /// The lines of a volume's bill: its capacity, its IOPS by tier, its throughput. None for
    /// local disks, which come with their instance. IO requests, which `standard` is charged
    /// for, are not among them: see [`PriceList::requests`].
    ///
    /// # Errors
    /// If a price of any line is not known.
    pub fn volume(&self, name: &str, volume: &Provisioned) -> Result<Vec<VolumeLine<'a>>, NoPrice> {
        if self.is_local(name) {
            return Ok(Vec::new());
        }
        let mut lines = Vec::new();
        let throughput = volume.throughput.map(|it| it.bytes_per_s());
        for (charge, total) in [
            (Charge::Capacity, Some(volume.size.bytes())),
            (Charge::Iops, volume.iops),
            (Charge::Throughput, throughput),
        ] {
            let Some(total) = total else { continue };
            lines.extend(self.lines(name, charge, total)?);
        }
        Ok(lines)
    }

    /// The lines of one charge, whose price is looked for by itself: a sheet may state only some
    /// prices of a type.
    fn lines(
        &self,
        name: &str,
        charge: Charge,
        total: u64,
    ) -> Result<Vec<VolumeLine<'a>>, NoPrice> {
        let found = self.find(|region, at| region.sheets[at].stating(name, charge));
        let Some((prices, at)) = found else {
            // What is charged for nowhere needs no price.
            return match self.comes_with(name, charge) >= total {
                true => Ok(Vec::new()),
                false => Err(self.no_price(charge.wanted(name))),
            };
        };
        let tiers = prices.tiers(charge);
        let parts = tiers.iter().enumerate().filter_map(|(index, tier)| {
            let end = tiers
                .get(index + 1)
                .map_or(total, |next| next.above.min(total));
            let amount = end.checked_sub(tier.above).filter(|part| *part > 0)?;
            Some(VolumeLine {
                charge,
                amount,
                above: tier.above,
                price: at.price(tier.price),
                month: tier.price.times(amount, charge.unit()),
            })
        });
        Ok(parts.collect())
    }

    /// How much of a charge comes with each volume of a type, in every region that the catalog has
    /// prices of; 0 where it has none.
    fn comes_with(&self, name: &str, charge: Charge) -> u64 {
        let regions = self.catalog.prices.regions.values();
        let sheets = regions.flat_map(|region| &region.sheets);
        let stated = sheets.filter_map(|sheet| sheet.stating(name, charge));
        let first = stated.filter_map(|prices| Some(prices.tiers(charge).first()?.above));
        first.min().unwrap_or(0)
    }

    /// A million IO requests to a volume of a type that is charged for them.
    #[must_use]
    pub fn requests(&self, name: &str) -> Option<Price<'a>> {
        let found = self.find(|region, at| region.sheets[at].volume(name)?.requests);
        found.map(|(amount, at)| at.price(amount))
    }

    /// A GiB of snapshots in a month.
    ///
    /// # Errors
    /// If none is known.
    pub fn snapshots(&self) -> Result<Price<'a>, NoPrice> {
        let found = self.find(|region, at| region.sheets[at].snapshots);
        found
            .map(|(amount, at)| at.price(amount))
            .ok_or_else(|| self.no_price(Wanted::Snapshots))
    }

    /// A GiB that crosses once from one zone of the region to another, with all that is
    /// charged for it at both ends.
    ///
    /// # Errors
    /// If none is known.
    pub fn cross_zone(&self) -> Result<Price<'a>, NoPrice> {
        let found = self.find(|region, at| region.sheets[at].cross_zone);
        found
            .map(|(amount, at)| at.price(amount))
            .ok_or_else(|| self.no_price(Wanted::CrossZone))
    }

    fn is_local(&self, name: &str) -> bool {
        let rows = self.catalog.volumes.types.get(name);
        rows.is_some_and(|rows| rows.iter().any(|row| row.local))
    }

    /// What `get` finds in the sheet that holds on the day, and where.
    fn find<T>(&self, get: impl Fn(&'a OfRegion, usize) -> Option<T>) -> Option<(T, At<'a>)> {
        let in_force = |region: &'a OfRegion, sources: Option<&'a Sources>| {
            let sheets = region.sheets.iter().enumerate();
            let found = sheets.filter_map(|(at, sheet)| get(region, at).map(|it| (it, sheet)));
            let seen = |sheet: &Sheet| self.day.is_none_or(|day| sheet.observed <= day);
            // The newest that was seen by the day; before all of them the earliest.
            let best = found.reduce(|best, other| {
                let better = match (seen(best.1), seen(other.1)) {
                    (true, true) => other.1.observed > best.1.observed,
                    (false, true) => true,
                    (true, false) => false,
                    (false, false) => other.1.observed < best.1.observed,
                };
                if better { other } else { best }
            });
            let early_for = |sheet| self.day.filter(|_| !seen(sheet));
            best.map(|(it, sheet)| {
                (
                    it,
                    At {
                        sheet,
                        sources,
                        early_for: early_for(sheet),
                    },
                )
            })
        };
        let users = self.users.and_then(|users| in_force(users, None));
        users.or_else(|| in_force(self.ours, Some(&self.catalog.sources)))
    }

    fn no_price(&self, wanted: Wanted) -> NoPrice {
        NoPrice {
            wanted,
            region: self.region.to_owned(),
        }
    }
}

/// Where a price was found.
#[derive(Clone, Copy)]
struct At<'a> {
    sheet: &'a Sheet,
    /// None for a user's sheet.
    sources: Option<&'a Sources>,
    early_for: Option<Date>,
}

impl<'a> At<'a> {
    fn price(&self, amount: Money) -> Price<'a> {
        let sheet = self.sheet;
        let source = self.sources.and_then(|sources| sources.get(&sheet.source));
        Price {
            amount,
            source: source.map_or(PriceSource::User(&sheet.source), PriceSource::Catalog),
            observed: sheet.observed,
            assumed: sheet.assumed.as_deref(),
            early_for: self.early_for,
        }
    }
}
