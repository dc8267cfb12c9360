//! What jobs had to do in all, and when they had done it.

use blockyard_record::result::{AmountTotal, RunResult, Status};

use super::phrases::share;
use crate::text::format::{duration, number, size};

/// Of each job with an amount when it had done it, or how far it came.
pub(crate) fn done(result: &RunResult) -> Vec<String> {
    let amounts = result.amounts.iter();
    amounts.map(|amount| done_of(result, amount)).collect()
}

fn done_of(result: &RunResult, amount: &AmountTotal) -> String {
    let (job, of) = (&amount.job, size(amount.bytes));
    let at = format!("at {} MiB/s", number(amount.mib_per_s));
    if let Some(done_s) = amount.done_s {
        return format!("{job}: {of} done after {}, {at}", duration(done_s));
    }
    // After a device failed, or stands still, more time may not help.
    let goes_on = result.status == Status::Complete && result.events.is_empty();
    let advice = if goes_on {
        "; a longer `duration` shows when it is"
    } else {
        ""
    };
    let after = duration(result.duration_s);
    format!(
        "{job}: not done after {after}: {} of {of}, {at}{advice}",
        part(amount)
    )
}

/// How far a job came, behind what it got; nothing of one that goes on.
pub(crate) fn end_of(result: &RunResult, job: &str) -> String {
    let Some(amount) = result.amounts.iter().find(|amount| amount.job == job) else {
        return String::new();
    };
    match amount.done_s {
        Some(done_s) => format!(", done after {}", duration(done_s)),
        None => format!(", with {} of {} done", part(amount), size(amount.bytes)),
    }
}

/// The share of an amount that is done.
fn part(amount: &AmountTotal) -> String {
    share(amount.done_bytes as f64 / amount.bytes as f64)
}
