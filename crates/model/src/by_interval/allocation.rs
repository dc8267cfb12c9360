//! What each job gets of limits that several share.
//!
//! A queue serves first come, first served, and each job has a bounded number of IOs in flight. So
//! where tokens are scarce, those who wait get turns in proportion to that number, and one that
//! asks for less than its turns gets all that it asks for: max-min fairness, found by progressive
//! filling (Bertsekas and Gallager, Data Networks, 6.5.2) over all limits at once.

use alloc::vec;
use alloc::vec::Vec;

use super::costs::Way;

/// What a job asks for.
#[derive(Clone, Debug)]
pub(super) struct Asking {
    /// IOs a second, as many as it has.
    pub(super) rate: f64,
    /// IOs in flight if it waits.
    pub(super) window: f64,
    /// The share of reads.
    pub(super) reads: f64,
    /// IOs that each counts as.
    pub(super) ios: f64,
    /// By volume the share of its IO that goes there, and the limits that this passes.
    pub(super) ways: Vec<Way>,
    /// Tokens of an IO, by the limit's number.
    pub(super) costs: Vec<(usize, f64)>,
}

/// What it gets.
#[derive(Clone, Debug, PartialEq)]
pub(super) struct Granted {
    /// IOs a second.
    pub(super) rate: f64,
    /// The limits that keep it from more, if it asked for more: of the equal volumes of a stripe
    /// those of all.
    pub(super) limits: Vec<usize>,
}

/// What lies closer together than this is equal.
const EQUAL: f64 = 1e-6;

/// The share of each job. `capacities` are tokens a second, by the limit's number; none of what is
/// not scarce.
pub(super) fn allocate(asking: &[Asking], capacities: &[Option<f64>]) -> Vec<Granted> {
    let mut granted: Vec<Option<Granted>> = vec![None; asking.len()];
    let mut left: Vec<_> = capacities.iter().map(|it| it.unwrap_or(0.0)).collect();
    while granted.iter().any(Option::is_none) {
        let open = || {
            let jobs = asking.iter().zip(&granted).enumerate();
            jobs.filter_map(|(job, (asking, own))| own.is_none().then_some((job, asking)))
        };
        let mut slopes = vec![0.0; capacities.len()];
        for (_, job) in open() {
            for &(limit, cost) in &job.costs {
                slopes[limit] += cost * job.window;
            }
        }
        // How far all can rise together: to what one asks for, or to what a limit has.
        let wanted = open().map(|(_, job)| job.rate / job.window);
        let wanted = wanted.fold(f64::INFINITY, f64::min);
        let bounds = (0..capacities.len()).filter(|&it| capacities[it].is_some());
        let bounds = bounds.filter(|&it| slopes[it] > 0.0);
        let bounds: Vec<_> = bounds
            .map(|it| (it, left[it].max(0.0) / slopes[it]))
            .collect();
        let level = bounds.iter().map(|it| it.1).fold(wanted, f64::min);
        let lowest = bounds
            .iter()
            .filter(|it| it.1 < wanted && it.1 <= level * (1.0 + EQUAL));
        let lowest: Vec<_> = lowest.map(|it| it.0).collect();
        let binding = |job: &Asking| {
            let costs = job.costs.iter().filter(|cost| cost.1 > 0.0);
            let own = costs
                .map(|cost| cost.0)
                .filter(|limit| lowest.contains(limit));
            own.collect::<Vec<_>>()
        };
        let fixed = open().map(|(job, asking)| (job, binding(asking)));
        let fixed = fixed.filter(|(job, limits)| match lowest.is_empty() {
            true => asking[*job].rate / asking[*job].window <= level,
            false => !limits.is_empty(),
        });
        for (job, limits) in fixed.collect::<Vec<_>>() {
            let rate = match limits.is_empty() {
                true => asking[job].rate,
                false => level * asking[job].window,
            };
            for &(limit, cost) in &asking[job].costs {
                left[limit] -= cost * rate;
            }
            granted[job] = Some(Granted { rate, limits });
        }
    }
    granted.into_iter().flatten().collect()
}
