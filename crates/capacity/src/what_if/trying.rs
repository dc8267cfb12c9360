//! The changes that are tried, each beside the layout as it is.

use std::collections::{HashSet, VecDeque};
use std::sync::Arc;

use blockyard_cost::Pace;
use blockyard_experiment::{
    Answer, Answered, Base, Edit, Error, Lab, Opened, Study, Variant, VariantId,
};
use blockyard_explain::Facts;
use blockyard_record::result::RunResult;

use super::change::{Layout, Least, Proposal, proposals};
use super::gives_up::{gives_up, headroom};
use super::judged::Judged;
use super::need::Need;
use super::now::{Now, pace};
use super::order::{Kept, Worth, worth};
use super::{Brought, Row};
use crate::bill::Bills;
use crate::sustained::lasts_s;

/// The study of changes: each by itself first, then some of them together.
pub(super) struct Trying<'a> {
    pub(super) base: &'a Arc<Base>,
    pub(super) now: &'a Now,
    /// What the load takes of the layout as it is.
    pub(super) need: &'a Need,
    /// The job whose gain counts, if one is named.
    pub(super) only: Option<&'a str>,
    pub(super) least: Least,
    /// With how many seeds to simulate each change.
    pub(super) seeds: u32,
    pub(super) bills: &'a Bills,
    /// What an hour of an instance costs.
    pub(super) price: &'a dyn Fn(&str) -> Option<f64>,
    /// Whether nothing saved up is there to live on.
    pub(super) sustained: bool,
    /// What is still to be simulated.
    pub(super) waiting: VecDeque<Tried>,
    /// What is simulated.
    pub(super) batch: Vec<Tried>,
    /// What was simulated, with as many changes at once as there are being tried.
    pub(super) level: Vec<Done>,
    /// How many changes at once are being tried.
    pub(super) depth: usize,
    /// The layouts that were tried.
    pub(super) seen: HashSet<VariantId>,
    /// How many changes were simulated: by themselves, and together.
    pub(super) counts: (u64, u64),
    /// What is known.
    pub(super) rows: Vec<Row>,
}

/// A change that the catalog allows, and the scenario with it.
pub(super) struct Tried {
    pub(super) proposal: Proposal,
    pub(super) opened: Opened,
    /// Dollars a month more than the layout as it is, before its own traffic is known; or why there
    /// is no price.
    pub(super) dollars: Result<f64, String>,
}

/// A change that was simulated, with what more can be made of it.
pub(super) struct Done {
    pub(super) proposal: Proposal,
    pub(super) opened: Opened,
    pub(super) facts: Facts,
    pub(super) result: RunResult,
    /// What it did, for as much work as the layout as it is.
    pub(super) pace: Pace,
    pub(super) row: Row,
}

impl Study for Trying<'_> {
    fn next(&mut self, answers: Vec<Answered>, lab: &mut Lab<'_>) -> Result<Vec<Variant>, Error> {
        let mut answers = answers.into_iter();
        for tried in std::mem::take(&mut self.batch) {
            let own: Vec<_> = answers.by_ref().take(self.seeds as usize).collect();
            let took = own.iter().flatten().map(|answer| answer.work().whole());
            lab.budget.spend(took.sum());
            let own = own.into_iter().collect();
            self.keep(tried, own, lab)?;
        }
        if self.waiting.is_empty() {
            self.combine(lab);
        }
        let some = self.waiting.len().min(lab.width());
        self.batch = self.waiting.drain(..some).collect();
        let variants = self.batch.iter().map(|tried| &tried.proposal);
        let variants = variants.flat_map(|proposal| self.variant(proposal).by_seed(self.seeds));
        Ok(variants.collect())
    }
}

