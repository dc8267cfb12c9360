//! "Was it the drive?": the answer, and the figures that it rests on.

use blockyard_explain::{Cause, LimitId, Unknown, Verdict};
use blockyard_model::spec::Unit;
use blockyard_record::result::Mode;

use super::phrases::share;
use crate::Run;
use crate::drive::verdict;
use crate::text::format::{capital, duration, grouped, number, rate, sentence};
use crate::text::limit_names::{counted, owner};

/// The answer of an observed run, and of another program's file where its storage is known or EBS
/// itself tells of it; none of other runs.
pub(crate) fn said(run: &Run) -> Option<String> {
    let known = run.storage.is_some() || !run.ebs.is_empty();
    let asked = run.is(Mode::Observe) || (run.foreign.is_some() && known);
    asked.then(|| in_words(&verdict(run), run))
}

/// The answer in a sentence.
#[must_use]
pub fn in_words(verdict: &Verdict, run: &Run) -> String {
    let device = verdict.device.as_deref().unwrap_or("the volume");
    let waited = share(verdict.waited);
    let time = match share(verdict.time).as_str() {
        "all" => "all the time".to_owned(),
        part => format!("{part} of the time"),
    };
    let at = |limit: &LimitId, per_s: &Option<f64>, what: &str| {
        let whose = owner(&limit.owner);
        let value = per_s.map_or_else(
            || format!("{} (by EBS's own counters)", counted(limit.kind.counts)),
            |per_s| of(per_s, limit),
        );
        format!(
            "{whose} was at its {what} of {value} {time}, and {waited} of the latency is waiting for it"
        )
    };
    let answer = match &verdict.cause {
        Cause::NotStorage => {
            let slow = match &run.storage {
                Some(_) => "IO took about as long as the volume is known for, below all limits",
                None => "the devices had next to nothing to do",
            };
            format!("no: {slow}")
        }
        Cause::VolumeLimit { limit, per_s } => format!("yes: {}", at(limit, per_s, "limit")),
        Cause::InstanceLimit { limit, per_s } => {
            format!("no, the instance: {}", at(limit, per_s, "limit"))
        }
        Cause::Credits { limit, per_s } => {
            format!(
                "yes, burst credits were used up: {}",
                at(limit, per_s, "baseline")
            )
        }
        Cause::Hung { longest_s } => {
            let longest = duration(*longest_s);
            format!("yes: {device} did nothing for {longest} or longer although IO waited")
        }
        Cause::Degraded { served } => format!(
            "yes: {device} was slow {time} while it served {} of its limit, and {waited} of the \
             latency is more than the volume is known for",
            share(*served)
        ),
        Cause::Leg { times } => format!(
            "yes, one leg: {device} took {} times as long as its neighbours under the same load, \
             {time}",
            number(*times)
        ),
        Cause::Flushes { in_flight } => format!(
            "no, flushes: {} waited for each other in the mean, {waited} of the latency",
            rate(*in_flight)
        ),
        Cause::GuestQueue { share: part } => format!(
            "no, this machine: IO of {device} spent {} of its latency in this machine's queues, not \
             in the device",
            share(*part)
        ),
        Cause::Unknown { why } => format!("cannot know: {}", unknown(*why)),
    };
    sentence(&format!("was it the drive? {}", capital(&answer)))
}

fn unknown(why: Unknown) -> &'static str {
    match why {
        Unknown::NoIo => "no IO was seen",
        Unknown::NoLatency => "the figures have no latencies",
        Unknown::NoVolume => {
            "what the volume is decides what is slow; name it, as --volume gp3,iops=3000"
        }
        Unknown::QueueOrVolume => {
            "IO was slow below all limits throughout, in the volume or in this machine's queues; \
             `blockyard observe` as root tells them apart"
        }
        Unknown::Merged => {
            "IO was slow above the baseline, or at it if EBS merged sequential IOs; `blockyard \
             observe` as root counts as EBS does"
        }
        Unknown::Coarse => {
            "IO was slow below all limits, but the intervals are too long: a limit may have been \
             reached within one"
        }
    }
}

/// `3,000 IOPS`, `125 MiB/s`.
fn of(per_s: f64, limit: &LimitId) -> String {
    match limit.kind.counts {
        Unit::Io => format!("{} IOPS", grouped(per_s, 0)),
        Unit::Byte => format!("{} MiB/s", number(per_s / f64::from(1 << 20))),
    }
}
