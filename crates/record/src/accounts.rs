//! Which limit held whose IOs, and who took the tokens meanwhile.

use std::collections::BTreeMap;

use blockyard_model::storage::{LimitId, LimitInfo};
use blockyard_model::units::Nanos;

use crate::figures::seconds;
use crate::limit_names;
use crate::plan::Plan;
use crate::result::{JobShare, LimitAccount};

/// An account for each limit.
#[derive(Clone, Debug)]
pub(crate) struct Accounts {
    limits: Vec<Account>,
}

#[derive(Clone, Debug)]
struct Account {
    ios: u64,
    held: Nanos,
    by_job: Vec<Nanos>,
    took: Vec<u64>,
}

impl Accounts {
    pub(crate) fn new(limits: usize, jobs: usize) -> Self {
        let account = Account {
            ios: 0,
            held: 0,
            by_job: vec![0; jobs],
            took: vec![0; jobs],
        };
        Self {
            limits: vec![account; limits],
        }
    }

    /// `limit` throttled `ios` IOs of `job`, for `held` in all.
    pub(crate) fn held(&mut self, limit: LimitId, job: usize, ios: u64, held: Nanos) {
        let account = &mut self.limits[limit.index()];
        account.ios += ios;
        account.held += held;
        account.by_job[job] += held;
    }

    /// Jobs took tokens of limits that made requests wait.
    pub(crate) fn took(&mut self, contended: &BTreeMap<(LimitId, u16), u64>) {
        for (&(limit, job), tokens) in contended {
            self.limits[limit.index()].took[usize::from(job)] += tokens;
        }
    }

    /// The limits that held anything, the one that held most first.
    pub(crate) fn limits(&self, plan: &Plan) -> Vec<LimitAccount> {
        let all: Nanos = self.limits.iter().map(|account| account.held).sum();
        let mut order: Vec<_> = self
            .limits
            .iter()
            .zip(plan.limits.iter())
            .filter(|(account, _)| account.held > 0)
            .collect();
        order.sort_by_key(|(account, _)| std::cmp::Reverse(account.held));
        let limit = |(account, (_, info)): (&Account, (LimitId, &LimitInfo))| {
            let taken: u64 = account.took.iter().sum();
            let job = |(index, job): (usize, &crate::plan::JobPlan)| JobShare {
                job: job.name.clone(),
                held_s: seconds(account.by_job[index]),
                took: if taken == 0 {
                    0.0
                } else {
                    account.took[index] as f64 / taken as f64
                },
            };
            LimitAccount {
                owner: limit_names::owner(info, &plan.volumes).to_owned(),
                limit: info.name.clone(),
                held_ios: account.ios,
                held_s: seconds(account.held),
                share: account.held as f64 / all as f64,
                jobs: plan.jobs.iter().enumerate().map(job).collect(),
            }
        };
        order.into_iter().map(limit).collect()
    }
}
