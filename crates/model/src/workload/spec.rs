//! What a workload is built from: plain data, resolved by the scenario crate.

pub use super::access::spec::{AccessSpec, Arrivals, FileSystem, Fsync, Load, Preference, Skew};
pub use super::demand::spec::{DemandSpec, DemandStep, RATES_PER};
pub use super::oltp::group::spec::{
    Fallback, GroupNode, GroupSpec, Membership, Shipped, Shipping, TakeOver, Wait, Which, Wire,
};
pub use super::oltp::spec::{
    Draw, Flushing, LogSpec, OltpSpec, OnError, Pace, PageUse, RelayLog, Start, TableSpec,
    TransactionLoad, TransactionSpec,
};
pub use super::ranwrite::spec::RanWriteSpec;
pub use super::replay::spec::{
    FlushOf, ReadIos, RecordedIo, Recording, ReplayPace, ReplaySpec, Totals,
};
pub use super::skew::nurand::NuRand;
pub use crate::spec::Region;

/// One job.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum JobSpec {
    /// `ranread` or `access_spec`.
    Access(AccessSpec),
    /// `ranwrite`.
    RanWrite(RanWriteSpec),
    /// `oltp`.
    Oltp(OltpSpec),
    /// `demand`.
    Demand(DemandSpec),
    /// `replay`.
    Replay(ReplaySpec),
}
