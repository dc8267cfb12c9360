//! Figures, names of limits and tables as text.

pub mod format;
pub mod limit_names;
pub(crate) mod provenance;
pub mod table;
