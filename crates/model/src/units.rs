//! The units every part of the model counts in.

/// A point in time or a span of it, in nanoseconds. A run starts at 0.
///
/// 64 bits hold 584 years, so sums of two never overflow in a run.
pub type Nanos = u64;

/// A position on a device or a size, in bytes.
pub type Bytes = u64;

/// Nanoseconds in a second.
pub const SECOND: Nanos = 1_000_000_000;

/// Nanoseconds in a millisecond.
pub const MILLISECOND: Nanos = 1_000_000;

/// Nanoseconds in a microsecond.
pub const MICROSECOND: Nanos = 1_000;

/// Bytes in a kibibyte.
pub const KIB: Bytes = 1 << 10;

/// Bytes in a mebibyte.
pub const MIB: Bytes = 1 << 20;

/// Bytes in a gibibyte.
pub const GIB: Bytes = 1 << 30;
