//! What was measured of the figures that goals name.

use blockyard_model::storage::Op;
use blockyard_scenario::goals::{self, Figure, Goal, Latency, Subject};
use blockyard_scenario::{Direction, RestsOn};

use crate::measure::by_second::SecondStats;
use crate::measure::series::SeriesStats;
use crate::measure::storage::network::Network;
use crate::measure::summary::Summary;
use crate::result::{GoalOutcome, LatencyUs, seconds};

/// The outcome of `goal`.
pub(crate) fn outcome(
    goal: &Goal,
    summary: &Summary,
    network: &Network,
    rests_on: &[RestsOn],
) -> GoalOutcome {
    let op = goal.op.map(operation);
    let by_second = summary.by_second(&goal.job, op, goal.step);
    let worst = by_second.and_then(SecondStats::worst);
    let measured = measured(&goal.subject(), summary, network);
    let verdict = goal.verdict(measured, worst.map(|worst| worst.t_s));
    GoalOutcome {
        goal: goal.text.clone(),
        met: verdict.met,
        measured: verdict.text,
        assumed: assumed(
            goal,
            |job, device, op| summary.has_io(job, device, op),
            rests_on,
        ),
    }
}

/// What was measured of a figure, in the unit of [`Goal::value`]; none where nothing was.
pub(crate) fn measured(subject: &Subject, summary: &Summary, network: &Network) -> Option<f64> {
    let op = subject.op.map(operation);
    match subject.figure {
        Figure::Done => summary.done_s(&subject.job),
        Figure::Unserved | Figure::LostBytes => of_mirrors(subject, summary, network),
        figure if figure.is_of_transactions() => of_transactions(subject, summary),
        figure => {
            let stats = summary.stats(&subject.job, op, subject.step);
            let by_second = summary.by_second(&subject.job, op, subject.step);
            of_ios(figure, &stats, by_second)
        }
    }
}

fn operation(op: goals::Op) -> Op {
    match op {
        goals::Op::Read => Op::Read,
        goals::Op::Write => Op::Write,
    }
}

/// What is assumed of the devices that a goal looks at, as far as its job had IO there.
///
/// Rates depend on latencies too: those of closed loops directly, those of open ones where
/// only so many may be in flight.
pub(crate) fn assumed(
    goal: &Goal,
    has_io: impl Fn(&str, &str, Op) -> bool,
    rests_on: &[RestsOn],
) -> Vec<String> {
    let op = goal.op.map(operation);
    let mut found = Vec::new();
    if goal.figure == Figure::Errors {
        return found;
    }
    for ground in rests_on {
        let its_op = match ground.op {
            Direction::Read => Op::Read,
            Direction::Write => Op::Write,
        };
        if op.is_none_or(|op| op == its_op) && has_io(&goal.job, &ground.device, its_op) {
            found.extend(ground.assumed());
        }
    }
    found.sort();
    found.dedup();
    found
}

/// A figure of the mirrors that a job is on; none of a job on none.
fn of_mirrors(subject: &Subject, summary: &Summary, network: &Network) -> Option<f64> {
    let mut jobs = summary.shape.jobs.iter();
    let job = jobs.position(|job| job.name == subject.job)?;
    let journal = network.journal(job);
    let figure = match subject.figure {
        Figure::Unserved => {
            let paused = journal.map(|it| it.longest_pause);
            return summary.unserved.of_job(job).max(paused).map(seconds);
        }
        _ => {
            let devices = network.lost(|device| summary.is_on(job, device));
            devices.max(journal.map(|it| it.lost))
        }
    };
    figure.map(|bytes| bytes as f64)
}

/// A figure of transactions in the unit of [`Goal::value`]; none where none ended that could
/// have a latency, or a step was not reached. Those that failed or were refused, or wait for an
/// engine that has stopped, never end: a latency that does not leave out so many is infinite.
fn of_transactions(subject: &Subject, summary: &Summary) -> Option<f64> {
    let mut jobs = summary.transactions.iter();
    let job = jobs.find(|own| own.job == subject.job)?;
    let (tps, latency_us) = match subject.step {
        None => (job.tps, job.latency_us),
        Some(step) => {
            let step = job.steps.iter().find(|own| own.step == step)?;
            (step.tps, step.latency_us)
        }
    };
    let undone = job.undone() as f64;
    let share = undone / (job.count as f64 + undone).max(1.0);
    match subject.figure {
        Figure::Transaction(statistic) if share > left_out(statistic) => Some(f64::INFINITY),
        Figure::Transaction(statistic) => latency_s(statistic, latency_us),
        Figure::Undone => Some(undone),
        Figure::Lost => Some(job.lost as f64),
        Figure::Outage => Some(job.outage_s),
        _ => Some(tps),
    }
}

/// The share of the longest latencies that a statistic leaves out.
fn left_out(statistic: Latency) -> f64 {
    match statistic {
        Latency::Mean | Latency::Max => 0.0,
        Latency::P50 => 0.5,
        Latency::P95 => 0.05,
        Latency::P99 => 0.01,
        Latency::P99_9 => 0.001,
    }
}

/// A figure of IO in the unit of [`Goal::value`]; none where there is no IO to have
/// a latency, or it is of transactions.
fn of_ios(figure: Figure, stats: &SeriesStats, by_second: Option<&SecondStats>) -> Option<f64> {
    match figure {
        Figure::Ios => Some(stats.latencies.count() as f64),
        Figure::Bytes => Some(stats.bytes as f64),
        Figure::Iops => Some(stats.iops()),
        Figure::MibPerS => Some(stats.mib_per_s()),
        Figure::Errors => Some(stats.errors as f64),
        Figure::Latency(statistic) => latency_s(statistic, LatencyUs::of(&stats.latencies)),
        Figure::WorstSecond(statistic) => {
            let worst = by_second.and_then(SecondStats::worst);
            latency_s(statistic, worst.map(|worst| worst.latency_us))
        }
        Figure::TimeAbove(latency) => by_second
            .filter(|seconds| seconds.worst().is_some())
            .and_then(|seconds| seconds.above(latency)),
        Figure::Tps
        | Figure::Transaction(_)
        | Figure::Undone
        | Figure::Lost
        | Figure::Outage
        | Figure::Unserved
        | Figure::LostBytes
        | Figure::Done => None,
    }
}

fn latency_s(statistic: Latency, latency_us: Option<LatencyUs>) -> Option<f64> {
    let us = latency_us?;
    Some(
        1e-6 * match statistic {
            Latency::Mean => us.mean,
            Latency::P50 => us.p50,
            Latency::P95 => us.p95,
            Latency::P99 => us.p99,
            Latency::P99_9 => us.p99_9,
            Latency::Max => us.max,
        },
    )
}
