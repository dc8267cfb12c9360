"""The bottleneck of transactions, and what their time goes to."""

from collections.abc import Callable, Iterator

from blockyard._core import NOTEWORTHY
from blockyard.text.formatting import duration, latency, rate
from blockyard.text.limit_names import in_words, possessive
from blockyard.types.facts import Bottleneck, Bound, Facts, Short, TransactionsLoad
from blockyard.types.result import Result, TransactionStep, TransactionTotal
from blockyard.words.clause import LIMITED, THROTTLED, Clause, between
from blockyard.words.job_bottleneck import named
from blockyard.words.network import event_named, link_effect, link_named
from blockyard.words.phrases import in_bytes, joined, listed, share
from blockyard.words.run_bottleneck import nearest

_OTHERS = {
    "cpu": "processor cores",
    "reads": "the latency of reads",
    "writes": "the latency of page writes",
    "log_space": "space in the redo log",
    "commit": "the latency of commits",
    "replication": "other nodes",
    "flow_control": "a node that is behind",
    "threads": "its number of threads",
}


def bound_of(facts: Facts, job: str) -> Bound | None:
    """The bottleneck of a job's transactions; None of a job that does none."""
    found = facts["modelled"]["transactions"] if facts["modelled"] else []
    return next((bound for bound in found if bound["job"] == job), None)


def in_short(result: Result, facts: Facts, job: str) -> tuple[float, str] | None:
    """The share of a job's time that its bottleneck takes, and its name; None without one."""
    bound = bound_of(facts, job)
    if bound is None or bound["by"] is None:
        return None
    by = bound["by"]
    own = [part["share"] for part in bound["parts"] if part["by"] == by]
    name = in_words(by["limit"]) if by["kind"] == "limit" else _named(result, facts, by)
    return (own[0] if own else 0.0), name


def in_parts(result: Result, facts: Facts) -> Iterator[str]:
    """Where the time of each job's transactions goes, and whether more threads would do more."""
    for bound in facts["modelled"]["transactions"] if facts["modelled"] else []:
        noteworthy = [part for part in bound["parts"] if part["share"] >= NOTEWORTHY]
        parts = [
            f"{share(part['share'])} to {_named(result, facts, part['by'])}" for part in noteworthy
        ]
        if parts:
            more = "; more threads would do more" if bound["more_threads"] else ""
            whose = possessive(bound["job"])
            yield f"the time of {whose} transactions goes {listed(parts)}{more}"


def unsettled(facts: Facts) -> Iterator[str]:
    """What of an engine had not settled by the end, so that its figures may yet shift."""
    for bound in facts["modelled"]["transactions"] if facts["modelled"] else []:
        shifting = [
            _SETTLING[one["what"]](one["before"], one["after"]) for one in bound["unsettled"]
        ]
        if shifting:
            yield (
                f"{bound['job']} has not settled, so its TPS may yet change: from the first half "
                f"of the time to the second {listed(shifting)}; try a longer warm-up and duration"
            )


_SETTLING: dict[str, Callable[[float, float], str]] = {
    "dirty_pages": lambda before, after: (
        f"the most dirty pages rose from {before:,.0f} to {after:,.0f}"
    ),
    "checkpoint_age": lambda before, after: (
        f"the checkpoint age rose from {in_bytes(round(before))} to {in_bytes(round(after))}"
    ),
    "hit_ratio": lambda before, after: f"the hit ratio went from {before:.1%} to {after:.1%}",
}


