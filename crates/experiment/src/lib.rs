//! Variants of a scenario, simulated and judged: what every question but a single run is made of.
//!
//! A [`Variant`] is a scenario with edits and a seed. A [`Study`] says which variants to simulate
//! next, by the answers so far; an [`Executor`] simulates them. One budget in IOs bounds what that
//! takes, and one file of thresholds says what counts as a difference. Nothing but the executor
//! knows threads or clocks, so that a study finds the same on any machine.

pub mod advice;
mod answer;
pub mod budget;
pub mod chance;
mod edit;
mod error;
mod executor;
mod findings;
mod judge;
mod paired;
mod places;
mod scenario;
mod seeds;
mod study;
mod variant;
mod watch;

pub use answer::{Answer, Answered};
pub use edit::{
    Edit, JobLoad, LoadUnit, OfLink, OtherMirror, Protocol, Reads, Reserve, Saved, ScaledLimit,
    ScaledLink, emptied,
};
pub use error::{Error, unless_stopped};
pub use executor::{Executor, Inline, Ran, Remembering, Threads, in_parallel, simulate_many};
pub use findings::Findings;
pub use judge::{Effect, judge};
pub use paired::{Fewer, Paired, Side, paired};
pub use places::{Place, places};
pub use scenario::{Opened, ScenarioText};
pub use seeds::simulate_seeds;
pub use study::{Lab, Study};
pub use variant::{Base, Variant, VariantId};
pub use watch::{Tried, Watch};
