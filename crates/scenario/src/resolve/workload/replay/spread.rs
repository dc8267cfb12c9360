//! Times that are recorded in coarse steps.

use blockyard_model::units::{Nanos, SECOND};
use blockyard_model::workload::spec::RecordedIo;

/// Coarser times than this say nothing of queueing.
pub(super) const COARSE: Nanos = SECOND;

/// Spreads IOs evenly over a coarse step, in which nothing tells their times apart.
pub(super) struct Spread {
    step: Nanos,
    /// Those of the same time.
    held: Vec<RecordedIo>,
}

impl Spread {
    /// Of times in steps of `step`; none if that is fine enough.
    pub(super) fn new(step: Nanos) -> Option<Self> {
        let held = Vec::new();
        (step >= COARSE).then_some(Self { step, held })
    }

    /// Takes an IO, and gives out those whose time is known now.
    pub(super) fn push(&mut self, io: RecordedIo) -> Vec<RecordedIo> {
        let given = match self.held.first() {
            Some(first) if first.wait != io.wait => self.end(),
            _ => Vec::new(),
        };
        self.held.push(io);
        given
    }

    /// Gives out the rest.
    pub(super) fn end(&mut self) -> Vec<RecordedIo> {
        let mut ios = std::mem::take(&mut self.held);
        let count = ios.len() as u128;
        for (place, io) in (0_u128..).zip(&mut ios) {
            io.wait += (u128::from(self.step) * place / count) as Nanos;
        }
        ios
    }
}
