//! Transactions: how many a second and how long they take, over time and against IOPS.

mod spread;

use self::spread::spread;
use super::axes::{latency, time};
use super::histograms::over_time;
use super::history::{HAIR, History, history};
use super::overlay::common_bin_s;
use super::percentiles::{grid, quantile_ms};
use super::series::movers;
use super::spans::spans;
use crate::Run;
use crate::figure::{Axis, Curve, Curves, DASHES, Figure, Lines, Plot, Series};
use crate::text::format::{capital, clock, duration};

/// More points than this lie on top of each other.
const MOST_POINTS: f64 = 1000.0;

/// A job that does transactions.
pub(crate) fn needs(run: &Run) -> bool {
    !run.tables.transactions.t_s.is_empty()
}

/// Job by job of one run; of several each over all its jobs, but for the spread.
pub(crate) fn figures(runs: &[&Run], bin_s: f64) -> Vec<Figure> {
    let (parts, interval_s, whose) = match runs {
        [] => return Vec::new(),
        [run] => {
            let parts = jobs(run).into_iter().map(|job| Part {
                label: job,
                run,
                jobs: vec![job],
            });
            (parts.collect(), run.interval_s, "")
        }
        _ => {
            let parts = runs.iter().map(|run| Part {
                label: &run.name,
                run,
                jobs: jobs(run),
            });
            let width = common_bin_s(runs, bin_s);
            (parts.collect(), width, "Each run over all its jobs: ")
        }
    };
    let drawn = Drawn { runs, parts, whose };
    let mut figures = vec![
        drawn.rates(interval_s),
        drawn.p99(common_bin_s(runs, bin_s)),
    ];
    figures.extend(spread(runs));
    figures.push(drawn.against_iops());
    figures
}

fn jobs(run: &Run) -> Vec<&str> {
    let totals = run.result.transactions.iter();
    totals.map(|total| total.job.as_str()).collect()
}

/// What a line is of: jobs of a run.
struct Part<'a> {
    label: &'a str,
    run: &'a Run,
    jobs: Vec<&'a str>,
}

impl Part<'_> {
    /// Where the latencies of its transactions are.
    fn tags(&self) -> Vec<String> {
        let jobs = self.jobs.iter();
        jobs.map(|job| format!("{job}.transaction")).collect()
    }

    /// How many ended a second in each bin of a history.
    fn per_second(&self, found: &History<'_>, width: f64) -> Vec<f64> {
        let rows = &self.run.tables.transactions;
        let mut ended = vec![0; found.at.len()];
        let counts = rows.t_s.iter().zip(&rows.job.index).zip(&rows.count);
        for ((t_s, &job), count) in counts {
            let bin = ended.get_mut((t_s / width + HAIR).floor() as usize);
            if let Some(bin) = bin
                && self.jobs.contains(&rows.job.names[job].as_str())
            {
                *bin += count;
            }
        }
        let lengths_s = found.lengths_s.iter();
        let rates = ended.into_iter().zip(lengths_s);
        rates.map(|(count, length)| count as f64 / length).collect()
    }

    /// IOPS and transactions a second in each bin after the warm-up; IOPS are those of its jobs.
    fn points(&self, width: f64) -> Vec<(f64, f64, String)> {
        let found = history(self.run, width);
        let mut keys = movers(self.run);
        keys.retain(|key| self.jobs.contains(&key.job));
        let iops = found.rates(&keys, |bin| bin.ios as f64);
        let tps = self.per_second(&found, width);
        let bins = found.at.iter().zip(iops).zip(tps);
        let later = bins.filter(|((at, _), _)| **at >= self.run.warmup_s);
        later
            .filter_map(|((at, iops), tps)| Some((iops?, tps, clock(*at))))
            .collect()
    }
}

/// The parts of runs that are drawn, and how captions begin.
struct Drawn<'a> {
    runs: &'a [&'a Run],
    parts: Vec<Part<'a>>,
    whose: &'a str,
}

