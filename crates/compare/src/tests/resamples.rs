//! Resamples against the same figures computed bin by bin.

use blockyard_model::random::Stream;
use blockyard_record::{Histogram, Packed};
use proptest::prelude::*;

use crate::figures::measure;
use crate::resample::Resampler;
use crate::run::Bin;

fn bin(ios: u64, latencies: Vec<u64>) -> Bin {
    let mut histogram = Histogram::default();
    latencies.iter().for_each(|&value| histogram.record(value));
    Bin {
        step: 0,
        length_s: 0.5,
        ios,
        bytes: 4096 * ios,
        timed: (
            histogram.count(),
            histogram.mean() * histogram.count() as f64,
        ),
        latencies: Packed::from(&histogram),
    }
}

proptest! {
    #[test]
    fn a_resample_is_its_bins_merged(
        bins in prop::collection::vec((1_u64..100, prop::collection::vec(1_u64..1 << 40, 0..20)), 8..40),
        seed in 0_u64..=u64::MAX,
    ) {
        let bins: Vec<_> = bins.into_iter().map(|(ios, latencies)| bin(ios, latencies)).collect();
        let resampler = Resampler::new(&bins).unwrap();
        let times = resampler.draw(&mut Stream::new(seed, "test"));
        prop_assert_eq!(times.iter().sum::<u64>(), bins.len() as u64);
        let drawn = bins.iter().zip(&times);
        let expected = measure(drawn.flat_map(|(bin, &times)| (0..times).map(move |_| bin)));
        let got = resampler.values(&times);
        for (got, expected) in got.into_iter().zip(expected) {
            match (got, expected) {
                (Some(got), Some(expected)) => {
                    // Means are summed in another order, and a histogram's
                    // largest value is exact.
                    prop_assert!((got / expected - 1.0).abs() < 0.001, "{} {}", got, expected);
                }
                (got, expected) => prop_assert_eq!(got, expected),
            }
        }
    }

    #[test]
    fn blocks_are_drawn_whole_and_everywhere(bins in 8_usize..300) {
        let resampler = Resampler::new(&vec![bin(1,vec![5]); bins]).unwrap();
        let mut stream = Stream::new(1, "test");
        let mut drawn = vec![0; resampler.draw(&mut stream).len()];
        for _ in 0..200 {
            for (sum, times) in drawn.iter_mut().zip(resampler.draw(&mut stream)) {
                *sum += times;
            }
        }
        // Each is drawn 200 times on average, the first and the last like all
        // others.
        prop_assert!(drawn.iter().all(|times| (100..=320).contains(times)), "{:?}", drawn);
    }
}