def clause(
    result: Result, facts: Facts, job: str, load: TransactionsLoad, *, brief: bool
) -> Clause:
    """What a job was asked to do, what it did, and its bottleneck."""
    total = next((one for one in result.get("transactions", []) if one["job"] == job), None)
    bound = bound_of(facts, job)
    if total is None or bound is None or not total["count"]:
        return Clause(job, f"{_threads(load)} of {job} end no transaction", (2, 1.0))
    ratio = "" if brief else _hit_ratio(total)
    done, at = _done(total, brief)
    held, how = _held(result, facts, bound, brief), _effect(facts, bound["by"])
    if load["per_s"] is None:
        text = f"{_threads(load)} of {job} do {done} transactions a second{at}"
        return Clause(job, text, _suffers(bound), *held, after=ratio, how=how)
    if bound["short"]:
        text = _short(job, bound["short"])
        waits = f"; what came due last waits {duration(bound['short']['wait_s'])}"
        return Clause(job, text, _suffers(bound), *held, after=waits, how=how)
    text = f"all {between(*load['per_s'])} transactions a second due of {job} are done{at}"
    if bound["by"]:
        return Clause(job, text, _suffers(bound), *held, after=ratio, how=how)
    return Clause(job, text, (0, 0.0), after=f", no limit reached{nearest(facts)}")


def _effect(facts: Facts, by: Bottleneck | None) -> str:
    """Whether a bottleneck throttles, as limits do, or limits otherwise."""
    modelled = facts["modelled"]
    if by and by["kind"] == "link" and modelled:
        return link_effect(modelled["links"][by["place"]])
    return THROTTLED if by and by["kind"] == "limit" else LIMITED


def _held(result: Result, facts: Facts, bound: Bound, brief: bool) -> tuple[str, str]:
    """The bottleneck of transactions, and what to add to it for a job that is alone."""
    by, parts = bound["by"], bound["parts"]
    if by is None:
        return "", ""
    own = [part["share"] for part in parts if part["by"] == by]
    if own:
        most = f": {share(own[0])} of their time"
    elif parts:
        longest = _named(result, facts, parts[0]["by"])
        most = f": {share(parts[0]['share'])} of their time is {longest}"
    return _named(result, facts, by), "" if brief or not parts else most


def _suffers(bound: Bound) -> tuple[int, float]:
    """How badly off a job is: open loops that fall behind first."""
    if bound["short"]:
        short = bound["short"]
        return 2, 1 - short["done_per_s"] / short["due_per_s"]
    own = [part["share"] for part in bound["parts"] if part["by"] == bound["by"]]
    return (1, own[0]) if own else (0, 0.0)


def _named(result: Result, facts: Facts, by: Bottleneck) -> str:
    if by["kind"] == "limit":
        return named(facts, by["limit"])
    if by["kind"] == "event":
        return event_named(result, by["event"])
    if by["kind"] == "link":
        modelled = facts["modelled"]
        return link_named(modelled["links"][by["place"]]) if modelled else ""
    return _OTHERS[by["kind"]]


def _short(job: str, short: Short) -> str:
    due, done = short["due_per_s"], short["done_per_s"]
    return (
        f"of {rate(due)} transactions a second due of {job}, {rate(done)} are done, "
        f"{rate(due - done)} too few"
    )


def _done(total: TransactionTotal, brief: bool) -> tuple[str, str]:
    """Transactions a second, and ` at 192 ms (p99 640 ms)`: of load steps the ends."""
    steps = [step for step in total["steps"] if step["count"]]
    if len(steps) > 1:
        steps.sort(key=_load)
        ends = [steps[0], steps[-1]]
        means = [us["mean"] for step in ends if (us := step.get("latency_us"))]
        at = f" at {joined([latency(mean) for mean in means])}"
        return joined([rate(step["tps"]) for step in ends]), at
    us = total.get("latency_us")
    p99 = f" (p99 {latency(us['p99'])})" if us and not brief else ""
    return rate(total["tps"]), f" at {latency(us['mean'])}{p99}" if us else ""


def _load(step: TransactionStep) -> int:
    return step.get("threads") or step.get("rate") or 0


def _hit_ratio(total: TransactionTotal) -> str:
    engine = total.get("engine")
    return f"; hit ratio {share(engine['hit_ratio'])}" if engine else ""


def _threads(load: TransactionsLoad) -> str:
    return f"{between(*load['threads'])} {'thread' if load['threads'][1] == 1 else 'threads'}"
