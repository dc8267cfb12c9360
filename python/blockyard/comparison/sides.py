"""What differs between runs, and whether it is shown or may be chance."""

import json
from collections.abc import Iterator, Mapping, Sequence
from typing import Any, TypedDict

from blockyard._core import Latencies, compare
from blockyard.comparison import (
    burst_credits,
    comparability,
    conclusion,
    paired_seeds,
    scenario_differences,
    side_costs,
)
from blockyard.comparison.conclusion import Conclusion
from blockyard.comparison.figures import ALL, TRANSACTION
from blockyard.comparison.scenario_differences import Differing
from blockyard.comparison.side_costs import SideCost
from blockyard.runs import told
from blockyard.runs.observer import Tried
from blockyard.runs.run import Percentiles, Run
from blockyard.text import provenance
from blockyard.text.formatting import duration
from blockyard.types.comparison import Compared, Outcome, Row, StepRow

# With fewer repeats than this, Student's t makes intervals very wide.
_FEW = 5

# A run that measured less than this says little of storage, which varies from second to second.
# Simulations say themselves, in their notices, where they are too short.
_SHORT_S = 10


class Comparison(TypedDict):
    """What differs between sides."""

    # Their names.
    sides: list[str]
    # In what each further side's scenario, kind of run and storage differ from the first's.
    differing: list[Differing]
    # The seeds that simulations of both sides were made again with; empty if there are none.
    seeds: list[int]
    rows: list[Row]
    # Of each load step.
    steps: list[StepRow]
    # What each side costs; None where that is not known.
    costs: list[SideCost | None]
    # Which burst credits each side lives on; None of one that goes on as it is.
    credits: list[burst_credits.Ends | None]
    # What to keep in mind, a line each.
    notes: list[str]
    conditions: list[Outcome]
    # What each further side comes to.
    conclusions: list[Conclusion]


class Series(TypedDict):
    """What a job did on a device with one operation, an interval in each place.

    Or its transactions, each counted as an IO without bytes.
    """

    # Of its latencies.
    tag: str
    job: str
    device: str
    op: str
    start_s: list[float]
    ios: list[int]
    bytes: list[int]
    # For where no more is known.
    latency_mean_us: list[float | None]
    # Of the whole run; empty where histograms are known.
    percentiles: Percentiles


class Recorded(TypedDict):
    """What a comparison looks at in a run."""

    series: list[Series]
    latencies: Latencies
    warmup_s: float
    duration_s: float
    step_starts_s: list[float]
    steps: list["Step"]
    # Of a simulation.
    seed: int | None


class Step(TypedDict):
    """A load step of a job that has several: with a number of processes, or a rate."""

    job: str
    processes: int | None
    rate: int | None
    from_s: float
    to_s: float


def of_sides(
    names: Sequence[str],
    sides: Sequence[Sequence[Run]],
    *,
    fail_if: Sequence[str] = (),
    anyway: bool = False,
    seeds: int | None = None,
    tried: Tried = paired_seeds.unseen,
) -> Comparison:
    """Compare every side, a run or its repeats, with the first; `blockyard.compare` explains.

    `tried` is called after each simulation of a further seed.
    """
    first, *others = [run for side in sides for run in side]
    if not anyway:
        comparability.check(first, others)
    drawn = paired_seeds.drawn(sides, seeds, tried)
    jobs, devices = comparability.taken_together([first, *others])
    costs, ending = side_costs.of(sides), [burst_credits.of(side) for side in sides]
    if drawn.paired:
        found = drawn.paired.compare(list(fail_if), ALL if devices else None)
    else:
        found = compare(
            [[_recorded(run, jobs, devices) for run in side] for side in sides], fail_if
        )
    figures: Compared = json.loads(found)
    return Comparison(
        sides=list(names),
        differing=scenario_differences.of(names, sides, paired=bool(drawn.seeds)),
        seeds=drawn.seeds,
        rows=figures["rows"],
        steps=figures["steps"],
        costs=costs,
        credits=ending,
        notes=list(dict.fromkeys([*filter(None, [drawn.note]), *_notes(names, sides)])),
        conditions=[_while(names, ending, one) for one in figures["conditions"]],
        conclusions=conclusion.of(names, sides, figures["rows"], costs, ending),
    )


def _while(
    names: Sequence[str], ending: Sequence[burst_credits.Ends | None], outcome: Outcome
) -> Outcome:
    """An outcome that says which side's burst credits it holds as long as."""
    parts = [outcome["measured"]]
    for side in (0, outcome["side"]):
        ends = ending[side]
        if ends:
            parts.append(burst_credits.clause(names[side], ends))
    return {**outcome, "measured": "; ".join(parts)}


def _notes(names: Sequence[str], sides: Sequence[Sequence[Run]]) -> Iterator[str]:
    """How mirrors of journals fared, then what to keep in mind, each reason once."""
    from blockyard.comparison import journal_mirrors
    from blockyard.words.outages import in_brief

    yield from journal_mirrors.side_by_side(names, sides)
    reasons: dict[str, list[str]] = {}
    for name, side in zip(names, sides, strict=True):
        for reason in _warnings(side):
            reasons.setdefault(reason, []).append(name)
        for outage in sorted({in_brief(run.result) for run in side} - {""}):
            reasons.setdefault(outage, []).append(name)
    for reason, of in reasons.items():
        yield f"{', '.join(of)}: {reason}"


