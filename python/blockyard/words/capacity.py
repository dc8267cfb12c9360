"""How much load a layout takes, in words."""

from collections.abc import Iterator, Sequence

from blockyard._core import CARRIED, Report
from blockyard.runs import told
from blockyard.text.formatting import duration, latency, number, rate
from blockyard.text.limit_names import in_words
from blockyard.types.capacity import Came, Capacity, LoadUnit, MetInSeeds, Point, Scaled, Sustained
from blockyard.words.phrases import in_seeds, listed

# No volume takes so long for an IO, in microseconds.
_QUEUE_US = 1e6

_UNITS: dict[LoadUnit, tuple[str, str]] = {
    "processes": ("process", "processes"),
    "threads": ("thread", "threads"),
    "ios_per_s": ("IO/s", "IOs/s"),
    "transactions_per_s": ("transaction/s", "transactions/s"),
    "percent": ("% of the demand", "% of the demand"),
}


def answer(found: Capacity) -> str:
    """The highest load that meets the goals: sustained first, then with credits and tokens."""
    carried = found["sustained"]
    if carried is None or found["holds"] is None:
        return _answer(found, "")
    if carried["holds"] == found["holds"]:
        return _answer(found, " sustained")
    return f"{_sustained(found, carried)} {_answer(found, '', _carrier(found))}"


def ended(found: Capacity) -> str:
    """The bottleneck, from the run in which a goal is missed."""
    end = found["ended"]
    return f"At {load(found, end['load'])}: {_told(found).headline()}"


def _told(found: Capacity) -> Report:
    """The run in which a goal is missed."""
    end = found["ended"]
    return told.of_result(end["result"], end["facts"])


def _fails(found: Capacity) -> str:
    """A job whose IOs fail, the told one if it is one of these."""
    totals = found["ended"]["result"]["totals"]
    failing = [total["job"] for total in totals if total["errors"]]
    own = found["told"]
    return failing[0] if failing and own not in failing else own


def unit(found: Capacity) -> str:
    """What the load counts: `processes`, `IOs/s`; of several jobs it is a factor."""
    return "factor" if found["by_factor"] else _UNITS[found["scaled"][0]["unit"]][1]


def counted(found: Capacity) -> str:
    """What the curve's job does a second: `TPS` or `IOPS`."""
    job = found["told"]
    jobs = found["curve"][0]["jobs"]
    return "TPS" if any(own["transactions"] for own in jobs if own["job"] == job) else "IOPS"


def _sustained(found: Capacity, carried: Sustained) -> str:
    """The load that holds with credits and token buckets empty."""
    goals, holds = _goals(found), carried["holds"]
    if carried["outcome"] == "stopped":
        met = f"; met at {_load(found, carried['loads'], holds)}" if holds is not None else ""
        return f"{goals}: the sustained load is not known, as --most-ios allows no more IOs{met}."
    if holds is None:
        return f"{goals} {_hold(found)} at no sustained load."
    up_to = _load(found, carried["loads"], holds)
    return f"{goals} {_hold(found)} up to {up_to} sustained{_with(found, carried['seeds'])}."


def _carrier(found: Capacity) -> str:
    """Which credits or tokens carry the answer, and how long they last."""
    point = next(point for point in found["curve"] if point["load"] == found["holds"])
    lasts_s, ready_s = point["lasts_s"], point["ready_s"]
    if lasts_s is not None and not _on_tokens(found, point):
        end = f"which last {duration(lasts_s)} more there" if lasts_s else "which the run used up"
        return f"On burst credits, {end}, "
    last = f", which last about {duration(ready_s)} there" if ready_s else ""
    return f"On tokens saved before the start{last}, "


def _on_tokens(found: Capacity, point: Point) -> bool:
    """Whether tokens end before burst credits do, as above the rate to which these lift a limit.

    A closed loop slows down to that rate, and goes on.
    """
    lasts_s, ready_s = point["lasts_s"], point["ready_s"]
    closed = any(job["unit"] in ("processes", "threads") for job in found["scaled"])
    return bool(lasts_s and ready_s) and not closed and (ready_s or 0.0) < (lasts_s or 0.0)


