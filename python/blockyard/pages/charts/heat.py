"""The heat map of latency over time: how many IOs took how long, and when."""

import math
from collections.abc import Iterable, Sequence
from typing import NamedTuple

from blockyard._core import Histogram
from blockyard.pages.charts.axes import LATENCY, TIME, name_of
from blockyard.pages.charts.overlay import common_bin_s, places
from blockyard.pages.charts.percentiles import logged
from blockyard.pages.charts.percentiles import needs as needs
from blockyard.pages.figure import Figure, Heat
from blockyard.runs.run import Run
from blockyard.text.formatting import duration, latency

# More columns than this no screen shows apart.
_MOST_COLUMNS = 360
# Rows for each doubling of the latency.
_ROWS = 4


class _Wanted(NamedTuple):
    """A map that is to be drawn."""

    run: Run
    tags: list[str]
    name: str
    title: str


def figures(runs: Sequence[Run], bin_s: float) -> Iterable[Figure]:
    """A map for each series; of several runs one for each run and operation."""
    if len(runs) == 1:
        for key in logged(runs[0]):
            title = f"Latency map: {key.label} on {key.device}"
            wanted = _Wanted(runs[0], [key.tag], name_of("heat", *key), title)
            yield from _maps([wanted], bin_s, "heat")
        return
    for place in places(runs):
        group = f"heat-{place.name}"
        wanted_here = [
            _Wanted(
                run,
                [key.tag for key in logged(run) if place.holds(key)],
                f"{group}-{name_of(run.name)}",
                f"Latency map of {run.name}: {place.title}",
            )
            for run in runs
        ]
        yield from _maps(wanted_here, bin_s, group)


def _maps(wanted: Sequence[_Wanted], bin_s: float, group: str) -> Iterable[Figure]:
    """Maps whose cells are alike, so that they can be compared."""
    width = common_bin_s([one.run for one in wanted], bin_s)
    longest = max(one.run.result["duration_s"] for one in wanted)
    width *= math.ceil(longest / width / _MOST_COLUMNS) or 1
    found = [(one, dict(one.run.latencies.over_time(one.tags, width))) for one in wanted]
    found = [(one, bins) for one, bins in found if bins]
    if found:
        every = Histogram.merged([each for _, bins in found for each in bins.values()])
        edges_us = _edges_us(every)
        for one, bins in found:
            yield _map(one, bins, width, edges_us, group)


def _map(
    wanted: _Wanted,
    bins: dict[float, Histogram],
    width: float,
    edges_us: Sequence[float],
    group: str,
) -> Figure:
    columns = round(max(bins) / width) + 1
    whole = Histogram.merged(list(bins.values()))
    empty = [0] * (len(edges_us) - 1)
    counts = {round(start / width): found.counts(edges_us) for start, found in bins.items()}
    return Figure(
        name=wanted.name,
        title=wanted.title,
        caption=f"How many of {whole.count:,} IOs took how long, in columns of "
        f"{duration(width)}; the slowest took {latency(whole.max_us)}.",
        plot=Heat(
            x=TIME,
            y=LATENCY,
            x_edges=[number * width for number in range(columns + 1)],
            y_edges=[edge / 1000 for edge in edges_us],
            counts=[counts.get(number, empty) for number in range(columns)],
        ),
        group=group,
    )


def _edges_us(whole: Histogram) -> list[float]:
    """Edges around all latencies, at equal ratios, the same for equal ranges."""
    fastest = max(whole.buckets()[0][0], 0.001)
    slowest = max(whole.max_us, fastest)
    # A hair wider, as the middle of a bucket stands for all of it.
    first = math.floor(_ROWS * math.log2(fastest) - 0.01)
    last = math.ceil(_ROWS * math.log2(slowest) + 0.01)
    return [2 ** (number / _ROWS) for number in range(first, last + 1)]
