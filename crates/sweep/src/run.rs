//! A part of a sweep's runs, carried out: the same on a thread here and on a machine elsewhere.

use std::panic::{AssertUnwindSafe, catch_unwind};

use blockyard_catalog::{Catalog, PriceFile, Term, Unknown};
use blockyard_cost::{Bill, Pace, Terms};
use blockyard_experiment::{Opened, ScenarioText};
use blockyard_record::result::{LimitTotal, Status};
use blockyard_record::{Detail, Histogram, Observer, Packed, SeriesSteps};
use blockyard_simulate::{Options, Simulated};
use serde::{Deserialize, Serialize};

use crate::figures::Column;

/// A text and what errors call it.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Text {
    /// The text.
    pub text: String,
    /// Its name.
    pub name: String,
}

/// By which prices a run's layout is priced.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Prices {
    /// The region; by default the scenario's.
    pub region: Option<String>,
    /// How instances are paid for.
    pub term: Option<String>,
    /// The user's own prices.
    pub file: Option<Text>,
}

impl Prices {
    /// The user's own prices, read.
    pub(crate) fn own(&self) -> Result<Option<PriceFile>, String> {
        let catalog = Catalog::get().map_err(|error| error.to_string())?;
        let file = self.file.as_ref();
        let file = file.map(|file| PriceFile::parse(catalog, &file.text, &file.name));
        file.transpose().map_err(|error| error.to_string())
    }

    /// On which terms bills are made out.
    pub(crate) fn terms<'a>(&'a self, own: Option<&'a PriceFile>) -> Result<Terms<'a>, String> {
        let term = self.term.as_deref().map(str::parse).transpose();
        let term: Option<Term> = term.map_err(|error: Unknown| error.to_string())?;
        Ok(Terms {
            region: self.region.as_deref(),
            term: term.unwrap_or_default(),
            prices: own,
            ..Terms::default()
        })
    }
}

/// What is asked of every run of a sweep.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Asked {
    /// Figures, in full.
    pub figures: Vec<String>,
    /// The column of each.
    pub columns: Vec<Column>,
    /// Goals, in full.
    pub goals: Vec<String>,
    /// Prices.
    pub prices: Prices,
}

/// Runs to carry out, with all that takes.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Work {
    /// What is asked of each.
    pub asked: Asked,
    /// The scenarios that they vary.
    pub bases: Vec<Text>,
    /// The runs; those of a combination follow each other.
    pub runs: Vec<Run>,
}

/// A run to carry out.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Run {
    /// Its number in the sweep.
    pub number: u64,
    /// What identifies it.
    pub key: String,
    /// The scenario that it varies, among the bases.
    pub base: usize,
    /// The overrides.
    pub sets: Vec<String>,
    /// Its seed.
    pub seed: u64,
}

/// What a run gave.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Row {
    /// Its number in the sweep.
    pub number: u64,
    /// What identifies it.
    pub key: String,
    /// Why it failed, in one line; none if it did not.
    pub error: Option<String>,
    /// The figures that were asked for, in the units of their [`Column`]s; none of what nothing
    /// was measured of.
    pub figures: Vec<Option<f64>>,
    /// Whether it met each goal; empty if it failed.
    pub goals: Vec<bool>,
    /// What its hosts and storage cost, in dollars a month; none where a price is not known.
    pub per_month: Option<f64>,
    /// By limit: the share of the time that all limits throttled IOs.
    pub shares: Vec<(String, f64)>,
    /// IOs that were measured.
    pub ios: u64,
    /// IOs that failed, which are none of these.
    pub io_errors: u64,
    /// Its latencies.
    pub latencies: Vec<Latencies>,
}

/// The latencies of a job's IOs with one operation, on all its devices.
#[derive(Clone, Debug, PartialEq)]
pub struct Latencies {
    /// The job.
    pub job: String,
    /// `read`, `write`, `flush`, `trim` or `transaction`.
    pub op: String,
    /// How often which latency was measured.
    pub counts: Packed,
}

