//! A run second by second: which was the worst, and for how long p99 was above a value.
//!
//! Percentiles over all IOs of a closed loop hide stalls: while storage stalls, few IOs complete.

mod stats;
#[cfg(test)]
mod tests;

use std::ops::Range;

use blockyard_model::storage::Op;
use blockyard_model::units::{Nanos, SECOND};

pub(crate) use self::stats::SecondStats;
use crate::measure::counters::Counts;
use crate::measure::histogram::Histogram;
use crate::measure::shape::RunShape;

/// The seconds of some series together.
///
/// A second is one from the end of the warm-up or from the begin of a load step on; where the
/// next step begins earlier, or the run ends, it is shorter. Where an interval is longer than a
/// second, it stands for the seconds in it.
#[derive(Clone, Debug)]
pub(crate) struct BySecond {
    /// The number of their job.
    pub(crate) job: usize,
    /// The numbers of the series.
    pub(crate) members: Vec<usize>,
    warmup: Nanos,
    /// Where load steps begin, rising.
    steps: Vec<Nanos>,
    /// Begin of the running second.
    from: Nanos,
    /// How many IOs were in flight then.
    in_flight: u64,
    /// What completed in it, in intervals that are added up.
    latencies: Histogram,
    /// How many failed in it.
    failed: u64,
    stall: Option<Stall>,
    pub(crate) total: SecondStats,
    pub(crate) by_step: Vec<SecondStats>,
}

/// Seconds that just passed, one after another, in which IOs were in flight all the time and none
/// completed or failed.
#[derive(Clone, Debug)]
struct Stall {
    /// Begin of the first.
    from: Nanos,
    /// Length of the last.
    last: Nanos,
    /// Those after the warm-up, by load step: the begin of the first and the length of all.
    parts: Vec<(Option<usize>, Nanos, Nanos)>,
}

/// The seconds of every series, of the reads and of the writes of every job, and of both together.
pub(crate) fn all(shape: &RunShape) -> Vec<BySecond> {
    let alone = (0..shape.series.len()).map(|series| vec![series]);
    let names = shape.jobs.iter().map(|job| job.name.as_str());
    let ops = [Some(Op::Read), Some(Op::Write), None];
    let jobs = names.flat_map(|job| ops.map(|op| shape.series_of(job, op)));
    let together = jobs.filter(|members| members.len() > 1);
    let mut members: Vec<_> = alone.chain(together).collect();
    members.sort_by_key(|members| (members.len() > 1, members.clone()));
    members.dedup();
    let by_second = |members: Vec<usize>| {
        let job = members.first().map(|&series| shape.series[series].job);
        job.map(|job| BySecond::new(shape, job, members))
    };
    members.into_iter().filter_map(by_second).collect()
}

impl BySecond {
    /// Of series that belong to `job`.
    fn new(shape: &RunShape, job: usize, members: Vec<usize>) -> Self {
        let steps: Vec<_> = shape.jobs[job].steps.iter().map(|step| step.0).collect();
        Self {
            job,
            members,
            warmup: shape.warmup,
            from: 0,
            in_flight: 0,
            latencies: Histogram::default(),
            failed: 0,
            stall: None,
            total: SecondStats::default(),
            by_step: vec![SecondStats::default(); steps.len()],
            steps,
        }
    }

    /// An interval ended, in which each series counted this.
    pub(crate) fn interval(&mut self, span: Range<Nanos>, counts: &[Counts]) {
        let Range { start, end } = span;
        let ends = end - self.from >= SECOND || end == self.warmup || self.steps.contains(&end);
        let mut latencies = std::mem::take(&mut self.latencies);
        let failed = |&series: &usize| counts[series].errors;
        self.failed += self.members.iter().map(failed).sum::<u64>();
        match *self.members {
            // Most often an interval is a second.
            [only] if ends && start == self.from => self.second(end, &counts[only].latencies),
            _ => {
                for &series in &self.members {
                    latencies.merge(&counts[series].latencies);
                }
                if ends {
                    self.second(end, &latencies);
                    latencies.clear();
                }
            }
        }
        self.latencies = latencies;
        if ends {
            let in_flight = |&series: &usize| counts[series].in_flight_at_end();
            (self.from, self.in_flight) = (end, self.members.iter().map(in_flight).sum());
            self.failed = 0;
        }
    }

    /// The running second ended at `end`; these are the latencies of what completed in it.
    fn second(&mut self, end: Nanos, latencies: &Histogram) {
        let (from, time) = (self.from, end - self.from);
        let counts = from >= self.warmup;
        let step = self.steps.iter().rposition(|&step| step <= from);
        if counts {
            self.stats(step, |stats| stats.pass(time));
        }
        if latencies.count() > 0 {
            self.end_stall(from, latencies);
            if counts {
                self.stats(step, |stats| stats.add(from, time, latencies, true));
            }
        } else if self.failed > 0 {
            // What was in flight may have failed, and lasted no longer than to here.
            self.end_stall(from, latencies);
        } else if self.in_flight > 0 {
            let stall = self.stall.get_or_insert_with(|| Stall::at(from));
            stall.last = time;
            match stall.parts.last_mut() {
                Some(part) if part.0 == step => part.2 += time,
                _ if counts => stall.parts.push((step, from, time)),
                _ => {}
            }
        }
    }

    /// A stall is over at `end`, if there was one, as something completed or the run ended. What
    /// took no less than its last second says how long IOs took in it; where nothing did, what
    /// was in flight has taken as long as the stall.
    fn end_stall(&mut self, end: Nanos, latencies: &Histogram) {
        let Some(stall) = self.stall.take() else {
            return;
        };
        let mut slow = Histogram::default();
        for (value, count) in latencies.buckets() {
            // A bucket's middle may lie so far below its values.
            if value + value / 1000 >= stall.last {
                slow.record_many(value.min(latencies.max()), count);
            }
        }
        if slow.count() == 0 {
            slow.record(end - stall.from);
        }
        for (step, from, time) in stall.parts {
            self.stats(step, |stats| stats.add(from, time, &slow, false));
        }
    }

    /// The run ended at `end`.
    pub(crate) fn finish(&mut self, end: Nanos) {
        if end > self.from {
            let latencies = std::mem::take(&mut self.latencies);
            self.second(end, &latencies);
            self.from = end;
        }
        self.end_stall(end, &Histogram::default());
    }

    fn stats(&mut self, step: Option<usize>, tell: impl Fn(&mut SecondStats)) {
        tell(&mut self.total);
        if let Some(stats) = step.and_then(|step| self.by_step.get_mut(step)) {
            tell(stats);
        }
    }
}

impl Stall {
    fn at(from: Nanos) -> Self {
        Self {
            from,
            last: 0,
            parts: Vec::new(),
        }
    }
}
