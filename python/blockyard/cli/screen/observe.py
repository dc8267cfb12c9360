"""An observation, on the whole screen."""

from blockyard._core import Interval
from blockyard.cli.interval import Series, series
from blockyard.cli.screen.display import Screen
from blockyard.cli.screen.frame import Device, Frame, Listing
from blockyard.cli.screen.history import History, by_device, interval_s
from blockyard.runs.observer import Observer
from blockyard.text.formatting import clock, latency

_HEADINGS = ("device", "IOPS", "MiB/s", "mean", "p99", "depth")


class ObserveScreen(Observer):
    """Every device with its history, and each of its operations."""

    def __init__(self, name: str, screen: Screen) -> None:
        self._title = f"{name} observed"
        self._screen = screen
        self._history = History()
        screen.start()
        screen.show(Frame(self._title))

    def interval(self, interval: Interval) -> None:
        """An interval ended."""
        found = list(series(interval))
        devices = by_device(found)
        self._screen.show(
            Frame(
                self._title,
                f"for {clock(round(interval.done_s))}",
                devices=tuple(
                    Device(name, "", self._history.gauges(name, on)) for name, on in devices.items()
                ),
                listing=Listing(_HEADINGS, tuple(map(_row, found))),
                at_s=interval.done_s,
                interval_s=interval_s(found),
            )
        )

    def warn(self, message: str) -> None:
        """Show something that the user should know at once."""
        self._screen.warn(message)


def _row(one: Series) -> tuple[str, ...]:
    return (
        f"{one.device} {one.op}",
        f"{one.iops:,.0f}",
        f"{one.mib_per_s:,.1f}",
        "-" if one.mean_us is None else latency(one.mean_us),
        "-" if one.p99_us is None else latency(one.p99_us),
        f"{one.depth:,.1f}",
    )
