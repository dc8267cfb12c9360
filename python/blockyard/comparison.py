"""What differs between runs, and whether it is shown or may be chance."""

import json
from collections.abc import Mapping, Sequence
from typing import Any, Literal, TypedDict, cast

from blockyard import _core, comparability
from blockyard.run import Run

# What jobs and devices are called that are taken together.
ALL = "all"

Verdict = Literal["better", "worse", "no difference shown", "too little to tell"]


class Change(TypedDict):
    """How a figure differs from that of the first side."""

    # 0.05 is 5 % more.
    relative: float
    # Where it lies with a confidence of 95 %; None if there is too little to tell.
    interval: tuple[float, float] | None
    verdict: Verdict


class Row(TypedDict):
    """A figure, side by side."""

    job: str
    # None for all together.
    device: str | None
    # None for reads and writes.
    op: str | None
    # As goals name it.
    figure: str
    # IOs and MiB a second, latencies in µs; None where nothing was measured.
    values: list[float | None]
    # Of each further side; None where one of both has no value.
    changes: list[Change | None]


class Outcome(TypedDict):
    """What became of a condition."""

    condition: str
    # The side that was compared with the first, from 1.
    side: int
    holds: bool
    measured: str


class Comparison(TypedDict):
    """What differs between sides."""

    rows: list[Row]
    conditions: list[Outcome]


class Series(TypedDict):
    """What a job did on a device with one operation, an interval in each place."""

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


class Recorded(TypedDict):
    """What a comparison looks at in a run."""

    series: list[Series]
    latencies: _core.Latencies
    warmup_s: float
    duration_s: float
    step_starts_s: list[float]


def compare(
    *sides: Run | Sequence[Run], fail_if: Sequence[str] = (), anyway: bool = False
) -> Comparison:
    """Compare every side, a run or its repeats, with the first.

    `fail_if` are conditions such as `readers.latency.p99 > +5%`. Where jobs or devices
    cannot be told from each other in all runs, they count together as `all`.

    Raises ScenarioError, in one line, for what is wrong with a condition, and
    UnlikeError where runs are not comparable, unless `anyway`.

        >>> gp3, busy = "scenarios/examples/gp3.yaml", {"workload.readers.processes": 8}
        >>> slow = blockyard.simulate(gp3, busy)
        >>> fast = blockyard.simulate(gp3, busy | {"storage.data.iops": 6000})
        >>> rows = blockyard.compare(slow, fast)["rows"]
        >>> rows[0]["figure"], rows[0]["changes"][0]["verdict"]
        ('iops', 'better')
    """
    runs = [[side] if isinstance(side, Run) else list(side) for side in sides]
    first, *others = [run for side in runs for run in side]
    if not anyway:
        comparability.check(first, others)
    together = comparability.taken_together([first, *others])
    recorded = [[_recorded(run, *together) for run in side] for side in runs]
    return cast(Comparison, json.loads(_core.compare(recorded, list(fail_if))))


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
            )
        one["start_s"].append(row["t_s"])
        one["ios"].append(row["ios"])
        one["bytes"].append(row["bytes"])
        one["latency_mean_us"].append(row["latency_mean_us"])
    return Recorded(
        series=list(series.values()),
        latencies=run.latencies,
        warmup_s=run.warmup_s,
        duration_s=end_s,
        step_starts_s=run.asked().step_starts_s if run.scenario else [],
    )


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
