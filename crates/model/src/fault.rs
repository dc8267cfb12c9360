//! What happens to volumes and links while they work: faults that come and go, and limits and
//! latencies that become others. A scenario's events, and what `steer` and `fault` do to a
//! running emulation, are all put into these terms, and [`Faults`] makes [`Change`]s of them.
//!
//! [`Change`]: crate::storage::Change

mod machine;
mod phase;
mod schedule;

use alloc::vec::Vec;

pub use self::machine::{Effect, Faults, VolumeState};
pub use self::phase::Phase;
pub use self::schedule::{Drawn, Planned, Schedule, Term, Terms};
use crate::request::Op;
use crate::spec::Impairment;
use crate::units::Nanos;

/// Something that some volumes do wrong for a time.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Fault {
    /// Its place among the faults of a run, which tells its random numbers from those of
    /// others.
    pub number: u64,
    /// The volumes, by their indices.
    pub volumes: Vec<usize>,
    /// The links, by theirs; they are down while it lasts, whatever it does to volumes, unless it
    /// impairs them or cuts one way of them.
    pub links: Vec<usize>,
    /// The hosts, likewise: with a pause or a share left, processors of theirs stand still or are
    /// slow; with anything else they are down.
    pub hosts: Vec<usize>,
    /// When it begins.
    pub from: Nanos,
    /// When it is over; none while it lasts until it is ended.
    pub until: Option<Nanos>,
    /// What they do.
    pub does: Does,
}

/// What a fault does.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Does {
    /// A share of the requests takes longer.
    Delay(Vec<Phase>),
    /// A share of the requests fails.
    Err(Shares),
    /// Nothing is answered.
    Pause,
    /// Everything fails.
    Fail,
    /// Nothing that comes is taken, while its nodes hand a shared disk over; what is in flight
    /// goes on.
    Hold,
    /// What is in flight when it begins fails: the disk is torn from its host.
    Detach,
    /// This share of each of a volume's rates, or of a host's processors, is left, in 1/1000.
    Slow(u32),
    /// Links carry nothing that is sent from these ends.
    Cut([bool; 2]),
    /// Links are worse, and not down.
    Impair(Impairment),
}

/// Shares of requests, in 1/1000.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Shares {
    /// Of the reads.
    pub read: u32,
    /// Of the writes, and of what is zeroed or trimmed.
    pub write: u32,
    /// Of the flushes.
    pub flush: u32,
}

impl Fault {
    /// Whether it has begun and is not over.
    pub fn is_on(&self, now: Nanos) -> bool {
        self.from <= now && !self.is_over(now)
    }

    /// How fast the processors of its hosts are, in 1/1000; none if it is not about these.
    fn speed(&self) -> Option<u32> {
        match self.does {
            Does::Pause => Some(0),
            Does::Slow(share) => Some(share),
            _ => None,
        }
    }

    /// Whether its time is over.
    pub fn is_over(&self, now: Nanos) -> bool {
        self.until.is_some_and(|until| until <= now)
    }

    /// If it is a pause that has begun, it ends for these volumes.
    pub fn resume(&mut self, now: Nanos, resumed: &[usize]) {
        if self.does == Does::Pause && self.from <= now {
            self.volumes.retain(|volume| !resumed.contains(volume));
        }
    }

    /// If it cuts links and has begun, it ends for these. A failure of a host or a zone goes on.
    pub fn restore(&mut self, now: Nanos, restored: &[usize]) {
        if matches!(self.does, Does::Cut(_)) && self.from <= now {
            self.links.retain(|link| !restored.contains(link));
        }
    }

    /// Which ways of its links are down by it, by the end that sends.
    fn cuts(&self) -> [bool; 2] {
        match self.does {
            Does::Cut(from) => from,
            Does::Impair(_) => [false; 2],
            _ => [true; 2],
        }
    }

    /// Whether it is a pause, a failure or a cut that has ended for all volumes and links.
    pub fn is_resumed(&self) -> bool {
        let lasts = matches!(self.does, Does::Pause | Does::Fail | Does::Cut(_));
        lasts && self.volumes.is_empty() && self.links.is_empty()
    }

    /// The share of such requests that it hits, in 1/1000, and what they take longer; none if
    /// it does nothing to single requests.
    fn share_of(&self, now: Nanos, op: Op) -> Option<(u32, Nanos)> {
        match &self.does {
            Does::Delay(phases) => Phase::at(phases, now.saturating_sub(self.from))
                .map(|phase| (phase.of(op), phase.latency)),
            Does::Err(shares) => Some((shares.of(op), 0)),
            Does::Pause
            | Does::Fail
            | Does::Hold
            | Does::Detach
            | Does::Slow(_)
            | Does::Cut(_)
            | Does::Impair(_) => None,
        }
    }
}

impl Shares {
    fn of(self, op: Op) -> u32 {
        match op {
            Op::Read => self.read,
            Op::Write | Op::Zero | Op::Journal | Op::Trim => self.write,
            Op::Flush => self.flush,
        }
    }
}

#[cfg(test)]
mod tests;
