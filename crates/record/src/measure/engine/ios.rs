//! What an engine's IO took, and what limits held of it, by what it was for.

use std::collections::BTreeMap;

use blockyard_model::storage::{LimitId, LinkWait};
use blockyard_model::units::Nanos;
use blockyard_model::workload::EngineIo;

use crate::measure::counters::InFlight;
use crate::measure::shape::RunShape;
use crate::result::{EngineIoTotal, EngineIoUse, ThrottledBy};

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
    /// While an event paused or slowed down what they were for.
    in_events: u128,
    /// Added by links of mirrors.
    on_links: u128,
}

impl EngineIos {
    /// An IO completed at `now`, which counts if it did not fail; of the time for which it was
    /// throttled events held it for `in_events`.
    pub(crate) fn completed(&mut self, now: Nanos, io: &InFlight, in_events: Nanos) {
        if io.failed {
            return;
        }
        let (_, purpose) = EngineIo::by(io.submitter);
        let own = &mut self.0[purpose as usize];
        own.ios += 1;
        own.latency += u128::from(now - io.due);
        own.in_events += u128::from(in_events);
        let throttled = io.throttled - in_events;
        if let (Some(limit), true) = (io.limit, throttled > 0) {
            *own.throttled.entry(limit).or_default() += u128::from(throttled);
        }
    }

    /// Links added this to the latency of some IOs.
    pub(crate) fn held_by_link(&mut self, wait: &LinkWait) {
        let (_, purpose) = EngineIo::by(wait.submitter);
        let own = &mut self.0[purpose as usize];
        own.on_links += u128::from(wait.time);
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
                in_events: own.share(own.in_events),
                on_links: own.share(own.on_links),
            })
        };
        EngineIo::ALL.into_iter().rev().filter_map(total).collect()
    }
}

impl OfUse {
    /// The share of their latency that `time` is; what links added may be told of IOs that
    /// completed after the last that counts.
    fn share(&self, time: u128) -> f64 {
        (time as f64 / self.latency.max(1) as f64).min(1.0)
    }

    fn throttled(&self, shape: &RunShape) -> Vec<ThrottledBy> {
        let by = |(&limit, &time): (&LimitId, &u128)| {
            let info = &shape.limits[limit];
            ThrottledBy {
                owner: shape.owners().owner(info).to_owned(),
                limit: info.name.clone(),
                share: self.share(time),
            }
        };
        let mut found: Vec<_> = self.throttled.iter().map(by).collect();
        found.sort_by(|a, b| b.share.total_cmp(&a.share));
        found
    }
}

pub(crate) fn purpose(io: EngineIo) -> EngineIoUse {
    match io {
        EngineIo::Log => EngineIoUse::Log,
        EngineIo::PageWrite => EngineIoUse::PageWrite,
        EngineIo::PageRead => EngineIoUse::PageRead,
        EngineIo::Copy => EngineIoUse::Copy,
    }
}
