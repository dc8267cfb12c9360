"""What a service shows while it runs."""

import contextlib
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import Protocol, TextIO

from rich.live import Live
from rich.table import Table

from blockyard._core import Interval
from blockyard.cli import columns, terminal
from blockyard.cli.live_display import Warnings
from blockyard.cli.screen.display import Screen
from blockyard.cli.screen.emulate import EmulateScreen
from blockyard.cli.streams import OutputError
from blockyard.runs.observer import Observer, Served
from blockyard.text.formatting import clock
from blockyard.types.so_far import SoFar
from blockyard.types.status import Status, VolumeStatus


class _Sink(Protocol):
    def update(
        self, uptime_s: float, devices: Sequence[SoFar], volumes: Sequence[VolumeStatus]
    ) -> None: ...


class _Lines(Warnings):
    """A line for each volume."""

    def __init__(self, name: str, display: Live) -> None:
        self._name = name
        self._display = display

    def interval(self, interval: Interval) -> None:
        if status := interval.status():
            width = self._display.console.width
            self._display.update(_lines(self._name, interval.done_s, status, width))


@dataclass(frozen=True)
class _Serving(Observer):
    """Prints on `ready` where each device is, and passes on everything else.

    If the terminal goes away, a signal ends the service, and its run is kept: that it can no
    longer be shown is no reason to lose it.
    """

    ready: TextIO
    view: Observer
    metrics: _Sink | None

    def serving(self, devices: list[Served]) -> None:
        # The service is up whether or not anyone reads this. If it cannot be written, the
        # summary cannot either, and the call then ends with that error.
        with contextlib.suppress(OutputError):
            for name, place, size, backing in devices:
                print(f"{name}: {place} ({size}, {backing})", file=self.ready, flush=True)
        self.view.serving(devices)

    def interval(self, interval: Interval) -> None:
        if self.metrics and (status := interval.status()):
            self.metrics.update(status["uptime_s"], status["devices"], status["volumes"])
        with contextlib.suppress(OSError):
            self.view.interval(interval)

    def warn(self, message: str) -> None:
        with contextlib.suppress(OSError):
            self.view.warn(message)


def _lines(name: str, done_s: float, status: Status, width: int) -> Table:
    headings = (f"{name}, up {clock(round(done_s))}", "IOPS", "MiB/s", "burst", "throttled by")
    rows = [
        (
            volume["name"],
            f"{volume['iops']:,.0f}",
            f"{volume['mib_per_s']:,.1f}",
            "" if volume["balance_pct"] is None else f"{volume['balance_pct']:.1f}%",
            volume["throttled_by"] or "",
        )
        for volume in status["volumes"]
    ]
    table = Table(box=None, pad_edge=False, padding=(0, columns.GAP, 0, 0), title=None)
    places = columns.kept(headings, rows, width, ("MiB/s", "burst"))
    widest = [max(map(len, column)) for column in zip(headings, *rows, strict=True)]
    # If space is short, names are cut but figures are not.
    room = width - sum(widest[place] + columns.GAP for place in places[1:])
    table.add_column(headings[0], no_wrap=True, overflow="ellipsis", max_width=max(4, room))
    for place in places[1:]:
        table.add_column(headings[place], justify="right", no_wrap=True, min_width=widest[place])
    for row in rows:
        table.add_row(*(row[place] for place in places))
    return table


@contextlib.contextmanager
def serving(
    name: str, ready: TextIO, address: str | None, *, full_screen: bool
) -> Iterator[Observer]:
    """Show where a service is on `ready`, and how it is doing on standard error if a terminal."""
    console = terminal.on_stderr()
    with contextlib.ExitStack() as stack:
        sink: _Sink | None = None
        if address:
            # This needs a library that nothing else does.
            from blockyard.service import metrics

            sink = stack.enter_context(metrics.serve(address))
        view: Observer = Warnings()
        if terminal.can_redraw(console) and full_screen:
            view = EmulateScreen(name, stack.enter_context(Screen(console)))
        elif terminal.can_redraw(console):
            display = Live(console=console, transient=True, refresh_per_second=4)
            view = _Lines(name, stack.enter_context(display))
        yield _Serving(ready, view, sink)
