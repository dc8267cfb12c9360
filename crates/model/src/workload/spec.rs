//! What a workload is built from: plain data, resolved by the scenario crate.

pub use super::access::spec::{AccessSpec, Arrivals, FileSystem, Fsync, Load, Preference, Skew};
pub use super::oltp::group::spec::{GroupNode, GroupSpec, Shipping, Wait};
pub use super::oltp::spec::{
    Flushing, LogSpec, OltpSpec, OnError, Pace, TransactionLoad, TransactionSpec,
};
pub use super::ranwrite::spec::RanWriteSpec;
use crate::units::Bytes;

/// A file: a run of bytes on a device.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Region {
    /// Index of the device in [`crate::spec::StorageSpec::devices`].
    pub device: usize,
    /// First byte on the device.
    pub offset: Bytes,
    /// Size, a multiple of the file's unit ([`super::FileUse::unit`]).
    pub size: Bytes,
}

/// One job.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum JobSpec {
    /// `ranread` or `access_spec`.
    Access(AccessSpec),
    /// `ranwrite`.
    RanWrite(RanWriteSpec),
    /// `oltp`.
    Oltp(OltpSpec),
}
