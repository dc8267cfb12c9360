"""Open loops that fell behind: what was due, what was served, and why."""

from collections.abc import Iterator

from blockyard.text.formatting import duration, rate
from blockyard.text.limit_names import in_words
from blockyard.types.facts import Behind, Facts
from blockyard.types.result import Result
from blockyard.words.clause import LIMITED, THROTTLED
from blockyard.words.network import event_named, link_effect, link_named
from blockyard.words.phrases import amount, counted, listed


def behind(result: Result, facts: Facts) -> Iterator[str]:
    """A sentence for each."""
    for loop in facts["behind"]:
        why = _why(result, facts, loop)
        yield _one(loop, why, at_the_end=loop["to_s"] >= result["duration_s"])


def _one(loop: Behind, why: str, *, at_the_end: bool) -> str:
    due, served = loop["due_per_s"], loop["served_per_s"]
    falls = "falls" if at_the_end else "fell"
    said = (
        f"{loop['job']}: {when(loop, at_the_end=at_the_end)}{rate(due)} a second were due, "
        f"{rate(served)} served; it {falls} behind by {rate(due - served)} a second"
    )
    if not loop["skips"]:
        waits = "waits" if at_the_end else "waited"
        said += f", and what came due last {waits} {duration(loop['wait_s'])}"
    return f"{said}{f'; {why}' if why else ''}."


def when(loop: Behind, *, at_the_end: bool) -> str:
    """From when to when it fell behind; empty for a whole run."""
    if not at_the_end:
        return f"from {duration(loop['from_s'])} to {duration(loop['to_s'])} "
    return f"from {duration(loop['from_s'])} on " if loop["from_s"] else ""


def _why(result: Result, facts: Facts, loop: Behind) -> str:
    cause, modelled = loop["cause"], facts["modelled"]
    if cause is None or modelled is None:
        return ""
    if cause["kind"] == "link":
        hold = modelled["links"][cause["place"]]
        return f"{link_effect(hold)} {link_named(hold)}"
    if cause["kind"] == "event":
        return f"{LIMITED} {event_named(result, cause['event'])}"
    if cause["kind"] == "in_flight":
        most = counted(cause["most"], "IO")
        return f"{LIMITED} max_outstanding, which allows {most} in flight"
    if cause["kind"] != "limit":
        return ""
    takes = loop["takes"]
    value = f" ({amount(takes['value'])})" if takes and takes["value"] else ""
    return f"{THROTTLED} {in_words(cause['limit'])}{value}"


def needed(facts: Facts) -> Iterator[str]:
    """What it takes of each limit to serve all that is due."""
    told: dict[str, list[str]] = {}
    for loop in facts["behind"]:
        if said := _takes(loop):
            told.setdefault(said, []).append(loop["job"])
    for said, jobs in told.items():
        yield f"To serve all that is due of {listed(jobs)} takes {said}."


def _takes(loop: Behind) -> str:
    cause, takes = loop["cause"], loop["takes"]
    if cause and cause["kind"] == "in_flight":
        return (
            f"more than {counted(cause['most'], 'IO')} in flight (max_outstanding); higher limits "
            "would not help"
        )
    if not (cause and cause["kind"] == "limit" and takes and takes["value"] and takes["needed"]):
        return ""
    more = "more than " if takes["at_least"] else ""
    needs = [
        (cause["limit"], (takes["needed"], takes["value"][1])),
        *((other["limit"], other["needed"]) for other in takes["also"]),
    ]
    return listed([f"{in_words(limit)} of {more}{amount(of)}" for limit, of in needs])
