//! What can be bought on a day: instances with their limits, and what each volume type offers
//! behind them. Instances behind which all types offer the same are one class, so that volumes
//! are worked out once for each class, not once for each of well over a thousand instances.

pub(crate) mod inter_zone;
pub(crate) mod prices;

use std::collections::{BTreeMap, BTreeSet};

use blockyard_catalog::{Ask, Catalog, Instance, Offer, Profile, Unknown, VolumeType};
use blockyard_model::spec::Unit;

use crate::load::endurance::Bucket;
use crate::load::streams::Counting;
use crate::market::prices::Prices;
use crate::reason::Reason;
use crate::requirement::check_instance::zones;
use crate::requirement::needs::Choice;

/// What can be bought on a day.
pub struct Market<'a> {
    pub(crate) prices: &'a dyn Prices,
    pub(crate) types: Vec<VolumeType<'a>>,
    /// Types that the requirement leaves out, and by what.
    pub(crate) excluded: Vec<(VolumeType<'a>, Reason)>,
    pub(crate) variants: Vec<Variant<'a>>,
    /// Of each class, by volume type: the number of its variant, or why there is none.
    pub(crate) classes: Vec<Vec<Result<usize, Reason>>>,
    pub(crate) instances: Vec<Host<'a>>,
    /// Why instances that would fit are left out, each with how many.
    pub(crate) avoided: BTreeMap<String, usize>,
    /// Where offers are looked up: the catalog, the region, and how many zones it has.
    offers: Option<(&'a Catalog, String, usize)>,
}

/// What a volume type offers behind some class of instances.
pub(crate) struct Variant<'a> {
    pub(crate) volume_type: VolumeType<'a>,
    pub(crate) offer: Offer<'a>,
    pub(crate) counting: Counting,
    pub(crate) profile: &'a Profile,
    /// Failures a year, of a million volumes; none if nothing is published.
    pub(crate) failures: Option<u64>,
    /// How many disks the instance has, if they are its own.
    pub(crate) disks: Option<u32>,
    /// The rates at the most that can be provisioned, which tell variants with one rule apart.
    most: Vec<u64>,
}

/// An instance that the requirement allows.
pub(crate) struct Host<'a> {
    pub(crate) instance: &'a Instance,
    pub(crate) class: usize,
    /// Its limits over all volumes; none if they are not published.
    pub(crate) limits: Option<Vec<HostLimit<'a>>>,
    /// What its network carries at any time: how long network credits last is not published.
    pub(crate) network: HostLimit<'a>,
    /// Millionths of a dollar a month.
    pub(crate) price: Result<i64, String>,
}

/// The limit of an instance's network.
pub(crate) const NETWORK: &str = "network";

pub(crate) struct HostLimit<'a> {
    pub(crate) name: &'a str,
    pub(crate) unit: Unit,
    pub(crate) bucket: Bucket,
}

impl std::fmt::Debug for Market<'_> {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("Market")
            .field("types", &self.types)
            .field("instances", &self.instances.len())
            .finish_non_exhaustive()
    }
}

