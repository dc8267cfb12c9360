//! Latency of an observed device's reads while writes in the background were heavy, and otherwise.

use blockyard_record::result::ObservedDevice;
use blockyard_record::{Histogram, Packed};

use crate::Run;
use crate::charts::histograms::quantiles_us;
use crate::charts::series::series;

/// The p99 of fewer reads is not known.
const FEWEST: u64 = 100;

/// Reads within the bursts and without.
#[derive(Debug)]
pub(crate) struct Beside {
    pub(crate) inside: Reads,
    pub(crate) outside: Reads,
}

/// Reads of some part of a run. Where they wait for each other, slower ones are fewer.
#[derive(Debug)]
pub(crate) struct Reads {
    pub(crate) count: u64,
    pub(crate) p50_us: f64,
    pub(crate) p99_us: f64,
}

/// None without bursts, or with too few reads on either side.
pub(crate) fn beside(run: &Run, device: &ObservedDevice) -> Option<Beside> {
    let heavy = &device.load.as_ref()?.heavy_writes;
    let nanos = |seconds: f64| (seconds * 1e9).round() as u64;
    let ends = heavy.iter().flat_map(|one| [one.from_s, one.to_s]);
    // From 0 on the times lie outside and inside by turns.
    let edges: Vec<_> = std::iter::once(0)
        .chain(ends.map(nanos))
        .chain([u64::MAX])
        .collect();
    let own = series(run).into_iter();
    let own = own.filter(|key| key.device == device.name && key.op == "read");
    let tags: Vec<_> = own.map(|key| key.tag()).collect();
    let found = run.latencies.between(&tags, &edges);
    let [outside, inside] = [0, 1].map(|first| {
        let mut sum = Histogram::default();
        let own = found.iter().skip(first).step_by(2);
        own.for_each(|part| sum.merge_packed(part));
        Packed::from(&sum)
    });
    Some(Beside {
        inside: reads(&inside)?,
        outside: reads(&outside)?,
    })
}

/// None of too few.
fn reads(of: &Packed) -> Option<Reads> {
    let figures = quantiles_us(of, &[0.5, 0.99]);
    let [p50_us, p99_us] = figures.try_into().ok()?;
    let count = of.count();
    (count >= FEWEST).then_some(Reads {
        count,
        p50_us,
        p99_us,
    })
}
