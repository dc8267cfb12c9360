"""The heat map of latency over time: how many IOs took how long, and when."""

import math
from collections.abc import Iterable, Sequence

from blockyard._core import Histogram
from blockyard.report.charts.axes import LATENCY, TIME, duration, name_of
from blockyard.report.charts.history import interval_s
from blockyard.report.charts.overlay import Place, places
from blockyard.report.charts.percentiles import logged
from blockyard.report.charts.percentiles import needs as needs
from blockyard.report.figure import Figure, Heat
from blockyard.run import Run

# More columns than this no screen shows apart.
_MOST_COLUMNS = 360
# Rows for each doubling of the latency.
_ROWS = 4


def figures(runs: Sequence[Run], bin_s: float) -> Iterable[Figure]:
    """A map for each stream; of several runs one for each run and operation."""
    if len(runs) == 1:
        for stream in logged(runs[0]):
            yield from _map(
                runs[0],
                [stream.tag],
                bin_s,
                name_of("heat", *stream),
                f"Latency map: {stream.label} on {stream.device}",
                "heat",
            )
        return
    for place in places(runs):
        for run in runs:
            tags = _tags(run, place)
            if tags:
                name = f"heat-{place.name}-{name_of(run.name)}"
                title = f"Latency map of {run.name}: {place.title}"
                yield from _map(run, tags, bin_s, name, title, f"heat-{place.name}")


def _tags(run: Run, place: Place) -> list[str]:
    return [stream.tag for stream in logged(run) if place.holds(stream)]


def _map(
    run: Run, tags: list[str], bin_s: float, name: str, title: str, group: str
) -> Iterable[Figure]:
    width = max(bin_s, interval_s(run))
    width *= math.ceil(run.result["duration_s"] / width / _MOST_COLUMNS) or 1
    bins = dict(run.latencies.over_time(tags, width))
    if not bins:
        return
    columns = round(max(bins) / width) + 1
    whole = Histogram.merged(list(bins.values()))
    edges_us = _edges_us(whole)
    empty = [0] * (len(edges_us) - 1)
    counts = {round(start / width): found.counts(edges_us) for start, found in bins.items()}
    yield Figure(
        name=name,
        title=title,
        caption=f"How many of {whole.count:,} IOs took how long, in columns of "
        f"{duration(width)}; the slowest took {whole.max_us / 1000:,.3g} ms.",
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
