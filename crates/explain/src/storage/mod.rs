//! The devices and volumes of a run, and the rows of its table of volumes.

pub(crate) mod devices;
pub(crate) mod equal_volumes;
pub(crate) mod table;
