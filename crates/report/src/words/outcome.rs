//! The outcome of a job over all its devices and operations: IOPS and latency in a phrase.

use std::borrow::Borrow;

use blockyard_record::result::{Range, RunResult, Step, Total};
use indexmap::IndexMap;

use super::phrases::{between, joined};
use super::steps::loaded;
use crate::text::format::{latency, number, rate};

/// What differs by less between seeds is one figure.
const DIFFERS: f64 = 0.05;

/// IOs that moved bytes, of one job or device.
#[derive(Clone, Debug)]
pub(crate) struct Outcome<'a> {
    pub(crate) totals: Vec<&'a Total>,
}

impl<'a> Outcome<'a> {
    /// Flushes, and what had no IO, are left out.
    pub(crate) fn of(totals: impl IntoIterator<Item = &'a Total>) -> Self {
        let moved = |total: &&Total| total.ios > 0 && total.op != "flush";
        Self {
            totals: totals.into_iter().filter(moved).collect(),
        }
    }

    /// Of a job.
    pub(crate) fn of_job(result: &'a RunResult, job: &str) -> Self {
        Self::of(result.totals.iter().filter(|total| total.job == job))
    }

    /// The flushes of a job that had no other IO: they are what it did.
    pub(crate) fn of_flushes_alone(result: &'a RunResult, job: &str) -> Self {
        let own = result.totals.iter();
        let own = own.filter(|total| total.job == job && total.ios > 0);
        let mut totals: Vec<_> = own.collect();
        if totals.iter().any(|total| total.op != "flush") {
            totals.clear();
        }
        Self { totals }
    }

    /// IOs a second.
    pub(crate) fn iops(&self) -> f64 {
        summed(self.totals.iter().map(|total| total.iops))
    }

    /// MiB a second.
    pub(crate) fn mib_per_s(&self) -> f64 {
        summed(self.totals.iter().map(|total| total.mib_per_s))
    }

    /// The mean latency; none where that of some IO is not known.
    pub(crate) fn mean_us(&self) -> Option<f64> {
        if self.totals.is_empty() {
            return None;
        }
        let (mut ios, mut whole) = (0, 0.0);
        for total in &self.totals {
            ios += total.ios;
            whole += total.ios as f64 * total.mean()?;
        }
        Some(whole / ios as f64)
    }

    /// How many IOs were in flight in the mean, times a million; 0 where latencies are not known.
    pub(crate) fn waited(&self) -> f64 {
        self.iops() * self.mean_us().unwrap_or(0.0)
    }

    /// ` at 3.70 ms (p99 5.10 ms)`; `p99` is what is said in its place.
    pub(crate) fn latency(&self, p99: Option<&str>) -> String {
        let Some(mean) = self.mean_us() else {
            return String::new();
        };
        let tail = p99.map_or_else(|| self.p99(), str::to_owned);
        format!(" at {}{tail}", latency(mean))
    }

    fn p99(&self) -> String {
        let tails = self
            .totals
            .iter()
            .filter_map(|total| Some(total.latency_us?.p99));
        let tails: Vec<_> = tails.collect();
        if tails.is_empty() {
            return String::new();
        }
        let up_to = if tails.len() > 1 { "up to " } else { "" };
        let most = tails.iter().copied().fold(0.0, f64::max);
        format!(" (p99 {up_to}{})", latency(most))
    }
}

/// Whether a total has anything to tell. Flushes that had nothing to wait for tell something where
/// their job did nothing else.
pub(crate) fn tells(result: &RunResult, total: &Total) -> bool {
    let waited = total.latency_us.is_none_or(|us| us.max != 0.0);
    let alone = || Outcome::of_flushes_alone(result, &total.job);
    waited || (total.ios > 0 && !alone().totals.is_empty())
}

