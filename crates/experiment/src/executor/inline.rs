//! One variant after another, on the calling thread: where there are no others, as in a browser.

use blockyard_record::Observer;

use super::{Executor, answer};
use crate::answer::Answered;
use crate::error::Error;
use crate::variant::Variant;

/// Simulates on the calling thread.
#[derive(Clone, Copy, Debug, Default)]
pub struct Inline;

impl Executor for Inline {
    fn width(&self) -> usize {
        1
    }

    fn run(
        &self,
        batch: &[Variant],
        stopped: &mut dyn FnMut() -> bool,
    ) -> Result<Vec<Answered>, Error> {
        let mut stop = Stop {
            asked: stopped,
            said: false,
        };
        let mut answers = Vec::with_capacity(batch.len());
        for variant in batch {
            answers.push(answer(variant, &mut stop));
            if stop.said || stop.stopped() {
                return Err(Error::Stopped);
            }
        }
        Ok(answers)
    }
}

/// Ends a run once it was told to.
struct Stop<'a> {
    asked: &'a mut dyn FnMut() -> bool,
    said: bool,
}

impl Observer for Stop<'_> {
    fn stopped(&mut self) -> bool {
        self.said = self.said || (self.asked)();
        self.said
    }
}
