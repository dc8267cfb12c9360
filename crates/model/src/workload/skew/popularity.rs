//! How often random IOs want each block of a file, for whoever plans what must hold them.

use alloc::boxed::Box;

use crate::workload::skew::{Preferred, Ranks, scatter_key};
use crate::workload::spec::Skew;

/// The blocks of a job's file by how often its random IOs want them.
#[derive(Clone, Debug)]
pub struct Popularity(Preferred);

impl Popularity {
    /// As the job with this number has them in a run with `seed`; none where all blocks are alike.
    #[must_use]
    pub fn of(skew: Skew, blocks: u64, job: u16, seed: u64) -> Option<Self> {
        Preferred::new(skew, blocks, &mut scatter_key(job, seed)).map(Self)
    }

    /// The block with a rank, of which 0 is wanted most.
    #[must_use]
    pub fn block(&self, rank: u64) -> u64 {
        match &self.0.scatter {
            Some(scatter) => scatter.place(rank),
            None => rank,
        }
    }

    /// The probability that a random IO wants the block with a rank.
    #[must_use]
    pub fn probabilities(&self) -> Box<dyn Fn(u64) -> f64 + '_> {
        let blocks = self.0.blocks;
        match &self.0.ranks {
            Ranks::Zipf(zipf) => Box::new(zipf.probabilities()),
            &Ranks::Hot { hot, .. } if hot == blocks => Box::new(move |_| 1.0 / blocks as f64),
            &Ranks::Hot { ios, hot } => Box::new(move |rank| {
                let ios = f64::from(ios) / 1000.0;
                match rank < hot {
                    true => ios / hot as f64,
                    false => (1.0 - ios) / (blocks - hot) as f64,
                }
            }),
        }
    }
}

#[cfg(test)]
mod tests {
    use alloc::vec;

    use proptest::prelude::*;

    use super::*;
    use crate::random::Stream;
    use crate::workload::spec::Preference;

    proptest! {
        #![proptest_config(ProptestConfig::with_cases(40))]

        /// What draws are counted at each block is what its probability says.
        #[test]
        fn probabilities_are_those_of_the_draws(
            preference in prop_oneof![
                (10_u32..3000).prop_map(|permille| Preference::Zipf { permille }),
                (1_u32..=1000, 1_u32..=1000).prop_map(|(ios_permille, blocks_permille)| {
                    Preference::Hot { ios_permille, blocks_permille }
                }),
            ],
            scatter in any::<bool>(),
            blocks in 1_u64..60,
            seed in any::<u64>(),
        ) {
            let skew = Skew { preference, scatter };
            let popularity = Popularity::of(skew, blocks, 3, seed).unwrap();
            let probability = popularity.probabilities();
            let whole: f64 = (0..blocks).map(&probability).sum();
            prop_assert!((whole - 1.0).abs() < 1e-9, "{}", whole);
            let drawn = Preferred::new(skew, blocks, &mut scatter_key(3, seed)).unwrap();
            let mut random = Stream::new(seed, "draws");
            let draws = 100_000;
            let mut counts = vec![0_u64; blocks as usize];
            (0..draws).for_each(|_| counts[drawn.draw(&mut random) as usize] += 1);
            for rank in 0..blocks {
                let (p, n) = (probability(rank), draws as f64);
                let found = counts[popularity.block(rank) as usize] as f64;
                // Of up to 2,400 blocks one is six standard deviations off once in 10^5 runs.
                let far = 6.0 * (n * p * (1.0 - p)).sqrt() + 3.0;
                prop_assert!((found - n * p).abs() <= far, "rank {}: {} of {}", rank, found, n * p);
            }
        }
    }
}
