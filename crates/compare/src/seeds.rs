//! Simulations with the same seeds on every side.
//!
//! A side's figure is then that of a run, as a geometric mean over the seeds, and a change the
//! mean ratio of two runs with one seed: what common random numbers do to both is no difference
//! and hides none. In all IOs of all seeds together, one seed with a slow phase would decide a
//! percentile.

use crate::figures::{COUNT, Values, measure};
use crate::run::Bin;
use crate::spread::Spread;

/// The runs of a side: the seed of each if it is a simulation, and its bins.
pub(crate) type Runs = Vec<(Option<u64>, Vec<Bin>)>;

/// The figures of the runs of each side, in the order of their seeds.
#[derive(Debug)]
pub(crate) struct Seeds(Vec<Vec<Values>>);

impl Seeds {
    /// None if sides differ in their seeds, or have fewer than two or one of them twice.
    pub(crate) fn of(sides: &[Runs]) -> Option<Self> {
        let mut sides: Vec<Vec<(u64, &Vec<Bin>)>> =
            sides.iter().map(seeded).collect::<Option<_>>()?;
        for side in &mut sides {
            side.sort_unstable_by_key(|(seed, _)| *seed);
        }
        let seeds: Vec<u64> = sides.first()?.iter().map(|(seed, _)| *seed).collect();
        let has_them = |side: &Vec<(u64, &Vec<Bin>)>| side.iter().map(|(seed, _)| seed).eq(&seeds);
        let are_pairs = seeds.len() > 1 && seeds.is_sorted_by(|one, next| one < next);
        (are_pairs && sides.iter().all(has_them)).then(|| {
            let measured = |side: Vec<(u64, &Vec<Bin>)>| -> Vec<Values> {
                side.into_iter().map(|(_, bins)| measure(bins)).collect()
            };
            Self(sides.into_iter().map(measured).collect())
        })
    }

    /// The figures of a run of a side; none of those that a seed's run lacks.
    pub(crate) fn values(&self, side: usize) -> Values {
        let runs = &self.0[side];
        std::array::from_fn(|figure| {
            let logarithms = runs.iter().map(|values| values[figure].map(f64::ln));
            let sum: f64 = logarithms.sum::<Option<f64>>()?;
            Some((sum / runs.len() as f64).exp())
        })
    }

    /// The spreads of the ratios of a side's figures to the first's.
    pub(crate) fn spreads(&self, side: usize) -> [Option<Spread>; COUNT] {
        std::array::from_fn(|figure| {
            let pairs = self.0[0].iter().zip(&self.0[side]);
            let ratios = pairs.map(|(ours, theirs)| Some((theirs[figure]? / ours[figure]?).ln()));
            Spread::of_runs(&ratios.collect::<Option<Vec<_>>>()?)
        })
    }
}

fn seeded(runs: &Runs) -> Option<Vec<(u64, &Vec<Bin>)>> {
    runs.iter()
        .map(|(seed, bins)| Some(((*seed)?, bins)))
        .collect()
}