def _warnings(side: Sequence[Run]) -> Iterator[str]:
    from blockyard.words.amounts import done
    from blockyard.words.stalls import stalls

    run = side[0]
    said = told.of_result(run.result, run.facts)
    if ends := burst_credits.of(side):
        yield burst_credits.note(ends)
    yield from run.result.get("notices", [])
    if failed := said.failures():
        yield failed
    yield from provenance.assumed(run.result)
    yield from done(run.result)
    yield from stalls(run.result)
    if run.result.get("transactions"):
        yield from said.unsettled()
    measured_s = run.result["duration_s"] - run.warmup_s
    if run.result["mode"] != "simulate" and measured_s < _SHORT_S:
        yield f"only {duration(measured_s)} measured"
    if 1 < len(side) < _FEW:
        yield f"{len(side)} runs say little about chance; {_FEW} say more"
    if len(side) == 1 and run.result["mode"] != "simulate":
        yield "one run does not show variation from run to run, or from day to day"


def _recorded(run: Run, jobs_together: bool, devices_together: bool) -> Recorded:
    columns = ["job", "device", "op", "t_s", "ios", "bytes", "latency_mean_us"]
    rows = run.intervals.sort_by("t_s").select(columns).to_pylist() or _whole(run)
    end_s = run.result["duration_s"]
    if not comparability.is_known(run):
        rows, end_s = _busy(rows, end_s)
    idle = {_series(row) for row in rows} - {_series(row) for row in rows if row["ios"]}
    series: dict[tuple[str, str, str], Series] = {}
    for row in rows:
        job, device, op = key = _series(row)
        if key in idle:
            continue
        one = series.get(key)
        if one is None:
            one = series[key] = Series(
                tag=f"{job}.{device}.{op}",
                job=ALL if jobs_together else job,
                device=ALL if devices_together else device,
                op=op,
                start_s=[],
                ios=[],
                bytes=[],
                latency_mean_us=[],
                percentiles=run.percentiles.get(f"{job}.{device}.{op}", []),
            )
        one["start_s"].append(row["t_s"])
        one["ios"].append(row["ios"])
        one["bytes"].append(row["bytes"])
        one["latency_mean_us"].append(row["latency_mean_us"])
    return Recorded(
        series=[*_transactions(run, jobs_together), *series.values()],
        latencies=run.latencies,
        warmup_s=run.warmup_s,
        duration_s=end_s,
        step_starts_s=run.asked().step_starts_s if run.scenario else [],
        steps=[] if jobs_together else _steps(run),
        seed=run.result["seed"] if run.result["mode"] == "simulate" else None,
    )


def _transactions(run: Run, jobs_together: bool) -> Iterator[Series]:
    """The transactions of each job that does any."""
    rows = run.transactions.sort_by("t_s").to_pylist()
    for job in dict.fromkeys(row["job"] for row in rows if row["count"]):
        own = [row for row in rows if row["job"] == job]
        yield Series(
            tag=f"{job}.{TRANSACTION}",
            job=ALL if jobs_together else job,
            device="",
            op=TRANSACTION,
            start_s=[row["t_s"] for row in own],
            ios=[row["count"] for row in own],
            bytes=[0] * len(own),
            latency_mean_us=[row["latency_mean_us"] for row in own],
            percentiles=run.percentiles.get(f"{job}.{TRANSACTION}", []),
        )


def _steps(run: Run) -> list[Step]:
    """The load steps of each job, in order."""
    found = {
        (step["job"], step["step"]): Step(
            job=step["job"],
            processes=step["processes"],
            rate=step["rate"],
            from_s=step["from_s"],
            to_s=step["to_s"],
        )
        for step in run.result["steps"]
    }
    return [found[key] for key in sorted(found)]


def _series(row: Mapping[str, Any]) -> tuple[str, str, str]:
    return row["job"], row["device"], row["op"]


def _busy(rows: Sequence[dict[str, Any]], end_s: float) -> tuple[list[dict[str, Any]], float]:
    """The rows from the first interval with IO to the last, and where that ends.

    Before and after them nobody asked for anything.
    """
    busy = [row["t_s"] for row in rows if row["ios"]]
    first, last = min(busy, default=0.0), max(busy, default=0.0)
    later = (row["t_s"] for row in rows if row["t_s"] > last)
    return [row for row in rows if first <= row["t_s"] <= last], min(later, default=end_s)


def _whole(run: Run) -> list[dict[str, Any]]:
    """The whole run as an interval: of some foreign files no more is known."""
    return [
        {
            "job": total["job"],
            "device": total["device"],
            "op": total["op"],
            "t_s": 0.0,
            "ios": total["ios"],
            "bytes": total["bytes"],
            "latency_mean_us": total["latency_us"]["mean"] if total["latency_us"] else None,
        }
        for total in run.result["totals"]
    ]
