//! Plans for a requirement whose numbers are ranges.

pub(crate) mod samples;
pub(crate) mod share_met;
