//! A fault that goes on.

use blockyard_model::fault::{Does, Fault, Phase};
use blockyard_model::units::{Nanos, SECOND};
use schemars::JsonSchema;
use serde::Serialize;

use crate::groups::Group;

/// A fault that goes on, or will.
#[derive(Clone, Debug)]
pub(crate) struct Active {
    pub(super) kind: &'static str,
    /// Its target's name; none for everything.
    pub(super) on: Option<String>,
    /// What it does to volumes; its times are those of a power cut too.
    pub(super) fault: Fault,
    /// The devices whose power a power cut has taken.
    pub(super) without_power: Vec<usize>,
}

/// A fault that goes on, as the status shows it.
#[derive(Clone, Debug, Default, Serialize, JsonSchema)]
pub(crate) struct FaultStatus {
    /// As `steer fault` calls it.
    kind: &'static str,
    /// The device, volume, link, host or zone; none for everything.
    on: Option<String>,
    /// When it ends, in seconds; none while it lasts until it is ended.
    until_s: Option<f64>,
    /// The share of reads that it hits, in percent; absent where it hits none.
    #[serde(skip_serializing_if = "Option::is_none")]
    read_pct: Option<f64>,
    /// The same of writes.
    #[serde(skip_serializing_if = "Option::is_none")]
    write_pct: Option<f64>,
    /// The same of flushes.
    #[serde(skip_serializing_if = "Option::is_none")]
    flush_pct: Option<f64>,
    /// What those take longer, in milliseconds.
    #[serde(skip_serializing_if = "Option::is_none")]
    latency_ms: Option<f64>,
    /// What it leaves of each rate, in percent.
    #[serde(skip_serializing_if = "Option::is_none")]
    share_pct: Option<f64>,
}

impl Active {
    /// What it does to a group: to its volumes, by its own numbers, and to links. None if it does
    /// nothing to any of them: a power cut is for the stores.
    pub(crate) fn within(&self, group: &Group) -> Option<Fault> {
        let volumes: Vec<_> = group.own_volumes(&self.fault.volumes).collect();
        let some = !(volumes.is_empty() && self.fault.links.is_empty());
        some.then(|| Fault {
            volumes,
            ..self.fault.clone()
        })
    }

    /// As the status shows it.
    pub(super) fn status(&self, now: Nanos) -> FaultStatus {
        let seconds = |time: Nanos| time as f64 / SECOND as f64;
        let percent = |permille: u32| Some(f64::from(permille) / 10.0);
        let mut shown = FaultStatus {
            kind: self.kind,
            on: self.on.clone(),
            until_s: self.fault.until.map(seconds),
            ..FaultStatus::default()
        };
        match &self.fault.does {
            Does::Delay(phases) => {
                if let Some(phase) = Phase::at(phases, now.saturating_sub(self.fault.from)) {
                    shown.read_pct = percent(phase.read);
                    shown.write_pct = percent(phase.write);
                    shown.latency_ms = Some(seconds(phase.latency) * 1000.0);
                }
            }
            Does::Err(shares) => {
                shown.read_pct = percent(shares.read);
                shown.write_pct = percent(shares.write);
                shown.flush_pct = percent(shares.flush);
            }
            Does::Slow(share) => shown.share_pct = percent(*share),
            Does::Pause
            | Does::Fail
            | Does::Hold
            | Does::Detach
            | Does::Cut(_)
            | Does::Impair(_) => {}
        }
        shown
    }
}
