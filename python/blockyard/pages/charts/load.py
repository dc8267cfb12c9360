"""Latency against throughput, load step by load step, with the knee."""

from collections.abc import Iterable, Sequence

from blockyard.pages.charts.axes import name_of
from blockyard.pages.charts.overlay import Place, places
from blockyard.pages.charts.series import SeriesKey, movers
from blockyard.pages.figure import Axis, Curve, Curves, Figure
from blockyard.runs.run import Run
from blockyard.runs.steps import load_of
from blockyard.text.formatting import latency
from blockyard.types.result import LatencyUs, Step

_IOPS = Axis("IOPS", "IOPS")
_LATENCY = Axis("latency", "ms")
_FEWEST_STEPS = 3
# Latency that rises by less than this factor over all steps has no knee.
_RISE = 1.2

_KNEE = (
    "The knee is the step that lies furthest below the straight line from the lightest to "
    "the heaviest load, with both axes scaled to their range"
)


def needs(run: Run) -> bool:
    """A series with at least three load steps."""
    return any(len(_steps(run, key)) >= _FEWEST_STEPS for key in movers(run))


def figures(runs: Sequence[Run], bin_s: float) -> Iterable[Figure]:  # noqa: ARG001 as all charts
    """Mean and p99 of each series; of several runs the means over each other."""
    if len(runs) > 1:
        for place in places(runs):
            yield from _overlay(runs, place)
        return
    [run] = runs
    for key in movers(run):
        steps = _steps(run, key)
        if len(steps) < _FEWEST_STEPS:
            continue
        mean = _means("mean", steps, 0)
        slow = [(step["iops"], latency["p99"] / 1000, load_of(step)) for step, latency in steps]
        yield Figure(
            name=name_of("load", *key),
            title=f"Latency against IOPS: {key.label} on {key.device}",
            caption=_said(mean),
            plot=Curves(_IOPS, _LATENCY, [mean, Curve("p99", slow, 1, "dashed")]),
        )


def _overlay(runs: Sequence[Run], place: Place) -> Iterable[Figure]:
    curves = []
    for number, run in enumerate(runs):
        here = [key for key in movers(run) if place.holds(key)]
        stepped = [s for s in (_steps(run, s) for s in here) if len(s) >= _FEWEST_STEPS]
        # Jobs that step at different times have no load in common.
        if len(stepped) == 1:
            curves.append(_means(run.name, stepped[0], number))
    if curves:
        yield Figure(
            name=f"load-{place.name}",
            title=f"Mean latency against IOPS: {place.title}",
            caption=f"A point for each load step. {_KNEE}.",
            plot=Curves(_IOPS, _LATENCY, curves),
        )


def _steps(run: Run, key: SeriesKey) -> list[tuple[Step, LatencyUs]]:
    """The steps of a series that had IO, by load, with their latencies."""
    found = [
        (step, step["latency_us"])
        for step in run.result["steps"]
        if (step["job"], step["device"], step["op"]) == key and step["latency_us"]
    ]
    return sorted(found, key=lambda item: item[0]["processes"] or item[0]["rate"] or 0)


def _means(label: str, steps: Sequence[tuple[Step, LatencyUs]], colour: int) -> Curve:
    points = [(step["iops"], latency["mean"] / 1000, load_of(step)) for step, latency in steps]
    knee = _knee([(iops, latency) for iops, latency, _ in points])
    marked = None if knee is None else (knee, f"knee: {points[knee][2]}")
    return Curve(label, points, colour, marked=marked)


def _said(mean: Curve) -> str:
    if mean.marked is None:
        return "A point for each load step. The mean rises too little over them to have a knee."
    iops, mean_ms, load = mean.points[mean.marked[0]]
    return (
        f"A point for each load step. {_KNEE}: {load}, {iops:,.0f} IOPS at a mean of "
        f"{latency(1000 * mean_ms)}."
    )


def _knee(points: Sequence[tuple[float, float]]) -> int | None:
    """The number of the point furthest below the chord; None if the curve does not turn up."""
    iops = [point[0] for point in points]
    latencies = [point[1] for point in points]
    if max(latencies) < _RISE * min(latencies) or max(iops) == min(iops):
        return None
    scaled = [(_scaled(x, iops), _scaled(y, latencies)) for x, y in points]
    (x0, y0), (x1, y1) = scaled[0], scaled[-1]
    below = [(x1 - x0) * (y0 - y) - (x0 - x) * (y1 - y0) for x, y in scaled]
    best = max(range(len(below)), key=below.__getitem__)
    return best if 0 < best < len(below) - 1 and below[best] > 0 else None


def _scaled(value: float, values: Sequence[float]) -> float:
    return (value - min(values)) / (max(values) - min(values))
