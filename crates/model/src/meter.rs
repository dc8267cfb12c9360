//! What a volume or a host served, period by period.

use alloc::collections::VecDeque;
use alloc::vec;
use alloc::vec::Vec;

use crate::limit::Limit;
use crate::units::{Bytes, Nanos};

/// Counts what was granted in each period of a fixed length.
///
/// A reservation grants in the future, so a few periods are open at once.
/// Grants of one gate never go back in time: an IO belongs to the newest
/// period or opens a newer one.
#[derive(Clone, Debug)]
pub(crate) struct Meter {
    period: Nanos,
    causes: usize,
    open: VecDeque<Open>,
}

#[derive(Clone, Debug)]
struct Open {
    index: u64,
    end: Nanos,
    counted: Counted,
    /// The credit limits as they were before the period's first charge, which
    /// tells their balance at any time before it.
    credits: Vec<Limit>,
}

/// What was served in one period.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Counted {
    /// IOs as counted against limits: split and merged.
    pub ios: u64,
    /// Bytes moved.
    pub bytes: Bytes,
    /// Time that each cause held IOs: the host's limits first, then the
    /// volume's own, in the order of [`crate::storage::Storage::causes`].
    pub held: Vec<Nanos>,
    /// Credit balances at the period's end, in percent.
    pub balances: Vec<f64>,
}

impl Meter {
    /// A meter whose IOs can be held by `causes` limits.
    pub(crate) fn new(period: Nanos, causes: usize) -> Self {
        Self { period, causes, open: VecDeque::new() }
    }

    /// Counts an IO granted at `at`, before it is charged; `credits` are the
    /// level's credit limits.
    #[inline]
    pub(crate) fn count<'a, C>(&mut self, at: Nanos, ios: u64, bytes: Bytes, credits: impl Fn() -> C)
    where
        C: Iterator<Item = &'a Limit>,
    {
        if self.open.back().is_none_or(|newest| at >= newest.end) {
            self.open(at, credits().cloned().collect());
        }
        if let Some(newest) = self.open.back_mut() {
            newest.counted.ios += ios;
            newest.counted.bytes += bytes;
        }
    }

    /// Notes that cause number `cause` held the IO counted last for `held`.
    pub(crate) fn hold(&mut self, cause: usize, held: Nanos) {
        if let Some(newest) = self.open.back_mut() {
            newest.counted.held[cause] += held;
        }
    }

    #[cold]
    fn open(&mut self, at: Nanos, credits: Vec<Limit>) {
        let index = at / self.period;
        let counted = Counted { held: vec![0; self.causes], ..Counted::default() };
        self.open.push_back(Open { index, end: (index + 1) * self.period, counted, credits });
    }

    /// What was granted in period `index`, which has ended; periods must be
    /// taken in order. `credits` are the level's credit limits as of now.
    pub(crate) fn take<'a>(
        &mut self,
        index: u64,
        credits: impl Iterator<Item = &'a Limit>,
    ) -> Counted {
        let mut counted = match self.open.front() {
            Some(front) if front.index == index => self.open.pop_front().map(|open| open.counted),
            _ => None,
        }
        .unwrap_or_else(|| Counted { held: vec![0; self.causes], ..Counted::default() });
        let end = (index + 1) * self.period;
        counted.balances = match self.open.front() {
            Some(later) => later.credits.iter().map(|limit| limit.balance_pct(end)).collect(),
            None => credits.map(|limit| limit.balance_pct(end)).collect(),
        };
        counted
    }
}
