"""What would help, tried: a simulated run is simulated again with one thing changed.

What was waited for, a limit or of a link, is raised by a half; a mirror that waits for its link
acknowledges from the peer's memory, and reads locally; a job that took others' tokens is silent;
and the limits that nothing waited for are raised together. Where several jobs share the storage a
limit is also raised so far that it holds up nothing: which one comes next depends on how much
more each of them then does. Seed and all random numbers stay, so
that what moves is moved by the change.
"""

import dataclasses
import json
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Literal, NotRequired, TypedDict, cast

from blockyard.runs.explanation import waited
from blockyard.types.facts import Another, Facts, LimitId, Modelled, Nothing, Raising
from blockyard.types.network_facts import LinkHold
from blockyard.types.result import LatencyUs, Result

if TYPE_CHECKING:
    from blockyard._core import Scenario

# What limits are raised by.
FACTOR = 1.5

# What they are raised by so that they hold up nothing, and how many IOs that takes by a guess.
_FAR = 50.0
_FAR_COST = 3.0

# Waiting that is a smaller share of all latency is not felt.
_FELT = 0.05

# What is simulated without being asked for: some seconds on a processor.
MOST_IOS = 20_000_000

# From which change on a rate and a latency are said to move. Runs that differ in nothing but
# the order in which chance falls differ by less.
_RATE_MOVES = 0.02
_LATENCY_MOVES = 0.05


class OtherMirror(TypedDict):
    """A mirror that works in another way: acknowledges from the peer's memory, or reads locally."""

    device: str
    acknowledge: NotRequired[Literal["B"]]
    read: NotRequired[Literal["local"]]


class Came(TypedDict):
    """What a job came to: its IO on a device by operation, or its transactions."""

    job: str
    # Empty of transactions.
    device: str
    # As results call operations, or `transaction`.
    op: str
    # IOs, or transactions, and the same a second.
    ios: int
    iops: float
    latency_us: LatencyUs | None


@dataclass(frozen=True)
class Moved:
    """What a job came to before and after a change."""

    before: Came
    after: Came

    @property
    def rate(self) -> bool:
        """Whether its IOs a second moved."""
        return _moves(self.before["iops"], self.after["iops"], _RATE_MOVES)

    def latency(self, figure: str) -> tuple[float, float] | None:
        """A figure of its latency before and after, in µs, if it moved."""
        before, after = self.before["latency_us"], self.after["latency_us"]
        if before is None or after is None:
            return None
        pair = cast(dict[str, float], before)[figure], cast(dict[str, float], after)[figure]
        return pair if _moves(*pair, _LATENCY_MOVES) else None


@dataclass(frozen=True)
class Trials:
    """What was tried of a run, and what came of it."""

    # The limits that were raised, one at a time.
    raised: list[tuple[LimitId, list[Moved]]] = field(default_factory=list)
    # What those who waited for a limit wait for once it is raised far, the one with most first.
    beyond: list[tuple[LimitId, list[LimitId]]] = field(default_factory=list)
    # What of links was raised, one at a time.
    links: list[tuple[LinkHold, list[Moved]]] = field(default_factory=list)
    # The mirrors that worked in another way, one at a time.
    mirrors: list[tuple[OtherMirror, list[Moved]]] = field(default_factory=list)
    # What silence of a job brought to the others, by job.
    without: dict[str, list[Moved]] = field(default_factory=dict)
    # Whether raising all limits that nothing waited for changed anything; None if not tried.
    idle_matter: bool | None = None
    # Why something was not tried; empty where all was, or nothing can be.
    note: str = ""

    def of(self, limit: LimitId) -> list[Moved] | None:
        """What raising a limit moved; None if that was not tried."""
        return next((moved for known, moved in self.raised if known == limit), None)

    def next(self, facts: Facts, limit: LimitId, raising: Raising) -> Nothing | Another:
        """Which limit comes next: the one that was met, or where that was not tried is seen."""
        met = next((found for known, found in self.beyond if known == limit), None)
        if met is None:
            return raising["next"]
        lasts = raising["lasts"]
        others = [one for one in met if one != limit and not (lasts and one == lasts["limit"])]
        valued = [own for one in others for own in facts["limits"] if own["limit"] == one]
        if not valued:
            return {"kind": "nothing"}
        first, seen = valued[0], raising["next"]
        return {
            "kind": "up_to" if self.of(limit) else "at_once",
            "limit": first["limit"],
            "value": (first["value"], first["unit"]),
            "ios": seen["ios"]
            if seen["kind"] != "nothing" and seen["limit"] == first["limit"]
            else None,
        }


