//! What a volume or a host served, period by period.

use alloc::collections::{BTreeMap, VecDeque};
use alloc::vec;
use alloc::vec::Vec;

use crate::gate::{Cause, Gate};
use crate::limit::Limit;
use crate::units::{Bytes, Nanos};

/// Counts what one gate granted in each period of a fixed length.
///
/// A reservation grants in the future, so a few periods are open at once.
/// Grants of a gate never go back in time: an IO belongs to the newest period
/// or opens a newer one. Two gates would go back and forth, so each has a
/// meter of its own, and [`Counted::add`] brings them together.
#[derive(Clone, Debug)]
pub(crate) struct Meter {
    period: Nanos,
    causes: usize,
    /// The period of the last grant.
    newest: Option<Open>,
    /// Periods before it that were not taken yet.
    older: VecDeque<Open>,
}

#[derive(Clone, Debug)]
struct Open {
    index: u64,
    end: Nanos,
    counted: Counted,
    /// The credit limits as they were before the period's first charge, which
    /// tells their balance at any time before it.
    credits: Vec<(Cause, Limit)>,
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
    /// Tokens that a job took of a limit while it made requests wait.
    pub contended: BTreeMap<(Cause, u16), u64>,
    /// Credit balances at the period's end, in percent, by cause.
    pub balances: BTreeMap<Cause, f64>,
}

impl Counted {
    /// Adds what another gate of the same level granted in the same period.
    pub(crate) fn add(&mut self, other: Self) {
        self.ios += other.ios;
        self.bytes += other.bytes;
        for (held, more) in self.held.iter_mut().zip(other.held) {
            *held += more;
        }
        for (who, tokens) in other.contended {
            *self.contended.entry(who).or_default() += tokens;
        }
        self.balances.extend(other.balances);
    }
}

impl Meter {
    /// A meter whose IOs can be held by `causes` limits.
    pub(crate) fn new(period: Nanos, causes: usize) -> Self {
        Self {
            period,
            causes,
            newest: None,
            older: VecDeque::new(),
        }
    }

    /// Counts an IO that `gate` granted at `at`.
    #[inline]
    pub(crate) fn count(&mut self, at: Nanos, ios: u64, bytes: Bytes, gate: &Gate) {
        let newest = match &mut self.newest {
            Some(newest) if at < newest.end => newest,
            _ => self.open(at, before_last_charge(gate)),
        };
        newest.counted.ios += ios;
        newest.counted.bytes += bytes;
    }

    /// Notes that cause number `cause` held the IO counted last for `held`.
    pub(crate) fn hold(&mut self, cause: usize, held: Nanos) {
        if let Some(newest) = &mut self.newest {
            newest.counted.held[cause] += held;
        }
    }

    /// Notes what the IO counted last, of `job`, took of limits that made it
    /// wait.
    pub(crate) fn contend(&mut self, job: u16, contention: &[(Cause, u64)]) {
        if let Some(newest) = &mut self.newest {
            for &(cause, tokens) in contention {
                *newest.counted.contended.entry((cause, job)).or_default() += tokens;
            }
        }
    }

    #[cold]
    fn open(&mut self, at: Nanos, credits: Vec<(Cause, Limit)>) -> &mut Open {
        self.older.extend(self.newest.take());
        let index = at / self.period;
        let counted = Counted {
            held: vec![0; self.causes],
            ..Counted::default()
        };
        let end = (index + 1) * self.period;
        self.newest.insert(Open {
            index,
            end,
            counted,
            credits,
        })
    }

    /// What was granted in period `index`, which has ended; periods must be
    /// taken in order. `gate` is the one that is counted.
    pub(crate) fn take(&mut self, index: u64, gate: &Gate) -> Counted {
        let oldest = if self.older.is_empty() {
            self.newest.take_if(|open| open.index == index)
        } else {
            let due = self.older.front().is_some_and(|open| open.index == index);
            if due { self.older.pop_front() } else { None }
        };
        let nothing = || Counted {
            held: vec![0; self.causes],
            ..Counted::default()
        };
        let mut counted = oldest.map_or_else(nothing, |open| open.counted);
        let end = (index + 1) * self.period;
        let balance = |(cause, limit): (Cause, &Limit)| (cause, limit.balance_pct(end));
        counted.balances = match self.older.front().or(self.newest.as_ref()) {
            Some(later) => {
                let credits = later.credits.iter();
                credits
                    .map(|(cause, limit)| balance((*cause, limit)))
                    .collect()
            }
            None => gate.credits().map(balance).collect(),
        };
        counted
    }
}

#[cold]
fn before_last_charge(gate: &Gate) -> Vec<(Cause, Limit)> {
    let credits = gate.credits();
    credits
        .map(|(cause, limit)| (cause, limit.before_last_charge()))
        .collect()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::gate::Cost;
    use crate::spec::{Applies, LimitSpec, Unit};
    use crate::units::SECOND;

    /// A gate of one limit of 1,000 IOPS with a balance of 2,000.
    fn gate() -> Gate {
        let spec = LimitSpec {
            name: "iops_credits".into(),
            unit: Unit::Io,
            applies: Applies::Both,
            rate: 1000,
            depth: 2000,
            level: 2000,
            credits: true,
        };
        Gate::new(core::iter::once((0, &spec)))
    }

    #[test]
    fn a_reservation_counts_in_the_period_of_its_grant() {
        let (mut gate, mut meter) = (gate(), Meter::new(SECOND, 1));
        // 4,500 IOs asked for at once: 2,000 go, the rest follow at the rate.
        for _ in 0..4500 {
            let grant = gate.pass(
                0,
                &Cost {
                    ios: 1,
                    bytes: 512,
                    write: false,
                    job: 0,
                },
            );
            meter.count(grant.at, 1, 512, &gate);
            meter.hold(0, grant.at);
        }
        let served: Vec<_> = (0..4).map(|second| meter.take(second, &gate)).collect();
        let ios: Vec<_> = served.iter().map(|counted| counted.ios).collect();
        // The grant at the very second belongs to the next.
        assert_eq!(ios, [2999, 1000, 501, 0]);
        assert_eq!(served[0].bytes, 2999 * 512);
        assert_eq!(served[1].held[0], (1000..2000).sum::<u64>() * SECOND / 1000);
        // Balances are as of each period's end, whatever is reserved beyond it.
        let balances: Vec<_> = served.iter().map(|counted| counted.balances[&0]).collect();
        assert_eq!(balances, [0.05, 0.05, 25.0, 75.0]);
    }
}
