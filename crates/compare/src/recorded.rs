//! From the tables of a run to the data that is compared.

use blockyard_record::{Latencies, Packed};

use crate::run::{Bin, Load, Run, Series, Step};

/// A run as its files describe it.
#[derive(Debug)]
pub struct Recorded<'a> {
    /// Its series, column by column.
    pub series: Vec<Columns>,
    /// Its latencies, under the series' tags.
    pub latencies: &'a Latencies,
    /// The seconds at its beginning that are left out.
    pub warmup_s: f64,
    /// Its end in seconds.
    pub duration_s: f64,
    /// Where its load steps begin in seconds, rising.
    pub step_starts_s: Vec<f64>,
    /// The load steps of each job that has several.
    pub steps: Vec<StepTimes>,
    /// The seed of a simulation.
    pub seed: Option<u64>,
}

/// When a job's load step was.
#[derive(Clone, Debug)]
pub struct StepTimes {
    /// The job.
    pub job: String,
    /// What it offered.
    pub load: Load,
    /// Its beginning in seconds.
    pub from_s: f64,
    /// Its end in seconds.
    pub to_s: f64,
}

/// What a job did on a device with one operation: each column has one element
/// per interval.
#[derive(Clone, Debug)]
pub struct Columns {
    /// The tag of its latencies.
    pub tag: String,
    /// The job's name: jobs with the same name count together.
    pub job: String,
    /// The device, likewise.
    pub device: String,
    /// The operation.
    pub op: String,
    /// Where intervals start, in seconds, rising.
    pub start_s: Vec<f64>,
    /// IOs that completed.
    pub ios: Vec<u64>,
    /// Their bytes.
    pub bytes: Vec<u64>,
    /// Their mean latencies in microseconds, for intervals of which no more is
    /// known.
    pub latency_mean_us: Vec<Option<f64>>,
    /// Where no more is known of latencies, of the whole run: shares of the IOs, and the
    /// latencies in microseconds that they do not exceed.
    pub percentiles: Vec<(f64, f64)>,
}

impl Recorded<'_> {
    /// The part of the run after the warm-up.
    ///
    /// # Errors
    /// A line that names the series whose columns differ in length or whose
    /// intervals do not rise.
    pub fn run(self) -> Result<Run, String> {
        let Self {
            latencies,
            warmup_s,
            duration_s,
            step_starts_s,
            steps,
            seed,
            ..
        } = self;
        let steps = steps.into_iter().map(|step| Step {
            bins: step_at(&step_starts_s, nanos(step.from_s))
                ..=step_at(&step_starts_s, nanos(step.to_s).saturating_sub(1)),
            job: step.job,
            load: step.load,
        });
        let steps = steps.collect();
        let series = self
            .series
            .into_iter()
            .map(|columns| columns.series(latencies, warmup_s, duration_s, &step_starts_s));
        Ok(Run {
            series: series.collect::<Result<_, _>>()?,
            steps,
            seed,
            by_step: false,
        })
    }
}

impl Columns {
    fn series(
        self,
        latencies: &Latencies,
        from_s: f64,
        to_s: f64,
        step_starts_s: &[f64],
    ) -> Result<Series, String> {
        let tag = self.tag;
        let lengths = [self.ios.len(), self.bytes.len(), self.latency_mean_us.len()];
        if lengths != [self.start_s.len(); 3] {
            return Err(format!("{tag}: columns of different lengths"));
        }
        let mut edges: Vec<_> = self.start_s.iter().map(|&start| nanos(start)).collect();
        if !edges.is_sorted_by(|a, b| a < b) {
            return Err(format!("{tag}: intervals that do not rise"));
        }
        edges.push(nanos(to_s).max(edges.last().copied().unwrap_or(0)));
        let latencies = latencies.between(&[tag], &edges);
        let counts = self.ios.into_iter().zip(self.bytes);
        let counts = counts.zip(self.latency_mean_us).zip(latencies);
        let bins = edges.windows(2).zip(counts);
        let bins = bins
            .filter(|(edges, _)| edges[0] >= nanos(from_s) && edges[1] > edges[0])
            .map(|(edges, (((ios, bytes), mean_us), latencies))| Bin {
                step: step_at(step_starts_s, edges[0]),
                length_s: (edges[1] - edges[0]) as f64 / 1e9,
                ios,
                bytes,
                timed: timed(&latencies, ios, mean_us),
                latencies,
            });
        Ok(Series {
            bins: bins.collect(),
            job: self.job,
            device: self.device,
            op: self.op,
            percentiles: self.percentiles,
        })
    }
}

