//! What the storage did and what it throttled: volumes, limits, links and mirrors.

pub(crate) mod by_job;
pub(crate) mod journal_mirrors;
mod mirror_events;
pub(crate) mod network;
pub(crate) mod pace;
mod resumptions;
pub(crate) mod served;
pub(crate) mod throttling;
pub(crate) mod volumes;
