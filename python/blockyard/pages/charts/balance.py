"""Burst balance over time: what is left of the credits of volumes and of instances."""

import math
from collections.abc import Iterable, Sequence

import pyarrow.compute as pc

from blockyard.pages.charts.axes import TIME
from blockyard.pages.charts.history import HAIR
from blockyard.pages.charts.overlay import common_bin_s
from blockyard.pages.charts.spans import spans
from blockyard.pages.figure import Axis, Figure, Lines, Series
from blockyard.runs.run import Run
from blockyard.text.limit_names import host, host_by_volume

_AXIS = Axis("burst balance", "%", most=100.0)


def needs(run: Run) -> bool:
    """A volume or an instance with credits."""
    columns = (run.volumes[name] for name in ("balance_pct", "host_balance_pct"))
    return any(pc.any(pc.is_valid(column)).as_py() for column in columns)


def figures(runs: Sequence[Run], bin_s: float) -> Iterable[Figure]:  # noqa: ARG001 as all charts
    """One run volume by volume; of several runs each one's lowest balance."""
    width = common_bin_s(runs, 0.0)
    if len(runs) == 1:
        lines = _balances(runs[0], width)
        caption = "Remaining credits. At 0% only the baseline is left."
    else:
        lines = {run.name: _lowest(_balances(run, width)) for run in runs}
        caption = "Remaining credits of each run's emptiest volume, or of its instance's."
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
    """Of each volume with credits, and of each instance, the balance at the end of each bin."""
    found: dict[str, dict[float, float]] = {}
    hosts = host_by_volume(run.facts)
    for column in ("balance_pct", "host_balance_pct"):
        rows = run.volumes.select(["t_s", "volume", column])
        for row in rows.filter(pc.is_valid(rows[column])).to_pylist():
            end_s = (math.floor(row["t_s"] / bin_s + HAIR) + 1) * bin_s
            # The rows are in the order of time: a bin's last one stays.
            volume = row["volume"]
            whose = volume if column == "balance_pct" else hosts.get(volume, host(None))
            found.setdefault(whose, {})[end_s] = row[column]
    return found


def _lowest(balances: dict[str, dict[float, float]]) -> dict[float, float]:
    lowest: dict[float, float] = {}
    for volume in balances.values():
        for t_s, balance in volume.items():
            lowest[t_s] = min(balance, lowest.get(t_s, balance))
    return lowest
