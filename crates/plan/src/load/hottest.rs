//! The hottest volume of a stripe under a skewed load: the share of the load that it takes.
//!
//! The most popular blocks lie where the model draws them
//! (`blockyard_model::workload::Popularity`), for each seed elsewhere. For each seed and number of
//! volumes, each block's probability goes to the volume that its chunk lies on. A layout is sized
//! for the seeds that the proof asks for: with 30 of them and 95 % for the second hottest of all.

use blockyard_experiment::chance::SeedRule;
use blockyard_model::units::Bytes;
use blockyard_model::workload::Popularity;
use blockyard_model::workload::spec::Skew;

use crate::load::streams::{CHUNK, Stream};
use crate::search::tables::WIDEST;

/// The most popular blocks whose volumes are worked out one by one. What all others take of a
/// volume has a standard deviation of less than 1/200 of an equal share, for any exponent.
const RANKS: u64 = 4096;

/// What volumes take of the skewed reads and writes that may be the hottest.
#[derive(Clone, Debug, PartialEq)]
pub struct Placement {
    /// By width, from 1, and seed, from the scenario's own on.
    by_width: Vec<Vec<Hot>>,
    /// Seeds in which a volume may be hotter.
    hotter: usize,
}

/// Shares of the reads and of the writes of those volumes of which no other takes more of both: for
/// any mix of reads and writes one of them is the hottest.
type Hot = Vec<[f64; 2]>;

/// A skewed stream's file.
#[derive(Clone, Copy, Debug)]
pub(crate) struct SkewedFile {
    pub(crate) skew: Skew,
    pub(crate) io_size: Bytes,
    /// Its bytes.
    pub(crate) size: Bytes,
    /// The number of its job in the proof's scenario.
    pub(crate) job: u16,
}

impl Placement {
    /// For files of reads and writes, as far as they are skewed; none if neither is.
    pub(crate) fn of(
        reads: Option<SkewedFile>,
        writes: Option<SkewedFile>,
        probability: u64,
    ) -> Option<Self> {
        reads.or(writes)?;
        let rule = SeedRule::of(probability);
        // A scenario's own seed is 1.
        let places: Vec<_> = (1..=rule.seeds())
            .map(|seed| [reads, writes].map(|file| Some(Places::of(file?, seed))))
            .collect();
        let by_width = (1..=WIDEST).map(|width| {
            let of = |file: &Option<Places>| match file {
                Some(file) => file.shares(width),
                None => vec![0.0; width as usize],
            };
            let hot = places.iter().map(|[reads, writes]| {
                let both = of(reads).into_iter().zip(of(writes));
                undominated(both.map(|(reads, writes)| [reads, writes]).collect())
            });
            hot.collect()
        });
        Some(Self {
            by_width: by_width.collect(),
            hotter: rule.misses() as usize,
        })
    }

    /// What the hottest of `width` volumes takes of streams of which `counted` is what counts.
    fn hottest(&self, streams: &[Stream], width: u32, counted: impl Fn(&Stream) -> u64) -> u64 {
        let (mut skewed, mut even) = ([0.0; 2], 0.0);
        for stream in streams {
            let place = match stream.skew {
                Some(_) => &mut skewed[usize::from(stream.write)],
                None => &mut even,
            };
            *place += counted(stream) as f64;
        }
        let [reads, writes] = skewed;
        let taken = |hot: &[f64; 2]| reads * hot[0] + writes * hot[1];
        let of_seed = |hot: &Hot| hot.iter().map(taken).fold(0.0, f64::max);
        let by_seed = &self.by_width[width.clamp(1, WIDEST) as usize - 1];
        let mut hottest: Vec<f64> = by_seed.iter().map(of_seed).collect();
        let falling = |a: &f64, b: &f64| b.total_cmp(a);
        let (_, hottest, _) = hottest.select_nth_unstable_by(self.hotter, falling);
        // A fraction more than a whole number comes from rounding.
        (*hottest + even / f64::from(width) - 1e-6).ceil() as u64
    }
}

/// Those of which no other has more of both.
fn undominated(mut all: Hot) -> Hot {
    all.sort_by(|a, b| b[0].total_cmp(&a[0]).then(b[1].total_cmp(&a[1])));
    let mut most = f64::NEG_INFINITY;
    all.retain(|[_, writes]| {
        let more = *writes > most;
        most = most.max(*writes);
        more
    });
    all
}

/// What the hottest of `width` volumes takes of streams of which `counted` is what counts; without
/// a placement an equal share.
pub(crate) fn hottest(
    placement: Option<&Placement>,
    streams: &[Stream],
    width: u32,
    counted: impl Fn(&Stream) -> u64,
) -> u64 {
    match placement {
        None => {
            let all: u64 = streams.iter().map(counted).sum();
            all.div_ceil(width.into())
        }
        Some(placement) => placement.hottest(streams, width, counted),
    }
}

/// Where a skewed file's most popular blocks lie.
struct Places {
    /// Their chunks, and the probability of each.
    popular: Vec<(u64, f64)>,
    /// The probability of all others.
    rest: f64,
}

