//! A side of a comparison.

use crate::Run;

/// A side of a comparison: a run, or several repeats of it.
#[derive(Clone, Debug)]
pub struct Side<'a> {
    /// What it is called.
    pub name: String,
    /// The run, or the first of its repeats.
    pub first: &'a Run,
    /// The further repeats.
    pub more: Vec<&'a Run>,
}

impl<'a> Side<'a> {
    /// A side of one run, called as the run is.
    #[must_use]
    pub fn of(run: &'a Run) -> Self {
        Self {
            name: run.name.clone(),
            first: run,
            more: Vec::new(),
        }
    }

    /// All its runs.
    pub fn runs(&self) -> impl Iterator<Item = &'a Run> + Clone + '_ {
        std::iter::once(self.first).chain(self.more.iter().copied())
    }

    /// How many they are.
    pub(crate) fn len(&self) -> usize {
        1 + self.more.len()
    }
}
