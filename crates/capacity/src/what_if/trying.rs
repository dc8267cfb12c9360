//! The changes that are tried, each beside the layout as it is.

use blockyard_scenario::Loaded;
use blockyard_scenario::schema::Scenario;

use super::change::{Change, Proposal};
use super::judged::Judged;
use super::now::Now;
use super::order::{Worth, worth};
use super::{Brought, Row};
use crate::bill::Bills;
use crate::figures::ios;
use crate::for_good::lasts_s;
use crate::runs::{Case, Error, Ran, Runs, Tried, Watch};

/// Changes that are tried.
pub(super) struct Trying<'a> {
    pub(super) runs: &'a Runs<'a>,
    pub(super) now: &'a Now,
    /// The job whose gain counts, if one is named.
    pub(super) only: Option<&'a str>,
    /// With how many seeds to simulate each change.
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
        let facts = self.runs.facts(&proposal.sets, &results[0])?;
        let judged = Judged::of(self.now, self.scenario, &results);
        let bill = self.bills.bill(loaded);
        let both = bill.as_ref().ok().zip(self.now.bill.as_ref());
        let dollars = both.map(|(then, now)| then.per_month.dollars() - now.per_month.dollars());
        let own = |name: &&str| judged.jobs.iter().find(|job| job.came.job == **name);
        let told = self.only.as_ref().and_then(own);
        let Some(told) = told.or_else(|| judged.told(&self.now.leads)) else {
            return Ok(unsimulated(proposal, Worth::Untried, None));
        };
        let paid = dollars.filter(|dollars| *dollars > 0.0 && told.better > 0.0 && !told.chance);
        Ok(Row {
            change: proposal.change,
            sets: proposal.sets,
            worth: worth(&judged, self.only, dollars),
            refused: None,
            dollars,
            no_price: bill.err().filter(|_| self.now.no_price.is_none()),
            per_dollar: paid.map(|dollars| told.better / dollars),
            came: Some(Brought {
                job: told.came.job.clone(),
                gain: told.gain,
                jobs: judged.jobs,
                goals: judged.goals,
                seeds: results.len() as u64,
                lasts_s: lasts_s(&facts).filter(|_| !self.for_good),
            }),
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