impl Places {
    fn of(file: SkewedFile, seed: u64) -> Self {
        let blocks = (file.size / file.io_size).max(1);
        let popularity = Popularity::of(file.skew, blocks, file.job, seed);
        let popular = popularity.iter().flat_map(|it| {
            let probability = it.probabilities();
            let chunk = |rank| it.block(rank) * file.io_size / CHUNK;
            (0..blocks.min(RANKS)).map(move |rank| (chunk(rank), probability(rank)))
        });
        let popular: Vec<_> = popular.collect();
        let all: f64 = popular.iter().map(|(_, probability)| probability).sum();
        let rest = f64::max(1.0 - all, 0.0);
        Self { popular, rest }
    }

    /// The share of each of `width` volumes.
    fn shares(&self, width: u32) -> Vec<f64> {
        let mut shares = vec![self.rest / f64::from(width); width as usize];
        for (chunk, probability) in &self.popular {
            shares[(chunk % u64::from(width)) as usize] += probability;
        }
        shares
    }
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used, reason = "a test fails by panicking")]

    use blockyard_model::units::{GIB, KIB};
    use blockyard_model::workload::spec::Preference;
    use proptest::prelude::*;

    use super::*;

    fn zipf(permille: u32) -> Skew {
        Skew {
            preference: Preference::Zipf { permille },
            scatter: true,
        }
    }

    fn file(skew: Skew, size: Bytes, job: u16) -> SkewedFile {
        SkewedFile {
            skew,
            io_size: 8 * KIB,
            size,
            job,
        }
    }

    fn stream(write: bool, skew: Option<Skew>) -> Stream {
        Stream {
            write,
            iops: 1,
            io_size: 8 * KIB,
            sequential: 0,
            skew,
        }
    }

    proptest! {
        #![proptest_config(ProptestConfig::with_cases(12))]

        /// The hottest volume against a count over every block of the file, seed by seed.
        #[test]
        fn the_hottest_volume_is_that_of_a_count_over_all_blocks(
            permille in 300_u32..1500,
            blocks in 1_000_u64..200_000,
            width in 1_u32..=28,
            (reads, writes) in (1_u64..100_000, 0_u64..100_000),
            skewed_writes in any::<bool>(),
        ) {
            let (skew, size) = (zipf(permille), blocks * 8 * KIB);
            let files = [0, 1].map(|job| Some(file(skew, size, job)));
            let writes_too = files[1].filter(|_| skewed_writes);
            let placement = Placement::of(files[0], writes_too, 950).unwrap();
            // Where a block lies depends on the seed, how popular it is does not.
            let by_rank: Vec<f64> = {
                let popularity = Popularity::of(skew, blocks, 0, 1).unwrap();
                (0..blocks).map(popularity.probabilities()).collect()
            };
            let mut counted: Vec<f64> = (1..=30).map(|seed| {
                let even = if skewed_writes { 0.0 } else { writes as f64 / f64::from(width) };
                let mut volumes = vec![even; width as usize];
                let jobs = [(0, reads), (1, writes)];
                for (job, ios) in &jobs[..1 + usize::from(skewed_writes)] {
                    let popularity = Popularity::of(skew, blocks, *job, seed).unwrap();
                    for (rank, probability) in (0..).zip(&by_rank) {
                        let volume = popularity.block(rank) * 8 * KIB / CHUNK % u64::from(width);
                        volumes[volume as usize] += *ios as f64 * probability;
                    }
                }
                volumes.into_iter().fold(0.0, f64::max)
            }).collect();
            counted.sort_by(f64::total_cmp);
            let streams = [stream(false, Some(skew)), stream(true, Some(skew).filter(|_| skewed_writes))];
            let ios = |it: &Stream| if it.write { writes } else { reads };
            let found = placement.hottest(&streams, width, ios) as f64;
            // The second hottest, but for chunks that one volume has more of than another.
            let uneven = (CHUNK / (8 * KIB) * u64::from(width)) as f64 / blocks as f64;
            let far = 0.01 + uneven.min(1.0);
            prop_assert!((found - counted[28]).abs() <= far * counted[28] + 1.0, "{} {}", found, counted[28]);
        }
    }

    #[test]
    fn a_load_without_skew_is_shared_evenly() {
        assert_eq!(Placement::of(None, None, 950), None);
        let one = [stream(false, None)];
        assert_eq!(hottest(None, &one, 28, |_| 80_000), 2858);
        let placement = Placement::of(Some(file(zipf(990), GIB, 0)), None, 950).unwrap();
        assert_eq!(hottest(Some(&placement), &one, 28, |_| 80_000), 2858);
        let skewed = [stream(false, Some(zipf(990)))];
        assert_eq!(placement.hottest(&skewed, 1, |_| 1000), 1000);
    }

    #[test]
    fn more_skew_makes_the_hottest_volume_hotter() {
        let share = |permille, width| {
            let of = Some(file(zipf(permille), 1024 * GIB, 0));
            let skewed = [stream(false, Some(zipf(permille)))];
            let placement = Placement::of(of, None, 950).unwrap();
            placement.hottest(&skewed, width, |_| 1_000_000)
        };
        assert!(share(1000, 28) > share(900, 28) && share(900, 28) > share(500, 28));
        assert!(share(500, 28) > 1_000_000 / 28 && share(900, 4) > share(900, 28));
    }
}
