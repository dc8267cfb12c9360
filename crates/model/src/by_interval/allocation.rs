//! What each job gets of limits that several share.
//!
//! The engine serves first come, first served, and each job has a bounded number of IOs in flight.
//! So where tokens are scarce, those who wait get turns in proportion to that number, and one that
//! asks for less than its turns gets all that it asks for: max-min fairness, found by progressive
//! filling (Bertsekas and Gallager, Data Networks, 6.5.2) over all limits at once.

use alloc::vec;
use alloc::vec::Vec;

/// What a job asks for.
#[derive(Clone, Debug)]
pub(super) struct Asking {
    /// IOs a second, as many as it has.
    pub(super) rate: f64,
    /// IOs in flight if it waits.
    pub(super) window: f64,
    /// Tokens of an IO, by the limit's number.
    pub(super) costs: Vec<(usize, f64)>,
}

/// What it gets.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(super) struct Granted {
    /// IOs a second.
    pub(super) rate: f64,
    /// The limit that keeps it from more, if it asked for more.
    pub(super) limit: Option<usize>,
}

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
        let bounds = bounds.map(|it| (left[it].max(0.0) / slopes[it], it));
        let lowest = bounds.min_by(|a, b| a.0.total_cmp(&b.0));
        let limit = lowest.filter(|bound| bound.0 < wanted);
        let level = limit.map_or(wanted, |bound| bound.0);
        let fixed = open().filter(|(_, job)| match limit {
            Some((_, limit)) => job.costs.iter().any(|cost| cost.0 == limit && cost.1 > 0.0),
            None => job.rate / job.window <= level,
        });
        for job in fixed.map(|it| it.0).collect::<Vec<_>>() {
            let rate = match limit {
                Some(_) => level * asking[job].window,
                None => asking[job].rate,
            };
            for &(limit, cost) in &asking[job].costs {
                left[limit] -= cost * rate;
            }
            granted[job] = Some(Granted {
                rate,
                limit: limit.map(|it| it.1),
            });
        }
    }
    granted.into_iter().flatten().collect()
}