@dataclass(frozen=True)
class _Case:
    """One thing to try: a limit, of the network, a job, or the limits that nothing waited for."""

    changes: list[dict[str, object]]
    limit: LimitId | None = None
    link: LinkHold | None = None
    mirror: OtherMirror | None = None
    # Whether it is raised so far that it holds up nothing, and which jobs wait for it.
    far: bool = False
    waiting: Sequence[str] = ()
    job: str = ""
    # How many IOs it takes, of as many as the run itself.
    cost: float = 1.0


def tried(scenario: "Scenario", result: Result, facts: Facts) -> Trials:
    """Try what would help a run that was simulated; of others nothing is tried.

    As much as `MOST_IOS` allow, what most was waited for first.
    """
    cases = list(_cases(facts))
    if result["mode"] != "simulate" or result["status"] != "complete" or not cases:
        return Trials()
    ios = _ios(result, scenario)
    affordable = _affordable(cases, ios)
    if not affordable:
        return Trials(note=_too_long(ios))
    asked = [[], *(case.changes for case in affordable)]
    again, *found = (cast(Result, json.loads(text)) for text in scenario.what_if(json.dumps(asked)))
    if again["totals"] != result["totals"]:
        return Trials(
            note="Nothing was tried: simulated again, the run gives other figures, as by "
            "another version of Blockyard."
        )
    note = "" if len(affordable) == len(cases) else _too_long(ios)
    return _sorted(affordable, scenario, (result, found), note)


def _cases(facts: Facts) -> Iterator[_Case]:
    modelled = facts["modelled"]
    if modelled is None:
        return
    raisings = [(waits["limit"], waits["raising"]) for waits in modelled["waits"]]
    for limit, raising in raisings:
        if raising:
            yield _Case([_raise(limit)], limit=limit, cost=FACTOR)
            if len(modelled["held"]) > 1 and raising["next"]["kind"] != "nothing":
                far = [_raise(limit, _FAR)]
                jobs = raising["helps"]
                yield _Case(far, limit=limit, far=True, waiting=jobs, cost=_FAR_COST)
    yield from _of_network(facts, modelled)
    takers = (taker["job"] for _, raising in raisings if raising for taker in raising["takers"])
    for job in dict.fromkeys(takers):
        yield _Case([{"without": job}], job=job)
    idle = [facts["limits"][place]["limit"] for place in modelled["idle"]]
    if idle:
        yield _Case(list(map(_raise, idle)))


def _of_network(facts: Facts, modelled: Modelled) -> Iterator[_Case]:
    """More of what a link holds jobs for, and mirrors that ask less of it."""
    for hold in modelled["links"]:
        # What is cut cannot be raised.
        if hold["cause"] not in ("down", "loss"):
            change = {"link": hold["link"], "what": hold["cause"], "factor": FACTOR}
            yield _Case([{"link": change}], link=hold, cost=FACTOR)
    if not any(hold["cause"] not in ("down", "loss") for hold in modelled["links"]):
        return
    for device in facts["devices"]:
        name, mirror = device["name"], device["mirror"]
        if mirror and mirror["acknowledge"] == "C":
            yield _of_mirror({"device": name, "acknowledge": "B"})
        if mirror and mirror["reads_both"]:
            yield _of_mirror({"device": name, "read": "local"})


def _of_mirror(other: OtherMirror) -> _Case:
    return _Case([{"mirror": other}], mirror=other, cost=FACTOR)


