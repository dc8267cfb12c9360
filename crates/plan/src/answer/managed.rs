//! What services would charge for the storage of the same database: a line of comparison.

use blockyard_catalog::PriceList;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use crate::load::profile::Counted;
use crate::load::streams::Stream;
use crate::requirement::copies::Copies;
use crate::requirement::needs::Needs;

/// What a service charges for the storage of the database, instances apart.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct Managed {
    /// `RDS gp3`, `RDS io1`, `Aurora Standard`, `Aurora I/O-Optimized`.
    pub service: String,
    /// Dollars a month, of a mirror with its second copy.
    pub usd_per_month: f64,
}

impl Managed {
    /// Of each service whose prices are known in the region. RDS allocates data and journal with
    /// their free space and provisions the highest rate; Aurora charges the data and each IO.
    #[must_use]
    pub fn of(needs: &Needs, list: &PriceList<'_>) -> Vec<Self> {
        let iops = |mix: &[Stream]| mix.iter().map(|it| it.iops).sum();
        let counted = Counted::of(&needs.mixes(true), iops);
        let iops = needs.load_profile.highest(&counted);
        let ios = needs.in_a_month(|it| it.iops);
        let data = needs.size + needs.journal.as_ref().map_or(0, |it| it.size);
        let allocated = u128::from(data) * 1000 / u128::from(1000 - needs.free_space.min(999));
        let allocated = u64::try_from(allocated).unwrap_or(u64::MAX);
        // They price no more than one standby.
        let comparable = !matches!(needs.copies, Copies::Replicated(_));
        let managed = list.managed().filter(|_| comparable).map(|it| {
            let size = if it.is_allocated() { allocated } else { data };
            Self {
                service: it.service.clone(),
                usd_per_month: it
                    .month(size, iops, ios, needs.copies == Copies::Mirror)
                    .micros() as f64
                    / 1e6,
            }
        });
        managed.collect()
    }
}
