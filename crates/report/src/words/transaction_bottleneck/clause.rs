//! What a job's transactions came to, and what holds them, in a clause.

use blockyard_explain::{Bottleneck, Bound, Facts, Short};
use blockyard_record::result::{RunResult, TransactionStep, TransactionTotal};

use super::{bound_of, link, name, own_share};
use crate::text::format::{count, latency, rate};
use crate::words::clause::{Clause, LIMITED, THROTTLED, between};
use crate::words::network::link_effect;
use crate::words::phrases::{joined, share, wait};
use crate::words::run_bottleneck::nearest;

/// What a job was asked to do, by `threads` and, in an open loop, `per_s`, what it did, and its
/// bottleneck.
pub(crate) fn clause(
    result: &RunResult,
    facts: &Facts,
    job: &str,
    (threads, per_s): ((u64, u64), Option<(u64, u64)>),
    brief: bool,
) -> Clause {
    let total = result.transactions.iter().find(|total| total.job == job);
    let total = total.filter(|total| total.count > 0);
    let (Some(total), Some(bound)) = (total, bound_of(facts, job)) else {
        let text = format!("{} of {job} end no transaction", in_threads(threads));
        return Clause::new(job, text, (2, 1.0));
    };
    let ratio = if brief {
        String::new()
    } else {
        hit_ratio(total)
    };
    let (done, at) = done(total, brief);
    let (by, part) = held(result, facts, bound, brief);
    let held = |text, after| Clause {
        by,
        part,
        after,
        how: effect(facts, bound.by.as_ref()),
        ..Clause::new(job, text, suffers(bound))
    };
    let ratio = match total.held {
        0 => ratio,
        held => format!("; {} wait for other nodes at the end{ratio}", count(held)),
    };
    let Some((least, most)) = per_s else {
        let threads = in_threads(threads);
        let text = format!("{threads} of {job} do {done} transactions a second{at}");
        return held(text, ratio);
    };
    if let Some(short) = &bound.short {
        let waits = wait(short.wait_s, result);
        let after = match (total.refused, total.held) {
            (0, 0) => format!("; what came due last waits {waits}"),
            (0, held) => format!("; {} wait for other nodes at the end", count(held)),
            (refused, _) => format!("; {} were refused", count(refused)),
        };
        return held(too_few(job, short), after);
    }
    let due = between(least, most);
    let text = match most {
        1 => format!("the transaction a second due of {job} is done{at}"),
        _ => format!("all {due} transactions a second due of {job} are done{at}"),
    };
    if bound.by.is_some() {
        return held(text, ratio);
    }
    Clause {
        after: format!(", no limit reached{}", nearest(result, facts)),
        ..Clause::new(job, text, (0, 0.0))
    }
}

/// Whether a bottleneck throttles, as limits do, or limits otherwise.
fn effect(facts: &Facts, by: Option<&Bottleneck>) -> &'static str {
    match by {
        Some(Bottleneck::Limit { .. }) => THROTTLED,
        Some(Bottleneck::Link { place }) => link(facts, *place).map_or(LIMITED, link_effect),
        _ => LIMITED,
    }
}

/// The bottleneck of transactions, and what to add to it for a job that is alone.
fn held(result: &RunResult, facts: &Facts, bound: &Bound, brief: bool) -> (String, String) {
    let Some(by) = &bound.by else {
        return (String::new(), String::new());
    };
    let most = match (own_share(bound), bound.parts.first()) {
        (Some(own), _) => format!(": {} of their time", share(own)),
        (None, Some(longest)) => {
            let on = name(result, facts, &longest.by);
            format!(": {} of their time is {on}", share(longest.share))
        }
        (None, None) => String::new(),
    };
    let most = if brief { String::new() } else { most };
    (name(result, facts, by), most)
}

/// How badly off a job is: open loops that fall behind first.
fn suffers(bound: &Bound) -> (u8, f64) {
    match (&bound.short, own_share(bound)) {
        (Some(short), _) => (2, 1.0 - short.done_per_s / short.due_per_s),
        (None, Some(own)) => (1, own),
        (None, None) => (0, 0.0),
    }
}

fn too_few(job: &str, short: &Short) -> String {
    let (due, done) = (short.due_per_s, short.done_per_s);
    format!(
        "of {} transactions a second due of {job}, {} are done, {} too few",
        rate(due),
        rate(done),
        rate(due - done)
    )
}

/// Transactions a second, and ` at 192 ms (p99 640 ms)`: of load steps the ends.
fn done(total: &TransactionTotal, brief: bool) -> (String, String) {
    let steps = total.steps.iter().filter(|step| step.count > 0);
    let mut steps: Vec<_> = steps.collect();
    steps.sort_by_key(|step| load(step));
    if let [first, .., last] = steps[..] {
        let means = [first, last].map(|step| Some(latency(step.latency_us?.mean)));
        let at = match means {
            [Some(first), Some(last)] => joined(&first, &last),
            [Some(one), None] | [None, Some(one)] => one,
            [None, None] => String::new(),
        };
        return (
            joined(&rate(first.tps), &rate(last.tps)),
            format!(" at {at}"),
        );
    }
    let at = total.latency_us.map_or_else(String::new, |us| {
        let p99 = format!(" (p99 {})", latency(us.p99));
        let p99 = if brief { "" } else { &p99 };
        format!(" at {}{p99}", latency(us.mean))
    });
    (rate(total.tps), at)
}

/// How much a step offered, in threads or transactions a second.
fn load(step: &TransactionStep) -> u64 {
    let threads = step.threads.filter(|&threads| threads > 0);
    threads.or(step.rate).unwrap_or(0)
}

fn hit_ratio(total: &TransactionTotal) -> String {
    let engine = total.engine.as_ref();
    engine.map_or_else(String::new, |engine| {
        format!("; hit ratio {}", share(engine.hit_ratio))
    })
}

fn in_threads((least, most): (u64, u64)) -> String {
    let noun = if most == 1 { "thread" } else { "threads" };
    format!("{} {noun}", between(least, most))
}
