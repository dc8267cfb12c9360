"""Notes on changes of a layout: credits that end, the bottleneck, and chance."""

import json
from collections.abc import Iterator

from blockyard._core import GAIN, seconds
from blockyard.cli.what_if_change import change, is_of, is_other
from blockyard.cli.what_if_service import fails_less
from blockyard.runs import told
from blockyard.text.formatting import duration, latency, number, rate, sentence
from blockyard.types.facts import LimitId
from blockyard.types.what_if import Alternatives, Now, Row, SettingChange
from blockyard.words.phrases import counted, listed

# What of an instance is given up with no trace in a simulation of storage.
_PROCESSOR = ("vcpu", "memory", "architecture")

# How many changes are named that carry a load sustained.
_CARRIERS = 3


def lasting(found: Alternatives) -> Iterator[str]:
    """That figures live on burst credits or saved tokens, which end; else nothing."""
    if found["sustained_sets"]:
        yield "Every run starts with credits and token buckets empty."
        return
    now, changed = found["now"]["lasts_s"], [row for row in found["changes"] if carried(row)]
    if now is not None:
        last = f"last {duration(now)} more" if now else "were used up in the run"
        if tokens := _on_tokens(found):
            last += f", and {tokens}"
        too = "; so does what is marked *" if changed else ""
        yield (
            f"The layout lives on burst credits, which {last}{too}. The list compares with that; "
            "--sustained compares with credits used up."
        )
        yield from _carriers(found)
        return
    if tokens := _on_tokens(found):
        yield f"The layout lives {tokens}; --sustained compares with token buckets empty."
    if changed:
        least = min(row["came"]["lasts_s"] or 0.0 for row in changed if row["came"])
        last = f"last {duration(least)} or longer" if least else "may be used up by then"
        yield (
            f"What is marked * lives on burst credits, which {last}; --sustained shows its effect "
            "once they are used up."
        )


def _on_tokens(found: Alternatives) -> str:
    """That nothing throttles as limits had tokens, and for how long; else nothing.

    Of a gp2 whose limit is its burst rate, what is above lives on the tokens of a second.
    """
    ready_s, run = found["now"]["ready_s"], told.of_result(found["result"], found["facts"])
    if ready_s is None or run.throttling(found["now"]["leads"]):
        return ""
    return f"on tokens saved before the start, which last about {duration(ready_s)} in all"


def _carriers(found: Alternatives) -> Iterator[str]:
    """Single changes that carry the same load without burst credits, the cheapest first."""
    single = [row for row in found["changes"] if row["dollars"] is not None and not row["also"]]
    own = [row for row in single if _sustains(found, row)]
    own.sort(key=lambda row: row["dollars"] or 0.0)
    if own:
        each = [f"{change(row)} ({row['dollars']:+,.2f} $/month)" for row in own[:_CARRIERS]]
        yield f"Changes that sustain this load: {'; '.join(each)}."


def _sustains(found: Alternatives, row: Row) -> bool:
    """Whether a change needs no credits, serves as much, and misses no goal that is met now."""
    brought, now = row["came"], found["now"]
    if brought is None or brought["lasts_s"] is not None:
        return False
    jobs = zip(now["jobs"], brought["jobs"], strict=True)
    goals = zip(now["goals"], brought["goals"], strict=True)
    return all(then["per_s"] >= (1 - GAIN) * job["per_s"] for job, then in jobs) and all(
        then["met"] or not goal["met"] for goal, then in goals
    )


def carried(row: Row) -> bool:
    """Whether burst credits carry the outcome of a change."""
    return row["came"] is not None and row["came"]["lasts_s"] is not None


