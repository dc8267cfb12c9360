//! What can be done to storage while it is served, as users ask for it. What comes of it is
//! [`blockyard_model::fault`]'s.

mod active;
mod pattern;
mod registry;
mod targets;

use blockyard_model::fault::{Phase, Shares};
use blockyard_model::units::{MILLISECOND, Nanos, SECOND};
use blockyard_scenario::units::{Duration, Percent};
use serde::Deserialize;

pub(crate) use self::active::FaultStatus;
use self::pattern::Pattern;
pub(crate) use self::registry::{PowerChange, Registry};

/// A fault to inject. Each is on a device, a volume, a link or, with no name, on
/// everything.
#[derive(Clone, Debug, PartialEq, Eq, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub(crate) enum Fault {
    /// Some requests take longer (AWS FIS: `aws:ebs:volume-io-latency`).
    Latency(Latency),
    /// Some requests fail.
    Error(Errors),
    /// Nothing is answered (AWS FIS: `aws:ebs:pause-volume-io`).
    Stall(Stall),
    /// Less than the provisioned rate is delivered.
    Degrade(Degrade),
    /// The power of devices goes: what was not flushed may be lost.
    PowerCut(PowerCut),
    /// Links go down.
    Cut(Cut),
}

/// A named pattern, or a share of the requests with what they take longer.
#[derive(Clone, Debug, Default, PartialEq, Eq, Deserialize)]
#[serde(deny_unknown_fields)]
pub(crate) struct Latency {
    pub(crate) on: Option<String>,
    pub(crate) pattern: Option<Pattern>,
    /// Share of the reads, 0.1 % to 100 %; none unless stated.
    pub(crate) read: Option<Percent>,
    /// Share of the writes.
    pub(crate) write: Option<Percent>,
    /// 1 ms to 60 s.
    pub(crate) latency: Option<Duration>,
    pub(crate) duration: Option<Duration>,
}

/// Shares of the requests that fail with `EIO`; none unless stated.
#[derive(Clone, Debug, Default, PartialEq, Eq, Deserialize)]
#[serde(deny_unknown_fields)]
pub(crate) struct Errors {
    pub(crate) on: Option<String>,
    pub(crate) read: Option<Percent>,
    pub(crate) write: Option<Percent>,
    pub(crate) flush: Option<Percent>,
    pub(crate) duration: Option<Duration>,
}

/// A pause; without an end unless stated.
#[derive(Clone, Debug, Default, PartialEq, Eq, Deserialize)]
#[serde(deny_unknown_fields)]
pub(crate) struct Stall {
    pub(crate) on: Option<String>,
    pub(crate) duration: Option<Duration>,
}

/// An episode; what is not stated is drawn as [`blockyard_model::fault::Drawn`] says.
#[derive(Clone, Debug, Default, PartialEq, Eq, Deserialize)]
#[serde(deny_unknown_fields)]
pub(crate) struct Degrade {
    pub(crate) on: Option<String>,
    /// What is left of each of the volume's rates, 1 % to 89 %.
    pub(crate) share: Option<Percent>,
    pub(crate) duration: Option<Duration>,
}

/// A power cut of devices.
#[derive(Clone, Debug, Default, PartialEq, Eq, Deserialize)]
#[serde(deny_unknown_fields)]
pub(crate) struct PowerCut {
    /// A device: its volumes do not lose their power one by one.
    pub(crate) on: Option<String>,
    /// Some blocks are left half written.
    #[serde(default)]
    pub(crate) torn: bool,
    /// What decides which blocks are lost; the scenario's seed and the number
    /// of the fault unless stated.
    pub(crate) seed: Option<u64>,
    /// How long it stays off; 1 s unless stated.
    pub(crate) duration: Option<Duration>,
}

/// A cut of links; without an end unless stated.
#[derive(Clone, Debug, Default, PartialEq, Eq, Deserialize)]
#[serde(deny_unknown_fields)]
pub(crate) struct Cut {
    pub(crate) on: Option<String>,
    pub(crate) duration: Option<Duration>,
}