fn nanos(seconds: f64) -> u64 {
    (seconds * 1e9).round() as u64
}

/// The number of the load step, of all jobs', at a time in nanoseconds.
fn step_at(starts_s: &[f64], at: u64) -> usize {
    starts_s.partition_point(|&start| nanos(start) <= at)
}

/// The number of IOs whose latency is known, and the sum of their latencies:
/// exact where all are known, otherwise from their mean.
fn timed(latencies: &Packed, ios: u64, mean_us: Option<f64>) -> (u64, f64) {
    match (latencies.count(), mean_us) {
        (0, Some(mean_us)) => (ios, ios as f64 * mean_us * 1e3),
        (count, _) => (count, count as f64 * latencies.mean()),
    }
}

#[cfg(test)]
mod tests {
    use blockyard_record::Histogram;

    use super::*;

    fn columns(start_s: &[f64]) -> Columns {
        let ios: Vec<_> = (1..).take(start_s.len()).collect();
        Columns {
            tag: "readers.data.read".to_owned(),
            job: "readers".to_owned(),
            device: "data".to_owned(),
            op: "read".to_owned(),
            start_s: start_s.to_vec(),
            bytes: ios.iter().map(|ios| ios * 512).collect(),
            latency_mean_us: vec![Some(0.5); start_s.len()],
            percentiles: vec![],
            ios,
        }
    }

    fn run(columns: Columns, latencies: &Latencies) -> Result<Run, String> {
        let recorded = Recorded {
            series: vec![columns],
            latencies,
            warmup_s: 1.0,
            duration_s: 3.5,
            step_starts_s: vec![0.0, 2.0],
            steps: vec![],
            seed: None,
        };
        recorded.run()
    }

    #[test]
    fn bins_after_the_warmup_have_the_latencies_of_their_time() {
        let mut log = Latencies::default();
        let packed = |value| {
            let mut histogram = Histogram::default();
            histogram.record(value);
            Packed::from(&histogram)
        };
        for (second, value) in [(0, 10), (1, 20), (3, 40)] {
            let (start, length) = (second * 1_000_000_000, 500_000_000);
            log.push("readers.data.read", start, length, packed(value));
            log.push("readers.data.write", start, length, packed(1));
        }
        let bins = run(columns(&[0.0, 1.0, 2.0, 3.0]), &log)
            .unwrap()
            .series
            .remove(0)
            .bins;
        let found: Vec<_> = bins
            .iter()
            .map(|bin| {
                (
                    bin.step,
                    bin.length_s,
                    bin.ios,
                    bin.bytes,
                    bin.latencies.max(),
                )
            })
            .collect();
        assert_eq!(
            found,
            [
                (1, 1.0, 2, 1024, 20),
                (2, 1.0, 3, 1536, 0),
                (2, 0.5, 4, 2048, 40)
            ]
        );
        let timed: Vec<_> = bins.iter().map(|bin| bin.timed).collect();
        assert_eq!(timed, [(1, 20.0), (3, 1500.0), (1, 40.0)]);
    }

    #[test]
    fn columns_that_are_none_are_refused() {
        let log = Latencies::default();
        let mut short = columns(&[0.0, 1.0]);
        short.ios.pop();
        assert_eq!(
            run(short, &log).unwrap_err(),
            "readers.data.read: columns of different lengths"
        );
        assert_eq!(
            run(columns(&[1.0, 1.0]), &log).unwrap_err(),
            "readers.data.read: intervals that do not rise"
        );
    }
}