/// Carries out the runs of `work`, one after another, until `stopped`: the rows of those that were
/// done by then, in their order. A run that fails is a row with its error.
///
/// # Errors
/// A line, for prices or a catalog that cannot be read.
pub fn simulate(work: &Work, stopped: &dyn Fn() -> bool) -> Result<Vec<Row>, String> {
    let file = work.asked.prices.own()?;
    let terms = work.asked.prices.terms(file.as_ref())?;
    let mut rows = Vec::with_capacity(work.runs.len());
    let mut last: Option<(&Run, Result<Opened, String>)> = None;
    for run in &work.runs {
        if stopped() {
            break;
        }
        // Seeds of a combination share what was read.
        let known = last
            .take()
            .filter(|(of, _)| of.base == run.base && of.sets == run.sets);
        let (_, opened) = last.insert(known.unwrap_or_else(|| (run, open(work, run))));
        let row = match opened {
            Ok(opened) => of_run(run, opened.clone(), &work.asked, &terms, stopped),
            Err(error) => Some(failed(run, error.clone())),
        };
        // None of a run that was stopped within.
        rows.extend(row);
    }
    Ok(rows)
}

/// The rows of runs that could not be carried out, each with why, in one line.
#[must_use]
pub fn failures(work: &Work, error: &str) -> Vec<Row> {
    let line: String = error.lines().next().unwrap_or("no reason was given").into();
    let runs = work.runs.iter();
    runs.map(|run| failed(run, line.clone())).collect()
}

fn open(work: &Work, run: &Run) -> Result<Opened, String> {
    let base = work.bases.get(run.base).ok_or("no such base")?;
    let text = ScenarioText {
        text: base.text.clone(),
        file_name: base.name.clone(),
        sets: run.sets.clone(),
    };
    let opened = text.open().map_err(|error| error.to_string())?;
    opened
        .can_be_simulated()
        .map_err(|error| error.to_string())?;
    Ok(opened)
}

fn failed(run: &Run, error: String) -> Row {
    Row {
        number: run.number,
        key: run.key.clone(),
        error: Some(error),
        ..Row::default()
    }
}

/// The row of a run; none if it was stopped before its end.
fn of_run(
    run: &Run,
    opened: Opened,
    asked: &Asked,
    terms: &Terms<'_>,
    stopped: &dyn Fn() -> bool,
) -> Option<Row> {
    let opened = opened.seeded(run.seed);
    // A fault of the model in one run must not take the others with it.
    let simulated = catch_unwind(AssertUnwindSafe(|| {
        let subjects = asked.figures.iter().map(|text| opened.loaded.subject(text));
        let options = Options {
            detail: Detail::Totals,
            figures: subjects.collect::<Result<_, _>>()?,
            ..Options::default()
        };
        let simulated = opened.simulate_in_full(options, &mut Watched(stopped));
        simulated.map_err(|error| error.to_string())
    }));
    match simulated {
        _ if stopped() => None,
        Ok(Ok(simulated)) => {
            let mut row = of_result(simulated, &opened, terms);
            (row.number, row.key) = (run.number, run.key.clone());
            for (figure, column) in row.figures.iter_mut().zip(&asked.columns) {
                *figure = figure.map(|value| column.of_goals(value));
            }
            Some(row)
        }
        Ok(Err(error)) => Some(failed(run, error)),
        Err(_) => Some(failed(
            run,
            "the simulation has a fault: it panicked".to_owned(),
        )),
    }
}

fn of_result(simulated: Simulated, opened: &Opened, terms: &Terms<'_>) -> Row {
    let Simulated {
        result,
        by_step,
        figures,
    } = simulated;
    debug_assert_eq!(result.status, Status::Complete);
    let scenario = opened.scenario();
    let pace = Pace::of(&result, scenario.warmup.nanos() as f64 / 1e9);
    let bill = Bill::of(scenario, &opened.resolved, terms, Some(&pace));
    Row {
        figures,
        goals: result.goals.iter().map(|goal| goal.met).collect(),
        per_month: bill.ok().map(|bill| bill.per_month.dollars()),
        shares: shares(&result.limits),
        ios: result.totals.iter().map(|total| total.ios).sum(),
        io_errors: result.totals.iter().map(|total| total.errors).sum(),
        latencies: latencies(&by_step),
        ..Row::default()
    }
}