/// How long the power stays off unless stated.
const OUTAGE: Nanos = SECOND;

impl Fault {
    /// Its name, as users write it.
    pub(crate) fn kind(&self) -> &'static str {
        match self {
            Self::Latency(_) => "latency",
            Self::Error(_) => "error",
            Self::Stall(_) => "stall",
            Self::Degrade(_) => "degrade",
            Self::PowerCut(_) => "power-cut",
            Self::Cut(_) => "cut",
        }
    }

    /// The device, volume or link; none for everything.
    pub(crate) fn on(&self) -> Option<&str> {
        match self {
            Self::Latency(fault) => fault.on.as_deref(),
            Self::Error(fault) => fault.on.as_deref(),
            Self::Stall(fault) => fault.on.as_deref(),
            Self::Degrade(fault) => fault.on.as_deref(),
            Self::PowerCut(fault) => fault.on.as_deref(),
            Self::Cut(fault) => fault.on.as_deref(),
        }
    }
}

impl Latency {
    /// Its phases, one after the other.
    fn phases(&self) -> Result<Vec<Phase>, String> {
        let Self {
            read,
            write,
            latency,
            duration,
            ..
        } = self;
        if let Some(pattern) = self.pattern {
            let own = [
                read.is_some(),
                write.is_some(),
                latency.is_some(),
                duration.is_some(),
            ];
            return match own.contains(&true) {
                false => Ok(pattern.phases()),
                true => Err(format!(
                    "pattern: `{}` has its own shares and times; \
                     expected it alone, or `read`, `write`, `latency` and `duration`",
                    pattern.name()
                )),
            };
        }
        let latency = latency.ok_or("latency: missing; expected 1ms to 60s, or a `pattern`")?;
        if !(MILLISECOND..=60 * SECOND).contains(&latency.nanos()) {
            return Err(format!("latency: `{latency}`; expected 1ms to 60s"));
        }
        if shares([*read, *write]) == 0 {
            return Err("read, write: no share; expected `read` or `write` above 0%".into());
        }
        Ok(vec![Phase {
            read: read.map_or(0, permille),
            write: write.map_or(0, permille),
            latency: latency.nanos(),
            duration: needed(*duration)?,
        }])
    }
}

impl Errors {
    fn shares(&self) -> Shares {
        let share = |share: Option<Percent>| share.map_or(0, permille);
        Shares {
            read: share(self.read),
            write: share(self.write),
            flush: share(self.flush),
        }
    }

    fn duration(&self) -> Result<Nanos, String> {
        match shares([self.read, self.write, self.flush]) {
            0 => Err("read, write, flush: no share; expected one above 0%".into()),
            _ => needed(self.duration),
        }
    }
}

impl Degrade {
    /// What is left, in 1/1000, if it is stated.
    fn share(&self) -> Result<Option<u32>, String> {
        let share = self.share.map(permille);
        match share {
            Some(share) if !(10..=890).contains(&share) => Err(format!(
                "share: `{}`; expected 1% to 89% of the rate",
                Percent::new(share.into())
            )),
            _ => Ok(share),
        }
    }
}

fn shares<const N: usize>(shares: [Option<Percent>; N]) -> u32 {
    shares.into_iter().flatten().map(permille).sum()
}

fn permille(share: Percent) -> u32 {
    share.permille() as u32
}

fn needed(duration: Option<Duration>) -> Result<Nanos, String> {
    let duration = duration.ok_or("duration: missing; expected a time as in `5m`")?;
    above_zero(duration)
}

fn above_zero(duration: Duration) -> Result<Nanos, String> {
    match duration.nanos() {
        0 => Err("duration: `0s`; expected a time above 0".into()),
        nanos => Ok(nanos),
    }
}

#[cfg(test)]
mod tests;
