//! How a load goes over time: when which of its mixes of IO is there, and at how many times its
//! rates.

use std::sync::Arc;

use blockyard_model::units::{Nanos, SECOND};

use crate::load::demand::Demand;
use crate::load::streams::Stream;
use crate::market::prices::HOURS_PER_MONTH;

/// How a load goes over time: it runs at its rates, and for a while at a multiple of them; or its
/// demand says by interval what there is.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct LoadProfile {
    /// How long the load lasts; none if it never ends.
    pub lasts: Option<Nanos>,
    /// When it is higher, if it ever is.
    pub peak: Option<Peak>,
    /// Its mixes by interval, again and again without end; none of a load of one mix.
    pub demand: Option<Arc<Demand>>,
}

/// A time of higher load, at the end of each period: then least is left of what was saved up.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Peak {
    /// The factor, in 1/1000.
    pub times: u64,
    /// How long.
    pub lasts: Nanos,
    /// How often it comes back.
    pub every: Nanos,
}

/// What a limit counts of a load a second, mix by mix.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Counted(pub(crate) Vec<u64>);

impl Counted {
    /// What `count` gives for each of the mixes.
    pub(crate) fn of(mixes: &[Vec<Stream>], count: impl Fn(&[Stream]) -> u64) -> Self {
        Self(mixes.iter().map(|mix| count(mix)).collect())
    }
}

impl From<u64> for Counted {
    fn from(of_one_mix: u64) -> Self {
        Self(vec![of_one_mix])
    }
}

impl LoadProfile {
    /// How many times its rates the load is at most, in 1/1000.
    pub(crate) fn times(&self) -> u64 {
        self.peak.map_or(1000, |peak| peak.times.max(1000))
    }

    /// What a limit must grant in 1000 s while it counts most.
    pub(crate) fn most_in_1000_s(&self, counted: &Counted) -> u128 {
        let most = counted.0.iter().max().copied().unwrap_or(0);
        u128::from(most) * u128::from(self.times())
    }

    /// The same a second.
    pub(crate) fn highest(&self, counted: &Counted) -> u64 {
        u64::try_from(self.most_in_1000_s(counted).div_ceil(1000)).unwrap_or(u64::MAX)
    }

    /// After what time the load comes back as it was.
    pub(crate) fn every(&self) -> Nanos {
        let of_demand = self.demand.as_ref().map(|demand| demand.every);
        let of_peak = self.peak.map(|peak| peak.every.max(1));
        of_demand.or(of_peak).unwrap_or(DAY)
    }

    /// When in a period that is the load is at its highest for the last time.
    pub(crate) fn highest_ends(&self) -> Nanos {
        let of_demand = self.demand.as_ref().map(|demand| demand.busiest_ends());
        of_demand.unwrap_or_else(|| self.every())
    }

    /// The phases of equal load in their order: how long, and what a limit counts of it in 1000 s.
    /// Of a load without end, without end.
    pub(crate) fn phases(&self, counted: &Counted) -> impl Iterator<Item = (Nanos, u64)> {
        let of_mix = |mix: usize| counted.0.get(mix).copied().unwrap_or(0);
        let (own, by_interval) = match &self.demand {
            None => (Some(self.peaks()), None),
            Some(demand) => {
                let of = |&(lasts, mix): &(Nanos, usize)| (lasts, of_mix(mix) * 1000);
                let period: Vec<_> = demand.intervals.iter().map(of).collect();
                (None, Some(period.into_iter().cycle()))
            }
        };
        let rate = of_mix(0);
        let own = own.into_iter().flatten();
        let own = own.map(move |(lasts, times)| (lasts, rate * times));
        own.chain(by_interval.into_iter().flatten())
    }

    /// The phases of a load of one mix: how long, and how many times its rates in 1/1000. The last
    /// of one that ends may be cut.
    fn peaks(&self) -> impl Iterator<Item = (Nanos, u64)> + use<> {
        let every = self.every();
        let high = self.peak.map_or(0, |peak| peak.lasts.min(every));
        let mut left = self.lasts;
        // A peak ends its period, and the load: there it finds least.
        let first = left.map_or(every, |lasts| match lasts % every {
            0 => every,
            rest => rest,
        });
        let mut length = first;
        let times = self.times();
        let mut pending: Option<Nanos> = None;
        std::iter::from_fn(move || {
            if let Some(high) = pending.take() {
                return Some((high, times));
            }
            if left == Some(0) {
                return None;
            }
            if let Some(rest) = &mut left {
                *rest -= length.min(*rest);
            }
            let peak = high.min(length);
            let base = length - peak;
            length = every;
            pending = (peak > 0).then_some(peak);
            Some((base, 1000))
        })
    }
}

/// What is paid for.
pub(crate) const MONTH: Nanos = HOURS_PER_MONTH * 3_600 * SECOND;

/// What instances' credits come back in, and peaks if nothing else is said.
pub(crate) const DAY: Nanos = 24 * 3_600 * SECOND;