def _goals(found: Capacity) -> str:
    return listed([f"`{goal}`" for goal in found["goals"]])


def _answer(found: Capacity, how: str, carrier: str = "") -> str:
    """What the search found; `how` it holds, and before it `carrier`, on what."""
    goals = ("it" if len(found["goals"]) == 1 else "they") if carrier else _goals(found)
    goals = f"{carrier}{goals}"
    holds, missed, low = found["holds"], found["missed"], found["too_low"]
    match found["outcome"]:
        case "found" if holds is not None and missed is not None:
            with_all = _with(found, found["seeds"])
            return (
                f"{goals} {_hold(found)} up to {load(found, holds)}{how}{with_all}, and no longer "
                f"at {load(found, missed)}."
            )
        case "never_missed" if holds is not None:
            return (
                f"{goals} still {_hold(found)} at {load(found, holds)}{how}"
                f"{_with(found, found['seeds'])}, the most that "
                "was tried; --up-to sets it."
            )
        case "never_met" if missed is not None:
            return f"{goals} {_miss(found)} even at {load(found, missed)}, the lowest load."
        case "never_reached" if low is not None:
            return (
                f"{goals} {_miss(found)} even at {load(found, low)}, the most that was tried; "
                "--up-to sets it."
            )
        case "nowhere" if low is not None and missed is not None:
            return (
                f"no load meets {goals}: at {load(found, low)} it is too little for one, at "
                f"{load(found, missed)} too much for another."
            )
    return (
        f"{goals}: {_between(found)}; --most-ios allows no more IOs, and a shorter duration "
        "takes fewer."
    )


def _with(found: Capacity, seeds: MetInSeeds | None) -> str:
    """The probability that a load was judged by; nothing where one seed had to do."""
    return f" with {found['probability']:.0%} probability" if seeds else ""


def _between(found: Capacity) -> str:
    holds, missed = found["holds"], found["missed"]
    if holds is not None and missed is not None:
        return f"met at {load(found, holds)}, missed at {load(found, missed)}"
    if holds is not None:
        return f"still met at {load(found, holds)}"
    return f"missed at {load(found, found['ended']['load'])}"


def _hold(found: Capacity) -> str:
    return "holds" if len(found["goals"]) == 1 else "hold"


def _miss(found: Capacity) -> str:
    return "is missed" if len(found["goals"]) == 1 else "are missed"


def load(found: Capacity, load: int) -> str:
    """A load with its unit; of several jobs the factor and what each gets."""
    point = next((point for point in found["curve"] if point["load"] == load), None)
    return _load(found, point["loads"] if point else [], load)


def _load(found: Capacity, loads: Sequence[int], load: int) -> str:
    """The same of a load with those that each job gets."""
    scaled = found["scaled"]
    if not found["by_factor"]:
        return _of(scaled[0], load)
    each = [f"{job['job']} {_of(job, own)}" for job, own in zip(scaled, loads, strict=False)]
    return f"{load / 1000:g} times the load ({listed(each)})" if each else f"{load / 1000:g}"


def _of(job: Scaled, load: int) -> str:
    return f"{load:,} {_UNITS[job['unit']][load != 1]}"


def headings(found: Capacity) -> tuple[str, str]:
    """What the figures of the curve are: of several jobs with the name of the one that is told."""
    name = f"{found['told']} " if len(found["curve"][0]["jobs"]) > 1 else ""
    by_interval = any("mean_us" in job for job in found["curve"][0]["jobs"])
    return f"{name}{counted(found)}", f"{name}{'mean' if by_interval else 'p99'}"


def row(found: Capacity, point: Point) -> list[str]:
    """A load and its outcome: load, rate, p99, and which goals were missed."""
    job = found["told"]
    came = next(came for came in point["jobs"] if came["job"] == job)
    own = f"{point['load'] / 1000:g}" if found["by_factor"] else f"{point['load']:,}"
    us = came["latency_us"]
    missed = [goal for goal in point["goals"] if not goal["met"]]
    alone, seeds = len(found["goals"]) == 1, _seeds_of(point)
    said = [goal["measured"] if alone else f"{goal['goal']}: {goal['measured']}" for goal in missed]
    if missed and is_behind(came):
        said = ["not kept up with"]
    return [
        own,
        rate(came["per_s"]),
        latency(us["p99"]) if us else _mean(came),
        f"missed: {'; '.join(said)}{seeds}" if missed else f"met{_while(found, point)}{seeds}",
    ]


