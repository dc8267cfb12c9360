//! Facts that jobs reported of themselves, in the form of the result.

use std::ops::Range;

use blockyard_model::storage::LinkWait;
use blockyard_model::units::Nanos;
use blockyard_model::workload::{Cycle, Fact};

use crate::measure::amounts::Amounts;
use crate::measure::counters::InFlight;
use crate::measure::engine::transactions::Transactions;
use crate::measure::logs::latency_log::LatencyLog;
use crate::measure::observer::TransactionRow;
use crate::measure::series_steps::SeriesSteps;
use crate::measure::shape::RunShape;
use crate::result::{self, seconds};

/// The facts of a run's jobs.
#[derive(Debug)]
pub(crate) struct Facts {
    amounts: Amounts,
    /// Write-daemon cycles, each with the number of its job.
    cycles: Vec<(usize, Cycle)>,
    /// Of the jobs that do any.
    transactions: Vec<Transactions>,
}

impl Facts {
    /// Nothing yet of the jobs of `shape`.
    pub(crate) fn new(shape: &RunShape) -> Self {
        let jobs = shape.jobs.iter().enumerate();
        let transactions =
            jobs.filter_map(|(job, own)| Transactions::of(job, own, shape.warmup, shape.duration));
        Self {
            amounts: Amounts::new(shape),
            cycles: Vec::new(),
            transactions: transactions.collect(),
        }
    }

    /// Job number `job` told `fact`; of one job in their order in time.
    pub(crate) fn add(&mut self, job: usize, fact: Fact) {
        match fact {
            Fact::Through(at) => self.amounts.through(job, at),
            Fact::Cycle(cycle) => self.cycles.push((job, cycle)),
            Fact::Transaction(it) => self.transactions_of(job, |own| own.ended(&it)),
            Fact::Failed(at, count) => self.transactions_of(job, |own| own.failed(at, count)),
            Fact::Refused(at, count) => self.transactions_of(job, |own| own.refused(at, count)),
            Fact::Membership(change) => self.transactions_of(job, |own| own.membership(change)),
            Fact::Stopped(stop) => self.transactions_of(job, |own| own.stopped(stop)),
            Fact::Engine(counts) => self.transactions_of(job, |own| own.engine(counts)),
            Fact::Group(counts) => self.transactions_of(job, |own| own.group(counts)),
            Fact::Node(counts) => self.transactions_of(job, |own| own.node(counts)),
        }
    }

    /// What jobs have to do in all.
    pub(crate) fn amounts(&self) -> &Amounts {
        &self.amounts
    }

    /// Whether any job is an engine that does transactions.
    pub(crate) fn has_engines(&self) -> bool {
        !self.transactions.is_empty()
    }

    /// An IO of job number `job` completed, which events held for `in_events`.
    pub(crate) fn io(&mut self, job: usize, now: Nanos, io: &InFlight, in_events: Nanos) {
        self.transactions_of(job, |own| own.io(now, io, in_events));
    }

    /// A link held IO of an engine, or of another job.
    pub(crate) fn held_by_link(&mut self, wait: &LinkWait) {
        self.transactions_of(usize::from(wait.job), |own| own.held_by_link(wait));
    }

    fn transactions_of(&mut self, job: usize, then: impl FnOnce(&mut Transactions)) {
        let own = self.transactions.iter_mut().find(|it| it.job() == job);
        own.map(then);
    }

    /// The rows of the interval of this begin and end; latencies go to `log`, if there is one.
    pub(crate) fn end_interval(
        &mut self,
        span: Range<Nanos>,
        mut log: Option<&mut LatencyLog>,
    ) -> Vec<TransactionRow> {
        let jobs = self.transactions.iter_mut();
        jobs.map(|job| job.end_interval(span.clone(), log.as_deref_mut()))
            .collect()
    }

    /// The transactions of a run that got to `reached`, load step by load step.
    pub(crate) fn by_step(&self, reached: Nanos, shape: &RunShape) -> Vec<SeriesSteps> {
        let jobs = self.transactions.iter();
        jobs.map(|job| job.by_step(reached, shape.duration))
            .collect()
    }

    /// Changes of the groups of engines, as events.
    pub(crate) fn events(&self, shape: &RunShape) -> Vec<result::Event> {
        let jobs = self.transactions.iter();
        jobs.flat_map(|job| job.events(shape)).collect()
    }

    /// The transactions of a run that got to `reached`.
    pub(crate) fn transactions(
        &mut self,
        reached: Nanos,
        shape: &RunShape,
    ) -> Vec<result::TransactionTotal> {
        let jobs = self.transactions.drain(..);
        jobs.map(|job| job.total(reached, shape)).collect()
    }

    /// The write-daemon cycles: those that ended in one period job by job, so
    /// that their order is not up to threads that run several.
    pub(crate) fn cycles(mut self, shape: &RunShape) -> Vec<result::Cycle> {
        let period = shape.period();
        let key = |&(job, cycle): &(usize, Cycle)| -> (Nanos, usize) { (cycle.end / period, job) };
        self.cycles.sort_by_key(key);
        let named = |(job, cycle): (usize, Cycle)| in_result(shape.jobs[job].name.clone(), cycle);
        self.cycles.into_iter().map(named).collect()
    }
}

fn in_result(job: String, cycle: Cycle) -> result::Cycle {
    result::Cycle {
        job,
        start_s: seconds(cycle.start),
        listed_s: seconds(cycle.listed),
        wij_done_s: seconds(cycle.wij_done),
        journal_done_s: seconds(cycle.journal_done),
        database_done_s: seconds(cycle.database_done),
        end_s: seconds(cycle.end),
        blocks: cycle.blocks,
        wij_bytes: cycle.wij_bytes,
        database_ios: cycle.database_ios,
        database_bytes: cycle.database_bytes,
    }
}

#[cfg(test)]
mod tests {
    use blockyard_model::storage::Limits;
    use blockyard_model::units::{MILLISECOND, SECOND};

    use super::*;
    use crate::measure::shape::JobShape;

    fn shape() -> RunShape {
        let job = |name: &str| JobShape {
            name: name.into(),
            steps: Vec::new(),
            open_loop: false,
            recorded: None,
            latency_limit: None,
            amount: None,
            engine: None,
        };
        RunShape {
            interval: 10 * SECOND,
            warmup: 0,
            duration: 20 * SECOND,
            jobs: vec![job("a"), job("b")],
            devices: Vec::new(),
            hosts: Vec::new(),
            volumes: Vec::new(),
            limits: Limits::default(),
            series: Vec::new(),
        }
    }

    #[test]
    fn cycles_of_one_second_stand_job_by_job() {
        let mut facts = Facts::new(&shape());
        for (job, end) in [
            (1, 300),
            (0, 700),
            (1, 900),
            (1, 1000),
            (0, 1999),
            (1, 2000),
        ] {
            let cycle = Cycle {
                end: end * MILLISECOND,
                ..Cycle::default()
            };
            facts.add(job, Fact::Cycle(cycle));
        }
        let cycles = facts.cycles(&shape());
        let order: Vec<_> = cycles.iter().map(|c| (c.job.as_str(), c.end_s)).collect();
        let expected = [
            ("a", 0.7),
            ("b", 0.3),
            ("b", 0.9),
            ("a", 1.999),
            ("b", 1.0),
            ("b", 2.0),
        ];
        assert_eq!(order, expected);
    }
}
