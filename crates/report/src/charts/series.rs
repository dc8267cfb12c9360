//! The series of a run: one operation of one job on one device each.

use indexmap::IndexSet;

use crate::Run;

/// One operation of one job on one device.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub(crate) struct SeriesKey<'a> {
    pub(crate) job: &'a str,
    pub(crate) device: &'a str,
    pub(crate) op: &'a str,
}

impl SeriesKey<'_> {
    /// Its name in the latency log.
    pub(crate) fn tag(&self) -> String {
        [self.job, self.device, self.op].join(".")
    }

    /// Its name where the device is understood.
    pub(crate) fn label(&self) -> String {
        format!("{} {}", self.job, self.op)
    }

    /// Whether it moves bytes, which limits count.
    fn moves(&self) -> bool {
        matches!(self.op, "read" | "write")
    }
}

/// The series of a run that did IO, in the order of its totals.
///
/// Left out are flushes that had nothing to wait for, as on modelled storage.
pub(crate) fn series(run: &Run) -> Vec<SeriesKey<'_>> {
    let did = run.result.totals.iter().filter(|total| {
        let at_once = total.latency_us.is_some_and(|us| us.max == 0.0);
        total.ios > 0 && !at_once
    });
    did.map(|total| SeriesKey {
        job: &total.job,
        device: &total.device,
        op: &total.op,
    })
    .collect()
}

/// The series that move bytes, which limits count.
pub(crate) fn movers(run: &Run) -> Vec<SeriesKey<'_>> {
    series(run).into_iter().filter(SeriesKey::moves).collect()
}

/// The devices of series, each once.
pub(crate) fn devices<'a>(found: &[SeriesKey<'a>]) -> IndexSet<&'a str> {
    found.iter().map(|key| key.device).collect()
}

/// A place in the palette for each job and operation, whatever the device.
#[derive(Debug)]
pub(crate) struct Palette<'a>(IndexSet<(&'a str, &'a str)>);

impl Palette<'_> {
    /// The place of a series.
    pub(crate) fn of(&self, key: &SeriesKey<'_>) -> Option<usize> {
        self.0.get_index_of(&(key.job, key.op))
    }
}

/// The palette of series.
pub(crate) fn colours<'a>(found: &[SeriesKey<'a>]) -> Palette<'a> {
    Palette(found.iter().map(|key| (key.job, key.op)).collect())
}
