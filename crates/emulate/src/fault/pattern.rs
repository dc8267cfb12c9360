//! Latency that changes over time, in the terms of the action
//! `aws:ebs:volume-io-latency` of AWS Fault Injection Service.

use blockyard_model::fault::Phase;
use blockyard_model::units::{MILLISECOND, Nanos, SECOND};
use serde::Deserialize;

const MINUTE: Nanos = 60 * SECOND;

/// The scenarios that AWS offers ready-made, with the numbers of
/// <https://docs.aws.amazon.com/ebs/latest/userguide/ebs-fis-latency-injection.html>.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub(crate) enum Pattern {
    /// 500 ms on half of the reads and all writes, for 15 minutes.
    Sustained,
    /// 50 ms to 15 s on 10 % of the reads and 25 % of the writes, in five
    /// steps of 3 minutes.
    Increasing,
    /// 30, 10 and 20 s on one request in a thousand, for 1, 2 and 2 minutes,
    /// with 5 minutes of recovery between.
    Intermittent,
    /// 20 s to 40 ms on 10 % of the requests, in five steps of 3 minutes.
    Decreasing,
}

impl Pattern {
    /// Its name, as users write it.
    pub(super) fn name(self) -> &'static str {
        match self {
            Self::Sustained => "sustained",
            Self::Increasing => "increasing",
            Self::Intermittent => "intermittent",
            Self::Decreasing => "decreasing",
        }
    }

    /// Its phases, one after the other.
    pub(super) fn phases(self) -> Vec<Phase> {
        let steps = |read, write, latencies: [Nanos; 5]| {
            let phase = |ms| phase(read, write, ms, 3);
            latencies.map(phase).to_vec()
        };
        match self {
            Self::Sustained => vec![phase(500, 1000, 500, 15)],
            Self::Increasing => steps(100, 250, [50, 200, 700, 1_000, 15_000]),
            Self::Intermittent => vec![
                phase(1, 1, 30_000, 1),
                phase(0, 0, 0, 5),
                phase(1, 1, 10_000, 2),
                phase(0, 0, 0, 5),
                phase(1, 1, 20_000, 2),
            ],
            Self::Decreasing => steps(100, 100, [20_000, 5_000, 900, 300, 40]),
        }
    }
}

/// Shares in 1/1000, a latency in milliseconds and a length in minutes.
fn phase(read: u32, write: u32, latency_ms: u64, minutes: u64) -> Phase {
    Phase {
        read,
        write,
        latency: latency_ms * MILLISECOND,
        duration: minutes * MINUTE,
    }
}
