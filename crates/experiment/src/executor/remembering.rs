//! An executor that remembers: what was simulated once is not simulated again.

use std::collections::{HashMap, VecDeque};
use std::sync::{Mutex, PoisonError};

use super::Executor;
use crate::answer::{Answer, Answered};
use crate::error::Error;
use crate::variant::{Variant, VariantId};

/// How many answers are kept: more than most questions need.
const MOST_KEPT: usize = 500;

/// An executor that has another one simulate what it does not know yet.
///
/// Answers are kept by the identity of their variants, which the version is part of. So two
/// questions that need the same run share it, and have the same answer.
#[derive(Debug)]
pub struct Remembering<E> {
    executor: E,
    known: Mutex<Known>,
}

/// The answers that are kept; the oldest goes first.
#[derive(Debug, Default)]
struct Known {
    answers: HashMap<VariantId, Answer>,
    order: VecDeque<VariantId>,
}

impl<E> Remembering<E> {
    /// Knows nothing yet.
    #[must_use]
    pub fn new(executor: E) -> Self {
        Self {
            executor,
            known: Mutex::default(),
        }
    }
}

impl<E: Executor> Executor for Remembering<E> {
    fn width(&self) -> usize {
        self.executor.width()
    }

    fn run(
        &self,
        batch: &[Variant],
        stopped: &mut dyn FnMut() -> bool,
    ) -> Result<Vec<Answered>, Error> {
        // A variant that cannot be read has no identity, and is answered by the other executor.
        let ids: Vec<_> = batch.iter().map(|variant| variant.id().ok()).collect();
        let mut answers = self.recall(&ids);
        let unknown = (0..batch.len()).filter(|&place| answers[place].is_none());
        let unknown: Vec<_> = unknown.collect();
        let variants: Vec<_> = unknown.iter().map(|&place| batch[place].clone()).collect();
        if !variants.is_empty() {
            let found = self.executor.run(&variants, stopped)?;
            for (place, answer) in unknown.into_iter().zip(found) {
                self.remember(ids[place], &answer);
                answers[place] = Some(answer);
            }
        }
        Ok(answers.into_iter().flatten().collect())
    }
}

impl<E> Remembering<E> {
    fn recall(&self, ids: &[Option<VariantId>]) -> Vec<Option<Answered>> {
        let known = self.known.lock().unwrap_or_else(PoisonError::into_inner);
        let of = |id: &Option<VariantId>| Some(Ok(known.answers.get(id.as_ref()?)?.clone()));
        ids.iter().map(of).collect()
    }

    fn remember(&self, id: Option<VariantId>, answer: &Answered) {
        let (Some(id), Ok(answer)) = (id, answer) else {
            return;
        };
        let mut known = self.known.lock().unwrap_or_else(PoisonError::into_inner);
        if known.answers.insert(id, answer.clone()).is_none() {
            known.order.push_back(id);
        }
        if known.order.len() > MOST_KEPT
            && let Some(oldest) = known.order.pop_front()
        {
            known.answers.remove(&oldest);
        }
    }
}
