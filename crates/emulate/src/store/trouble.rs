//! What went wrong with the file beneath a disk, for whoever answers for it:
//! clients only see that a request failed.

use std::collections::BTreeMap;
use std::sync::{Mutex, PoisonError};

/// What was asked of the file.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(super) enum IoRequest {
    Read,
    Write,
    Flush,
}

impl IoRequest {
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

/// Failures by what was asked and why.
#[derive(Debug, Default)]
pub(super) struct Troubles(Mutex<BTreeMap<(IoRequest, String), Count>>);

#[derive(Debug, Default)]
struct Count {
    times: u64,
    told: bool,
    /// What is to be done about it.
    advice: String,
}

impl Troubles {
    /// Counts one more.
    pub(super) fn add(&self, asked: IoRequest, why: &str) {
        self.with(|kinds| kinds.entry((asked, why.into())).or_default().times += 1);
    }

    /// Knows of a kind before anything has failed.
    pub(super) fn foresee(&self, asked: IoRequest, why: &str, advice: String) {
        self.with(|kinds| kinds.entry((asked, why.into())).or_default().advice = advice);
    }

    /// The kinds that were not given before, each in words.
    pub(super) fn take_new(&self) -> Vec<String> {
        self.with(|kinds| {
            let new = kinds.iter_mut().filter(|(_, count)| !count.told);
            new.map(|((asked, why), count)| {
                count.told = true;
                match asked {
                    IoRequest::Flush => {
                        format!("{why}; all flushes fail from now on{}", count.advice)
                    }
                    asked => format!("a {} failed: {why}{}", asked.word(), count.advice),
                }
            })
            .collect()
        })
    }

    /// How often each kind has happened so far, in words.
    pub(super) fn counts(&self) -> Vec<String> {
        self.with(|kinds| {
            let counts = kinds.iter().map(|((asked, why), count)| match count.times {
                0 => why.clone(),
                1 => format!("1 {} failed: {why}", asked.word()),
                times => format!("{times} {} failed: {why}", asked.words()),
            });
            counts.collect()
        })
    }

    fn with<T>(&self, look: impl FnOnce(&mut BTreeMap<(IoRequest, String), Count>) -> T) -> T {
        look(&mut self.0.lock().unwrap_or_else(PoisonError::into_inner))
    }
}