impl Drawn<'_> {
    fn said(&self, what: &str) -> String {
        if self.whose.is_empty() {
            capital(what)
        } else {
            format!("{}{what}", self.whose)
        }
    }

    /// Over time, at which rate transactions ended.
    fn rates(&self, width: f64) -> Figure {
        let found = self.parts.iter().map(|part| {
            let history = history(part.run, width);
            let values = part.per_second(&history, width);
            (history.at, values.into_iter().map(Some).collect())
        });
        let (places, values): (Vec<_>, Vec<Vec<_>>) = found.unzip();
        let longest = |longest: Vec<f64>, next: Vec<f64>| {
            if next.len() > longest.len() {
                next
            } else {
                longest
            }
        };
        let at = places.into_iter().reduce(longest).unwrap_or_default();
        let title = "Transactions a second";
        let caption = format!("transactions that ended, in means of {}.", duration(width));
        let tps = Axis::new("TPS", "TPS");
        self.over_time("tps", (title, self.said(&caption)), tps, at, values)
    }

    /// Over time, how long the slowest of a hundred transactions took.
    fn p99(&self, width: f64) -> Figure {
        let at = grid(self.runs, width);
        let values = self.parts.iter().map(|part| {
            let bins = over_time(&part.run.latencies, &part.tags(), width);
            quantile_ms(&bins, &at, 0.99)
        });
        let values = values.collect();
        let title = "p99 of transactions";
        let caption = format!(
            "{}99th percentile of the transactions that ended within each {}.",
            self.whose,
            duration(width)
        );
        self.over_time("transaction-p99", (title, caption), latency(), at, values)
    }

    /// A line for each part.
    fn over_time(
        &self,
        name: &str,
        (title, caption): (&str, String),
        y: Axis,
        at: Vec<f64>,
        values: Vec<Vec<Option<f64>>>,
    ) -> Figure {
        let lines = self.parts.iter().zip(values).enumerate();
        let series = lines.map(|(place, (part, mut values))| {
            values.resize(at.len(), None);
            let dash = DASHES[place % DASHES.len()];
            Series::new(part.label, values, Some(place), dash)
        });
        Figure {
            name: name.to_owned(),
            title: title.to_owned(),
            caption,
            plot: Plot::Lines(Lines {
                x: time(),
                y,
                series: series.collect(),
                at,
                levels: Vec::new(),
                spans: spans(self.runs),
            }),
            group: "transactions".to_owned(),
        }
    }

    /// A point for each bin after the warm-up.
    fn against_iops(&self) -> Figure {
        let width = self.width_of_points();
        let parts = self.parts.iter().enumerate();
        let clouds = parts
            .map(|(place, part)| Curve::new(part.label, part.points(width), Some(place)).cloud());
        let what = format!(
            "a point for each {} after the warm-up; IOPS are those of the same jobs.",
            duration(width)
        );
        Figure {
            name: "tps-iops".to_owned(),
            title: "Transactions a second against IOPS".to_owned(),
            caption: self.said(&what),
            plot: Plot::Curves(Curves {
                x: Axis::new("IOPS", "IOPS"),
                y: Axis::new("TPS", "TPS"),
                curves: clouds.collect(),
                levels: Vec::new(),
            }),
            group: String::new(),
        }
    }

    /// Whole intervals of the longest run, long enough that it has no more points than can be told
    /// apart.
    fn width_of_points(&self) -> f64 {
        let longest = |longest: &Part<'_>, next: &Part<'_>| {
            next.run.result.duration_s > longest.run.result.duration_s
        };
        let parts = self.parts.iter();
        let Some(part) = parts.reduce(|one, next| if longest(one, next) { next } else { one })
        else {
            return common_bin_s(self.runs, 0.0);
        };
        let Run {
            interval_s, result, ..
        } = part.run;
        let least_s = common_bin_s(self.runs, result.duration_s / MOST_POINTS);
        interval_s * (least_s / interval_s - HAIR).ceil()
    }
}