def _raise(limit: LimitId, factor: float = FACTOR) -> dict[str, object]:
    return {"limit": {**limit, "factor": factor}}


def _affordable(cases: Sequence[_Case], ios: float) -> list[_Case]:
    """The first cases, as many as may be tried beside the run itself."""
    found, left = [], MOST_IOS - ios
    for case in cases:
        left -= case.cost * ios
        if left < 0:
            break
        found.append(case)
    return found


def _ios(result: Result, scenario: "Scenario") -> float:
    """How many IOs the run had, with those of its warm-up."""
    counted = sum(total["ios"] for total in result["totals"])
    measured = 1 - scenario.warmup_s / scenario.duration_s
    return max(1.0, counted / max(measured, 0.01))


def _too_long(ios: float) -> str:
    from blockyard.text.formatting import number

    return (
        f"What is said here without figures was not tried: a trial takes {number(ios)} IOs, and "
        f"no more than {number(MOST_IOS)} are simulated for a report."
    )


def _sorted(
    cases: Sequence[_Case],
    scenario: "Scenario",
    results: tuple[Result, Sequence[Result]],
    note: str,
) -> Trials:
    """What came of cases: `results` are the run's and theirs."""
    result, found = results
    trials = Trials(note=note)
    idle_matter = None
    for case, after in zip(cases, found, strict=True):
        if case.limit and case.far:
            trials.beyond.append((case.limit, _waited_for(after, scenario, case.waiting)))
        elif case.limit:
            trials.raised.append((case.limit, _moved(result, after)))
        elif case.link:
            trials.links.append((case.link, _moved(result, after)))
        elif case.mirror:
            trials.mirrors.append((case.mirror, _moved(result, after)))
        elif case.job:
            trials.without[case.job] = _moved(result, after, but=case.job)
        else:
            idle_matter = after["totals"] != result["totals"]
    return dataclasses.replace(trials, idle_matter=idle_matter)


def _waited_for(result: Result, scenario: "Scenario", jobs: Sequence[str]) -> list[LimitId]:
    """The limits that jobs' IOs waited for, the one with most first; none if that is not felt."""
    times = [
        (limit["owner"], limit["limit"], part["throttled_s"] + part["lag_s"])
        for limit in result["limits"]
        for part in limit["jobs"]
        if part["job"] in jobs
    ]
    latency_us = sum(
        total["ios"] * total["latency_us"]["mean"]
        for total in result["totals"]
        if total["latency_us"] and total["job"] in jobs
    )
    if sum(time for _, _, time in times) * 1e6 < _FELT * latency_us:
        return []
    return [one["limit"] for one in waited(times, scenario) if one["share"] >= _FELT]


def _moved(before: Result, after: Result, but: str = "") -> list[Moved]:
    """What moved, with most IOs first; `but` of one job."""
    pairs = zip(_came(before), _came(after), strict=True)
    both = [Moved(*pair) for pair in pairs if pair[0]["job"] != but]
    moved = [one for one in both if one.rate or one.latency("mean") or one.latency("p99")]
    return sorted(moved, key=lambda one: -one.before["ios"])


def _came(result: Result) -> list[Came]:
    """What each job came to: of one that does transactions these, in place of the IO they make."""
    engines = result.get("transactions", [])
    names = [one["job"] for one in engines]
    found: list[Came] = [
        {
            "job": total["job"],
            "device": total["device"],
            "op": total["op"],
            "ios": total["ios"],
            "iops": total["iops"],
            "latency_us": total.get("latency_us"),
        }
        for total in result["totals"]
        if total["job"] not in names
    ]
    found.extend(
        {
            "job": own["job"],
            "device": "",
            "op": "transaction",
            "ios": own["count"],
            "iops": own["tps"],
            "latency_us": own.get("latency_us"),
        }
        for own in engines
    )
    return found


def _moves(before: float, after: float, least: float) -> bool:
    return abs(after - before) >= least * before and before != after
