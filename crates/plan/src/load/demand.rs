//! A load by interval: which mix of IO there is when.

use std::collections::BTreeMap;

use blockyard_model::units::{Nanos, SECOND};
use blockyard_model::workload::spec::{DemandStep, RATES_PER};

use crate::load::profile::{DAY, MONTH};
use crate::load::streams::Stream;

/// A load by interval, which comes again and again.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Demand {
    /// Reads and writes, as many as there are, of different intervals.
    pub(crate) mixes: Vec<Vec<Stream>>,
    /// The intervals: how long, and the number of the mix.
    pub(crate) intervals: Vec<(Nanos, usize)>,
    /// How long all of them last.
    pub(crate) every: Nanos,
}

impl Demand {
    /// That of `steps`, which come back after as many days as they take; none without any IO.
    pub(crate) fn of(steps: &[DemandStep]) -> Option<Self> {
        let last = steps.last()?.from;
        let every = last.div_ceil(DAY).max(1) * DAY;
        let ends = steps.iter().skip(1).map(|step| step.from).chain([every]);
        let mut demand = Self {
            mixes: Vec::new(),
            intervals: Vec::new(),
            every,
        };
        let mut known = BTreeMap::new();
        // A step that begins where the period ends belongs to the next.
        let within = steps
            .iter()
            .zip(ends)
            .filter(|(step, end)| step.from < *end);
        for (step, end) in within {
            let number = *known
                .entry((step.reads, step.writes, step.size))
                .or_insert_with(|| {
                    demand.mixes.push(mix(step));
                    demand.mixes.len() - 1
                });
            let lasts = end - step.from;
            match demand.intervals.last_mut() {
                Some((before, same)) if *same == number => *before += lasts,
                _ => demand.intervals.push((lasts, number)),
            }
        }
        let any = demand.mixes.iter().any(|mix| !mix.is_empty());
        any.then_some(demand)
    }

    /// Whether it has any writes, or any reads.
    pub(crate) fn has(&self, write: bool) -> bool {
        let mut streams = self.mixes.iter().flatten();
        streams.any(|it| it.write == write)
    }

    /// The mix of most IOs a second.
    pub(crate) fn busiest(&self) -> &[Stream] {
        &self.mixes[self.busiest_mix()]
    }

    /// When in a period it is there for the last time.
    pub(crate) fn busiest_ends(&self) -> Nanos {
        let busiest = self.busiest_mix();
        let mut intervals = self.intervals.iter().rev();
        let after = intervals.by_ref().take_while(|(_, mix)| *mix != busiest);
        self.every - after.map(|(lasts, _)| lasts).sum::<Nanos>()
    }

    fn busiest_mix(&self) -> usize {
        let numbers = 0..self.mixes.len();
        numbers
            .rev()
            .max_by_key(|it| iops(&self.mixes[*it]))
            .unwrap_or(0)
    }

    /// What `of` gives of a second of each mix, over a month, times nanoseconds.
    pub(crate) fn over_month(&self, of: impl Fn(&[Stream]) -> u64) -> u128 {
        self.over_period(of) * u128::from(MONTH) / u128::from(self.every)
    }

    /// IOs a second, over all of it.
    pub(crate) fn mean_iops(&self) -> f64 {
        self.over_period(iops) as f64 / self.every as f64
    }

    fn over_period(&self, of: impl Fn(&[Stream]) -> u64) -> u128 {
        let of =
            |(lasts, mix): &(Nanos, usize)| u128::from(*lasts) * u128::from(of(&self.mixes[*mix]));
        self.intervals.iter().map(of).sum()
    }

    /// The same with every stream as `change` makes it.
    #[must_use]
    pub(crate) fn map(&self, change: impl Fn(&Stream) -> Stream) -> Self {
        let mixes = self.mixes.iter();
        Self {
            mixes: mixes.map(|mix| mix.iter().map(&change).collect()).collect(),
            ..self.clone()
        }
    }
}

fn iops(mix: &[Stream]) -> u64 {
    mix.iter().map(|it| it.iops).sum()
}

/// The streams of a step, in whole IOs a second.
fn mix(step: &DemandStep) -> Vec<Stream> {
    let stream = |write: bool, rate: u64| Stream {
        write,
        iops: rate.div_ceil(RATES_PER / SECOND),
        io_size: step.size,
        sequential: 0,
        skew: None,
    };
    let both = [stream(false, step.reads), stream(true, step.writes)];
    both.into_iter().filter(|it| it.iops > 0).collect()
}
