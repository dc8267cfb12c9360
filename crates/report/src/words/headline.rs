//! A run in one sentence: what was asked, what was delivered, what limits it, for how long.
//!
//! For those in a hurry: in brief where it would have more than 200 characters, and never with
//! more than 280. Where names are long they are cut short.

use blockyard_explain::{Credits, Facts, Limit, Owner};
use blockyard_model::spec::Applies;
use blockyard_record::result::{Mode, RunResult, Status, TransactionTotal};
use blockyard_record::thresholds::CARRIED;

use super::balances::{running_out, whose_host};
use super::clause::Clause;
use super::events::failures;
use super::fitting::{fitting, length, names};
use super::foreign::{seen, transactions_seen};
use super::jobs::Teller;
use super::observed;
use super::outcome::Outcome;
use super::phrases::{amount, counted, in_bytes, share};
use super::run_bottleneck::nearest;
use super::transactions::felt_stops;
use super::worst_off::worst_off;
use crate::Run;
use crate::text::format::{duration, number, rate, sentence};
use crate::text::limit_names::{self, owner};

/// What is longer is told in brief.
const LONG: usize = 200;

/// What is longer in brief, too, is told of one job, with names cut short.
const LONGEST: usize = 280;

/// The sentence.
#[must_use]
pub fn headline(run: &Run) -> String {
    let result = &run.result;
    if run.facts.is_none() && !result.transactions.is_empty() {
        return finished(result, &transactions_seen(run));
    }
    if result.totals.iter().all(|total| total.ios == 0) {
        let said = joined(["no IO completed".to_owned(), failures(result)]);
        return finished(result, &said);
    }
    if let Some(observed) = &result.observed {
        let said = joined([failures(result), observed::seen(result, observed)]);
        return finished(result, &said);
    }
    let Some(facts) = &run.facts else {
        return finished(result, &seen(run));
    };
    let whole = of(result, facts, false, 2);
    if length(&whole) <= LONG {
        return whole;
    }
    let brief = of(result, facts, true, 2);
    if length(&brief) <= LONGEST {
        return brief;
    }
    let one = of(result, facts, true, 1);
    if length(&one) <= LONGEST {
        return one;
    }
    fitting(&one, &names(result, facts), &missed(result), LONGEST)
}

/// The sentence; of more than `most` jobs it tells only of the one that is worst off.
fn of(result: &RunResult, facts: &Facts, brief: bool, most: usize) -> String {
    let teller = Teller {
        result,
        facts,
        brief,
    };
    let clauses = teller.clauses();
    let said = match &clauses[..] {
        [own] => one(own),
        [first, second] if most >= 2 => two(first, second, facts.modelled.is_some()),
        many => self::many(result, facts, many),
    };
    // What failed comes before what limits: no layout that does more makes up for it.
    let said = joined([failures(result), said]) + &meant(facts, clauses.len() == 1);
    let more = more(result, facts, &said);
    finished(result, &(said + &more))
}

/// The job that is worst off; or that all are served.
fn many(result: &RunResult, facts: &Facts, clauses: &[Clause]) -> String {
    let Some((worst, is_bad)) = worst_off(result, clauses) else {
        return String::new();
    };
    let jobs = clauses.len();
    let held = is_bad || clauses.iter().any(|clause| clause.suffers.0 > 0);
    if held || facts.modelled.is_none() {
        return format!("the worst off of {jobs} jobs: {}", one(worst));
    }
    let iops = rate(Outcome::of(&result.totals).iops());
    let nearest = nearest(result, facts);
    let all = match jobs {
        2 => "both jobs".to_owned(),
        more => format!("all {more} jobs"),
    };
    format!("{all} are served, {iops} IOPS together, no limit reached{nearest}")
}

fn one(clause: &Clause) -> String {
    let Clause {
        text,
        by,
        part,
        after,
        how,
        ..
    } = clause;
    if by.is_empty() {
        return format!("{text}{after}");
    }
    format!("{text}, {how} {by}{part}{after}")
}

/// Two jobs; `known` where it is known what throttles them.
fn two(first: &Clause, second: &Clause, known: bool) -> String {
    if !first.by.is_empty() && first.by == second.by {
        let (how, by) = (first.how, &first.by);
        return format!("{}; {}; both {how} {by}", first.text, second.text);
    }
    let each = |clause: &Clause| {
        if clause.by.is_empty() {
            clause.text.clone()
        } else {
            format!("{}, {} {}", clause.text, clause.how, clause.by)
        }
    };
    let held = |clause: &Clause| !clause.by.is_empty() || clause.waits || clause.suffers.0 > 0;
    let free = known && !held(first) && !held(second);
    let end = if free { "no limit reached" } else { "" };
    joined([each(first), each(second), end.to_owned()])
}

