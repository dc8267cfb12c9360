//! A finished run in the form of the result that every mode writes.

use blockyard_model::storage::Op;
use blockyard_record::result::{self, GoalOutcome, RunResult, Status, Tool};
use blockyard_record::{Account, Measured};
use blockyard_scenario::goals::{self, Figure, Goal, Latency};
use blockyard_scenario::schema::Scenario;
use blockyard_scenario::{Resolved, ResolvedLimit};

use crate::simulation::Finished;

/// The result of `scenario`.
pub(crate) fn result(scenario: &Scenario, resolved: &Resolved, finished: Finished) -> RunResult {
    let measured = finished.measured;
    RunResult {
        schema: result::SCHEMA.into(),
        mode: "simulate".into(),
        tool: Tool {
            name: "blockyard".into(),
            version: env!("CARGO_PKG_VERSION").into(),
        },
        scenario: scenario.name.clone(),
        seed: scenario.seed,
        random: measured.random.clone(),
        duration_s: measured.duration_s,
        status: if finished.interrupted {
            Status::Interrupted
        } else {
            Status::Complete
        },
        resolved: resolved.limits.iter().map(limit).collect(),
        open_loop: measured.open_loop(&finished.backlogs),
        goals: resolved
            .goals
            .iter()
            .map(|goal| outcome(goal, &measured))
            .collect(),
        totals: measured.totals,
        steps: measured.steps,
        cycles: measured.cycles,
        volumes: measured.volumes,
        hosts: measured.hosts,
        limits: measured.limits,
    }
}

fn limit(limit: &ResolvedLimit) -> result::ResolvedLimit {
    result::ResolvedLimit {
        owner: limit.owner.clone(),
        limit: limit.limit.clone(),
        value: limit.value,
        unit: limit.unit.into(),
        depth: limit.depth,
        source: limit.source.clone(),
        assumed: limit.assumed,
        note: limit.note.clone(),
    }
}

fn outcome(goal: &Goal, measured: &Measured) -> GoalOutcome {
    let op = goal.op.map(|op| match op {
        goals::Op::Read => Op::Read,
        goals::Op::Write => Op::Write,
    });
    let verdict = goal.verdict(figure(
        goal.figure,
        &measured.account(&goal.job, op, goal.step),
    ));
    GoalOutcome {
        goal: goal.text.clone(),
        met: verdict.met,
        measured: verdict.text,
    }
}

/// A figure in the unit of [`Goal::value`]; none where there is no IO to have
/// a latency.
fn figure(figure: Figure, account: &Account) -> Option<f64> {
    let latencies = &account.latencies;
    let quantile = |quantile| {
        let [value] = latencies.quantiles([quantile]);
        value as f64
    };
    match figure {
        Figure::Ios => Some(latencies.count() as f64),
        Figure::Bytes => Some(account.bytes as f64),
        Figure::Iops => Some(account.iops()),
        Figure::MibPerS => Some(account.mib_per_s()),
        Figure::Errors => Some(account.errors as f64),
        Figure::Latency(_) if latencies.count() == 0 => None,
        Figure::Latency(statistic) => Some(
            1e-9 * match statistic {
                Latency::Mean => latencies.mean(),
                Latency::P50 => quantile(0.5),
                Latency::P95 => quantile(0.95),
                Latency::P99 => quantile(0.99),
                Latency::P99_9 => quantile(0.999),
                Latency::Max => latencies.max() as f64,
            },
        ),
    }
}
