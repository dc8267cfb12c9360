"""The charts of a report, in their order.

A chart is a module that says which runs have what it needs, and draws those: one run in
detail, with its jobs and devices apart, several over each other.
"""

import dataclasses
from collections.abc import Iterable, Sequence
from typing import Protocol, TypeVar

from blockyard.pages.charts import (
    balance,
    cost,
    cycles,
    distribution,
    heat,
    lateness,
    load,
    means,
    percentiles,
    queue,
    rates,
    throttling,
    transactions,
    waiting,
)
from blockyard.pages.figure import Curve, Curves, Figure, Lines, Series
from blockyard.runs.run import Run

# Usual widths of bins in seconds, and of how many bins a chart has at least.
_WIDTHS_S = (0.1, 0.2, 0.5, 1, 2, 5, 10, 30, 60, 120, 300, 600, 1800, 3600)
_FEWEST = 60

Line = TypeVar("Line", Series, Curve)


class Chart(Protocol):
    """What each of the modules here is."""

    def needs(self, run: Run) -> bool:
        """Whether a run has what the chart shows."""

    def figures(self, runs: Sequence[Run], bin_s: float) -> Iterable[Figure]:
        """Its figures of such runs, at least one, with time in bins of `bin_s` seconds.

        What compares runs has none of a single one.
        A chart that shows every interval of a run, or no time, has no use for the bins.
        """


CHARTS: tuple[Chart, ...] = (
    transactions,
    rates,
    means,
    percentiles,
    heat,
    distribution,
    load,
    balance,
    queue,
    cycles,
    waiting,
    throttling,
    cost,
    lateness,
)


def all_figures(
    runs: Sequence[Run], bin_s: float | None = None, colours: Sequence[int] | None = None
) -> list[Figure]:
    """The figures of all charts, each of the runs that have what it needs.

    Without `bin_s` the length of the runs decides on the width of bins. In figures of several
    runs each has its colour of `colours`, or else one of its own.
    """
    if bin_s is None:
        bin_s = suited_bin_s(max((run.result["duration_s"] for run in runs), default=0))
    colours = colours or range(len(runs))
    found: dict[str, Figure] = {}
    for chart in CHARTS:
        having = [number for number, run in enumerate(runs) if chart.needs(run)]
        shown = [runs[number] for number in having]
        for figure in chart.figures(shown, bin_s) if shown else ():
            if len(shown) > 1:
                figure = _coloured(figure, [colours[number] for number in having])
            elif len(runs) > 1:
                figure = dataclasses.replace(figure, title=f"{shown[0].name}: {figure.title}")
            name, number = figure.name, 2
            while name in found:
                name, number = f"{figure.name}-{number}", number + 1
            found[name] = dataclasses.replace(figure, name=name)
    return list(found.values())


def suited_bin_s(duration_s: float) -> float:
    """The widest usual width of bins of which such a run has at least `_FEWEST`.

    Charts make no bin narrower than the run's intervals.
    """
    return max(
        (width for width in _WIDTHS_S if duration_s >= _FEWEST * width), default=_WIDTHS_S[0]
    )


def _coloured(figure: Figure, colours: Sequence[int]) -> Figure:
    """A figure whose runs, in their order, have these colours."""

    def lines(found: Sequence[Line]) -> list[Line]:
        return [
            line if line.colour is None else dataclasses.replace(line, colour=colours[line.colour])
            for line in found
        ]

    plot = figure.plot
    if isinstance(plot, Lines):
        plot = dataclasses.replace(plot, series=lines(plot.series))
    elif isinstance(plot, Curves):
        plot = dataclasses.replace(plot, curves=lines(plot.curves))
    return dataclasses.replace(figure, plot=plot)
