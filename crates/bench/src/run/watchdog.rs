//! Notices when storage does not answer any more.

use std::collections::BTreeMap;
use std::time::{Duration, Instant};

use blockyard_model::units::{Nanos, SECOND};
use blockyard_record::{Interval, RunShape};

/// A device is reported after this long without a completion.
pub(super) const QUIET: Nanos = 10 * SECOND;

/// Looks at every interval, and at how long ago the last report came.
#[derive(Debug)]
pub(super) struct Watchdog {
    interval: Nanos,
    /// Per device: for how long it has been quiet with IOs in flight.
    quiet: BTreeMap<usize, Nanos>,
    heard: Instant,
}

impl Watchdog {
    pub(super) fn new(interval: Nanos) -> Self {
        Self {
            interval,
            quiet: BTreeMap::new(),
            heard: Instant::now(),
        }
    }

    /// A thread has reported.
    pub(super) fn heard(&mut self) {
        self.heard = Instant::now();
    }

    /// Whether none has for longer than `patience`.
    pub(super) fn silent(&self, patience: Duration) -> bool {
        self.heard.elapsed() > patience
    }

    /// The devices that have been quiet for [`QUIET`] with this interval; each
    /// is told once until it answers again.
    pub(super) fn look(&mut self, shape: &RunShape, interval: &Interval) -> Vec<usize> {
        // Per device: whether anything waits, and whether anything completed.
        let mut devices: BTreeMap<usize, (bool, bool)> = BTreeMap::new();
        for row in &interval.rows {
            let device = shape.series[row.series].device;
            let (waits, answered) = devices.entry(device).or_default();
            *waits |= row.queue_depth > 0.0;
            *answered |= row.ios > 0;
        }
        let mut told = Vec::new();
        for (device, (waits, answered)) in devices {
            let quiet = self.quiet.entry(device).or_default();
            *quiet = if waits && !answered {
                *quiet + self.interval
            } else {
                0
            };
            if *quiet >= QUIET && *quiet - self.interval < QUIET {
                told.push(device);
            }
        }
        told
    }
}
