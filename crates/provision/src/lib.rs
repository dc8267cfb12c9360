//! What sets up the storage of a scenario: its layout at the start, what is bought of that for
//! which host, and the Terraform configuration of it all.
//!
//! What has no meaning in a form is [`Refused`] at its place in the scenario.

mod bought;
mod comment;
mod hcl;
mod layout;
mod order;
mod refused;
mod region;
mod terraform;
mod watch;

pub use bought::{Bought, bought};
pub use comment::{comment, plain};
pub use layout::Layout;
pub use order::{Order, attached_as};
pub use refused::Refused;
pub use terraform::terraform;
pub use watch::Watch;

/// What is asked for of a layout.
#[derive(Clone, Copy, Debug, Default)]
pub struct Asked<'a> {
    /// The host that it is for; none is all of them.
    pub host: Option<&'a str>,
    /// Whether the instances are made too.
    pub with_instance: bool,
}
