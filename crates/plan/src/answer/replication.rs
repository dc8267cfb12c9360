//! What replicas get, and what a full copy of the data to one of them takes and costs.

use blockyard_model::units::{GIB, MIB};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use crate::answer::plan::dollars;
use crate::answer::purchase::Purchase;
use crate::load::profile::Counted;
use crate::load::streams::Stream;
use crate::market::prices::Prices;
use crate::requirement::copies::Copies;
use crate::requirement::needs::Needs;
use crate::search::joint_limits::taken;

/// Nodes beside the first, and what goes to them.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct Replicas {
    /// How many.
    pub count: u32,
    /// Whether they are in other zones than the first.
    pub other_zones: bool,
    /// Bytes of log a second that each gets when the load is highest.
    pub log: u64,
    /// Whether nobody stated that, so that it is all that is written.
    pub log_assumed: bool,
    /// One copy of all data to a replica.
    pub full_copy: FullCopy,
}

/// A copy of all data to a replica that is new, or has missed too much (SST, base backup).
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct FullCopy {
    /// Bytes of data; of those that grow, at the horizon.
    pub bytes: u64,
    /// Dollars of traffic between zones; none where its price is not known.
    pub usd: Option<f64>,
    /// How long it takes while the load is at its highest and nobody has burst credits; none if
    /// that leaves nothing.
    pub seconds: Option<f64>,
    /// What bounds that.
    pub bound: CopyBound,
    /// Bytes a second that the donor's reads, the network and the replica's writes allow.
    pub rates: [u64; 3],
}

/// What bounds a copy.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum CopyBound {
    /// What the load leaves of the reads of the first.
    DonorReads,
    /// What replication leaves of its network.
    Network,
    /// The writes of the replica.
    ReplicaWrites,
}

/// IOs of a copy.
const IO_SIZE: u64 = MIB;

impl Purchase<'_, '_> {
    /// None without replicas.
    pub(crate) fn replicas(&self, needs: &Needs, prices: &dyn Prices) -> Option<Replicas> {
        let Copies::Replicated(of) = needs.copies else {
            return None;
        };
        let plain = Needs {
            headroom: 0,
            ..needs.clone()
        };
        Some(Replicas {
            count: of.replicas,
            other_zones: needs.copies.elsewhere() > 0,
            log: plain.load_profile.highest(&plain.log()?),
            log_assumed: of.log.is_none(),
            full_copy: self.full_copy(&plain, prices),
        })
    }

    fn full_copy(&self, needs: &Needs, prices: &dyn Prices) -> FullCopy {
        let bytes = needs.size;
        let sent = needs.sent().unwrap_or_else(|| 0.into());
        let sent = needs.load_profile.highest(&sent);
        let network = self.host.network.bucket.rate.saturating_sub(sent);
        let rates = [
            self.copy_rate(false, Some(needs)),
            network,
            self.copy_rate(true, None),
        ];
        let bounds = [
            CopyBound::DonorReads,
            CopyBound::Network,
            CopyBound::ReplicaWrites,
        ];
        let both = bounds.into_iter().zip(rates);
        let slowest = both.min_by_key(|(_, rate)| *rate);
        let (bound, rate) = slowest.unwrap_or((CopyBound::Network, 0));
        let crosses = needs.copies.elsewhere() > 0;
        let price = crosses.then(|| prices.cross_zone());
        FullCopy {
            bytes,
            usd: match price {
                None => Some(0.0),
                Some(price) => price
                    .ok()
                    .map(|price| dollars(price.times(bytes, GIB).micros())),
            },
            seconds: (rate > 0).then(|| bytes as f64 / rate as f64),
            bound,
            rates,
        }
    }

    /// Bytes a second that the limits of data volumes and instance allow a copy that reads or
    /// writes, beside a load.
    fn copy_rate(&self, write: bool, beside: Option<&Needs>) -> u64 {
        let copy = Stream {
            write,
            iops: 1,
            io_size: IO_SIZE,
            sequential: 1000,
            skew: None,
        };
        let counting = self.data.variant.counting;
        let highest = |needs: &Needs, counted: &Counted| needs.load_profile.highest(counted);
        let apart = self.journal.is_some();
        let volumes = self.data.limits.iter().map(|limit| {
            let used = beside.map_or(0, |needs| {
                highest(needs, &self.data.share(limit, &needs.mixes(!apart), needs))
            });
            let free = limit.rate.saturating_sub(used) * u64::from(self.data.count);
            (free, copy.counted(limit.unit, limit.applies, counting))
        });
        let host = self.host.limits.iter().flatten().map(|limit| {
            let used = beside.map_or(0, |needs| {
                highest(needs, &taken(needs, limit.unit, self.counted()))
            });
            let free = limit.bucket.rate.saturating_sub(used);
            (free, copy.behind_host(limit.unit, counting))
        });
        let counted = volumes.chain(host).filter(|(_, each)| *each > 0);
        let rates = counted.map(|(free, each)| {
            let rate = u128::from(free) * u128::from(IO_SIZE) / u128::from(each);
            u64::try_from(rate).unwrap_or(u64::MAX)
        });
        rates.min().unwrap_or(u64::MAX)
    }
}
