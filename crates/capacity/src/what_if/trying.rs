//! The changes that are tried, each beside the layout as it is.

use blockyard_scenario::Loaded;
use blockyard_scenario::schema::Scenario;

use super::change::{Change, Proposal};
use super::now::{Now, of_job};
use super::order::{Worth, worth};
use super::{Brought, Row};
use crate::bill::Bills;
use crate::figures::{came, ios};
use crate::for_good::lasts_s;
use crate::runs::{Case, Error, FEWEST, Ran, Runs, Tried, Watch};

/// Changes that are tried.
pub(super) struct Trying<'a> {
    pub(super) runs: &'a Runs<'a>,
    pub(super) now: &'a Now,
    /// The measured figure as it is, seed by seed.
    pub(super) before: Vec<f64>,
    /// With how many of these seeds to simulate each change.
    pub(super) seeds: u64,
    pub(super) bills: &'a Bills,
    pub(super) scenario: &'a Scenario,
    /// Whether nothing saved up is there to live on.
    pub(super) for_good: bool,
}

impl Trying<'_> {
    pub(super) fn all(
        &mut self,
        proposals: Vec<Proposal>,
        affordable: u64,
        took: &mut u64,
        most_ios: u64,
        watch: &mut dyn Watch,
    ) -> Result<Option<Vec<Row>>, Error> {
        let mut rows = Vec::new();
        let mut waiting = Vec::new();
        for proposal in proposals {
            match self.bought(&proposal) {
                Err(refused) => rows.push(unsimulated(proposal, Worth::Refused, Some(refused))),
                Ok(_) if waiting.len() as u64 >= affordable => {
                    rows.push(unsimulated(proposal, Worth::Untried, None));
                }
                Ok(loaded) => waiting.push((proposal, loaded)),
            }
        }
        while !waiting.is_empty() {
            let some = waiting.len().min(self.runs.threads);
            let some: Vec<_> = waiting.drain(..some).collect();
            let case = |(proposal, _): &(Proposal, Loaded)| Case {
                sets: proposal.sets.clone(),
                seeds: self.seeds,
            };
            let cases: Vec<_> = some.iter().map(case).collect();
            let Some(found) = self.runs.all(&cases, &mut || watch.stopped())? else {
                return Ok(None);
            };
            for ((proposal, loaded), ran) in some.into_iter().zip(found) {
                rows.push(self.row(proposal, &loaded, ran, took)?);
                watch.tried(&Tried {
                    last: rows
                        .last()
                        .map_or_else(String::new, |row| row.sets.join(" ")),
                    ios: *took,
                    most_ios,
                });
            }
        }
        Ok(Some(rows))
    }

    /// The scenario with a change, if the catalog allows it.
    fn bought(&self, proposal: &Proposal) -> Result<Loaded, String> {
        if let Change::Instance { from, to: None, .. } = &proposal.change {
            return Err(format!("{from} is the largest of its family"));
        }
        let said = |error: blockyard_scenario::Error| match error.path() {
            "" => error.message().to_owned(),
            path => format!("{path}: {}", error.message()),
        };
        let loaded = self.runs.load(&proposal.sets).map_err(said)?;
        loaded.resolve().map_err(said)?;
        Ok(loaded)
    }

    /// What a change brings, from the measured figure seed by seed.
    fn gained(&self, after: &[f64]) -> Gained {
        let measure = self.now.measure;
        let pairs = || self.before.iter().zip(after);
        let each = || pairs().map(|(before, after)| measure.better(*before, *after));
        let count = pairs().count().max(1) as f64;
        let better = each().sum::<f64>() / count;
        let before = pairs().map(|(before, _)| before).sum::<f64>() / count;
        let within = |(least, most): (f64, f64)| (least..=most).contains(&after[0]);
        Gained {
            better,
            gain: if before > 0.0 { better / before } else { 0.0 },
            chance: match after.len() as u64 >= FEWEST {
                true => better != 0.0 && each().any(|each| each * better <= 0.0),
                false => self.now.chance.is_some_and(within),
            },
        }
    }

    fn row(
        &self,
        proposal: Proposal,
        loaded: &Loaded,
        ran: Ran,
        took: &mut u64,
    ) -> Result<Row, Error> {
        let results = match ran {
            Ok(results) if !results.is_empty() => results,
            Ok(_) => return Ok(unsimulated(proposal, Worth::Untried, None)),
            Err(error) => return Ok(unsimulated(proposal, Worth::Refused, Some(error))),
        };
        *took += results
            .iter()
            .map(|result| ios(self.scenario, result))
            .sum::<u64>();
        let jobs = came(self.scenario, &results[0]);
        let facts = self.runs.facts(&proposal.sets, &results[0])?;
        let own = of_job(jobs.clone(), &self.now.came.job);
        let after: Vec<_> = results
            .iter()
            .map(|result| self.now.measured(self.scenario, result))
            .collect();
        let Gained {
            better,
            gain,
            chance,
        } = self.gained(&after);
        let bill = self.bills.bill(loaded);
        let both = bill.as_ref().ok().zip(self.now.bill.as_ref());
        let dollars = both.map(|(then, now)| then.per_month.dollars() - now.per_month.dollars());
        let paid = dollars.filter(|dollars| *dollars > 0.0 && better > 0.0 && !chance);
        Ok(Row {
            change: proposal.change,
            sets: proposal.sets,
            worth: worth(gain, chance, dollars),
            came: Some(Brought {
                came: own,
                jobs,
                seeds: after.len() as u64,
                gain,
                chance,
                lasts_s: lasts_s(&facts).filter(|_| !self.for_good),
            }),
            refused: None,
            dollars,
            no_price: bill.err().filter(|_| self.now.no_price.is_none()),
            per_dollar: paid.map(|dollars| better / dollars),
        })
    }
}

fn unsimulated(proposal: Proposal, worth: Worth, refused: Option<String>) -> Row {
    Row {
        change: proposal.change,
        sets: proposal.sets,
        worth,
        came: None,
        refused,
        dollars: None,
        no_price: None,
        per_dollar: None,
    }
}

/// What a change brings, as a mean over seeds.
struct Gained {
    /// How much better the measured figure is, in its own unit.
    better: f64,
    /// The share that this is.
    gain: f64,
    /// Whether that may be chance.
    chance: bool,
}
