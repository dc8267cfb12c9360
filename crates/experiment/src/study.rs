//! A study: what to simulate next, by the answers so far.

use crate::answer::Answered;
use crate::budget::Budget;
use crate::error::Error;
use crate::executor::Executor;
use crate::variant::Variant;
use crate::watch::{Tried, Watch};

/// A question that is worked out in batches of variants: seeds, a grid, a bisection, candidates.
///
/// What it asks depends on answers alone, so that threads and clocks change nothing about what it
/// finds.
pub trait Study {
    /// Takes the answers of the batch before, in its order, and gives the next batch: empty once
    /// nothing more is needed or affordable. The first call has no answers.
    ///
    /// # Errors
    /// If an answer without which there is none is missing.
    fn next(&mut self, answers: Vec<Answered>, lab: &mut Lab<'_>) -> Result<Vec<Variant>, Error>;
}

/// Where studies are carried out: an executor, one budget, one progress and one stop.
pub struct Lab<'a> {
    executor: &'a dyn Executor,
    /// What may be simulated.
    pub budget: Budget,
    watch: &'a mut dyn Watch,
}

impl std::fmt::Debug for Lab<'_> {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        let mut fields = f.debug_struct("Lab");
        fields.field("budget", &self.budget).finish_non_exhaustive()
    }
}

impl<'a> Lab<'a> {
    /// With a budget of `most_ios` IOs, of which none is spent.
    pub fn new(executor: &'a dyn Executor, most_ios: u64, watch: &'a mut dyn Watch) -> Self {
        Self {
            executor,
            budget: Budget::of(most_ios),
            watch,
        }
    }

    /// How many variants are simulated at once: more of them take more time.
    #[must_use]
    pub fn width(&self) -> usize {
        self.executor.width()
    }

    /// Simulates `batch`; the answers come in its order. What it takes is not taken off the budget:
    /// only the study knows what it needed and what was tried ahead of need.
    ///
    /// # Errors
    /// If it is stopped, or the executor fails.
    pub fn ask(&mut self, batch: &[Variant]) -> Result<Vec<Answered>, Error> {
        if self.watch.stopped() {
            return Err(Error::Stopped);
        }
        self.executor.run(batch, &mut || self.watch.stopped())
    }

    /// Carries a study out to its end.
    ///
    /// # Errors
    /// If it is stopped, the executor fails, or the study has no answer.
    pub fn conduct(&mut self, study: &mut dyn Study) -> Result<(), Error> {
        let mut answers = Vec::new();
        loop {
            let batch = study.next(answers, self)?;
            if batch.is_empty() {
                return Ok(());
            }
            answers = self.ask(&batch)?;
        }
    }

    /// Tells whoever watches what is about to be tried.
    pub fn trying(&mut self, what: &str) {
        self.watch.trying(what);
    }

    /// Tells whoever watches what was tried.
    pub fn tried(&mut self, last: String) {
        self.watch.tried(&Tried {
            last,
            ios: self.budget.spent(),
            most_ios: self.budget.most(),
        });
    }
}
