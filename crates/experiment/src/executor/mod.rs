//! Executors: who simulates variants. Nothing else here knows threads or clocks.

mod inline;
mod many;
mod remembering;
mod threads;

use std::fmt::Debug;

use blockyard_record::{Detail, Observer};
use blockyard_simulate::Options;

use crate::answer::{Answer, Answered};
use crate::error::Error;
use crate::variant::Variant;

pub use self::inline::Inline;
pub use self::many::{Ran, simulate_many};
pub use self::remembering::Remembering;
pub use self::threads::{Threads, in_parallel};

/// Simulates variants.
///
/// What a variant's answer is depends on the variant alone: not on the executor, nor on what runs
/// beside it.
pub trait Executor: Debug {
    /// How many variants it simulates at once.
    fn width(&self) -> usize;

    /// Simulates all of `batch`; the answers come in its order. The calling thread asks `stopped`
    /// some fifty times a second.
    ///
    /// # Errors
    /// [`Error::Stopped`] if `stopped` says so first, [`Error::Run`] if it cannot begin. What is
    /// wrong with a variant stands in its answer.
    fn run(
        &self,
        batch: &[Variant],
        stopped: &mut dyn FnMut() -> bool,
    ) -> Result<Vec<Answered>, Error>;
}

impl<E: Executor> Executor for &E {
    fn width(&self) -> usize {
        (**self).width()
    }

    fn run(
        &self,
        batch: &[Variant],
        stopped: &mut dyn FnMut() -> bool,
    ) -> Result<Vec<Answered>, Error> {
        (**self).run(batch, stopped)
    }
}

/// Simulates one variant, while `observer` may stop it.
fn answer(variant: &Variant, observer: &mut dyn Observer) -> Answered {
    let opened = variant.open()?;
    opened.can_be_simulated()?;
    let options = Options {
        detail: Detail::Totals,
        ..Options::default()
    };
    let simulated = opened.simulate_in_full(options, observer)?;
    Ok(Answer {
        opened,
        result: simulated.result,
        by_step: simulated.by_step.into(),
    })
}
