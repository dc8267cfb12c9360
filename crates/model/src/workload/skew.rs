//! Which blocks random IOs prefer.

pub(super) mod nurand;
pub(super) mod popularity;
mod scatter;
mod zipf;

use alloc::format;

use self::scatter::Scatter;
use self::zipf::Zipf;
use crate::random::Stream;
use crate::workload::spec::{Preference, Skew};

/// Draws the random places of one process, as block numbers below `blocks`.
#[derive(Clone, Debug)]
pub(super) struct Preferred {
    blocks: u64,
    ranks: Ranks,
    scatter: Option<Scatter>,
}

/// Draws ranks: 0 is the block that is wanted most.
#[derive(Clone, Debug)]
enum Ranks {
    Zipf(Zipf),
    /// The first `hot` blocks get `ios` in 1000.
    Hot {
        ios: u32,
        hot: u64,
    },
}

impl Preferred {
    /// None without preference. `key` draws how ranks are scattered: the same
    /// for all processes of a job, so that they want the same blocks.
    pub(in crate::workload) fn new(skew: Skew, blocks: u64, key: &mut Stream) -> Option<Self> {
        let ranks = match skew.preference {
            Preference::None => return None,
            Preference::Zipf { permille } => Ranks::Zipf(Zipf::new(blocks, permille)),
            Preference::Hot {
                ios_permille,
                blocks_permille,
            } => Ranks::Hot {
                ios: ios_permille,
                hot: share(blocks, blocks_permille),
            },
        };
        Some(Self {
            blocks,
            ranks,
            scatter: skew.scatter.then(|| Scatter::new(blocks, key)),
        })
    }

    pub(super) fn draw(&self, random: &mut Stream) -> u64 {
        let rank = match &self.ranks {
            Ranks::Zipf(zipf) => zipf.draw(random),
            &Ranks::Hot { ios, hot } => {
                if random.chance(ios) || hot == self.blocks {
                    random.below(hot)
                } else {
                    hot + random.below(self.blocks - hot)
                }
            }
        };
        match &self.scatter {
            Some(scatter) => scatter.place(rank),
            None => rank,
        }
    }
}

/// What draws where a job's ranks lie.
pub(in crate::workload) fn scatter_key(job: u16, seed: u64) -> Stream {
    Stream::new(seed, &format!("job/{job}/scatter"))
}

/// A share of `blocks`, at least one.
fn share(blocks: u64, permille: u32) -> u64 {
    let share = u128::from(blocks) * u128::from(permille) / 1000;
    (share as u64).max(1)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn hot_blocks_get_their_share_of_ios() {
        let skew = Skew {
            preference: Preference::Hot {
                ios_permille: 900,
                blocks_permille: 100,
            },
            scatter: false,
        };
        let blocks = 1 << 40;
        let preferred = Preferred::new(skew, blocks, &mut Stream::new(1, "key")).unwrap();
        let mut random = Stream::new(1, "hot");
        let draws = 1_000_000;
        let hot = (0..draws)
            .filter(|_| preferred.draw(&mut random) < blocks / 10)
            .count();
        // Five standard deviations of a binomial are 1,500.
        assert!(hot.abs_diff(900_000) < 1500, "{hot}");
    }

    #[test]
    fn processes_of_a_job_want_the_same_blocks() {
        let skew = Skew {
            preference: Preference::Zipf { permille: 2000 },
            scatter: true,
        };
        let most_wanted = Scatter::new(1_000_000, &mut Stream::new(1, "key")).place(0);
        for process in ["a", "b", "c"] {
            let preferred = Preferred::new(skew, 1_000_000, &mut Stream::new(1, "key")).unwrap();
            let mut random = Stream::new(1, process);
            let hits = (0..1000)
                .filter(|_| preferred.draw(&mut random) == most_wanted)
                .count();
            // With exponent 2 the first rank gets 6 / pi^2 of the draws, 608.
            assert!((530..690).contains(&hits), "{process}: {hits}");
        }
    }
}
