//! What is to happen in a run, known before it begins.

use alloc::format;
use alloc::string::String;
use alloc::sync::Arc;
use alloc::vec::Vec;

use super::{Does, Fault};
use crate::random::Stream;
use crate::spec::LatencySpec;
use crate::units::{Nanos, SECOND};

/// What is to happen to volumes in a run.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Schedule {
    /// The faults.
    pub faults: Vec<Planned>,
    /// Other terms of volumes, rising in time.
    pub terms: Vec<Terms>,
}

/// A fault that is to come.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Planned {
    /// The fault. Where its share or its end are drawn, the most that they can be.
    pub fault: Fault,
    /// What a seed decides of it.
    pub drawn: Drawn,
}

/// What of a degradation is drawn: its share evenly from 1 % to 89 % of the rate, its length from
/// 1 to 10 minutes. These are the assumptions of PlanetScale, "The Real Failure Rate of EBS"
/// (2025-03-18, <https://planetscale.com/blog/the-real-fail-rate-of-ebs>), on what AWS's
/// commitment to 90 % of the rate for 99 % of the time leaves open.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Drawn {
    /// Its share of the rate.
    pub share: bool,
    /// How long it lasts.
    pub length: bool,
}

/// What a volume is provisioned with from some time on.
#[derive(Clone, Debug, PartialEq)]
pub struct Terms {
    /// From when on.
    pub at: Nanos,
    /// The volume, by its index.
    pub volume: usize,
    /// Those of its limits that are others.
    pub limits: Vec<Term>,
    /// Its latency, if that is another.
    pub latency: Option<Arc<LatencySpec>>,
    /// The host that it is attached to, by its index, if that is another.
    pub host: Option<usize>,
    /// Whether its mirror is told to discard what the leg that does not serve has written alone.
    pub reconnects: bool,
}

/// What a limit is from some time on.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Term {
    /// Its name among its volume's.
    pub name: String,
    /// Its rate and depth; none if it no longer holds.
    pub holds: Option<(u64, u64)>,
}

/// The least and the most that a degradation leaves of a rate, in 1/1000.
const SHARES: (u32, u32) = (10, 890);

/// The least and the most that one lasts, in seconds.
const LENGTHS: (u64, u64) = (60, 600);

impl Drawn {
    /// Draws the share, in 1/1000, and the length of a degradation.
    pub fn draw(stream: &mut Stream) -> (u32, Nanos) {
        let share = SHARES.0 + stream.below(u64::from(SHARES.1 - SHARES.0) + 1) as u32;
        let length = LENGTHS.0 + stream.below(LENGTHS.1 - LENGTHS.0 + 1);
        (share, length * SECOND)
    }
}

impl Schedule {
    /// The faults, with what `seed` decides of them.
    pub fn drawn(&self, seed: u64) -> impl Iterator<Item = Fault> {
        self.faults.iter().map(move |planned| planned.drawn(seed))
    }

    /// The same of some volumes only, whose indices `own` gives, and of all links and hosts.
    pub fn within(&self, own: impl Fn(usize) -> Option<usize>) -> Self {
        let faults = self.faults.iter().filter_map(|planned| {
            let volumes = planned.fault.volumes.iter().copied();
            let volumes: Vec<_> = volumes.filter_map(&own).collect();
            let Fault { links, hosts, .. } = &planned.fault;
            let some = !(volumes.is_empty() && links.is_empty() && hosts.is_empty());
            some.then(|| {
                let mut planned = planned.clone();
                planned.fault.volumes = volumes;
                planned
            })
        });
        let terms = self.terms.iter().filter_map(|terms| {
            let volume = own(terms.volume)?;
            Some(Terms {
                volume,
                ..terms.clone()
            })
        });
        Self {
            faults: faults.collect(),
            terms: terms.collect(),
        }
    }
}

impl Planned {
    fn drawn(&self, seed: u64) -> Fault {
        let mut fault = self.fault.clone();
        let mut stream = Stream::new(seed, &format!("event/{}", fault.number));
        let (share, length) = Drawn::draw(&mut stream);
        if self.drawn.share {
            fault.does = Does::Slow(share);
        }
        if self.drawn.length {
            fault.until = Some(fault.from + length);
        }
        fault
    }
}
