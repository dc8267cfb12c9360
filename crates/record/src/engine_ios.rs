//! What an engine's IO took, and what limits held of it, by what it was for.

use std::collections::BTreeMap;

use blockyard_model::storage::LimitId;
use blockyard_model::units::Nanos;
use blockyard_model::workload::EngineIo;

use crate::counters::InFlight;
use crate::result::{EngineIoTotal, EngineIoUse, ThrottledBy};
use crate::shape::RunShape;

/// The IO of an engine, or of one node of its group.
#[derive(Clone, Debug, Default)]
pub(crate) struct EngineIos([OfUse; EngineIo::ALL.len()]);

/// The IO of one purpose.
#[derive(Clone, Debug, Default)]
struct OfUse {
    ios: u64,
    /// Summed over IOs.
    latency: u128,
    throttled: BTreeMap<LimitId, u128>,
}

impl EngineIos {
    /// An IO completed at `now`.
    pub(crate) fn completed(&mut self, now: Nanos, io: &InFlight) {
        let (_, purpose) = EngineIo::by(io.submitter);
        let own = &mut self.0[purpose as usize];
        own.ios += 1;
        own.latency += u128::from(now - io.due);
        if let (Some(limit), true) = (io.limit, io.throttled > 0) {
            *own.throttled.entry(limit).or_default() += u128::from(io.throttled);
        }
    }

    /// What there was any of, reads first.
    pub(crate) fn totals(&self, shape: &RunShape) -> Vec<EngineIoTotal> {
        let total = |io: EngineIo| {
            let own = &self.0[io as usize];
            (own.ios > 0).then(|| EngineIoTotal {
                purpose: purpose(io),
                ios: own.ios,
                mean_us: own.latency as f64 / own.ios as f64 / 1e3,
                throttled: own.throttled(shape),
            })
        };
        EngineIo::ALL.into_iter().rev().filter_map(total).collect()
    }
}

impl OfUse {
    fn throttled(&self, shape: &RunShape) -> Vec<ThrottledBy> {
        let by = |(&limit, &time): (&LimitId, &u128)| {
            let info = &shape.limits[limit];
            ThrottledBy {
                owner: shape.owners().owner(info).to_owned(),
                limit: info.name.clone(),
                share: time as f64 / self.latency.max(1) as f64,
            }
        };
        let mut found: Vec<_> = self.throttled.iter().map(by).collect();
        found.sort_by(|a, b| b.share.total_cmp(&a.share));
        found
    }
}

fn purpose(io: EngineIo) -> EngineIoUse {
    match io {
        EngineIo::Log => EngineIoUse::Log,
        EngineIo::PageWrite => EngineIoUse::PageWrite,
        EngineIo::PageRead => EngineIoUse::PageRead,
    }
}