/// For how long it holds, and what went wrong.
fn more(result: &RunResult, facts: &Facts, said: &str) -> String {
    let mut parts = Vec::new();
    // Where nothing throttles above a limit without credits, the tokens that it had end first.
    let above = result.by_interval_s.is_none() && said.contains("no limit reached");
    let balances = running_out(facts);
    let lasting = balances.first().map(|balance| {
        let above = on_tokens(&facts.limits).filter(|_| above);
        above.unwrap_or_else(|| lasts(facts, balance, said))
    });
    parts.extend(lasting);
    parts.extend(felt_stops(result));
    parts.extend(longest_outage(result));
    let mirrors = result.journal_mirrors.iter().rev();
    let paused = mirrors.filter(|mirror| mirror.pauses > 0);
    let worst = paused.max_by(|one, other| one.paused_s.total_cmp(&other.paused_s));
    parts.extend(worst.map(|worst| {
        let paused_s = duration(worst.paused_s);
        // Of transactions the longest time is told.
        let in_all = if worst.pauses > 1 { " in all" } else { "" };
        format!(
            "no update of {} was committed for {paused_s}{in_all}",
            worst.job
        )
    }));
    parts.extend(lost(result));
    let parts = parts.iter().map(|part| format!("; {part}"));
    parts.chain([missed(result)]).collect()
}

/// How many goals were missed, if any, as the last part of the sentence.
fn missed(result: &RunResult) -> String {
    let missed = result.goals.iter().filter(|goal| !goal.met).count();
    let goals = counted(result.goals.len() as u64, "goal");
    match missed {
        0 => String::new(),
        _ => format!("; {missed} of {goals} missed"),
    }
}

/// What the mirror that lost most had acknowledged of it.
fn lost(result: &RunResult) -> Option<String> {
    let mirrors = result.mirrors.iter().rev();
    let most = mirrors.max_by_key(|mirror| mirror.lost_bytes)?;
    let bytes = in_bytes(most.lost_bytes);
    (most.lost_bytes > 0)
        .then(|| format!("up to {bytes} acknowledged on {} were lost", most.device))
}

/// The longest time in which a job committed nothing, whatever it made up for. Where its engine had
/// stopped that is told.
pub(super) fn longest_outage(result: &RunResult) -> Option<String> {
    let serves = |total: &&TransactionTotal| total.stopped.iter().all(|it| it.host.is_some());
    let without = result.transactions.iter().rev().filter(serves);
    let without = without.filter(|total| total.outage_s > 0.0);
    let worst = without.max_by(|one, other| one.outage_s.total_cmp(&other.outage_s))?;
    let outage_s = duration(worst.outage_s);
    Some(format!("{} committed nothing for {outage_s}", worst.job))
}

/// The limit without credits of whose rate a run took most, where it took more.
fn on_tokens(limits: &[Limit]) -> Option<String> {
    let of = |limit: &Limit| Some(limit.used?.mean / limit.value - 1.0);
    let without = limits.iter().filter(|it| !it.limit.kind.credits);
    let over = without.filter_map(|it| Some((of(it).filter(|over| *over > CARRIED)?, it)));
    let (_, most) = over.max_by(|one, other| one.0.total_cmp(&other.0))?;
    let value = amount((most.value, most.unit));
    Some(format!(
        "what is above {value} takes tokens saved before the start"
    ))
}

/// How long a burst balance lasts, and what is left then.
fn lasts(facts: &Facts, balance: &Credits, said: &str) -> String {
    let limit = &balance.limit;
    let whose = match &limit.owner {
        Owner::Host(host) => {
            format!(
                " of {}",
                whose_host(host, limit_names::counted(limit.kind.counts))
            )
        }
        Owner::Device(_) if facts.devices.len() < 2 => String::new(),
        of => format!(" of {}", owner(of)),
    };
    let then = balance
        .then
        .map_or_else(|| "the baseline".to_owned(), amount);
    if let Some(last_s) = balance.last_s.filter(|&last_s| last_s != 0.0) {
        let lasts = duration(last_s);
        return format!("the burst balance{whose} lasts {lasts} more, then {then}");
    }
    let after = if said.contains(&then) {
        String::new()
    } else {
        format!(", which leaves {then}")
    };
    let used_up = facts.modelled.iter().flat_map(|modelled| &modelled.used_up);
    let within: String = used_up
        .filter(|used_up| used_up.owner == limit.owner)
        .map(|used_up| format!(" within {}", duration(used_up.by_s)))
        .collect();
    format!("the burst balance{whose} was used up{within}{after}")
}

