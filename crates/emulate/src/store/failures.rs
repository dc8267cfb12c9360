//! What went wrong with the file beneath a disk, for whoever runs the service:
//! clients only see that a request failed.

use std::collections::BTreeMap;
use std::sync::{Mutex, PoisonError};

/// What was done to the file.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(super) enum Access {
    Read,
    Write,
    Flush,
}

impl Access {
    fn word(self) -> &'static str {
        match self {
            Self::Read => "read",
            Self::Write => "write",
            Self::Flush => "flush",
        }
    }

    fn words(self) -> &'static str {
        match self {
            Self::Read => "reads",
            Self::Write => "writes",
            Self::Flush => "flushes",
        }
    }
}

/// Failures by what was done and why.
#[derive(Debug, Default)]
pub(super) struct Failures(Mutex<BTreeMap<(Access, String), Count>>);

#[derive(Debug, Default)]
struct Count {
    times: u64,
    reported: bool,
    /// What is to be done about it.
    advice: String,
}

impl Failures {
    /// Counts one more.
    pub(super) fn add(&self, access: Access, why: &str) {
        self.with(|kinds| kinds.entry((access, why.into())).or_default().times += 1);
    }

    /// Knows of a kind before anything has failed.
    pub(super) fn foresee(&self, access: Access, why: &str, advice: String) {
        self.with(|kinds| kinds.entry((access, why.into())).or_default().advice = advice);
    }

    /// The kinds that were not given before, each in words.
    pub(super) fn take_new(&self) -> Vec<String> {
        self.with(|kinds| {
            let new = kinds.iter_mut().filter(|(_, count)| !count.reported);
            new.map(|((access, why), count)| {
                count.reported = true;
                match access {
                    Access::Flush => {
                        format!("{why}; all flushes fail from now on{}", count.advice)
                    }
                    access => format!("a {} failed: {why}{}", access.word(), count.advice),
                }
            })
            .collect()
        })
    }

    /// How often each kind has happened so far, in words.
    pub(super) fn counts(&self) -> Vec<String> {
        self.with(|kinds| {
            let counts = kinds
                .iter()
                .map(|((access, why), count)| match count.times {
                    0 => why.clone(),
                    1 => format!("1 {} failed: {why}", access.word()),
                    times => format!("{times} {} failed: {why}", access.words()),
                });
            counts.collect()
        })
    }

    fn with<T>(&self, look: impl FnOnce(&mut BTreeMap<(Access, String), Count>) -> T) -> T {
        look(&mut self.0.lock().unwrap_or_else(PoisonError::into_inner))
    }
}
