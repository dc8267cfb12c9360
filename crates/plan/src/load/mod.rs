//! A load as streams of IO over time, and for how long a limit holds it.

pub(crate) mod demand;
pub(crate) mod endurance;
pub(crate) mod hottest;
pub(crate) mod profile;
pub(crate) mod streams;
