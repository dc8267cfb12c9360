//! Runs made of random numbers, which differ only as requested.

use blockyard_model::random::{EXPONENTIAL_SHIFT, Stream};
use blockyard_record::{Histogram, Packed};

use crate::run::{Bin, Run, Series};

/// What a run is like.
#[derive(Clone, Copy, Debug)]
pub(super) struct Like {
    /// The number of bins, of a second each.
    pub(super) bins: usize,
    /// Factor of all latencies.
    pub(super) latency: f64,
    /// Factor of the IOs a second.
    pub(super) rate: f64,
    /// Whether latencies rise fourfold from load step to load step.
    pub(super) steps: bool,
}

pub(super) const PLAIN: Like = Like {
    bins: 60,
    latency: 1.0,
    rate: 1.0,
    steps: false,
};

/// A run with exponential latencies of 1 ms on average, whose level wanders: a bin's
/// deviation is half of the previous bin's plus a new random part.
pub(super) fn run(like: Like, seed: u64) -> Run {
    let mut stream = Stream::new(seed, "synthetic");
    let (mut latency_off, mut rate_off) = (0.0, 0.0);
    let bins = (0..like.bins).map(|place| {
        latency_off = 0.5 * latency_off + 0.1 * (stream.unit() - 0.5);
        rate_off = 0.5 * rate_off + 0.1 * (stream.unit() - 0.5);
        let step = if like.steps { 4 * place / like.bins } else { 0 };
        let scale = like.latency * f64::exp(latency_off) * f64::powi(4.0, step as i32);
        let ios = (100.0 * like.rate * f64::exp(rate_off)) as u64;
        let mut latencies = Histogram::default();
        for _ in 0..ios {
            let drawn = stream.exponential() as f64 / (1_u64 << EXPONENTIAL_SHIFT) as f64;
            latencies.record((1e6 * scale * drawn) as u64);
        }
        Bin {
            step,
            length_s: 1.0,
            ios,
            bytes: 8192 * ios,
            timed: (ios, latencies.mean() * ios as f64),
            latencies: Packed::from(&latencies),
        }
    });
    Run {
        series: vec![Series {
            job: "readers".to_owned(),
            device: "data".to_owned(),
            op: "read".to_owned(),
            bins: bins.collect(),
        }],
        ..Run::default()
    }
}
