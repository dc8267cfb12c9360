"""A run in one sentence: what was asked, what was delivered, what limits it, for how long.

For those in a hurry: in brief where it would have more than 200 characters, and never with more
than 280. Where names are long they are cut short.
"""

from collections.abc import Iterator, Sequence

import pyarrow as pa

from blockyard.text.formatting import duration, number, rate, sentence
from blockyard.text.limit_names import COUNTED, host, owner, possessive
from blockyard.types.facts import Credits, Facts
from blockyard.types.result import Result
from blockyard.words.balances import running_out
from blockyard.words.clause import Clause
from blockyard.words.events import failures
from blockyard.words.foreign import seen, transactions_seen
from blockyard.words.jobs import Teller
from blockyard.words.outcome import Outcome
from blockyard.words.phrases import amount, counted, share
from blockyard.words.run_bottleneck import nearest
from blockyard.words.transactions import stops

# How badly off a job is that does not get done what is due, as clauses have it.
_BEHIND = 2

# What is longer is told in brief.
_LONG = 200

# What is longer in brief, too, is told of one job, with names cut to fewer characters.
_LONGEST = 280
_SHORTER = (40, 24, 16, 10, 6)


def headline(result: Result, facts: Facts | None, intervals: pa.Table | None = None) -> str:
    """The sentence; `facts` are the run's, None of foreign files, whose `intervals` may help."""
    if facts is None and result.get("transactions"):
        return _finished(result, transactions_seen(result))
    if not any(total["ios"] for total in result["totals"]):
        return _finished(result, "; ".join(filter(None, ["no IO completed", failures(result)])))
    if facts is None:
        return _finished(result, seen(result, intervals))
    said = ""
    for brief, most, longest in ((False, 2, _LONG), (True, 2, _LONGEST), (True, 1, _LONGEST)):
        said = _of(result, facts, brief=brief, most=most)
        if len(said) <= longest:
            return said
    return _fitting(said, _names(result, facts))


def _names(result: Result, facts: Facts) -> list[str]:
    """What people named and a sentence may have in it, the longest first."""
    found = {
        *(load["job"] for load in facts["loads"]),
        *(total["job"] for total in result["totals"]),
        *(device["name"] for device in facts["devices"]),
        *(host["name"] for host in result["hosts"]),
        *(link["name"] for link in result.get("links", [])),
    }
    return sorted(found, key=lambda name: (-len(name), name))


def _fitting(said: str, names: Sequence[str]) -> str:
    """A sentence with its names cut short as far as it takes, and then its last parts."""
    fitting = said
    for most in _SHORTER:
        fitting = said
        for name in names:
            if len(name) > most:
                fitting = fitting.replace(name, f"{name[: most - 1]}…")
        if len(fitting) <= _LONGEST:
            return fitting
    while len(fitting) > _LONGEST and "; " in fitting:
        fitting = f"{fitting.rpartition('; ')[0]}."
    return fitting if len(fitting) <= _LONGEST else f"{fitting[: _LONGEST - 2]}…."


def _of(result: Result, facts: Facts, *, brief: bool, most: int) -> str:
    """The sentence; of more than `most` jobs it tells only of the one that is worst off."""
    clauses = list(Teller(result, facts, brief).clauses())
    if len(clauses) > most and len(clauses) > 1:
        said = _many(result, facts, clauses)
    elif len(clauses) == 2:
        said = _two(clauses, known=facts["modelled"] is not None)
    else:
        said = _one(clauses[0])
    # What failed comes before what limits: no layout that does more makes up for it.
    said = "; ".join(filter(None, [failures(result), said]))
    said += _meant(facts, alone=len(clauses) == 1)
    return _finished(result, said + "".join(_more(result, facts, said)))


def _many(result: Result, facts: Facts, clauses: Sequence[Clause]) -> str:
    """The job that is worst off, one that misses a goal before others; or that all are served."""
    met: dict[str, bool] = {}
    for goal in result["goals"]:
        job = _job_of(goal["goal"], clauses)
        met[job] = met.get(job, True) and goal["met"]

    def is_bad(clause: Clause) -> bool:
        """Whether a job misses a goal, or has none and falls behind."""
        return not met.get(clause.job, clause.suffers[0] < _BEHIND)

    free = not any(clause.suffers[0] or is_bad(clause) for clause in clauses)
    if free and facts["modelled"] is not None:
        iops = Outcome.of(result["totals"]).iops
        served = f"all {len(clauses)} jobs are served, {rate(iops)} IOPS together"
        return f"{served}, no limit reached{nearest(facts)}"
    worst = max(clauses, key=lambda clause: (is_bad(clause), clause.suffers))
    return f"the worst off of {len(clauses)} jobs: {_one(worst)}"


