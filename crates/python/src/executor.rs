//! Who simulates for this process: all processors, and what they simulated before.

use std::sync::OnceLock;

use blockyard_experiment::{Remembering, Threads};

/// The one executor of the process. It remembers answers, so that a second question that needs a
/// run of the first one's does not wait for it again.
pub(crate) fn executor() -> &'static Remembering<Threads> {
    static EXECUTOR: OnceLock<Remembering<Threads>> = OnceLock::new();
    EXECUTOR.get_or_init(|| Remembering::new(Threads::all()))
}
