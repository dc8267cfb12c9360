"""How much load a layout takes, as text."""

import textwrap
from collections.abc import Iterator

from rich.table import Table

from blockyard.cli import columns
from blockyard.formatting import latency, number, rate
from blockyard.largest_load import Capacity, LoadUnit, Point, Scaled
from blockyard.limit_names import in_words
from blockyard.report.words.headline import headline
from blockyard.report.words.phrases import listed

# Beyond this share of its rate a limit has let through what it had saved up.
_CARRIED = 1.003

_UNITS: dict[LoadUnit, tuple[str, str]] = {
    "processes": ("process", "processes"),
    "threads": ("thread", "threads"),
    "ios_per_s": ("IO/s", "IOs/s"),
    "transactions_per_s": ("transaction/s", "transactions/s"),
}


def parts(found: Capacity, width: int) -> Iterator[str | Table]:
    """The answer, the curve, what ends it, and what to know of both, to be printed in turn."""
    yield from _wrapped(f"{found['scenario']}: {_answer(found)}", width)
    yield ""
    yield _curve(found)
    yield ""
    ended = found["ended"]
    said = headline(ended["result"], ended["facts"])
    yield from _wrapped(f"At {_load(found, ended['load'])}: {said}", width)
    for note in _notes(found):
        yield from _wrapped(note, width)


def _wrapped(line: str, width: int) -> list[str]:
    return textwrap.wrap(line, width, break_long_words=False, break_on_hyphens=False)


def _answer(found: Capacity) -> str:
    goals = listed([f"`{goal}`" for goal in found["goals"]])
    holds, missed, low = found["holds"], found["missed"], found["too_low"]
    match found["outcome"]:
        case "found" if holds is not None and missed is not None:
            return (
                f"{goals} {_hold(found)} up to {_load(found, holds)}, and no longer at "
                f"{_load(found, missed)}."
            )
        case "never_missed" if holds is not None:
            return (
                f"{goals} still {_hold(found)} at {_load(found, holds)}, the most that was tried; "
                "--up-to sets it."
            )
        case "never_met" if missed is not None:
            return f"{goals} {_miss(found)} even at {_load(found, missed)}, the least load."
        case "never_reached" if low is not None:
            return (
                f"{goals} {_miss(found)} even at {_load(found, low)}, the most that was tried; "
                "--up-to sets it."
            )
        case "nowhere" if low is not None and missed is not None:
            return (
                f"no load meets {goals}: at {_load(found, low)} it is too little for one, at "
                f"{_load(found, missed)} too much for another."
            )
    return (
        f"{goals}: {_between(found)}, as no more IOs may be simulated: --most-ios sets that, and "
        "a shorter duration takes fewer."
    )


def _between(found: Capacity) -> str:
    holds, missed = found["holds"], found["missed"]
    if holds is not None and missed is not None:
        return f"met at {_load(found, holds)}, missed at {_load(found, missed)}"
    if holds is not None:
        return f"still met at {_load(found, holds)}"
    return f"missed at {_load(found, found['ended']['load'])}"


def _hold(found: Capacity) -> str:
    return "holds" if len(found["goals"]) == 1 else "hold"


def _miss(found: Capacity) -> str:
    return "is missed" if len(found["goals"]) == 1 else "are missed"


def _load(found: Capacity, load: int) -> str:
    """A load with its unit; of several jobs the factor and what each gets."""
    scaled = found["scaled"]
    if not found["by_factor"]:
        return _of(scaled[0], load)
    point = next((point for point in found["curve"] if point["load"] == load), None)
    loads = point["loads"] if point else []
    each = [f"{job['job']} {_of(job, own)}" for job, own in zip(scaled, loads, strict=False)]
    return f"{load / 1000:.3g} times the load ({listed(each)})" if each else f"{load / 1000:.3g}"


def _of(job: Scaled, load: int) -> str:
    return f"{load:,} {_UNITS[job['unit']][load != 1]}"


def _curve(found: Capacity) -> Table:
    """What each load came to; of several jobs that of the first goal."""
    job = _told(found)
    points = found["curve"]
    transactions = any(came["transactions"] for came in points[0]["jobs"] if came["job"] == job)
    unit = "factor" if found["by_factor"] else _UNITS[found["scaled"][0]["unit"]][1]
    table = Table(box=None, pad_edge=False, padding=(0, columns.GAP, 0, 0))
    for heading in (unit, "TPS" if transactions else "IOPS", "p99"):
        table.add_column(heading, justify="right", no_wrap=True)
    table.add_column("", overflow="fold")
    for point in points:
        table.add_row(*_row(found, point, job))
    return table


def _told(found: Capacity) -> str:
    """The job that the curve is of: the first goal's."""
    return found["goals"][0].split(".", 1)[0]


def _row(found: Capacity, point: Point, job: str) -> list[str]:
    came = next(came for came in point["jobs"] if came["job"] == job)
    load = f"{point['load'] / 1000:.3g}" if found["by_factor"] else f"{point['load']:,}"
    us = came["latency_us"]
    missed = [goal for goal in point["goals"] if not goal["met"]]
    alone = len(found["goals"]) == 1
    said = [goal["measured"] if alone else f"{goal['goal']}: {goal['measured']}" for goal in missed]
    return [
        load,
        rate(came["per_s"]),
        latency(us["p99"]) if us else "",
        f"missed: {'; '.join(said)}" if missed else "met",
    ]


def _notes(found: Capacity) -> Iterator[str]:
    seeds, holds, low = found["seeds"], found["holds"], found["too_low"]
    if seeds and holds is not None:
        they = "they hold" if len(found["goals"]) > 1 else "it holds"
        same = seeds["met"] == seeds["seeds"]
        of = f"all {seeds['seeds']} seeds" if same else f"{seeds['met']} of {seeds['seeds']} seeds"
        tail = "" if same else ": so near the end chance decides"
        yield f"At {_load(found, holds)} {they} with {of}{tail}."
    yield from _carried(found)
    if low is not None and holds is not None:
        yield f"Goals that ask for load are missed up to about {_load(found, low)}."
    if found["missed_below"]:
        loads = listed([_load(found, load) for load in found["missed_below"]])
        yield (
            f"The curve is not monotone: goals are missed at {loads}, too, which is less. The "
            "answer is the largest load at which they hold, of those tried."
        )
    for job in found["scaled"]:
        if job["steps"] == "replaced":
            yield f"{job['job']} has a list of loads; here it gets one load throughout."
        if job["steps"] == "scaled":
            yield (
                f"All steps of {job['job']}'s schedule are multiplied; its load is that of the "
                "largest."
            )
    if found["by_factor"]:
        yield "The loads of all jobs are multiplied by one factor; --job varies one alone."
    yield (
        f"{len(found['curve'])} loads with seed {found['seed']}, {number(found['ios'])} IOs "
        "simulated."
    )


def _carried(found: Capacity) -> Iterator[str]:
    """Limits that let through more than their rate, which a longer run would not."""
    facts = found["ended"]["facts"]
    for own in facts["limits"]:
        used = own["used"]
        if used and not own["limit"]["credits"] and used["mean"] > _CARRIED * own["value"]:
            yield (
                f"{in_words(own['limit'])} let through {number(used['mean'])} {own['unit']} of "
                f"{number(own['value'])}, from tokens that lay ready at the start: a longer run "
                "takes less load, and so does one with `tokens: 0%` on its volumes."
            )
