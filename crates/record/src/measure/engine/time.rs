//! What the time of transactions was spent on.

use blockyard_model::units::{Nanos, SECOND};
use blockyard_model::workload::{TransactionWait, Waits};

use crate::result::{SpentOn, TimeSpent};

/// What the time of `count` transactions, or write sets, was spent on, the longest first.
pub(crate) fn time_spent(waits: &Waits, count: u64) -> Vec<TimeSpent> {
    let sum: Nanos = TransactionWait::ALL.map(|wait| waits.of(wait)).iter().sum();
    let spent = |wait: TransactionWait| {
        let time = waits.of(wait);
        TimeSpent {
            on: spent_on(wait),
            ms: time as f64 / 1e6 / count as f64,
            share: time as f64 / sum as f64,
        }
    };
    let some = TransactionWait::ALL.into_iter();
    let mut time: Vec<_> = some.filter(|&it| waits.of(it) > 0).map(spent).collect();
    time.sort_by(|a, b| b.share.total_cmp(&a.share));
    time
}

fn spent_on(wait: TransactionWait) -> SpentOn {
    match wait {
        TransactionWait::Thread => SpentOn::Thread,
        TransactionWait::Core => SpentOn::Core,
        TransactionWait::Pause => SpentOn::Pause,
        TransactionWait::Work => SpentOn::Cpu,
        TransactionWait::Room => SpentOn::FreePage,
        TransactionWait::Read => SpentOn::PageRead,
        TransactionWait::LogSpace => SpentOn::LogSpace,
        TransactionWait::Commit => SpentOn::Commit,
        TransactionWait::Replication => SpentOn::Replication,
        TransactionWait::FlowControl => SpentOn::FlowControl,
    }
}

pub(crate) fn per_second(count: u64, time: Nanos) -> f64 {
    match time {
        0 => 0.0,
        time => count as f64 * SECOND as f64 / time as f64,
    }
}
