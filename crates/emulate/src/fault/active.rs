//! A fault that goes on.

use blockyard_model::storage::Op;
use blockyard_model::units::{Nanos, SECOND};
use blockyard_scenario::units::Percent;
use serde::Serialize;

use super::latency::{self, Phase};
use super::{Errors, permille};
use crate::groups::Group;

/// A fault that goes on.
#[derive(Clone, Debug)]
pub(crate) struct Active {
    /// Its place in the order of starting, from 0.
    pub(super) number: u64,
    pub(super) kind: &'static str,
    /// Its target's name; none for everything.
    pub(super) on: Option<String>,
    pub(super) volumes: Vec<usize>,
    pub(super) from: Nanos,
    /// None while it lasts until it is ended.
    pub(super) until: Option<Nanos>,
    pub(super) does: Does,
}

/// A fault that goes on, as the status shows it.
#[derive(Clone, Debug, Default, Serialize)]
pub(crate) struct FaultStatus {
    kind: &'static str,
    /// The device or volume; none for everything.
    on: Option<String>,
    /// None while it lasts until it is ended.
    until_s: Option<f64>,
    /// Shares of the requests that it hits, as far as it hits any.
    #[serde(skip_serializing_if = "Option::is_none")]
    read_pct: Option<f64>,
    #[serde(skip_serializing_if = "Option::is_none")]
    write_pct: Option<f64>,
    #[serde(skip_serializing_if = "Option::is_none")]
    flush_pct: Option<f64>,
    /// What those take longer.
    #[serde(skip_serializing_if = "Option::is_none")]
    latency_ms: Option<f64>,
    /// What it leaves of each rate.
    #[serde(skip_serializing_if = "Option::is_none")]
    share_pct: Option<f64>,
}

#[derive(Clone, Debug)]
pub(super) enum Does {
    Delay(Vec<Phase>),
    Fail(Errors),
    Pause,
    /// To this share of the rates, in 1/1000.
    Slow(u32),
    /// The devices without power.
    CutPower(Vec<usize>),
}

impl Active {
    /// The same for a group: of its volumes, by its own numbers. None if it does nothing to
    /// any of them: a power cut is for the stores.
    pub(crate) fn within(&self, group: &Group) -> Option<Self> {
        let volumes: Vec<_> = group.own_volumes(&self.volumes).collect();
        let is_power = matches!(self.does, Does::CutPower(_));
        (!is_power && !volumes.is_empty()).then(|| Self {
            volumes,
            ..self.clone()
        })
    }

    /// Whether its time is over.
    pub(super) fn is_over(&self, now: Nanos) -> bool {
        self.until.is_some_and(|until| until <= now)
    }

    /// If it is a stall, it ends for these volumes.
    pub(super) fn resume(&mut self, resumed: &[usize]) {
        if matches!(self.does, Does::Pause) {
            self.volumes.retain(|volume| !resumed.contains(volume));
        }
    }

    /// Whether it is a stall that has ended for all of its volumes.
    pub(super) fn is_resumed(&self) -> bool {
        matches!(self.does, Does::Pause) && self.volumes.is_empty()
    }

    /// The share of such requests that it hits, in 1/1000, and what they take
    /// longer; none if it does nothing to requests.
    pub(super) fn share_of(&self, now: Nanos, op: Op) -> Option<(u32, Nanos)> {
        match &self.does {
            Does::Delay(phases) => latency::at(phases, now.saturating_sub(self.from))
                .map(|phase| (phase.of(op), phase.latency)),
            Does::Fail(errors) => Some((errors.of(op), 0)),
            Does::Pause | Does::Slow(_) | Does::CutPower(_) => None,
        }
    }

    /// The devices that it keeps without power.
    pub(super) fn without_power(&self) -> &[usize] {
        match &self.does {
            Does::CutPower(devices) => devices,
            _ => &[],
        }
    }

    /// As the status shows it.
    pub(super) fn status(&self, now: Nanos) -> FaultStatus {
        let seconds = |time: Nanos| time as f64 / SECOND as f64;
        let percent = |permille: u32| Some(f64::from(permille) / 10.0);
        let mut shown = FaultStatus {
            kind: self.kind,
            on: self.on.clone(),
            until_s: self.until.map(seconds),
            ..FaultStatus::default()
        };
        match &self.does {
            Does::Delay(phases) => {
                if let Some(phase) = latency::at(phases, now.saturating_sub(self.from)) {
                    shown.read_pct = percent(phase.read);
                    shown.write_pct = percent(phase.write);
                    shown.latency_ms = Some(seconds(phase.latency) * 1000.0);
                }
            }
            Does::Fail(errors) => {
                let share = |share: Option<Percent>| percent(share.map_or(0, permille));
                shown.read_pct = share(errors.read);
                shown.write_pct = share(errors.write);
                shown.flush_pct = share(errors.flush);
            }
            Does::Slow(share) => shown.share_pct = percent(*share),
            Does::Pause | Does::CutPower(_) => {}
        }
        shown
    }
}

impl Phase {
    /// The share of such requests, in 1/1000.
    fn of(self, op: Op) -> u32 {
        match op {
            Op::Read => self.read,
            Op::Write | Op::Zero | Op::Journal => self.write,
            Op::Flush | Op::Trim => 0,
        }
    }
}

impl Errors {
    /// The share of such requests, in 1/1000.
    fn of(&self, op: Op) -> u32 {
        let share = match op {
            Op::Read => self.read,
            Op::Write | Op::Zero | Op::Journal | Op::Trim => self.write,
            Op::Flush => self.flush,
        };
        share.map_or(0, permille)
    }
}