impl Trying<'_> {
    /// All changes of a layout.
    pub(super) fn proposals(
        &self,
        opened: &Opened,
        facts: &Facts,
        result: &RunResult,
    ) -> Vec<Proposal> {
        proposals(Layout {
            scenario: opened.scenario(),
            resolved: &opened.resolved,
            facts,
            result,
            need: self.need,
            least: self.least,
            price: self.price,
        })
    }

    /// Queues what the catalog allows, up to the most changes.
    pub(super) fn queue(&mut self, proposals: Vec<Proposal>, affordable: u64) {
        for proposal in proposals {
            let row = match self.bought(&proposal, &self.now.pace) {
                Ok(tried) if proposal.saves && !tried.is_cheaper() => continue,
                Ok(tried) if (self.waiting.len() as u64) < affordable => {
                    self.seen.extend(self.variant(&proposal).id().ok());
                    self.waiting.push_back(tried);
                    continue;
                }
                Ok(_) => unsimulated(proposal, Worth::Untried, None),
                Err(_) if proposal.saves => continue,
                Err(refused) => unsimulated(proposal, Worth::Refused, Some(refused)),
            };
            self.rows.push(row);
        }
    }

    pub(super) fn variant(&self, proposal: &Proposal) -> Variant {
        Variant::of(self.base).with(proposal.edits.clone())
    }

    /// The scenario with a change, if the catalog allows it, and what it costs at this pace.
    pub(super) fn bought(&self, proposal: &Proposal, pace: &Pace) -> Result<Tried, String> {
        let opened = self.variant(proposal).open().map_err(|error| match error {
            Error::Scenario(error) if !error.path().is_empty() => {
                format!("{}: {}", error.path(), error.message())
            }
            Error::Scenario(error) => error.message().to_owned(),
            other => other.to_string(),
        });
        let opened = match (&proposal.refused, opened) {
            (Some(refused), _) => return Err(refused.clone()),
            (None, opened) => opened?,
        };
        Ok(Tried {
            proposal: proposal.clone(),
            dollars: self.more(&opened, pace),
            opened,
        })
    }

    /// Dollars a month more than the layout as it is, at this pace.
    fn more(&self, opened: &Opened, pace: &Pace) -> Result<f64, String> {
        match (self.bills.bill(opened, pace), &self.now.bill) {
            (Ok(then), Some(now)) => Ok(then.per_month.dollars() - now.per_month.dollars()),
            (Err(error), _) => Err(error),
            (Ok(_), None) => Err(self.now.no_price.clone().unwrap_or_default()),
        }
    }

    /// Keeps what a change brings.
    fn keep(
        &mut self,
        tried: Tried,
        answers: Result<Vec<Answer>, Error>,
        lab: &mut Lab<'_>,
    ) -> Result<(), Error> {
        let refused = match answers {
            Ok(answers) if !answers.is_empty() => {
                let done = self.done(tried, &answers)?;
                let together = !done.row.also.is_empty();
                self.counts.0 += u64::from(!together);
                self.counts.1 += u64::from(together);
                lab.tried(done.row.sets.join(" "));
                self.level.push(done);
                return Ok(());
            }
            Ok(_) => None,
            Err(error) => Some(error.to_string()),
        };
        let row = unsimulated(tried.proposal, Worth::Refused, refused);
        lab.tried(row.sets.join(" "));
        self.rows.push(row);
        Ok(())
    }

    fn done(&self, tried: Tried, answers: &[Answer]) -> Result<Done, Error> {
        let judged = Judged::of(self.now, answers);
        let own = |name: &&str| judged.jobs.iter().find(|job| job.came.job == **name);
        let told = self.only.as_ref().and_then(own);
        let told = told.or_else(|| judged.told(&self.now.leads));
        let (Some(told), Some(first)) = (told, answers.first()) else {
            return Err(Error::Input("no job to judge a change by".to_owned()));
        };
        let pace = pace(first).for_work_of(&self.now.pace);
        let dollars = self.more(&tried.opened, &pace);
        let Tried {
            proposal, opened, ..
        } = tried;
        let facts = first.facts()?;
        let lasts_s = lasts_s(&facts).filter(|_| !self.sustained);
        let gives_up = gives_up(
            self.base.opened(),
            self.now,
            &proposal.changes,
            first,
            &judged,
        );
        let kept = Kept {
            goals: judged.keeps_goals(self.now),
            all: gives_up.is_empty(),
            lasting: self.now.lasts_as_long(lasts_s),
        };
        let known = dollars.as_ref().ok().copied();
        let paid = known.filter(|dollars| *dollars > 0.0 && told.better > 0.0 && !told.chance);
        let (change, also) = proposal.changes.clone().split();
        let row = Row {
            sets: Edit::overrides(&proposal.edits),
            change,
            also,
            worth: worth(&judged, self.only, known, kept),
            refused: None,
            dollars: known,
            no_price: dollars.err().filter(|_| self.now.no_price.is_none()),
            per_dollar: paid.map(|dollars| told.better / dollars),
            gives_up,
            came: Some(Brought {
                job: told.came.job.clone(),
                gain: told.gain,
                headroom: headroom(first, &facts),
                seeds: answers.len() as u64,
                lasts_s,
                jobs: judged.jobs,
                goals: judged.goals,
            }),
        };
        Ok(Done {
            proposal,
            opened,
            facts,
            result: first.result.clone(),
            pace,
            row,
        })
    }
}

impl Tried {
    pub(super) fn is_cheaper(&self) -> bool {
        self.dollars.as_ref().is_ok_and(|dollars| *dollars < 0.0)
    }
}

fn unsimulated(proposal: Proposal, worth: Worth, refused: Option<String>) -> Row {
    let (change, also) = proposal.changes.split();
    Row {
        sets: Edit::overrides(&proposal.edits),
        change,
        also,
        worth,
        came: None,
        refused,
        dollars: None,
        no_price: None,
        per_dollar: None,
        gives_up: Vec::new(),
    }
}
