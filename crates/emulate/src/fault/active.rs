//! A fault that goes on.

use blockyard_model::random::Stream;
use blockyard_model::storage::Op;
use blockyard_model::units::{Nanos, SECOND};
use serde_json::{Value, json};

use super::latency::{self, Phase};
use super::{Errors, permille};

/// A fault that goes on.
#[derive(Debug)]
pub(super) struct Active {
    pub(super) kind: &'static str,
    /// Its target's name; none for everything.
    pub(super) on: Option<String>,
    pub(super) volumes: Vec<usize>,
    pub(super) from: Nanos,
    /// None while it lasts until it is ended.
    pub(super) until: Option<Nanos>,
    pub(super) does: Does,
    pub(super) stream: Stream,
}

#[derive(Debug)]
pub(super) enum Does {
    Delay(Vec<Phase>),
    Fail(Errors),
    Pause,
    /// To this share of the rates, in 1/1000.
    Slow(u32),
    /// The devices without power.
    Darken(Vec<usize>),
}

impl Active {
    /// The share of such requests that it hits, in 1/1000, and what they take
    /// longer; none if it does nothing to requests.
    pub(super) fn share_of(&self, now: Nanos, op: Op) -> Option<(u32, Nanos)> {
        match &self.does {
            Does::Delay(phases) => latency::at(phases, now.saturating_sub(self.from))
                .map(|phase| (phase.of(op), phase.latency)),
            Does::Fail(errors) => Some((errors.of(op), 0)),
            Does::Pause | Does::Slow(_) | Does::Darken(_) => None,
        }
    }

    /// The devices that it keeps without power.
    pub(super) fn darkened(&self) -> &[usize] {
        match &self.does {
            Does::Darken(devices) => devices,
            _ => &[],
        }
    }

    /// As the status shows it.
    pub(super) fn to_json(&self, now: Nanos) -> Value {
        let seconds = |time: Nanos| time as f64 / SECOND as f64;
        let percent = |permille: u32| f64::from(permille) / 10.0;
        let mut shown = json!({
            "kind": self.kind,
            "on": self.on,
            "until_s": self.until.map(seconds),
        });
        match &self.does {
            Does::Delay(phases) => {
                if let Some(phase) = latency::at(phases, now.saturating_sub(self.from)) {
                    shown["read_pct"] = json!(percent(phase.read));
                    shown["write_pct"] = json!(percent(phase.write));
                    shown["latency_ms"] = json!(seconds(phase.latency) * 1000.0);
                }
            }
            Does::Fail(errors) => {
                let shares = [
                    ("read_pct", errors.read),
                    ("write_pct", errors.write),
                    ("flush_pct", errors.flush),
                ];
                for (name, share) in shares {
                    shown[name] = json!(percent(share.map_or(0, permille)));
                }
            }
            Does::Slow(share) => shown["share_pct"] = json!(percent(*share)),
            Does::Pause | Does::Darken(_) => {}
        }
        shown
    }
}

impl Phase {
    /// The share of such requests, in 1/1000.
    fn of(self, op: Op) -> u32 {
        match op {
            Op::Read => self.read,
            Op::Write | Op::Zero => self.write,
            Op::Flush | Op::Trim => 0,
        }
    }
}

impl Errors {
    /// The share of such requests, in 1/1000.
    fn of(&self, op: Op) -> u32 {
        let share = match op {
            Op::Read => self.read,
            Op::Write | Op::Zero | Op::Trim => self.write,
            Op::Flush => self.flush,
        };
        share.map_or(0, permille)
    }
}
