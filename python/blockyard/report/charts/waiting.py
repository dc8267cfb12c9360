"""How many IOs each limit held at a time: what held them back, and when."""

from collections import defaultdict
from collections.abc import Iterable, Sequence

import pyarrow.compute as pc

from blockyard.report.charts.axes import TIME, spans
from blockyard.report.charts.history import interval_s
from blockyard.report.figure import Axis, Figure, Lines, Series
from blockyard.report.held import held
from blockyard.report.limits import name_of
from blockyard.run import Run

_AXIS = Axis("held by limits", "IOs")


def needs(run: Run) -> bool:
    """A volume in whose rows a limit held IOs."""
    return bool(held(run))


def figures(runs: Sequence[Run], bin_s: float) -> Iterable[Figure]:  # noqa: ARG001 as all charts
    """By limit; of several runs all limits together."""
    lines: dict[str, dict[float, float]] = {}
    for run in runs:
        for name, ios_held in held_over_time(run).items():
            into = lines.setdefault(name if len(runs) == 1 else run.name, defaultdict(float))
            for t_s, ios in ios_held.items():
                into[t_s] += ios
    at = sorted({t_s for run in runs for t_s in pc.unique(run.volumes["t_s"]).to_pylist()})
    yield Figure(
        name="waiting",
        title="IOs that limits held",
        caption="How many IOs waited for tokens, on average over each interval. An IO counts "
        "where it was let go.",
        plot=Lines(
            x=TIME,
            y=_AXIS,
            at=at,
            series=[
                Series(name, [ios_held.get(t_s, 0.0) for t_s in at], number)
                for number, (name, ios_held) in enumerate(lines.items())
            ],
            spans=spans(runs),
        ),
    )


def held_over_time(run: Run) -> dict[str, dict[float, float]]:
    """Of each limit that held IOs, how many it held on average, by start of interval.

    Intervals in which it held none are left out.
    """
    length_us = 1e6 * interval_s(run)
    found: dict[str, dict[float, float]] = {}
    for row in held(run):
        name = name_of(row.owner, row.kind)
        into = found.setdefault(name, defaultdict(float))
        into[row.t_s] += row.held_us / length_us
    return found
