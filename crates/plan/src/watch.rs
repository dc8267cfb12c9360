//! Who looks on while a plan is made.

use blockyard_record::Observer;

use crate::layout::Layout;

/// Looks on while a plan is made, in the thread that asked for it.
pub trait Watch {
    /// A layout is about to be simulated.
    fn simulating(&mut self, _layout: &Layout) {}

    /// Whether to stop; asked several times a second.
    fn stopped(&mut self) -> bool {
        false
    }
}

/// Ignores everything.
impl Watch for () {}

/// A simulation that a [`Watch`] can stop.
pub(crate) struct Stoppable<'a>(pub(crate) &'a mut dyn Watch);

impl Observer for Stoppable<'_> {
    fn stopped(&mut self) -> bool {
        self.0.stopped()
    }
}
