"""Mean latency over time: what `iostat` shows, and published charts of storage."""

from collections.abc import Iterable, Sequence

from blockyard.pages.charts import overlay, percentiles
from blockyard.pages.charts.axes import TIME, name_of
from blockyard.pages.charts.history import Bin, History, history
from blockyard.pages.charts.series import SeriesKey, colours, devices, movers
from blockyard.pages.charts.spans import spans
from blockyard.pages.figure import Axis, Figure, Level, Lines, Series
from blockyard.runs.run import Run
from blockyard.text.formatting import duration

_AXIS = Axis("mean latency", "ms", "log")

# What storage for databases is measured by, in published charts and in yaspe's.
_USUAL = Level("1 ms", 1.0)


def needs(run: Run) -> bool:
    """Rows of intervals with latencies."""
    latencies = run.intervals["latency_mean_us"]
    return bool(movers(run)) and latencies.null_count < len(latencies)


def figures(runs: Sequence[Run], bin_s: float) -> Iterable[Figure]:
    """A figure for each device; of several runs one for each operation."""
    if len(runs) > 1:
        yield from overlay.figures(runs, bin_s, "mean-latency", _AXIS, _means)
        return
    [run] = runs
    unknown = "" if percentiles.needs(run) else "; percentiles are not known"
    width = max(bin_s, run.interval_s)
    found = history(run, width)
    palette = colours(movers(run))
    for device in devices(movers(run)):
        yield Figure(
            name=name_of("mean-latency", device),
            title=f"Mean latency on {device}",
            caption=f"Means over the IOs of each {duration(width)}{unknown}.",
            plot=Lines(
                x=TIME,
                y=_AXIS,
                at=found.at,
                series=[
                    Series(key.label, _means(found, [key]), palette[key.label])
                    for key in movers(run)
                    if key.device == device
                ],
                levels=[_USUAL],
                spans=spans([run]),
            ),
            group="mean-latency",
        )


def _means(found: History, of: Sequence[SeriesKey]) -> list[float | None]:
    """The mean in ms over the IOs whose latency is known."""
    latencies = found.sums(of, _latency_us)
    counts = found.sums(of, _timed_ios)
    return [
        latency / count / 1000 if latency is not None and count else None
        for latency, count in zip(latencies, counts, strict=True)
    ]


def _latency_us(found: Bin) -> float:
    return found.latency_us


def _timed_ios(found: Bin) -> float:
    return found.timed_ios
