//! The prices of one region on one day.

use std::fmt;

use blockyard_model::units::{GIB, MIB};
use blockyard_text::units::{Date, Money, Percent};

use super::data::{OfRegion, Stated};
use super::file::PriceFile;
use super::none::{NoPrice, Wanted};
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
    users: Option<&'a PriceFile>,
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
        let users = Some(file);
        Self { users, ..self }
    }

    pub(super) fn catalog(&self) -> &'a Catalog {
        self.catalog
    }

    /// The prices of another region on the same day, with the same user's prices.
    pub(super) fn elsewhere(&self, region: &str) -> Option<Self> {
        let list = self.catalog.prices(region, self.day).ok()?;
        Some(Self {
            users: self.users,
            ..list
        })
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

    /// An hour of an instance type, without what EBS optimization adds.
    ///
    /// # Errors
    /// If none is known.
    pub fn instance(&self, name: &str, term: Term) -> Result<Price<'a>, NoPrice> {
        self.hour(name, term).ok_or_else(|| {
            let known = Term::ALL.into_iter();
            let known = known.filter(|term| self.hour(name, *term).is_some());
            self.no_price(Wanted::Instance {
                name: name.to_owned(),
                term,
                known: known.collect(),
            })
        })
    }

    pub(super) fn hour(&self, name: &str, term: Term) -> Option<Price<'a>> {
        let of = |term: Term| {
            let found = self.find(|stated| stated.instance(name)?.of(term));
            found.map(|(amount, at)| at.price(amount))
        };
        let saved = || {
            let off = self
                .users?
                .savings_plan
                .filter(|_| term == Term::SavingsPlan)?;
            let price = of(Term::OnDemand)?;
            let amount = less(price.amount, off);
            Some(Price { amount, ..price })
        };
        of(term).or_else(saved)
    }

    /// What EBS optimization adds to an hour of an instance type, with which the catalog's limits
    /// of it hold; none if it comes with the instance.
    #[must_use]
    pub fn ebs_optimized(&self, name: &str) -> Option<Price<'a>> {
        let of = |stated: &Stated| stated.instance(name)?.ebs_optimized;
        let everywhere = || {
            let stated = self.catalog.prices.ebs_optimized.as_deref()?;
            Some((of(stated)?, self.at(stated, true)))
        };
        let (amount, at) = self.find(of).or_else(everywhere)?;
        Some(at.price(amount)).filter(|price| price.amount > Money::ZERO)
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
        let tiers = self.tiers(name, charge);
        if tiers.is_empty() {
            // What is charged for nowhere needs no price.
            return match self.comes_with(name, charge) >= total {
                true => Ok(Vec::new()),
                false => Err(self.no_price(charge.wanted(name))),
            };
        }
        let parts = tiers
            .iter()
            .enumerate()
            .filter_map(|(index, (above, price))| {
                let end = tiers
                    .get(index + 1)
                    .map_or(total, |(next, _)| (*next).min(total));
                let amount = end.checked_sub(*above).filter(|part| *part > 0)?;
                Some(VolumeLine {
                    charge,
                    amount,
                    above: *above,
                    price: *price,
                    month: price.amount.times(amount, charge.unit()),
                })
            });
        Ok(parts.collect())
    }

    /// What a charge of a volume type costs: each price for what lies above its bound, in bytes,
    /// IOs a second or bytes a second. Nothing where that is not known.
    #[must_use]
    pub fn tiers(&self, volume_type: &str, charge: Charge) -> Vec<(u64, Price<'a>)> {
        let found = self.find(|stated| stated.sheet.stating(volume_type, charge));
        let tiers = found.map(|(prices, at)| {
            let tiers = prices.tiers(charge).into_iter();
            tiers
                .map(|tier| (tier.above, at.price(tier.price)))
                .collect()
        });
        tiers.unwrap_or_default()
    }

    /// How much of a charge comes with each volume of a type, in every region that the catalog has
    /// prices of; 0 where it has none.
    fn comes_with(&self, name: &str, charge: Charge) -> u64 {
        let regions = self.catalog.prices.regions.values();
        let sheets = regions.flat_map(OfRegion::of_volumes);
        let stated = sheets.filter_map(|sheet| sheet.stating(name, charge));
        let first = stated.filter_map(|prices| Some(prices.tiers(charge).first()?.above));
        first.min().unwrap_or(0)
    }

    /// A million IO requests to a volume of a type that is charged for them.
    #[must_use]
    pub fn requests(&self, name: &str) -> Option<Price<'a>> {
        let found = self.find(|stated| stated.sheet.volume(name)?.requests);
        found.map(|(amount, at)| at.price(amount))
    }

    /// A GiB of snapshots in a month.
    ///
    /// # Errors
    /// If none is known.
    pub fn snapshots(&self) -> Result<Price<'a>, NoPrice> {
        let found = self.find(|stated| stated.sheet.snapshots);
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
        let found = self.find(|stated| stated.sheet.cross_zone);
        found
            .map(|(amount, at)| at.price(amount))
            .ok_or_else(|| self.no_price(Wanted::CrossZone))
    }

    pub(super) fn is_local(&self, name: &str) -> bool {
        let rows = self.catalog.volumes.types.get(name);
        rows.is_some_and(|rows| rows.iter().any(|row| row.local))
    }

    /// What `get` finds in the sheet that holds on the day, and where: in the user's sheets, else
    /// in the catalog's.
    fn find<T>(&self, get: impl Fn(&'a Stated) -> Option<T>) -> Option<(T, At<'a>)> {
        let in_force = |region: &'a OfRegion, ours: bool| {
            let sheets = region.sheets(self.region);
            let found = sheets.filter_map(|stated| Some((get(stated)?, self.at(stated, ours))));
            // The newest that was seen by the day; before all of them the earliest.
            found.reduce(|best, other| {
                let observed = |at: &At<'_>| at.stated.sheet.observed;
                let (seen, others) = (observed(&best.1), observed(&other.1));
                let better = match (best.1.early_for.is_none(), other.1.early_for.is_none()) {
                    (true, true) => others > seen,
                    (false, true) => true,
                    (true, false) => false,
                    (false, false) => others < seen,
                };
                if better { other } else { best }
            })
        };
        let users = self
            .users
            .and_then(|file| file.prices.regions.get(self.region));
        let users = users.and_then(|users| in_force(users, false));
        users.or_else(|| in_force(self.ours, true))
    }

    fn at(&self, stated: &'a Stated, ours: bool) -> At<'a> {
        let sheet = &stated.sheet;
        At {
            stated,
            sources: ours.then_some(&self.catalog.sources),
            early_for: self.day.filter(|day| sheet.observed > *day),
            discount: sheet.discount.or_else(|| self.users?.discount),
        }
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
    stated: &'a Stated,
    /// None for a user's sheet.
    sources: Option<&'a Sources>,
    /// The day that was asked for, if the sheet is newer.
    early_for: Option<Date>,
    /// What is taken off its prices.
    discount: Option<Percent>,
}

impl<'a> At<'a> {
    fn price(&self, amount: Money) -> Price<'a> {
        let sheet = &self.stated.sheet;
        let source = self.sources.and_then(|sources| sources.get(&sheet.source));
        Price {
            amount: self.discount.map_or(amount, |off| less(amount, off)),
            source: source.map_or(PriceSource::User(&sheet.source), PriceSource::Catalog),
            observed: sheet.observed,
            discount: self.discount,
            assumed: sheet.assumed.as_deref(),
            early_for: self.early_for,
        }
    }
}

/// An amount with a share of it taken off, to the nearest millionth of a dollar.
fn less(amount: Money, off: Percent) -> Money {
    amount.times(1000 - off.permille(), 1000)
}
