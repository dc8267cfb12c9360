"""Open loops that fell behind: what was due, what was served, and what is why."""

from collections.abc import Iterator

from blockyard.facts import Behind, Facts
from blockyard.formatting import duration, rate
from blockyard.limit_names import in_words
from blockyard.report.words.phrases import amount, counted, listed


def behind(facts: Facts, duration_s: float) -> Iterator[str]:
    """A sentence for each, of a run of that length."""
    for loop in facts["behind"]:
        yield _one(loop, at_the_end=loop["to_s"] >= duration_s)


def _one(loop: Behind, *, at_the_end: bool) -> str:
    due, served = loop["due_per_s"], loop["served_per_s"]
    falls = "falls" if at_the_end else "fell"
    said = (
        f"{loop['job']}: {when(loop, at_the_end=at_the_end)}{rate(due)} a second were due, "
        f"{rate(served)} served; it {falls} behind by {rate(due - served)} a second"
    )
    if not loop["skips"]:
        waits = "waits" if at_the_end else "waited"
        said += f", and what came due last {waits} {duration(loop['wait_s'])}"
    why = _why(loop)
    return f"{said}{f'; {why}' if why else ''}."


def when(loop: Behind, *, at_the_end: bool) -> str:
    """From when to when it fell behind, before what it says of that; of a whole run nothing."""
    if not at_the_end:
        return f"from {duration(loop['from_s'])} to {duration(loop['to_s'])} "
    return f"from {duration(loop['from_s'])} on " if loop["from_s"] else ""


def _why(loop: Behind) -> str:
    cause = loop["cause"]
    if cause is None:
        return ""
    if cause["kind"] == "in_flight":
        most = counted(cause["most"], "IO")
        return f"that no more than {most} may be in flight (max_outstanding) is why"
    if cause["kind"] == "event":
        return f"that {cause['what']} is why"
    value = f" ({amount(cause['value'])})" if cause["value"] else ""
    return f"{in_words(cause['limit'])}{value} is why"


def needed(facts: Facts) -> Iterator[str]:
    """What it takes of each limit to serve all that is due."""
    told: dict[str, list[str]] = {}
    for loop in facts["behind"]:
        cause = loop["cause"]
        if cause is None or cause["kind"] == "event":
            continue
        if cause["kind"] == "in_flight":
            takes = (
                f"more than {counted(cause['most'], 'IO')} in flight (max_outstanding); higher "
                "limits would not help"
            )
        elif cause["value"] and cause["needed"]:
            more = "more than " if cause["at_least"] else ""
            needs = [
                (cause["limit"], (cause["needed"], cause["value"][1])),
                *((other["limit"], other["needed"]) for other in cause["also"]),
            ]
            takes = listed([f"{in_words(limit)} of {more}{amount(of)}" for limit, of in needs])
        else:
            continue
        told.setdefault(takes, []).append(loop["job"])
    for takes, jobs in told.items():
        yield f"To serve all that is due of {listed(jobs)} it takes {takes}."
