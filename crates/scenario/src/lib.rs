//! The scenario language: its schema, overrides, goals, and resolution to the
//! data that the model is built from.

mod carrying;
mod check;
pub mod demand;
pub mod goals;
mod loaded;
mod profiles;
mod resolve;
pub mod schema;
mod unlike;

// The types of values and errors are part of this crate's interface.
pub use blockyard_text::{Error, Origin, hint, nearest, shorten, units};
pub use carrying::{Carrier, carrying};
pub use check::check_name;
pub use loaded::{Loaded, load, well_formed};
pub use resolve::{
    Bought, BoughtVolume, Direction, EventKind, OutageStep, ReplayedRecording, ReplayedStreams,
    Resolved, ResolvedEvent, ResolvedLimit, ResolvedOutage, RestsOn, StepKind, StreamKind, Zones,
};
pub use unlike::FieldChange;