def is_behind(came: Came) -> bool:
    """Whether, by interval, IO waits for so long that it must be a queue that grows.

    How many times a goal that is says nothing: it follows from how long the run is.
    """
    return (came.get("mean_us") or 0.0) >= _QUEUE_US


def _mean(came: Came) -> str:
    """By interval the mean latency is all that is known."""
    mean = came.get("mean_us")
    return "" if mean is None else latency(mean)


def _seeds_of(point: Point) -> str:
    """With how many seeds a load was met, if it was tried with several."""
    seeds = point["seeds"]
    if seeds is None:
        return ""
    return f"{', ' if point['met'] else '; met '}in {seeds['met']} of {seeds['seeds']} seeds"


def _while(found: Capacity, point: Point) -> str:
    """For how long burst credits carry a load, and tokens if they end first; else nothing."""
    lasts_s, ready_s = point["lasts_s"], point["ready_s"]
    if ready_s is not None and _on_tokens(found, point):
        return f", for about {duration(ready_s)} in all"
    if lasts_s is None:
        return ""
    return f", for {duration(lasts_s)} more" if lasts_s else ", until credits were used up"


def notes(found: Capacity) -> Iterator[str]:
    """What to know of the answer and of the curve."""
    carried, holds, low = found["sustained"], found["holds"], found["too_low"]
    if _told(found).failures() and not any(".errors" in goal for goal in found["goals"]):
        yield (
            "Goals of latency are of what was served: IOs that failed have none. "
            f"`{_fails(found)}.errors < 1` makes them count."
        )
    if carried and carried["seeds"] and carried["holds"] is not None:
        own = _load(found, carried["loads"], carried["holds"])
        yield f"At {own} {_of_seeds(found, carried['seeds'], ' sustained')}"
    if found["seeds"] and holds is not None:
        yield f"At {load(found, holds)} {_of_seeds(found, found['seeds'])}"
        if found["one_seed"] not in (None, holds):
            yield f"With seed {found['seed']} alone it would be {load(found, found['one_seed'])}."
    elif holds is not None:
        yield "One seed alone was simulated: with others it may be less. --most-ios allows more."
    if found["sustained"] is None and not found["sustained_sets"]:
        yield from _carried(found)
    yield from (f"{sentence}." for sentence in _told(found).unsettled())
    if found["sustained"] is not None:
        yield "The sustained load starts with credits and token buckets empty, as with --sustained."
    if low is not None and holds is not None:
        yield f"Goals that ask for load are missed up to about {load(found, low)}."
    if found["missed_below"]:
        loads = listed([load(found, own) for own in found["missed_below"]])
        yield (
            f"The curve is not monotone: goals are also missed at {loads}, which is less. The "
            "answer is the highest load tried at which they hold."
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
    if found["sustained_sets"]:
        yield "All loads start with credits and token buckets empty."
    yield (
        f"{len(found['curve'])} loads with seed {found['seed']}, {number(found['ios'])} IOs "
        "simulated."
    )


def _of_seeds(found: Capacity, seeds: MetInSeeds, how: str = "") -> str:
    """In how many seeds goals hold at a load, and what that says."""
    they = "they hold" if len(found["goals"]) > 1 else "it holds"
    return f"{they}{how} in {in_seeds(seeds)}."


def _carried(found: Capacity) -> Iterator[str]:
    """Limits that let through more than their rate, which a longer run would not."""
    facts = found["ended"]["facts"]
    for own in facts["limits"]:
        used = own["used"]
        if used and not own["limit"]["credits"] and used["mean"] > (1 + CARRIED) * own["value"]:
            yield (
                f"{in_words(own['limit'])} let through {number(used['mean'])} {own['unit']} of "
                f"{number(own['value'])}, from tokens saved before the start: a longer run "
                "takes less load, as --sustained shows."
            )
