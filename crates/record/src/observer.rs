//! Who looks on while a run goes on.

use blockyard_model::units::Bytes;
use blockyard_scenario::units::Size;
use serde_json::Value;

use crate::intervals::Interval;
use crate::shape::RunShape;

/// Told what happens in a run of any mode, in the thread that started it. Whoever looks
/// on implements what it wants to know; nothing else happens unless stated.
pub trait Observer {
    /// Emulation: clients can come to these devices.
    fn serving(&mut self, _devices: &[ServedDevice]) {}

    /// Bench: `done` of `of` bytes of a device's target are written in preparation.
    fn prepared(&mut self, _device: &str, _done: Bytes, _of: Bytes) {}

    /// An interval ended. In an emulation `status` is what `steer status` shows.
    fn interval(&mut self, _plan: &RunShape, _interval: Interval, _status: Option<&Value>) {}

    /// Something that the user should know at once: nothing completes, a bad
    /// block was read.
    fn warn(&mut self, _message: &str) {}

    /// Whether to stop. Asked several times a second; a simulation asks after each
    /// interval too.
    fn stopped(&mut self) -> bool {
        false
    }
}

/// Looks on at nothing.
impl Observer for () {}

/// A device that an emulation serves.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ServedDevice {
    /// Its name: the scenario's device or volume.
    pub name: String,
    /// Where clients find it: a URI or a path.
    pub place: String,
    /// Its size.
    pub size: Size,
    /// Where its bytes lie, in words.
    pub backing: String,
}