def notes(found: Alternatives) -> Iterator[str]:
    """What to know of the list as a whole."""
    now, run = found["now"], told.of_result(found["result"], found["facts"])
    if failed := run.failures():
        prevents = "" if _some_fail_less(found) else ": no change listed here prevents that"
        yield f"{failed}{prevents}."
    if (binds := run.throttling(now["leads"])) and _others_fail(found, json.loads(binds[1])):
        yield f"Other changes have no effect because the bottleneck is {binds[0]}."
    yield from _open(now, "but for what failed " if failed else "")
    yield from (f"{sentence}." for sentence in run.unsettled())
    yield from _of_chance(found)
    if now["no_price"]:
        yield f"Prices: {now['no_price'].rstrip('.')}."
    if now["bill"]:
        if any(line["item"] == "cross_zone" for line in now["bill"]["lines"]):
            yield "Prices include the traffic between zones, for the same work with every change."
        yield from (sentence(note) for note in now["bill"]["notes"])
        if now["bill"]["region_from"] == "assumed":
            yield f"The region is assumed: {now['bill']['region']}; --region says another."
    for row in found["changes"]:
        if row["no_price"]:
            yield f"{change(row)}: {row['no_price']}."
    if any(given["kind"] in _PROCESSOR for row in found["changes"] for given in row["gives_up"]):
        yield (
            "What a database does with fewer vCPUs, less memory or another processor is not "
            "simulated, but for engines' cores; --vcpu and --memory say what it needs."
        )
    parts = [own for row in found["changes"] for own in (row["change"], *row["also"])]
    if any(own["kind"] == "setting" and _gives_up_sooner(own) for own in parts):
        yield "With a shorter timeout a host or a link that pauses for longer is given up, too."
    if any(own["kind"] == "node" for own in parts):
        yield (
            "A further node has the last one's host, devices and link; its zone is assumed as far "
            "from the others as the farthest of these."
        )
    together = found["tried_together"]
    beside = f" and {counted(together, 'combination')} of two or three" if together else ""
    yield (
        f"{counted(found['tried'], 'change')} tried by themselves{beside}; "
        f"{number(found['ios'])} IOs simulated. --json has the overrides that make them."
    )


def _others_fail(found: Alternatives, limit: LimitId) -> bool:
    """Whether changes of other limits have no effect, and more of this one has some.

    Otherwise an event is what binds, and IOs waited for the limit as well.
    """
    nothing = [row["change"] for row in found["changes"] if row["worth"] == "nothing"]
    same = any(is_of(own, limit) for own in nothing)
    return not same and any(is_other(own, limit) for own in nothing)


def _gives_up_sooner(own: SettingChange) -> bool:
    if own["weaker"] or not own["key"].endswith("timeout") or not own["from"] or not own["to"]:
        return False
    return seconds(own["to"]) < seconds(own["from"])


def _some_fail_less(found: Alternatives) -> bool:
    """Whether fewer IOs or transactions fail with some change."""
    jobs = found["now"]["jobs"]
    brought = [row["came"]["jobs"] for row in found["changes"] if row["came"]]
    return any(
        fails_less(old, new) for each in brought for old, new in zip(jobs, each, strict=True)
    )


def _open(now: Now, but: str) -> Iterator[str]:
    """Of which jobs gains are in p99, and why; `but` tells what is not so."""
    own = [job["job"] for job in now["jobs"] if job["measure"] == "p99"]
    if len(own) == 1:
        yield (
            f"{own[0]} is an open loop that {but}does all that is due: no change adds to its "
            "rate, so gains are in p99."
        )
    elif own:
        yield (
            f"{listed(own)} are open loops that {but}do all that is due: no change adds to their "
            "rates, so their gains are in p99."
        )


def _of_chance(found: Alternatives) -> Iterator[str]:
    """Which gains may be chance."""
    now = found["now"]
    seeds = max((row["came"]["seeds"] for row in found["changes"] if row["came"]), default=1)
    if seeds > 1:
        yield (
            f"Gains are means over {seeds} seeds, the same with a change and without; ~ may be "
            "chance, as the seeds do not agree on its sign."
        )
    elif any(job["chance"] is None for job in now["jobs"]):
        yield "Simulated with one seed: gains may be chance."
    else:
        yield f"~ may be chance: without any change {now['seeds']} seeds give {_ranges(now)}."


def _ranges(now: Now) -> str:
    """The range of each job's figure."""
    said = []
    for job in now["jobs"]:
        show = rate if job["measure"] == "per_s" else latency
        name = f"{job['job']} " if len(now["jobs"]) > 1 else ""
        if job["chance"]:
            low, high = job["chance"]
            said.append(f"{name}{show(low)} to {show(high)}")
    return listed(said)
