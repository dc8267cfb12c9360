"""Queue depth over time: how many IOs are in flight."""

from collections.abc import Iterable, Sequence

import pyarrow.compute as pc

from blockyard.pages.charts import overlay
from blockyard.pages.charts.axes import TIME, name_of
from blockyard.pages.charts.history import Bin, History, history
from blockyard.pages.charts.series import SeriesKey, colours, devices, movers
from blockyard.pages.charts.spans import spans
from blockyard.pages.figure import Axis, Figure, Lines, Series
from blockyard.runs.run import Run
from blockyard.text.formatting import duration

_AXIS = Axis("queue depth", "IOs")


def needs(run: Run) -> bool:
    """Rows of intervals that say how many IOs were in flight."""
    return bool(movers(run)) and bool(pc.max(run.intervals["queue_depth"]).as_py())


def figures(runs: Sequence[Run], bin_s: float) -> Iterable[Figure]:
    """A figure for each device; several runs over each other."""
    if len(runs) > 1:
        yield from overlay.figures(runs, bin_s, "queue-depth", _AXIS, _depth)
        return
    [run] = runs
    found = history(run, run.interval_s)
    palette = colours(movers(run))
    for device in devices(movers(run)):
        yield Figure(
            name=name_of("queue-depth", device),
            title=f"Queue depth: {device}",
            caption="IOs in flight, throttled ones included; "
            f"means over {duration(run.interval_s)}, weighted by time.",
            plot=Lines(
                x=TIME,
                y=_AXIS,
                at=found.at,
                series=[
                    Series(key.label, _depth(found, [key]), palette[key.label])
                    for key in movers(run)
                    if key.device == device
                ],
                spans=spans([run]),
            ),
            group="queue-depth",
        )


def _depth(found: History, of: Sequence[SeriesKey]) -> list[float | None]:
    return found.sums(of, _queue_depth)


def _queue_depth(found: Bin) -> float:
    return found.queue_depth
