//! Which open files of threads hold data.

use std::collections::BTreeMap;

use blockyard_machine::holds_data;
use blockyard_model::units::{Nanos, SECOND};

/// What is known of open files by thread and number: whether they hold data, and since when.
#[derive(Debug, Default)]
pub(super) struct Files(BTreeMap<(u32, u32), (bool, Nanos)>);

/// A number may be another file's after so long.
const FRESH: Nanos = SECOND;

impl Files {
    /// Whether a thread's file holds data. One that is closed by now is what it was before; if that
    /// is not known, it is taken to hold data.
    pub(super) fn hold(&mut self, thread: u32, number: u32, now: Nanos) -> bool {
        let known = self.0.get(&(thread, number));
        if let Some((holds, since)) = known
            && now.saturating_sub(*since) < FRESH
        {
            return *holds;
        }
        let before = known.is_none_or(|(holds, _)| *holds);
        let holds = holds_data(thread, number).unwrap_or(before);
        self.0.insert((thread, number), (holds, now));
        holds
    }

    /// Forgets files of threads that are gone.
    pub(super) fn retain(&mut self, mut lives: impl FnMut(u32) -> bool) {
        self.0.retain(|(thread, _), _| lives(*thread));
    }
}
