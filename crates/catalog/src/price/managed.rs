//! What services charge for the storage of a database, beside which volumes of one's own stand.

use blockyard_model::units::{Bytes, GIB};
use blockyard_text::units::{Date, Money};
use serde::Deserialize;

use super::list::PriceList;

/// From this size on RDS includes more IOPS of gp3.
const LARGE: Bytes = 400 * GIB;

/// What a service charges for the storage of a database, without its instances.
#[derive(Clone, Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct ManagedStorage {
    /// `RDS gp3`, `Aurora Standard`.
    pub service: String,
    pub(super) region: String,
    /// The day on which the prices were seen.
    pub observed: Date,
    pub(super) source: String,
    /// For a GiB and month.
    capacity: Money,
    /// For an IO a second and month, beyond those included.
    iops: Option<Money>,
    #[serde(default)]
    included: u64,
    included_from_400gib: Option<u64>,
    /// For a million IOs.
    requests: Option<Money>,
    /// How many times as much is charged with a second copy in another zone.
    mirrored: u64,
}

impl ManagedStorage {
    /// Whether a size is allocated, or what is stored is charged.
    #[must_use]
    pub fn is_allocated(&self) -> bool {
        self.iops.is_some()
    }

    /// Of so much data, with so many IOs a second provisioned and so many done in a month:
    /// what a month costs.
    #[must_use]
    pub fn month(&self, size: Bytes, iops: u64, ios: u64, mirrored: bool) -> Money {
        let large = self.included_from_400gib.filter(|_| size >= LARGE);
        let beyond = iops.saturating_sub(large.unwrap_or(self.included));
        let once = [
            Some(self.capacity.times(size, GIB)),
            self.iops.map(|price| price.times(beyond, 1)),
            self.requests.map(|price| price.times(ios, 1_000_000)),
        ];
        let sum = once.into_iter().flatten().reduce(|sum, one| sum + one);
        let copies = if mirrored { self.mirrored } else { 1 };
        sum.unwrap_or_default().times(copies, 1)
    }
}

impl<'a> PriceList<'a> {
    /// What services charge for storage in the region, as far as that is known.
    pub fn managed(&self) -> impl Iterator<Item = &'a ManagedStorage> {
        let region = self.region();
        let all = self.catalog().prices.managed.iter();
        all.filter(move |it| it.region == region)
    }
}
