"""Several runs over each other: a line for each, over all jobs, operation by operation."""

from collections.abc import Callable, Iterable, Sequence
from typing import NamedTuple

from blockyard.pages.charts.axes import TIME, name_of
from blockyard.pages.charts.history import History, history
from blockyard.pages.charts.series import SeriesKey, devices, movers
from blockyard.pages.charts.spans import spans
from blockyard.pages.figure import Axis, Dash, Figure, Lines, Series
from blockyard.runs.run import Run
from blockyard.text.formatting import duration

# What tells lines apart besides their colours.
DASHES: tuple[Dash, ...] = ("solid", "dashed", "dotted")

# Values of some series in the bins of a history.
Measure = Callable[[History, Sequence[SeriesKey]], list[float | None]]


class Place(NamedTuple):
    """Where runs are laid over each other: on a device, or on all together."""

    device: str | None
    op: str

    @property
    def name(self) -> str:
        """The place as part of a figure's name."""
        return name_of(self.device or "all", self.op)

    @property
    def title(self) -> str:
        """The place as part of a title: `read on data`."""
        return f"{self.op} on {self.device}" if self.device else f"{self.op}, all devices"

    def holds(self, key: SeriesKey) -> bool:
        """Whether a series belongs here."""
        return key.op == self.op and self.device in (None, key.device)


def places(runs: Sequence[Run]) -> list[Place]:
    """The operations of any run; device by device where all runs have the same devices."""
    found = [movers(run) for run in runs]
    alike = all(set(devices(keys)) == set(devices(found[0])) for keys in found)
    return list(
        dict.fromkeys(
            Place(key.device if alike else None, key.op) for keys in found for key in keys
        )
    )


def common_bin_s(runs: Sequence[Run], bin_s: float) -> float:
    """A width for the bins of all runs, in seconds: at least the longest of their intervals."""
    return max(bin_s, *(run.interval_s for run in runs))


def figures(
    runs: Sequence[Run], bin_s: float, name: str, axis: Axis, measure: Measure
) -> Iterable[Figure]:
    """A figure of a measure for each place."""
    width = common_bin_s(runs, bin_s)
    histories = [history(run, width) for run in runs]
    at = max((found.at for found in histories), key=len)
    for place in places(runs):
        series = []
        for number, (run, found) in enumerate(zip(runs, histories, strict=True)):
            here = [key for key in found.series if place.holds(key)]
            if here:
                values = measure(found, here)
                values += [None] * (len(at) - len(values))
                dash = DASHES[number % len(DASHES)]
                series.append(Series(run.name, values, number, dash))
        yield Figure(
            name=f"{name}-{place.name}",
            title=f"{axis.label[0].upper()}{axis.label[1:]}: {place.title}",
            caption=f"Each run over all its jobs, in means of {duration(width)}.",
            plot=Lines(TIME, axis, at, series, spans=spans(runs)),
            group=f"{name}-overlay",
        )
