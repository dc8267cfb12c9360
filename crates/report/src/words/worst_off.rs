//! Which of several jobs is worst off.

use blockyard_record::result::RunResult;

use super::clause::Clause;

/// How badly off a job is that does not get done what is due, as clauses have it.
const BEHIND: u8 = 2;

/// The job that is worst off, one that misses a goal before others; and whether it misses one, or
/// has none and falls behind. None without a job.
pub(crate) fn worst_off<'a>(
    result: &RunResult,
    clauses: &'a [Clause],
) -> Option<(&'a Clause, bool)> {
    let each = clauses
        .iter()
        .map(|clause| (clause, is_bad(result, clauses, clause)));
    each.reduce(|worst, one| if is_worse(one, worst) { one } else { worst })
}

/// Whether a job misses a goal, or has none and falls behind.
fn is_bad(result: &RunResult, clauses: &[Clause], clause: &Clause) -> bool {
    let goals = result.goals.iter();
    let own = goals.filter(|goal| job_of(&goal.goal, clauses) == Some(&clause.job));
    let met = own.map(|goal| goal.met).reduce(|all, one| all && one);
    met.map_or(clause.suffers.0 >= BEHIND, |met| !met)
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

fn is_worse((one, bad): (&Clause, bool), (other, other_bad): (&Clause, bool)) -> bool {
    (bad, one.suffers) > (other_bad, other.suffers)
}
