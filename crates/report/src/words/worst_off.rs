//! Which of several jobs is worst off.

use blockyard_record::result::RunResult;

use super::clause::Clause;

/// How badly off a job is that does not get done what is due, as clauses have it.
const BEHIND: u8 = 2;

/// From this part of a job's IOs on that failed it is as badly off as one that falls behind.
const FAILED: f64 = 0.01;

/// The job that is worst off, one that misses a goal before others; and whether it misses one, or
/// has none and falls behind. None without a job.
pub(crate) fn worst_off<'a>(
    result: &RunResult,
    clauses: &'a [Clause],
) -> Option<(&'a Clause, bool)> {
    let how_bad = |clause: &Clause| (is_bad(result, clauses, clause), suffers(result, clause));
    let each = clauses.iter().map(|clause| (clause, how_bad(clause)));
    let worst = each.reduce(|worst, one| if one.1 > worst.1 { one } else { worst });
    worst.map(|(clause, (is_bad, _))| (clause, is_bad))
}

/// Whether a job misses a goal, or has none and falls behind.
fn is_bad(result: &RunResult, clauses: &[Clause], clause: &Clause) -> bool {
    let goals = result.goals.iter();
    let own = goals.filter(|goal| job_of(&goal.goal, clauses) == Some(&clause.job));
    let met = own.map(|goal| goal.met).reduce(|all, one| all && one);
    met.map_or(suffers(result, clause).0 >= BEHIND, |met| !met)
}

/// How badly off a job is: what failed was not done either.
fn suffers(result: &RunResult, clause: &Clause) -> (u8, f64) {
    let own = result.totals.iter().filter(|it| it.job == clause.job);
    let (ios, failed) = own.fold((0, 0), |(ios, failed), it| {
        (ios + it.ios, failed + it.errors)
    });
    let part = failed as f64 / (ios + failed).max(1) as f64;
    match clause.suffers {
        (rank, own) if rank >= BEHIND => (rank, own.max(part)),
        _ if part >= FAILED => (BEHIND, part),
        own => own,
    }
}

/// Which job a goal is of; none if it is of none of them.
fn job_of<'a>(goal: &str, clauses: &'a [Clause]) -> Option<&'a str> {
    let names = clauses.iter().map(|clause| clause.job.as_str());
    let own = names.filter(|job| {
        let rest = goal.strip_prefix(job);
        rest.is_some_and(|rest| rest.starts_with('.'))
    });
    own.max_by_key(|job| job.len())
}
