//! The changes that are tried, each beside the layout as it is.

use std::collections::VecDeque;
use std::sync::Arc;

use blockyard_experiment::{Answer, Answered, Base, Edit, Error, Lab, Opened, Study, Variant};

use super::change::{Change, Proposal};
use super::judged::Judged;
use super::now::Now;
use super::order::{Worth, worth};
use super::{Brought, Row};
use crate::bill::Bills;
use crate::sustained::lasts_s;

/// The study of changes, one at a time.
pub(super) struct Trying<'a> {
    pub(super) base: &'a Arc<Base>,
    pub(super) now: &'a Now,
    /// The job whose gain counts, if one is named.
    pub(super) only: Option<&'a str>,
    /// With how many seeds to simulate each change.
    pub(super) seeds: u32,
    pub(super) bills: &'a Bills,
    /// Whether nothing saved up is there to live on.
    pub(super) sustained: bool,
    /// What is still to be simulated.
    pub(super) waiting: VecDeque<Tried>,
    /// What is simulated.
    pub(super) batch: Vec<Tried>,
    /// What is known.
    pub(super) rows: Vec<Row>,
}

/// A change that the catalog allows, and the scenario with it.
pub(super) struct Tried {
    proposal: Proposal,
    opened: Opened,
}

impl Study for Trying<'_> {
    fn next(&mut self, answers: Vec<Answered>, lab: &mut Lab<'_>) -> Result<Vec<Variant>, Error> {
        let mut answers = answers.into_iter();
        for tried in std::mem::take(&mut self.batch) {
            let own: Vec<_> = answers.by_ref().take(self.seeds as usize).collect();
            let took = own.iter().flatten().map(|answer| answer.work().ios);
            lab.budget.spend(took.sum());
            let own = own.into_iter().collect();
            let row = self.row(tried, own)?;
            lab.tried(row.sets.join(" "));
            self.rows.push(row);
        }
        let some = self.waiting.len().min(lab.width());
        self.batch = self.waiting.drain(..some).collect();
        let variants = self.batch.iter().map(|tried| &tried.proposal);
        let variants = variants.flat_map(|proposal| self.variant(proposal).by_seed(self.seeds));
        Ok(variants.collect())
    }
}

impl Trying<'_> {
    /// Queues what the catalog allows, up to the most changes.
    pub(super) fn queue(&mut self, proposals: Vec<Proposal>, affordable: u64) {
        for proposal in proposals {
            let row = match self.bought(&proposal) {
                Ok(opened) if (self.waiting.len() as u64) < affordable => {
                    self.waiting.push_back(Tried { proposal, opened });
                    continue;
                }
                Ok(_) => unsimulated(proposal, Worth::Untried, None),
                Err(refused) => unsimulated(proposal, Worth::Refused, Some(refused)),
            };
            self.rows.push(row);
        }
    }

    fn variant(&self, proposal: &Proposal) -> Variant {
        Variant::of(self.base).with(proposal.edits.clone())
    }

    /// The scenario with a change, if the catalog allows it.
    fn bought(&self, proposal: &Proposal) -> Result<Opened, String> {
        if let Change::Instance { from, to: None, .. } = &proposal.change {
            return Err(format!("{from} is the largest of its family"));
        }
        self.variant(proposal).open().map_err(|error| match error {
            Error::Scenario(error) if !error.path().is_empty() => {
                format!("{}: {}", error.path(), error.message())
            }
            Error::Scenario(error) => error.message().to_owned(),
            other => other.to_string(),
        })
    }

    fn row(&self, tried: Tried, answers: Result<Vec<Answer>, Error>) -> Result<Row, Error> {
        let Tried { proposal, opened } = tried;
        let answers = match answers {
            Ok(answers) => answers,
            Err(error) => {
                return Ok(unsimulated(
                    proposal,
                    Worth::Refused,
                    Some(error.to_string()),
                ));
            }
        };
        let judged = Judged::of(self.now, &answers);
        let bill = self.bills.bill(&opened);
        let both = bill.as_ref().ok().zip(self.now.bill.as_ref());
        let dollars = both.map(|(then, now)| then.per_month.dollars() - now.per_month.dollars());
        let own = |name: &&str| judged.jobs.iter().find(|job| job.came.job == **name);
        let told = self.only.as_ref().and_then(own);
        let told = told.or_else(|| judged.told(&self.now.leads));
        let (Some(told), Some(first)) = (told, answers.first()) else {
            return Ok(unsimulated(proposal, Worth::Untried, None));
        };
        let facts = first.facts()?;
        let paid = dollars.filter(|dollars| *dollars > 0.0 && told.better > 0.0 && !told.chance);
        Ok(Row {
            sets: Edit::overrides(&proposal.edits),
            change: proposal.change,
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
                seeds: answers.len() as u64,
                lasts_s: lasts_s(&facts).filter(|_| !self.sustained),
            }),
        })
    }
}

fn unsimulated(proposal: Proposal, worth: Worth, refused: Option<String>) -> Row {
    Row {
        sets: Edit::overrides(&proposal.edits),
        change: proposal.change,
        worth,
        came: None,
        refused,
        dollars: None,
        no_price: None,
        per_dollar: None,
    }
}
