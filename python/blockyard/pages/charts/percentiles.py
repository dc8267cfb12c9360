"""Latency percentiles over time, from merged histograms."""

import math
from collections.abc import Iterable, Iterator, Sequence

from blockyard._core import Histogram
from blockyard.pages.charts.axes import LATENCY, TIME, name_of
from blockyard.pages.charts.overlay import common_bin_s, places
from blockyard.pages.charts.series import SeriesKey, series
from blockyard.pages.charts.spans import spans
from blockyard.pages.figure import Dash, Figure, Lines, Series, Span
from blockyard.runs.run import Run
from blockyard.text.formatting import duration
from blockyard.words.stalls import hidden

_SHOWN: tuple[tuple[str, float, Dash], ...] = (
    ("p50", 0.5, "solid"),
    ("p95", 0.95, "dashed"),
    ("p99", 0.99, "solid"),
    ("p99.9", 0.999, "dotted"),
)
# Of several runs only these, so that the lines can be told apart.
_COMPARED: tuple[tuple[str, float, Dash], ...] = (("p50", 0.5, "solid"), ("p99", 0.99, "dashed"))


def needs(run: Run) -> bool:
    """Latencies by interval of a series."""
    return bool(logged(run)) and run.intervals.num_rows > 0


def logged(run: Run) -> list[SeriesKey]:
    """The series whose latencies are known."""
    tags = set(run.latencies.tags)
    return [key for key in series(run) if key.tag in tags]


def figures(runs: Sequence[Run], bin_s: float) -> Iterable[Figure]:
    """A figure for each series; of several runs one for each operation."""
    if len(runs) > 1:
        yield from _overlays(runs, bin_s)
        return
    [run] = runs
    width = max(bin_s, run.interval_s)
    for key in logged(run):
        bins = dict(run.latencies.over_time([key.tag], width))
        at = grid(runs, width)
        yield Figure(
            name=name_of("latency", *key),
            title=f"Latency: {key.label} on {key.device}",
            caption=f"Percentiles of the IOs that completed within each {duration(width)}.",
            plot=Lines(
                x=TIME,
                y=LATENCY,
                at=at,
                series=[
                    Series(label, quantile_ms(bins, at, quantile), number, dash)
                    for number, (label, quantile, dash) in enumerate(_SHOWN)
                ],
                spans=[*spans(runs), *_worst_second(run, key)],
            ),
            group="latency",
        )


def _worst_second(run: Run, key: SeriesKey) -> Iterator[Span]:
    """The worst second, where the run's percentiles hide it."""
    for total in run.result["totals"]:
        if (total["job"], total["device"], total["op"]) == (key.job, key.device, key.op):
            worst = hidden(total)
            if worst is not None:
                yield Span("worst second", worst["t_s"], worst["t_s"])


def _overlays(runs: Sequence[Run], bin_s: float) -> Iterable[Figure]:
    width = common_bin_s(runs, bin_s)
    at = grid(runs, width)
    for place in places(runs):
        found = []
        for run in runs:
            tags = [key.tag for key in logged(run) if place.holds(key)]
            found.append(dict(run.latencies.over_time(tags, width)) if tags else {})
        yield Figure(
            name=f"latency-{place.name}",
            title=f"Latency: {place.title}",
            caption="Each run over all its jobs: percentiles of the IOs that completed within "
            f"each {duration(width)}.",
            plot=Lines(
                x=TIME,
                y=LATENCY,
                at=at,
                series=[
                    Series(f"{run.name} {label}", quantile_ms(bins, at, quantile), number, dash)
                    for number, (run, bins) in enumerate(zip(runs, found, strict=True))
                    for label, quantile, dash in _COMPARED
                    if bins
                ],
                spans=spans(runs),
            ),
            group="latency-overlay",
        )


def quantile_ms(
    bins: dict[float, Histogram], at: Iterable[float], quantile: float
) -> list[float | None]:
    """A quantile in ms in each bin; None where nothing completed."""
    return [bins[t_s].quantiles_us([quantile])[0] / 1000 if t_s in bins else None for t_s in at]


def grid(runs: Sequence[Run], width: float) -> list[float]:
    """The starts of all bins of the longest run, with IO or without."""
    longest = max(run.result["duration_s"] for run in runs)
    return [number * width for number in range(math.ceil(longest / width - 1e-6))]
