//! Whether an engine had settled by the end of a run.
//!
//! An engine that begins with no changed page does better than it will: pages that make room are
//! clean, and the redo log is empty. Only once as many pages are written as are changed, what a run
//! shows is what the engine sustains.

use blockyard_model::workload::spec::OltpSpec;
use blockyard_record::result::{EngineHalf, TransactionTotal};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

/// What rises by less from one half of the time to the other has settled.
const RISE: f64 = 1.1;

/// Changed pages that are less of the pool, and a checkpoint age that is less of the log, do not
/// matter yet.
const MATTERS: [f64; 2] = [0.01, 0.05];

/// Misses that are less of the accesses do not matter.
const MISSES: f64 = 0.005;

/// What had not settled.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct Unsettled {
    /// What of the engine.
    pub what: Settling,
    /// What it was in the first half of the time after the warm-up: pages or bytes at most, or the
    /// share of page accesses that hit the pool.
    pub before: f64,
    /// The same in the second half.
    pub after: f64,
}

/// What takes its time to settle.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum Settling {
    /// Pages that are changed in the pool and not on disk become more.
    DirtyPages,
    /// The checkpoint age rises.
    CheckpointAge,
    /// The pool hits more, or less, than before.
    HitRatio,
}

/// What of a job's engine had not settled.
pub(crate) fn unsettled(total: &TransactionTotal, engine: Option<&OltpSpec>) -> Vec<Unsettled> {
    // One that stopped had no steady state, and a longer warm-up would give it none.
    if total.stopped.iter().any(|stop| stop.host.is_none()) {
        return Vec::new();
    }
    let halves = total.engine.as_ref().map_or(&[][..], |it| &it.halves);
    let (Some(spec), [first, second]) = (engine, halves) else {
        return Vec::new();
    };
    let rising = |what, of: fn(&EngineHalf) -> u64, least: f64| {
        let (before, after) = (of(first) as f64, of(second) as f64);
        (after >= least && after > RISE * before).then_some(Unsettled {
            what,
            before,
            after,
        })
    };
    let [pool, log] = MATTERS;
    let misses = [1.0 - first.hit_ratio, 1.0 - second.hit_ratio];
    let moved = (misses[0] - misses[1]).abs() >= MISSES
        && misses[0].max(misses[1]) > RISE * misses[0].min(misses[1]);
    [
        rising(
            Settling::DirtyPages,
            |half| half.peak_dirty_pages,
            pool * spec.pool as f64,
        ),
        rising(
            Settling::CheckpointAge,
            |half| half.peak_checkpoint_age,
            log * spec.log.capacity as f64,
        ),
        moved.then_some(Unsettled {
            what: Settling::HitRatio,
            before: first.hit_ratio,
            after: second.hit_ratio,
        }),
    ]
    .into_iter()
    .flatten()
    .collect()
}
