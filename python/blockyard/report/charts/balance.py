"""Burst balance over time: what is left of a volume's credits."""

import math
from collections.abc import Iterable, Sequence

import pyarrow.compute as pc

from blockyard.report.charts.axes import TIME
from blockyard.report.charts.history import HAIR
from blockyard.report.charts.overlay import common_bin_s
from blockyard.report.charts.spans import spans
from blockyard.report.figure import Axis, Figure, Lines, Series
from blockyard.run import Run

_AXIS = Axis("burst balance", "%", most=100.0)


def needs(run: Run) -> bool:
    """A volume with credits."""
    return bool(pc.any(pc.is_valid(run.volumes["balance_pct"])).as_py())


def figures(runs: Sequence[Run], bin_s: float) -> Iterable[Figure]:  # noqa: ARG001 as all charts
    """One run volume by volume; of several runs each one's lowest balance."""
    width = common_bin_s(runs, 0.0)
    if len(runs) == 1:
        lines = _balances(runs[0], width)
        caption = "What is left of each volume's credits. At 0% only its baseline is left."
    else:
        lines = {run.name: _lowest(_balances(run, width)) for run in runs}
        caption = "What is left of the credits of each run's emptiest volume."
    at = sorted({t_s for balances in lines.values() for t_s in balances})
    yield Figure(
        name="burst-balance",
        title="Burst balance",
        caption=caption,
        plot=Lines(
            x=TIME,
            y=_AXIS,
            at=at,
            series=[
                Series(label, [balances.get(t_s) for t_s in at], number)
                for number, (label, balances) in enumerate(lines.items())
            ],
            spans=spans(runs),
        ),
    )


def _balances(run: Run, bin_s: float) -> dict[str, dict[float, float]]:
    """Of each volume with credits, the balance at the end of each bin."""
    rows = run.volumes.select(["t_s", "volume", "balance_pct"])
    found: dict[str, dict[float, float]] = {}
    for row in rows.filter(pc.is_valid(rows["balance_pct"])).to_pylist():
        end_s = (math.floor(row["t_s"] / bin_s + HAIR) + 1) * bin_s
        # The rows are in the order of time: a bin's last one stays.
        found.setdefault(row["volume"], {})[end_s] = row["balance_pct"]
    return found


def _lowest(balances: dict[str, dict[float, float]]) -> dict[float, float]:
    lowest: dict[float, float] = {}
    for volume in balances.values():
        for t_s, balance in volume.items():
            lowest[t_s] = min(balance, lowest.get(t_s, balance))
    return lowest
