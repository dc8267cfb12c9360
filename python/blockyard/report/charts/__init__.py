"""The charts of a report, in their order.

A chart is a module that says which runs have what it needs, and draws those: one run in
detail, with its jobs and devices apart, several over each other.
"""

import dataclasses
from collections.abc import Iterable, Sequence
from typing import Protocol

from blockyard.report.charts import (
    balance,
    cycles,
    distribution,
    heat,
    held,
    lateness,
    load,
    means,
    percentiles,
    queue,
    rates,
    waiting,
)
from blockyard.report.figure import Figure
from blockyard.run import Run


class Chart(Protocol):
    """What each of the modules here is."""

    def needs(self, run: Run) -> bool:
        """Whether a run has what the chart shows."""

    def figures(self, runs: Sequence[Run], bin_s: float) -> Iterable[Figure]:
        """Its figures of such runs, at least one, with time in bins of `bin_s` seconds.

        A chart that shows every interval of a run, or no time, has no use for the bins.
        """


CHARTS: tuple[Chart, ...] = (
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
    held,
    lateness,
)


def drawn(runs: Sequence[Run], bin_s: float) -> list[Figure]:
    """The figures of all charts, each of the runs that have what it needs."""
    found: dict[str, Figure] = {}
    for chart in CHARTS:
        having = [run for run in runs if chart.needs(run)]
        for figure in chart.figures(having, bin_s) if having else ():
            name, number = figure.name, 2
            while name in found:
                name, number = f"{figure.name}-{number}", number + 1
            found[name] = dataclasses.replace(figure, name=name)
    return list(found.values())
