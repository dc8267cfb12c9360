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

    /// The longest of a run that ended then.
    pub(crate) fn longest(self, shape: &RunShape, counts: &[Counts], end: Nanos) -> Unserved {
        let series = shape.series.iter().zip(counts).zip(self.0);
        let all = series.filter_map(|((key, counts), own)| {
            let waits = counts.in_flight_at_end() > 0;
            // How far apart a job's IOs are says nothing: some rest between bursts.
            let longest = own?.longest(end, waits, Some(end));
            Some((key.job, key.device, longest))
        });
        Unserved(all.collect())
    }
}

/// The longest time in which a mirror did not serve, for goals of jobs and for mirrors in results.
#[derive(Clone, Debug, Default)]
pub(crate) struct Unserved(Vec<(usize, usize, Nanos)>);

impl Unserved {
    /// That of any mirror that a job is on; none without mirrors.
    pub(crate) fn of_job(&self, job: usize) -> Option<Nanos> {
        let own = self.0.iter().filter(|it| it.0 == job);
        own.map(|it| it.2).max()
    }

    /// That of a mirror, for any job on it; none without jobs.
    pub(crate) fn of_device(&self, device: usize) -> Option<Nanos> {
        let own = self.0.iter().filter(|it| it.1 == device);
        own.map(|it| it.2).max()
    }
}
