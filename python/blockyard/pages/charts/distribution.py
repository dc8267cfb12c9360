"""Percentile curves: latency against the share of IOs that were as fast, on nines."""

import math
from collections.abc import Iterable, Sequence

from blockyard._core import Histogram
from blockyard.pages.charts.axes import LATENCY, name_of
from blockyard.pages.charts.overlay import DASHES, places
from blockyard.pages.charts.percentiles import logged
from blockyard.pages.charts.series import SeriesKey
from blockyard.pages.figure import Axis, Curve, Curves, Figure
from blockyard.runs.run import Run
from blockyard.runs.steps import load_of, loaded, steps_of
from blockyard.text.formatting import duration
from blockyard.types.result import Step

_SHARE = Axis("share of IOs at most as slow", scale="nines")
# Points for each nine.
_POINTS = 20


def needs(run: Run) -> bool:
    """Latencies of a series, by interval or of the whole run."""
    return bool(logged(run))


def figures(runs: Sequence[Run], bin_s: float) -> Iterable[Figure]:  # noqa: ARG001 as all charts
    """One run's series, and the steps of each series; several runs over each other."""
    drawn = _overlays(runs) if len(runs) > 1 else _alone(runs[0])
    yield from drawn


def _overlays(runs: Sequence[Run]) -> Iterable[Figure]:
    for place in places(runs):
        found = [
            (run.name, _whole(run, [key for key in logged(run) if place.holds(key)]))
            for run in runs
        ]
        yield _figure(f"percentiles-{place.name}", f"Percentiles: {place.title}", found, "Each run")


def _alone(run: Run) -> Iterable[Figure]:
    stepped = steps_of(run)
    apart = [key for key in logged(run) if key.job in stepped]
    if len(logged(run)) > len(apart) or len(apart) > 1:
        found = [(f"{key.label} {key.device}", _whole(run, [key])) for key in logged(run)]
        yield _figure("percentiles", "Percentiles of all jobs", found, "Each series")
    for key in apart:
        found = [
            (label, run.latencies.merged([key.tag], step["from_s"], step["to_s"]))
            for label, step in _labelled(stepped[key.job])
        ]
        title = f"Percentiles by load: {key.label} on {key.device}"
        yield _figure(name_of("percentiles", *key), title, found, "Each load step")


def _labelled(steps: Sequence[Step]) -> list[tuple[str, Step]]:
    """The steps that asked for IO, by their load; by their time, too, where loads recur."""
    found = [step for step in steps if loaded(step)]
    labels = [load_of(step) for step in found]
    return [
        (label if labels.count(label) == 1 else f"{label}, from {duration(step['from_s'])}", step)
        for label, step in zip(labels, found, strict=True)
    ]


def _whole(run: Run, found: Sequence[SeriesKey]) -> Histogram:
    return run.latencies.merged([key.tag for key in found], run.warmup_s)


def _figure(name: str, title: str, found: Sequence[tuple[str, Histogram]], each: str) -> Figure:
    curves = [
        Curve(label, _points(histogram), number, DASHES[number % len(DASHES)])
        for number, (label, histogram) in enumerate(found)
        if histogram.count
    ]
    return Figure(
        name=name,
        title=title,
        caption=f"{each} without the warm-up, up to its slowest IO.",
        plot=Curves(_SHARE, LATENCY, curves),
        group="percentiles",
    )


def _points(histogram: Histogram) -> list[tuple[float, float, str]]:
    """Places at equal distances on nines, as far as the number of IOs bears."""
    steps = math.floor(_POINTS * math.log10(histogram.count))
    shares = [1 - 10 ** (-step / _POINTS) for step in range(steps + 1)]
    latencies = histogram.quantiles_us(shares)
    return [
        (share, latency / 1000, f"p{100 * share:.7g}")
        for share, latency in zip(shares, latencies, strict=True)
    ]
