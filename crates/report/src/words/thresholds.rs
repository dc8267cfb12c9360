//! From when on words warn of something; verdicts have theirs in `crates/record`.

/// Answers of an emulation that are later, in ms, are no longer small beside the latency of a
/// volume.
pub(crate) const TRUSTED_MS: f64 = 0.2;