def _job_of(goal: str, clauses: Sequence[Clause]) -> str:
    """Which job a goal is of; empty if it is of none of them."""
    names = [clause.job for clause in clauses if goal.startswith(f"{clause.job}.")]
    return max(names, key=len, default="")


def _one(clause: Clause) -> str:
    by = f", {clause.how} {clause.by}{clause.part}" if clause.by else ""
    return f"{clause.text}{by}{clause.after}"


def _two(clauses: Sequence[Clause], *, known: bool) -> str:
    """Two jobs; `known` where it is known what throttles them."""
    first, second = clauses
    if first.by and first.by == second.by:
        return f"{first.text}; {second.text}; both {first.how} {first.by}"
    each = [
        f"{clause.text}, {clause.how} {clause.by}" if clause.by else clause.text
        for clause in clauses
    ]
    held = any(clause.by or clause.waits or clause.suffers[0] for clause in clauses)
    free = known and not held
    return "; ".join([*each, "no limit reached"] if free else each)


def _more(result: Result, facts: Facts, said: str) -> Iterator[str]:
    """For how long it holds, and what went wrong."""
    balances = running_out(facts)
    if balances:
        yield f"; {_lasts(facts, balances[0], said)}"
    for stop in stops(result):
        yield f"; {stop}"
    mirrors = [mirror for mirror in result.get("journal_mirrors", []) if mirror["pauses"]]
    if mirrors:
        worst = max(mirrors, key=lambda mirror: mirror["paused_s"])
        yield f"; no update of {worst['job']} was committed for {duration(worst['paused_s'])}"
    missed = sum(not goal["met"] for goal in result["goals"])
    if missed:
        yield f"; {missed} of {counted(len(result['goals']), 'goal')} missed"


def _lasts(facts: Facts, balance: Credits, said: str) -> str:
    """How long a burst balance lasts, and what is left then."""
    limit = balance["limit"]
    whose = f" of {owner(limit)}" if len(facts["devices"]) > 1 or limit["leg"] else ""
    if limit["device"] is None:
        instance = possessive(host(limit["host"], "the "))
        whose = f" of {instance} {COUNTED[limit['counts']]}"
    then = amount(balance["then"]) if balance["then"] else "the baseline"
    after = "" if then in said else f", which leaves {then}"
    if balance["last_s"]:
        return f"the burst balance{whose} lasts {duration(balance['last_s'])} more, then {then}"
    used_up = facts["modelled"]["used_up"] if facts["modelled"] else []
    within = [
        f" within {duration(one['by_s'])}"
        for one in used_up
        if all(one[key] == limit[key] for key in ("device", "leg", "host"))
    ]
    return f"the burst balance{whose} was used up{''.join(within)}{after}"


def _meant(facts: Facts, *, alone: bool) -> str:
    """Beside what the volumes of the scenario would give, of a run on real storage.

    `alone` if what was said before is of the only job.
    """
    if facts["modelled"] is not None:
        return ""
    most, value = 0.0, ""
    for limit in facts["limits"]:
        kind, used = limit["limit"], limit["used"]
        if used and kind["device"] and not kind["credits"] and kind["applies"] == "both":
            part = used["mean"] / limit["value"]
            if part > most:
                most, value = part, amount((limit["value"], limit["unit"]))
    if not most:
        return ""
    times = f"{share(most)} of" if most < 1 else f"{number(most)} times"
    before = ":" if alone else "; in all"
    return f"{before} {times} the {value} that the scenario's volumes would give"


def _finished(result: Result, said: str) -> str:
    """With how the run ended, as a sentence."""
    after = duration(result["duration_s"])
    if result["status"] == "failed":
        reason = result.get("reason")
        said = f"failed after {after}{f' ({reason})' if reason else ''}: {said}"
    # A service is ended by interrupting it.
    elif result["status"] == "interrupted" and result["mode"] != "emulate":
        said = f"interrupted after {after}: {said}"
    return sentence(said)
