//! A real workload on real storage, watched: what the kernel counts of block devices and
//! processes, as a run.
//!
//! [`observe`] reads the counters at even times and, where that is allowed, each IO by the kernel's
//! tracepoints. Counters say how many, tracepoints how long. It changes nothing on the machine.
//! [`import`] makes the same run of a trace that another program recorded.

mod calls;
mod counts;
mod devices;
mod ebs;
mod ending;
mod events;
#[cfg(any(test, feature = "fuzzing"))]
#[doc(hidden)]
pub mod fuzz;
mod import;
mod interval_log;
mod ios;
mod lines;
mod load;
mod options;
mod outcome;
mod pressure;
mod processes;
mod room;
mod session;
mod slots;
mod so_far;
mod totals;
mod watched;

use std::sync::Arc;

pub use blockyard_machine::Error;
use blockyard_record::result::RunResult;
use blockyard_record::{Interval, RowNames};

pub use import::{Import, import};
pub use options::Options;
pub use so_far::SoFar;

use crate::session::Session;

/// Is told what happens, in the thread that observes.
pub trait Observer {
    /// An interval ended. `names` are the same for all intervals; `so_far` is of each device.
    fn interval(&mut self, names: &Arc<RowNames>, interval: Interval, so_far: &[SoFar]);

    /// Something that the user should know at once.
    fn warn(&mut self, message: &str);

    /// Whether to stop. Asked several times a second.
    fn stopped(&mut self) -> bool;
}

/// Observes until the time is over, it is stopped, or nothing is left to observe.
///
/// # Errors
/// If nothing can be observed: see [`Error`].
pub fn observe(options: &Options, observer: &mut dyn Observer) -> Result<RunResult, Error> {
    Session::start(options, observer)?.carry_on(observer)
}
