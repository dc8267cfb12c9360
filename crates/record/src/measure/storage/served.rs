//! The longest times without service of mirrored devices, as the jobs on them saw it.

use blockyard_model::spec::{Layout, StorageSpec};
use blockyard_model::units::Nanos;

use crate::measure::counters::{Counts, InFlight};
use crate::measure::outages::Outages;
use crate::measure::shape::RunShape;

/// By series, the times in which none of its IOs ended; empty without mirrors. Reads and writes
/// are told apart, as one leg may serve reads while writes wait for the other.
#[derive(Debug, Default)]
pub(crate) struct Served(Vec<Option<Outages>>);

impl Served {
    pub(crate) fn new(shape: &RunShape, storage: &StorageSpec) -> Self {
        let is_mirror = |device: usize| matches!(storage.devices[device].layout, Layout::Mirror(_));
        let series = shape.series.iter();
        let all = series.map(|key| is_mirror(key.device).then(|| Outages::since(shape.warmup)));
        let all: Vec<_> = all.collect();
        match all.iter().any(Option::is_some) {
            true => Self(all),
            false => Self::default(),
        }
    }

    /// An IO ended after the warm-up.
    #[inline]
    pub(crate) fn ended(&mut self, now: Nanos, io: &InFlight) {
        if let Some(Some(own)) = self.0.get_mut(io.series) {
            match io.failed {
                true => own.failed(),
                false if io.part => {}
                false => own.ended(io.due, now),
            }
        }
    }

    /// By job, the longest of a run that ended then; none of jobs without mirrors.
    pub(crate) fn longest(
        self,
        shape: &RunShape,
        counts: &[Counts],
        end: Nanos,
    ) -> Vec<Option<Nanos>> {
        let mut longest = vec![None; shape.jobs.len()];
        let series = shape.series.iter().zip(counts).zip(self.0);
        for ((key, counts), own) in series {
            let waits = counts.in_flight_at_end() > 0;
            // How far apart a job's IOs are says nothing: some rest between bursts.
            let own = own.map(|own| own.longest(end, waits, Some(end)));
            longest[key.job] = longest[key.job].max(own);
        }
        longest
    }
}
