"""The charts of a report, in their order.

A chart is a module that says which runs have what it needs, and draws those: one run in
detail, with its jobs and devices apart, several over each other.
"""

import dataclasses
from collections.abc import Iterable, Sequence
from typing import Protocol, TypeVar

from blockyard.report.charts import (
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
    throttled,
    transactions,
    waiting,
)
from blockyard.report.figure import Curve, Curves, Figure, Lines, Series
from blockyard.run import Run

Line = TypeVar("Line", Series, Curve)


class Chart(Protocol):
    """What each of the modules here is."""

    def needs(self, run: Run) -> bool:
        """Whether a run has what the chart shows."""

    def figures(self, runs: Sequence[Run], bin_s: float) -> Iterable[Figure]:
        """Its figures of such runs, at least one, with time in bins of `bin_s` seconds.

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
    throttled,
    lateness,
    cost,
)


def all_figures(
    runs: Sequence[Run], bin_s: float, colours: Sequence[int] | None = None
) -> list[Figure]:
    """The figures of all charts, each of the runs that have what it needs.

    In figures of several runs each has its colour of `colours`, or else one of its own.
    """
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