/// Beside what the volumes of the scenario would give, of a run on real storage.
///
/// `alone` if what was said before is of the only job.
fn meant(facts: &Facts, alone: bool) -> String {
    if facts.modelled.is_some() {
        return String::new();
    }
    let parts = facts.limits.iter().filter_map(|limit| {
        let (id, used) = (&limit.limit, limit.used?);
        let whole = !id.kind.credits && id.kind.applies == Applies::Both;
        let of_device = !matches!(id.owner, Owner::Host(_));
        (whole && of_device).then_some((used.mean / limit.value, limit))
    });
    let above = parts.filter(|(part, _)| *part > 0.0);
    let most = above.reduce(|most, one| if one.0 > most.0 { one } else { most });
    let Some((most, limit)) = most else {
        return String::new();
    };
    let times = if most < 1.0 {
        format!("{} of", share(most))
    } else {
        format!("{} times", number(most))
    };
    let before = if alone { ":" } else { "; in all" };
    let value = amount((limit.value, limit.unit));
    format!("{before} {times} the {value} that the scenario's volumes would give")
}

/// With how the run ended, as a sentence.
fn finished(result: &RunResult, said: &str) -> String {
    let after = duration(result.duration_s);
    match result.status {
        Status::Failed => {
            let reason = result.reason.as_deref().filter(|reason| !reason.is_empty());
            let reason = reason.map_or_else(String::new, |reason| format!(" ({reason})"));
            sentence(&format!("failed after {after}{reason}: {said}"))
        }
        // A service is ended by interrupting it.
        Status::Interrupted if result.mode != Mode::Emulate => {
            sentence(&format!("interrupted after {after}: {said}"))
        }
        Status::Interrupted | Status::Complete => sentence(said),
    }
}

/// What there is to say of these.
fn joined<const N: usize>(parts: [String; N]) -> String {
    let said: Vec<_> = parts.into_iter().filter(|part| !part.is_empty()).collect();
    said.join("; ")
}

#[cfg(test)]
mod tests {
    use blockyard_explain::{LimitId, RateUnit, Usage};
    use blockyard_record::limit_names::LimitKind;

    use super::*;

    /// A limit of gp2 of which `used` is taken.
    fn limit(name: &str, value: f64, used: f64) -> Limit {
        Limit {
            limit: LimitId {
                owner: Owner::Device("data".to_owned()),
                kind: LimitKind::named(name).unwrap(),
            },
            value,
            unit: RateUnit::Iops,
            used: Some(Usage {
                mean: used,
                peak: None,
            }),
        }
    }

    #[test]
    fn credits_do_not_carry_more_than_the_rate_to_which_they_lift_a_limit() {
        let of = |used| {
            let credits = limit("iops_credits", 600.0, used);
            on_tokens(&[credits, limit("iops", 3000.0, used)])
        };
        assert_eq!(of(3000.0), None);
        let said = "what is above 3,000 IOPS takes tokens saved before the start";
        assert_eq!(of(3076.0).as_deref(), Some(said));
    }

    #[test]
    fn what_failed_of_an_observation_comes_first() {
        let text = |errors: u64| {
            format!(
                r#"{{
            "schema": "blockyard/result/1", "mode": "observe",
            "tool": {{"name": "blockyard", "version": "0.1.0"}},
            "scenario": "s", "seed": 0, "random": "", "duration_s": 2.0,
            "status": "complete", "reason": null, "machine": null, "resolved": [],
            "totals": [{{"job": "observed", "device": "8:0", "op": "read", "ios": 200,
                "bytes": 2097152, "iops": 100.0, "mib_per_s": 1.0, "peak_iops": 100.0,
                "errors": {errors}, "latency_us": null}}],
            "steps": [], "cycles": [], "open_loop": [], "volumes": [],
            "hosts": [], "limits": [], "goals": [],
            "observed": {{"source": "trace", "interval_s": 1.0, "devices": [], "processes": [],
                "pressure": null}}
        }}"#
            )
        };
        let said = |errors| headline(&Run::bare("s", RunResult::read(&text(errors)).unwrap()));
        let seen = "100 IOPS, 1 MiB/s; when IO ended is not known.";
        assert_eq!(said(0), seen);
        assert_eq!(said(25), format!("25 IOs failed; {seen}"));
    }
}
