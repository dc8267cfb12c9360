"""What an observation shows on standard error while it goes on."""

import contextlib
from collections.abc import Iterator
from dataclasses import dataclass
from typing import TYPE_CHECKING

from rich.live import Live
from rich.table import Table

from blockyard._core import Interval
from blockyard.cli import columns, terminal
from blockyard.cli.interval import Series, series
from blockyard.cli.live_display import Warnings
from blockyard.cli.screen.display import Screen
from blockyard.cli.screen.observe import ObserveScreen
from blockyard.runs.observer import Observer
from blockyard.text.formatting import clock, latency

if TYPE_CHECKING:
    from blockyard.service.metrics import Metrics

_HEADINGS = ("IOPS", "MiB/s", "latency", "depth")


class _Lines(Observer):
    """A line for each device and operation."""

    def __init__(self, display: Live) -> None:
        self._display = display

    def interval(self, interval: Interval) -> None:
        self._display.update(_lines(interval, self._display.console.width))

    def warn(self, message: str) -> None:
        self._display.console.print(f"blockyard: {message}", style="bold", soft_wrap=True)


def _lines(interval: Interval, width: int) -> Table:
    headings = (f"observed for {clock(round(interval.done_s))}", *_HEADINGS)
    rows = [_row(one) for one in series(interval)]
    places = columns.kept(headings, rows, width, ("depth", "MiB/s"))
    table = Table(box=None, pad_edge=False, padding=(0, columns.GAP, 0, 0))
    table.add_column(headings[0], no_wrap=True, overflow="ellipsis")
    for place in places[1:]:
        table.add_column(headings[place], justify="right", no_wrap=True)
    for row in rows:
        table.add_row(*(row[place] for place in places))
    return table


def _row(one: Series) -> tuple[str, ...]:
    return (
        f"{one.device} {one.op}",
        f"{one.iops:,.0f}",
        f"{one.mib_per_s:,.1f}",
        "-" if one.mean_us is None else latency(one.mean_us),
        f"{one.depth:.1f}",
    )


@dataclass(frozen=True)
class _Measured(Observer):
    """Serves metrics, and passes everything on."""

    view: Observer
    metrics: "Metrics"

    def interval(self, interval: Interval) -> None:
        self.metrics.update(interval.done_s, interval.so_far())
        self.view.interval(interval)

    def warn(self, message: str) -> None:
        self.view.warn(message)


@contextlib.contextmanager
def live(
    name: str = "", address: str | None = None, *, full_screen: bool = False
) -> Iterator[Observer]:
    """Show each interval on standard error; only warnings where that is no terminal.

    With an address, serve metrics there.
    """
    console = terminal.on_stderr()
    with contextlib.ExitStack() as stack:
        sink: Metrics | None = None
        if address:
            # This needs a library that nothing else does.
            from blockyard.service import metrics

            sink = stack.enter_context(metrics.serve(address))
        view: Observer = Warnings()
        if terminal.can_redraw(console) and full_screen:
            view = ObserveScreen(name, stack.enter_context(Screen(console)))
        elif terminal.can_redraw(console):
            display = Live(console=console, transient=True, refresh_per_second=4)
            view = _Lines(stack.enter_context(display))
        yield _Measured(view, sink) if sink else view
