//! Who gets what of a limit whose queue does not serve first come, first served.
//!
//! [`allocate`] shares by IOs in flight, as one queue does. Where reads and writes take turns, each
//! direction gets equally many IOs while both have any waiting, and one that asks for less waits
//! for nothing. So a job's IOs in flight are mostly of the direction that waits longer: if reads
//! wait `a` and writes `b`, a job with a share `p` of reads gets IOs in proportion to its IOs in
//! flight / (p a + (1 - p) b). The waits are found at which both directions get the same, or
//! one of them nothing to wait for. Where submitters take turns, each job is one.
//!
//! All that a job has in flight waits where something holds it, even if only a part of its IO goes
//! there, as on volumes one after another.

use alloc::vec;
use alloc::vec::Vec;

use super::allocation::{Asking, Granted, allocate};
use super::costs::Way;
use crate::spec::Discipline;

/// What a job gets, and how long its reads and writes wait for it, as parts of each other.
#[derive(Clone, Debug)]
pub(super) struct Turn {
    pub(super) granted: Granted,
    pub(super) waits: [f64; 2],
    /// Whether it waits behind other jobs.
    pub(super) shares_queue: bool,
}

/// Reads and writes wait as long.
const ALIKE: [f64; 2] = [1.0, 1.0];

/// What is less is as if it did not wait at all.
const LEAST: f64 = 1e-9;

/// Halvings until the waits are found.
const HALVINGS: usize = 40;

/// Directions that differ by less get the same.
const SAME: f64 = 1e-9;

/// The share of each job. `capacities` and `disciplines` are by the limit's number, as in
/// [`allocate`].
pub(super) fn take_turns(
    asking: &[Asking],
    capacities: &[Option<f64>],
    disciplines: &[Discipline],
) -> Vec<Turn> {
    let mut turns: Vec<Option<Turn>> = vec![None; asking.len()];
    for jobs in together(asking, capacities) {
        let mut own: Vec<_> = jobs.iter().map(|&job| asking[job].clone()).collect();
        let plain = allocate(&own, capacities);
        let held = plain.iter().flat_map(|granted| granted.limits.iter());
        let held: Vec<usize> = held.copied().collect();
        let discipline = held.first().map_or(Discipline::Fifo, |&it| disciplines[it]);
        for job in &mut own {
            job.window /= job.share_through(&held);
        }
        let (granted, waits) = match discipline {
            Discipline::Fifo => (allocate(&own, capacities), ALIKE),
            Discipline::PerSubmitter => {
                let one_each = |job: &Asking| 1.0 / job.ios;
                (with_windows(&own, capacities, one_each), ALIKE)
            }
            Discipline::PerDirection => per_direction(&own, capacities),
        };
        for (job, granted) in jobs.into_iter().zip(granted) {
            turns[job] = Some(Turn {
                granted,
                waits,
                shares_queue: discipline != Discipline::PerSubmitter,
            });
        }
    }
    turns.into_iter().flatten().collect()
}

/// The jobs in groups that share scarce limits, directly or by others.
fn together(asking: &[Asking], capacities: &[Option<f64>]) -> Vec<Vec<usize>> {
    let scarce = |job: usize| {
        let costs = asking[job].costs.iter();
        costs.filter(|cost| cost.1 > 0.0 && capacities[cost.0].is_some())
    };
    let mut groups: Vec<Vec<usize>> = Vec::new();
    for job in 0..asking.len() {
        let meets =
            |other: &usize| scarce(*other).any(|cost| scarce(job).any(|own| own.0 == cost.0));
        let (met, mut apart): (Vec<_>, Vec<_>) = groups
            .into_iter()
            .partition(|group: &Vec<usize>| group.iter().any(meets));
        let mut group: Vec<usize> = met.into_iter().flatten().collect();
        group.push(job);
        apart.push(group);
        groups = apart;
    }
    groups
}

/// What jobs get where reads and writes take turns, and how long both wait.
fn per_direction(asking: &[Asking], capacities: &[Option<f64>]) -> (Vec<Granted>, [f64; 2]) {
    let with =
        |waits: [f64; 2]| with_windows(asking, capacities, |job| job.window / job.slowed(waits));
    // By how many IOs more writes than reads are served.
    let more_writes = |granted: &[Granted]| {
        let both = asking.iter().zip(granted);
        let all = both.map(|(job, granted)| {
            let ios = granted.rate * job.ios;
            (ios * (1.0 - 2.0 * job.reads), ios)
        });
        all.fold((0.0, 0.0), |sum, one| (sum.0 + one.0, sum.1 + one.1))
    };
    let alike = with(ALIKE);
    let (more, all) = more_writes(&alike);
    if more.abs() <= SAME * all || alike.iter().all(|it| it.limits.is_empty()) {
        return (alike, ALIKE);
    }
    // Only one direction waits, if it still gets more then.
    let one = if more < 0.0 { [1.0, 0.0] } else { [0.0, 1.0] };
    let granted = with(one);
    if more_writes(&granted).0 * more >= 0.0 {
        return (granted, one);
    }
    // Between both: at `low` of the other's wait the first gets too little.
    let (mut low, mut high) = (0.0, 1.0);
    let between = |part: f64| [f64::max(one[0], part), f64::max(one[1], part)];
    for _ in 0..HALVINGS {
        let middle = f64::midpoint(low, high);
        match more_writes(&with(between(middle))).0 * more >= 0.0 {
            true => high = middle,
            false => low = middle,
        }
    }
    let waits = between(high);
    (with(waits), waits)
}

/// The same as [`allocate`] with other IOs in flight.
fn with_windows(
    asking: &[Asking],
    capacities: &[Option<f64>],
    window: impl Fn(&Asking) -> f64,
) -> Vec<Granted> {
    let asking = asking.iter().map(|job| Asking {
        window: window(job),
        ..job.clone()
    });
    allocate(&asking.collect::<Vec<_>>(), capacities)
}

impl Asking {
    /// The share of its IO that passes any of these limits: there all that it has in flight waits.
    fn share_through(&self, limits: &[usize]) -> f64 {
        let through = |way: &&Way| way.limits.iter().any(|limit| limits.contains(limit));
        let share: f64 = self.ways.iter().filter(through).map(|way| way.share).sum();
        if share > 0.0 { share } else { 1.0 }
    }

    /// How long its IO waits if reads and writes wait for so long.
    pub(super) fn slowed(&self, waits: [f64; 2]) -> f64 {
        let [reads, writes] = waits;
        (self.reads * reads + (1.0 - self.reads) * writes).max(LEAST)
    }
}