/// The IOPS of a job and its latency: `1,900 to 3,000 IOPS`, ` at 0.53 to 1.33 ms`.
///
/// Over its load steps the IOPS from the lightest to the heaviest, and from the lowest latency to
/// the highest; or else over the seeds. With `bytes_too` the throughput as well; `brief` without
/// p99.
pub(crate) fn said(
    result: &RunResult,
    job: &str,
    bytes_too: bool,
    brief: bool,
) -> (String, String) {
    let steps = by_load(result, job);
    if let [first, .., last] = &steps[..] {
        let mut means: Vec<_> = steps.iter().filter_map(Outcome::mean_us).collect();
        means.sort_by(f64::total_cmp);
        let at = match (means.first(), means.last()) {
            (Some(&least), Some(&most)) => {
                format!(" at {}", joined(&latency(least), &latency(most)))
            }
            _ => String::new(),
        };
        return (rates(first, last, bytes_too), at);
    }
    let own = Outcome::of_job(result, job);
    let whole = steps.first().unwrap_or(&own);
    let (iops, p99) = if steps.is_empty() {
        by_seed(result, job)
    } else {
        (None, None)
    };
    let tail = if brief { Some("") } else { p99.as_deref() };
    let iops = iops.unwrap_or_else(|| rates(whole, whole, bytes_too));
    (iops, whole.latency(tail))
}

fn rates(first: &Outcome<'_>, last: &Outcome<'_>, bytes_too: bool) -> String {
    let iops = joined(&rate(first.iops()), &rate(last.iops()));
    if !bytes_too {
        return format!("{iops} IOPS");
    }
    let mib = joined(&number(first.mib_per_s()), &number(last.mib_per_s()));
    format!("{iops} IOPS ({mib} MiB/s)")
}

/// The outcome of each load step that asked for IO, the lightest first; of a job with several.
pub(crate) fn by_load<'a>(result: &'a RunResult, job: &str) -> Vec<Outcome<'a>> {
    let mut steps: IndexMap<usize, Vec<&Step>> = IndexMap::new();
    for step in result.steps.iter().filter(|step| step.total.job == job) {
        steps.entry(step.step).or_default().push(step);
    }
    if steps.len() < 2 {
        return Vec::new();
    }
    let mut asking: Vec<_> = steps.into_values().filter(|own| loaded(own[0])).collect();
    let load = |step: &Step| {
        step.rate
            .filter(|&rate| rate > 0)
            .or(step.processes)
            .unwrap_or(0)
    };
    asking.sort_by_key(|own| load(own[0]));
    let outcomes = asking.into_iter();
    outcomes
        .map(|own| Outcome::of(own.into_iter().map(|step| step.total.borrow())))
        .collect()
}

/// IOPS and p99 as ranges where seeds differ; of a job that is alone and has one total.
fn by_seed(result: &RunResult, job: &str) -> (Option<String>, Option<String>) {
    let moved = Outcome::of(&result.totals).totals;
    let (Some(by_seed), [total]) = (&result.by_seed, &moved[..]) else {
        return (None, None);
    };
    let own = by_seed
        .totals
        .iter()
        .find(|one| (&one.job, &one.device, &one.op) == (&total.job, &total.device, &total.op));
    let Some(one) = own.filter(|_| total.job == job) else {
        return (None, None);
    };
    let over = format!(" over {} seeds", by_seed.seeds);
    let tail = one
        .latency_us
        .as_ref()
        .map(|us| &us.p99)
        .filter(|p99| differs(p99));
    let tail = tail.map(|p99| format!(" (p99 {}{over})", between(p99, latency)));
    // Once is enough.
    let again = if tail.is_some() { "" } else { &over };
    let iops = differs(&one.iops).then(|| format!("{} IOPS{again}", between(&one.iops, rate)));
    (iops, tail)
}

/// The sum, which is 0 of nothing; `sum` gives -0, which would be written so.
fn summed(figures: impl Iterator<Item = f64>) -> f64 {
    figures.fold(0.0, |sum, figure| sum + figure)
}

fn differs(figure: &Range) -> bool {
    figure.max - figure.min > DIFFERS * figure.max
}
