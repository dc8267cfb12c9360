//! What may be simulated without being asked for: a number of IOs, so that an answer depends on no
//! clock and is the same on any machine.

use blockyard_model::workload::spec::{JobSpec, Start};
use blockyard_record::result::{RunResult, TransactionTotal};
use blockyard_scenario::schema::Scenario;

/// For the seeds beside a run's own, and for both sides of a comparison: some seconds on a
/// processor.
pub const FOR_SEEDS: u64 = 8_000_000;

/// For what a report says would help: some seconds on two processors.
pub const FOR_ADVICE: u64 = 20_000_000;

/// For a question that somebody waits for an answer to, a largest load or the changes of a layout:
/// about a minute on a processor.
pub const FOR_QUESTION: u64 = 300_000_000;

/// For the simulation of one layout of a plan with one seed, of some thirty: p99 rests on 2,000 of
/// them.
pub const FOR_PROOF: u64 = 200_000;

/// What an interval of a run by interval takes.
const IOS_PER_INTERVAL: f64 = 30.0;

/// A warm pool is filled by so many accesses for each of its frames, of which no more are kept.
const ACCESSES_PER_FRAME: u64 = 16;
const MOST_FRAMES: u64 = 1 << 16;

/// What a simulation takes. An access to a page takes about as long as an IO, and most need none.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Work {
    /// IOs and accesses to pages, with those of the warm-up.
    pub ios: u64,
    /// Whether there are accesses to pages among them.
    pub accesses: bool,
    /// Accesses before the run that fill the pools of its engines.
    pub filling: u64,
}

impl Work {
    /// What a run took.
    #[must_use]
    pub fn of(result: &RunResult, scenario: &Scenario) -> Self {
        if let Some(interval_s) = result.by_interval_s {
            return Self::by_interval(result.duration_s / interval_s);
        }
        let ios: u64 = result.totals.iter().map(|total| total.ios).sum();
        let accesses: f64 = result.transactions.iter().map(accesses).sum();
        let counted = ios + accesses as u64;
        let (warmup, whole) = (scenario.warmup.nanos(), scenario.duration.nanos());
        let measured = whole.saturating_sub(warmup).max(1);
        Self {
            ios: (counted as f64 * whole as f64 / measured as f64) as u64,
            accesses: accesses > 0.0,
            filling: 0,
        }
    }

    /// What a run by interval took: an interval takes about as long as so many IOs.
    fn by_interval(intervals: f64) -> Self {
        Self {
            ios: (intervals * IOS_PER_INTERVAL) as u64,
            accesses: false,
            filling: 0,
        }
    }

    /// The same with what fills the pools of the engines of `jobs`, each node's.
    #[must_use]
    pub(crate) fn with_pools(self, jobs: &[JobSpec]) -> Self {
        let filling = jobs.iter().map(filling).sum();
        Self { filling, ..self }
    }

    /// All of it: where many runs are short, pools that are filled for each take most of the time.
    #[must_use]
    pub fn whole(self) -> u64 {
        self.ios + self.filling
    }

    /// What is counted, in words.
    #[must_use]
    pub fn unit(self) -> &'static str {
        match self.accesses {
            true => "IOs and accesses to pages",
            false => "IOs",
        }
    }
}

/// Accesses that fill the warm pools of a job's nodes.
fn filling(job: &JobSpec) -> u64 {
    let warm = job.transactions().filter(|own| own.start == Start::Warm);
    warm.map_or(0, |engine| {
        let others = engine.group.iter().flat_map(|group| &group.nodes);
        let nodes = 1 + others.count() as u64;
        nodes * engine.pool.min(MOST_FRAMES) * ACCESSES_PER_FRAME
    })
}

/// How many pages transactions accessed.
fn accesses(total: &TransactionTotal) -> f64 {
    let each = total.engine.as_ref();
    each.map_or(0.0, |it| it.accesses_per_transaction * total.count as f64)
}

/// IOs that may be simulated, and those that were.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Budget {
    most: u64,
    spent: u64,
}

impl Budget {
    /// Of `most` IOs.
    #[must_use]
    pub fn of(most: u64) -> Self {
        Self { most, spent: 0 }
    }

    /// How many may be simulated in all.
    #[must_use]
    pub fn most(&self) -> u64 {
        self.most
    }

    /// How many were simulated.
    #[must_use]
    pub fn spent(&self) -> u64 {
        self.spent
    }

    /// How many are left.
    #[must_use]
    pub fn left(&self) -> u64 {
        self.most.saturating_sub(self.spent)
    }

    /// How many runs of `each` IOs are affordable.
    #[must_use]
    pub fn affords(&self, each: u64) -> u64 {
        self.left() / each.max(1)
    }

    /// Takes what was simulated off it.
    pub fn spend(&mut self, ios: u64) {
        self.spent = self.spent.saturating_add(ios);
    }
}
