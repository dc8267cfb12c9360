//! Where a file lies.

use crate::units::Bytes;

/// A file: a run of bytes on a device.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Region {
    /// Index of the device in [`StorageSpec::devices`](super::StorageSpec::devices).
    pub device: usize,
    /// First byte on the device.
    pub offset: Bytes,
    /// Size, a multiple of the file's unit ([`FileUse::unit`](crate::workload::FileUse::unit)).
    pub size: Bytes,
}