/// The limits that throttled IOs, each with its share.
fn shares(limits: &[LimitTotal]) -> Vec<(String, f64)> {
    let throttling = limits.iter().filter(|limit| limit.share > 0.0);
    let named = throttling.map(|limit| (format!("{}.{}", limit.owner, limit.limit), limit.share));
    named.collect()
}

/// Those of each job and operation, over devices and load steps.
fn latencies(by_step: &[SeriesSteps]) -> Vec<Latencies> {
    let mut found: Vec<(&str, &str, Histogram)> = Vec::new();
    for series in by_step {
        let of = |(job, op, _): &(&str, &str, _)| (*job, *op) == (&*series.job, &*series.op);
        let place = found.iter().position(of).unwrap_or_else(|| {
            found.push((&series.job, &series.op, Histogram::default()));
            found.len() - 1
        });
        for step in &series.steps {
            found[place].2.merge_packed(&step.latencies);
        }
    }
    let some = found
        .into_iter()
        .filter(|(_, _, counts)| counts.count() > 0);
    let packed = some.map(|(job, op, counts)| Latencies {
        job: job.to_owned(),
        op: op.to_owned(),
        counts: Packed::from(&counts),
    });
    packed.collect()
}

/// Records nothing of a run, and ends it when it is told to.
struct Watched<'a>(&'a dyn Fn() -> bool);

impl Observer for Watched<'_> {
    fn stopped(&mut self) -> bool {
        (self.0)()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const GP3: &str = "{name: gp3, duration: 2s, storage: {data: {type: gp3, size: 100GiB}}, \
        workload: {readers: {kind: ranread, on: data, file_size: 80GiB, processes: 4}}}";

    fn work(runs: &[(&str, u64)]) -> Work {
        let run = |(number, (set, seed)): (usize, &(&str, u64))| Run {
            number: number as u64,
            key: format!("{set} {seed}"),
            base: 0,
            sets: vec![(*set).to_owned()],
            seed: *seed,
        };
        Work {
            asked: Asked {
                figures: vec!["readers.latency.p99".into(), "readers.iops".into()],
                columns: [("readers.latency.p99_us", 1e6), ("readers.iops", 1.0)]
                    .map(|(name, factor)| Column {
                        name: name.into(),
                        factor,
                    })
                    .into(),
                goals: Vec::new(),
                prices: Prices::default(),
            },
            bases: vec![Text {
                text: GP3.into(),
                name: "gp3.yaml".into(),
            }],
            runs: runs.iter().enumerate().map(run).collect(),
        }
    }

    #[test]
    fn a_run_is_the_same_alone_and_among_others() {
        let runs = [
            ("storage.data.iops=4000", 1),
            ("storage.data.iops=4000", 2),
            ("storage.data.iops=3000", 1),
        ];
        let together = simulate(&work(&runs), &|| false).unwrap();
        for (number, run) in runs.iter().enumerate() {
            let alone = simulate(&work(&[*run]), &|| false).unwrap().remove(0);
            let number = number as u64;
            assert_eq!(Row { number, ..alone }, together[number as usize]);
        }
        // Different seeds differ, and so do other limits.
        assert_ne!(together[0].latencies, together[1].latencies);
        assert!(together[0].per_month > together[2].per_month);
        let p99 = together[0].figures[0].unwrap();
        let kept = together[0].latencies[0].counts.quantiles(&[0.99])[0] as f64 / 1e3;
        assert!((p99 - kept).abs() < 1e-6, "{p99} {kept}");
    }

    #[test]
    fn a_run_that_fails_is_a_row_and_the_rest_goes_on() {
        let runs = [("storage.data.iops=99", 1), ("storage.data.iops=3000", 1)];
        let rows = simulate(&work(&runs), &|| false).unwrap();
        assert!(
            rows[0]
                .error
                .as_ref()
                .unwrap()
                .contains("storage.data.iops")
        );
        assert_eq!((&rows[1].error, rows[1].figures.len()), (&None, 2));
    }

    #[test]
    fn what_is_stopped_is_no_row() {
        let runs = [("storage.data.iops=3000", 1), ("storage.data.iops=3000", 2)];
        let asked = std::cell::Cell::new(0);
        let stopped = || {
            asked.set(asked.get() + 1);
            asked.get() > 3
        };
        assert!(simulate(&work(&runs), &stopped).unwrap().len() < 2);
    }
}
