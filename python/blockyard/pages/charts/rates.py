"""IOPS and MiB/s over time, device by device, under the limits in force."""

from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass

from blockyard.pages.charts import limit_lines, overlay
from blockyard.pages.charts.axes import TIME, name_of
from blockyard.pages.charts.history import Bin, History, history
from blockyard.pages.charts.series import colours, devices, movers
from blockyard.pages.charts.spans import spans
from blockyard.pages.figure import Axis, Figure, Lines, Series
from blockyard.runs.run import Run
from blockyard.text.formatting import clock, duration, number


@dataclass(frozen=True)
class _Kind:
    name: str
    unit: limit_lines.Unit
    count: Callable[[Bin], float]


# The last place of the palette, which no series is likely to have.
_TOTAL = 7

_KINDS = (
    _Kind("iops", "IOPS", lambda found: found.ios),
    _Kind("throughput", "MiB/s", lambda found: found.bytes / 2**20),
)


def needs(run: Run) -> bool:
    """Rows of intervals, and a series that moved bytes."""
    return run.intervals.num_rows > 0 and bool(movers(run))


def figures(runs: Sequence[Run], bin_s: float) -> Iterable[Figure]:
    """One run at its own intervals, with jobs apart; several in bins, each as a whole."""
    if len(runs) > 1:
        for kind in _KINDS:
            axis = Axis(kind.unit, kind.unit)
            yield from overlay.figures(runs, bin_s, kind.name, axis, _rates(kind.count))
        return
    [run] = runs
    found = history(run, run.interval_s)
    for device in devices(movers(run)):
        for kind in _KINDS:
            yield _of_device(run, found, device, kind)


def _rates(count: Callable[[Bin], float]) -> overlay.Measure:
    return lambda found, keys: found.rates(keys, count)


def _of_device(run: Run, found: History, device: str, kind: _Kind) -> Figure:
    palette = colours(movers(run))
    there = [key for key in movers(run) if key.device == device]
    total = found.rates(there, kind.count)
    highest, at = max(
        ((value, at) for value, at in zip(total, found.at, strict=True) if value is not None),
        default=(0.0, 0.0),
    )
    drawn = limit_lines.over(run, device, kind.unit, highest, len(found.at))
    width = duration(run.interval_s)
    said = f"Means of {width}; the highest is {number(highest)} {kind.unit}, at {clock(at)}."
    return Figure(
        name=name_of(kind.name, device),
        title=f"{kind.unit} on {device}",
        caption=" ".join([said, *_of_limits(run, drawn, highest)]),
        plot=Lines(
            x=TIME,
            y=Axis(kind.unit, kind.unit),
            at=found.at,
            series=[
                # First, so that it lies below the others.
                *([Series("total", total, _TOTAL, "dotted")] if len(there) > 1 else []),
                *(
                    Series(key.label, found.rates([key], kind.count), palette[key.label])
                    for key in there
                ),
                *drawn.series,
            ],
            levels=drawn.levels,
            spans=spans([run]),
        ),
        group=f"rates-{device}",
    )


def _of_limits(run: Run, drawn: limit_lines.Limits, highest: float) -> Iterator[str]:
    """What the limits in the plot are, and which lie above it."""
    if drawn.levels or drawn.series:
        if run.result["mode"] == "bench":
            yield "Dashed: the limits of the scenario, which real storage need not have."
        elif any(level.value < highest for level in drawn.levels):
            yield (
                "Dashed: the limits in force; each also lets through what was saved up while "
                "the load was below it."
            )
        else:
            yield "Dashed: the limits in force."
    if drawn.beyond:
        yield f"Above the plot: {drawn.beyond}."
