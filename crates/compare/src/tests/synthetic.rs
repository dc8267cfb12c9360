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
    /// For how many seconds in the mean a slow phase lasts, and the time between two, in which
    /// latencies are longer by half and IOs, as of a closed loop, fewer; none if there are none.
    pub(super) phases: Option<f64>,
}

pub(super) const PLAIN: Like = Like {
    bins: 60,
    latency: 1.0,
    rate: 1.0,
    steps: false,
    phases: None,
};

/// A run with exponential latencies of 1 ms on average, whose level wanders: a bin's
/// deviation is half of the previous bin's plus a new random part.
pub(super) fn run(like: Like, seed: u64) -> Run {
    let mut stream = Stream::new(seed, "synthetic");
    let (mut latency_off, mut rate_off) = (0.0, 0.0);
    let mut phases = Phases::new(like.phases, seed);
    let bins = (0..like.bins).map(|place| {
        latency_off = 0.5 * latency_off + 0.1 * (stream.unit() - 0.5);
        rate_off = 0.5 * rate_off + 0.1 * (stream.unit() - 0.5);
        let step = if like.steps { 4 * place / like.bins } else { 0 };
        let slow = phases.next();
        let scale = slow * like.latency * f64::exp(latency_off) * f64::powi(4.0, step as i32);
        let ios = (100.0 * like.rate / slow * f64::exp(rate_off)) as u64;
        let mut latencies = Histogram::default();
        for _ in 0..ios {
            latencies.record((1e6 * scale * exponential(&mut stream)) as u64);
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
            percentiles: vec![],
        }],
        ..Run::default()
    }
}

/// Two states, each left at a constant rate: the mean factor of latencies over each second.
struct Phases {
    mean_s: Option<f64>,
    stream: Stream,
    slow: bool,
    left_s: f64,
}

impl Phases {
    fn new(mean_s: Option<f64>, seed: u64) -> Self {
        let mut stream = Stream::new(seed, "phases");
        let slow = stream.unit() < 0.5;
        let left_s = mean_s.map_or(f64::INFINITY, |mean_s| mean_s * exponential(&mut stream));
        Self {
            mean_s,
            stream,
            slow,
            left_s,
        }
    }

    /// The factor of the next second.
    fn next(&mut self) -> f64 {
        let Some(mean_s) = self.mean_s else {
            return 1.0;
        };
        let (mut rest_s, mut slow_s) = (1.0, 0.0);
        while rest_s > 0.0 {
            let part_s = self.left_s.min(rest_s);
            rest_s -= part_s;
            self.left_s -= part_s;
            slow_s += if self.slow { part_s } else { 0.0 };
            if self.left_s <= 0.0 {
                self.slow = !self.slow;
                self.left_s = mean_s * exponential(&mut self.stream);
            }
        }
        1.0 + 0.5 * slow_s
    }
}

fn exponential(stream: &mut Stream) -> f64 {
    stream.exponential() as f64 / (1_u64 << EXPONENTIAL_SHIFT) as f64
}