impl<'a> Market<'a> {
    /// What a requirement may choose among.
    ///
    /// # Errors
    /// If it names an instance or a volume type that the catalog does not know.
    pub fn new(
        catalog: &'a Catalog,
        prices: &'a dyn Prices,
        choice: &Choice,
    ) -> Result<Self, Unknown> {
        for name in &choice.volume_types {
            catalog.volume_type(name)?;
        }
        let (mut types, mut excluded) = (Vec::new(), Vec::new());
        for volume_type in catalog.volume_types().filter(|it| sold(*it, choice)) {
            match left_out(volume_type, choice) {
                Some(reason) => excluded.push((volume_type, reason)),
                None => types.push(volume_type),
            }
        }
        let candidates: Vec<&Instance> = match &choice.instance {
            Some(name) => vec![catalog.instance(name)?],
            None => catalog
                .instances()
                .iter()
                .filter(|it| fits(it, choice))
                .collect(),
        };
        let mut avoided = BTreeMap::new();
        let candidates = candidates.into_iter().filter(|it| {
            let reason = choice.avoided.reason(it);
            let why = match &reason {
                Some(reason) => reason.avoids(),
                None if !offered(catalog, it, choice) => "not offered there",
                None => return true,
            };
            *avoided.entry(why.to_owned()).or_insert(0) += 1;
            false
        });
        let candidates: Vec<&Instance> = candidates.collect();
        let mut market = Self {
            prices,
            types,
            excluded,
            variants: Vec::new(),
            classes: Vec::new(),
            instances: Vec::new(),
            avoided,
            offers: choice.region.as_ref().map(|region| {
                let zones = zones(catalog, region).len();
                (catalog, region.clone(), zones)
            }),
        };
        for instance in candidates {
            let class = market.class(catalog, instance, choice);
            let limits = catalog.host_limits(instance, choice.day).limits;
            let limits = limits.map(|limits| {
                let limit = |limit: &blockyard_catalog::Limit<'a>| HostLimit {
                    name: limit.name,
                    unit: limit.unit,
                    bucket: crate::search::volumes::bucket(limit),
                };
                limits.iter().map(limit).collect()
            });
            market.instances.push(Host {
                instance,
                class,
                limits,
                network: network(instance),
                price: prices.instance(instance),
            });
        }
        Ok(market)
    }

    /// The class of an instance: the number of each type's variant behind it.
    fn class(&mut self, catalog: &'a Catalog, instance: &'a Instance, choice: &Choice) -> usize {
        let types = self.types.clone();
        let of = types
            .iter()
            .map(|it| self.variant(catalog, *it, instance, choice));
        let class: Vec<_> = of.collect();
        match self.classes.iter().position(|known| *known == class) {
            Some(known) => known,
            None => {
                self.classes.push(class);
                self.classes.len() - 1
            }
        }
    }

    fn variant(
        &mut self,
        catalog: &'a Catalog,
        volume_type: VolumeType<'a>,
        instance: &'a Instance,
        choice: &Choice,
    ) -> Result<usize, Reason> {
        let unavailable = |message: String| Reason::Unavailable { message };
        let offer = volume_type.offer(Some(instance), choice.day);
        let offer = offer.map_err(|refusal| unavailable(refusal.to_string()))?;
        let row = offer.row();
        let most = offer.limits(&Ask {
            size: row.size.map(|range| range.max),
            iops: row.iops.map(|range| range.max),
            throughput: row.throughput.map(|range| range.max),
        });
        // Instances without disks are all alike, whatever their names.
        let most = most.map_err(|refusal| match row.local {
            true => unavailable("the instance has no disks whose IOPS are published".into()),
            false => unavailable(refusal.to_string()),
        })?;
        let disks = instance.disks().filter(|_| row.local);
        let disks = disks.map(|it| u32::try_from(it.count).unwrap_or(u32::MAX));
        let size = most.provisioned.size;
        let most: Vec<u64> = most.limits.iter().map(|limit| limit.rate).collect();
        let mut most = most;
        most.extend(row.local.then_some(size.bytes()));
        let same = |known: &Variant<'_>| {
            std::ptr::eq(known.offer.row(), row) && known.most == most && known.disks == disks
        };
        if let Some(known) = self.variants.iter().position(same) {
            return Ok(known);
        }
        let profile = catalog.profile(&row.latency);
        self.variants.push(Variant {
            volume_type,
            offer,
            counting: Counting {
                unit: row.counted_in.bytes(),
                whole_units: row.whole_units,
                local: row.local,
                striped: true,
            },
            profile: profile.map_err(|unknown| unavailable(unknown.to_string()))?,
            failures: volume_type.annual_failures(),
            disks,
            most,
        });
        Ok(self.variants.len() - 1)
    }

    /// The ids of the zones in which an instance type is offered, and how many the region has; none
    /// where that is not known.
    pub(crate) fn zones(&self, instance: &Instance) -> Option<(Vec<String>, usize)> {
        let (catalog, region, zones) = self.offers.as_ref()?;
        let offered = catalog.zones(instance.name(), region)?;
        Some((offered.to_vec(), *zones))
    }

    /// How many of the instances have no known price.
    pub(crate) fn unpriced(&self) -> usize {
        let instances = self.instances.iter();
        instances.filter(|host| host.price.is_err()).count()
    }

    /// The families of all instances that are allowed.
    pub(crate) fn families(&self) -> BTreeSet<&'a str> {
        self.instances
            .iter()
            .map(|host| host.instance.family())
            .collect()
    }
}

fn network(instance: &Instance) -> HostLimit<'static> {
    let rate = instance.network().baseline_mbps * 125_000;
    HostLimit {
        name: NETWORK,
        unit: Unit::Byte,
        bucket: Bucket {
            rate,
            depth: rate,
            credits: false,
            top_up: None,
        },
    }
}

/// Whether a type is for sale: what is as one states it is no provider's.
fn sold(volume_type: VolumeType<'_>, choice: &Choice) -> bool {
    let rules = volume_type.offers(None).unwrap_or_default();
    let named = choice.volume_types.iter();
    named.into_iter().any(|name| name == volume_type.name())
        || rules
            .iter()
            .any(|it| !it.row().as_stated && !it.row().limits.is_empty())
}

/// By what the requirement leaves a type out, if it does.
fn left_out(volume_type: VolumeType<'_>, choice: &Choice) -> Option<Reason> {
    let named = &choice.volume_types;
    if !named.is_empty() && !named.iter().any(|name| name == volume_type.name()) {
        let by = "volumes.types".into();
        return Some(Reason::Excluded { by });
    }
    let rules = volume_type.offers(None).unwrap_or_default();
    let local = rules.iter().any(|it| it.row().local);
    (local && !choice.local).then_some(Reason::Ephemeral)
}

/// Whether a type is offered in the zones that count; what is not known is taken to be.
fn offered(catalog: &Catalog, instance: &Instance, choice: &Choice) -> bool {
    let region = choice.region.as_ref();
    let offered = region.and_then(|region| catalog.zones(instance.name(), region));
    offered.is_none_or(|offered| {
        offered.len() >= choice.fewest_zones.max(1)
            && choice.zones.iter().all(|zone| offered.contains(zone))
    })
}

fn fits(instance: &Instance, choice: &Choice) -> bool {
    choice
        .architecture
        .is_none_or(|it| it == instance.architecture())
        && instance.vcpu() >= choice.vcpu
        && instance.memory_mib() >= choice.memory_mib
        && (choice.families.is_empty()
            || choice
                .families
                .iter()
                .any(|family| family == instance.family()))
}
