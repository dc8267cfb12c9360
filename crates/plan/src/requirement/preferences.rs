//! What holds where a requirement does not say otherwise: what a DBA would ask for without being
//! asked. The cheapest layout without these preferences is shown beside the answer, with those that
//! it breaks.

use blockyard_catalog::{Catalog, Generation, Instance, Purpose};
use blockyard_model::units::Bytes;
use blockyard_text::units::{Percent, Size};
use indexmap::IndexMap;

use crate::reason::Reason;
use crate::requirement::choice::Generations;
use crate::requirement::schema::Requirement;

/// Volumes of an instance: of 8 gp3, 1.6 % of stripes are lost in a year, of 28 5.5 %.
const MOST_VOLUMES: u32 = 8;

/// Of a file system, in 1/1000: where usual monitors raise an alarm.
const FREE_SPACE: u64 = 200;

/// Of every limit at the highest load, in 1/1000. No mere preference: without any, IO queues.
const HEADROOM: u64 = 100;

const SPARE_ATTACHMENTS: u32 = 2;

/// The preferences of a requirement: those that it states, and the usual ones beside them.
#[derive(Clone, Debug, PartialEq)]
pub struct Preferences {
    /// The most data and journal volumes on an instance; none if all that can be attached.
    pub at_most: Option<u32>,
    /// What of a file system stays free, in 1/1000.
    pub free_space: u64,
    /// What of each limit stays free, in 1/1000.
    pub headroom: u64,
    /// Attachments that stay free, beside the root volume's.
    pub spare_attachments: u32,
    /// What the account may have.
    pub quotas: Quotas,
    /// Which instances are left out.
    pub avoided: Avoided,
}

/// What an account may have in a region, by volume type.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Quotas {
    /// Provisioned IOPS.
    pub iops: IndexMap<String, u64>,
    /// Bytes of storage.
    pub storage: IndexMap<String, Bytes>,
}

/// Kinds of instance types that are left out.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Avoided {
    /// Of previous generations.
    pub previous: bool,
    /// Whose processors run on credits.
    pub burstable: bool,
    /// With GPUs or other accelerators.
    pub accelerated: bool,
    /// Made for high-performance computing.
    pub hpc: bool,
    /// That run macOS.
    pub mac: bool,
}

impl Preferences {
    /// Those of a requirement; the usual ones beside what it states only if `usual`.
    pub(crate) fn of(it: &Requirement, catalog: &Catalog, usual: bool) -> Self {
        let headroom = it.headroom.map(Percent::permille);
        let least_free = if usual { FREE_SPACE } else { 0 };
        let stated_free = it.free_space.map(Percent::permille);
        Self {
            at_most: it.volumes.at_most.or(usual.then_some(MOST_VOLUMES)),
            free_space: stated_free.unwrap_or(least_free.max(headroom.unwrap_or(0))),
            headroom: headroom.unwrap_or(HEADROOM),
            spare_attachments: it.instance.spare_attachments.unwrap_or(if usual {
                SPARE_ATTACHMENTS
            } else {
                0
            }),
            quotas: Quotas::of(it, catalog, usual),
            avoided: Avoided::of(it, usual),
        }
    }
}

impl Quotas {
    fn of(it: &Requirement, catalog: &Catalog, usual: bool) -> Self {
        let mut quotas = Self::default();
        for volume_type in catalog.volume_types().filter(|_| usual) {
            let name = || volume_type.name().to_owned();
            let iops = volume_type.default_quota().map(|(iops, _)| (name(), iops));
            let storage = volume_type.default_storage_quota();
            quotas.iops.extend(iops);
            quotas
                .storage
                .extend(storage.map(|size| (name(), size.bytes())));
        }
        let stated = it.quotas.iter().map(|(name, iops)| (name.clone(), *iops));
        quotas.iops.extend(stated);
        let stated = it.storage_quotas.iter();
        quotas
            .storage
            .extend(stated.map(|(name, size)| (name.clone(), Size::bytes(*size))));
        quotas
    }

    /// Whether nothing is bounded.
    pub(crate) fn is_empty(&self) -> bool {
        self.iops.is_empty() && self.storage.is_empty()
    }

    /// The first that volumes of a copy exceed, all `copies` together: of each kind the type, how
    /// many, IOPS and bytes of one.
    pub(crate) fn exceeded(
        &self,
        volumes: &[(&str, u32, u64, Bytes)],
        copies: u32,
    ) -> Option<Reason> {
        let sum = |name: &str, of: fn(&(&str, u32, u64, Bytes)) -> u64| -> u64 {
            let same = volumes.iter().filter(|it| it.0 == name);
            same.map(|it| of(it) * u64::from(it.1 * copies)).sum()
        };
        volumes.iter().find_map(|(name, ..)| {
            let (iops, bytes) = (sum(name, |it| it.2), sum(name, |it| it.3));
            let volume_type = || (*name).to_owned();
            match (self.iops.get(*name), self.storage.get(*name)) {
                (Some(has), _) if iops > *has => Some(Reason::Quota {
                    volume_type: volume_type(),
                    needed: iops,
                    has: *has,
                }),
                (_, Some(has)) if bytes > *has => Some(Reason::StorageQuota {
                    volume_type: volume_type(),
                    needed: bytes,
                    has: *has,
                }),
                _ => None,
            }
        })
    }
}

impl Avoided {
    /// A type or family that is named is wanted, whatever it is, unless that is contradicted.
    fn of(it: &Requirement, usual: bool) -> Self {
        let choice = &it.instance;
        let named = choice.instance_type.is_some() || !choice.families.is_empty();
        let usual = usual && !named;
        let unless = |allowed: Option<bool>| allowed.map_or(usual, |allowed| !allowed);
        let any = choice.generation.map(|it| it == Generations::Any);
        Self {
            previous: unless(any),
            burstable: unless(choice.burstable),
            accelerated: unless(choice.accelerators),
            hpc: unless(choice.hpc),
            // Nothing that a plan is for runs there.
            mac: !named,
        }
    }

    /// Why an instance is left out, if it is.
    pub(crate) fn reason(self, instance: &Instance) -> Option<Reason> {
        let of_purpose = match instance.purpose() {
            Purpose::General => None,
            Purpose::Burstable => self.burstable.then_some("burstable"),
            Purpose::Accelerated(accelerator) => self.accelerated.then_some(accelerator),
            Purpose::HighPerformance => self.hpc.then_some("HPC"),
            Purpose::Mac => self.mac.then_some("macOS"),
        };
        let name = || instance.name().to_owned();
        match of_purpose {
            Some(purpose) => Some(Reason::Purpose {
                instance: name(),
                purpose: purpose.to_owned(),
            }),
            None if self.previous && instance.generation() == Generation::Previous => {
                Some(Reason::PreviousGeneration { instance: name() })
            }
            None => None,
        }
    }
}
