//! What comes due of each volume, whatever limits let through.

use alloc::collections::BTreeSet;
use alloc::vec;
use alloc::vec::Vec;

use super::queue::Queue;
use super::schedule::Schedule;
use super::{ByInterval, OfVolume};
use crate::units::Nanos;

impl ByInterval {
    /// What comes due a second of each volume, from each moment on at which the demand of any job
    /// changes.
    pub fn due(&self) -> impl Iterator<Item = Vec<OfVolume>> {
        let schedules = || self.queues.iter().map(Queue::schedule);
        let changes: BTreeSet<Nanos> = schedules().flat_map(Schedule::begins).collect();
        changes.into_iter().map(move |at| {
            let mut volumes = vec![OfVolume::default(); self.volumes];
            for (per_s, costs) in schedules().filter_map(|it| it.due(at)) {
                for cost in &costs.volumes {
                    volumes[cost.volume].ios += per_s * cost.ios;
                    volumes[cost.volume].bytes += per_s * cost.bytes;
                }
            }
            volumes
        })
    }
}
