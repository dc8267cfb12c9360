//! Who looks on while a run goes on.

use blockyard_model::units::Bytes;
use blockyard_record::{Interval, Plan};

/// Told what happens, in the thread that called [`crate::bench`].
pub trait Observer {
    /// `done` of `of` bytes of a device's target are written in preparation.
    fn prepared(&mut self, device: &str, done: Bytes, of: Bytes);

    /// An interval ended.
    fn interval(&mut self, plan: &Plan, interval: Interval);

    /// Something that the user should know at once: nothing completes, a bad
    /// block was read.
    fn warn(&mut self, message: &str);

    /// Whether to stop. Asked at least ten times a second.
    fn stopped(&mut self) -> bool;
}
