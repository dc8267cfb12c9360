"""What an observation shows on standard error while it goes on."""

import contextlib
from collections.abc import Iterator

from rich.live import Live
from rich.table import Table

from blockyard._core import Interval
from blockyard.cli import columns, terminal
from blockyard.cli.interval import Series, series
from blockyard.cli.live_display import Warnings
from blockyard.runs.observer import Observer
from blockyard.text.formatting import clock, latency

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


@contextlib.contextmanager
def live() -> Iterator[Observer]:
    """Show each interval on standard error; only warnings where that is no terminal."""
    console = terminal.on_stderr()
    if not terminal.can_redraw(console):
        yield Warnings()
        return
    with Live(console=console, transient=True, refresh_per_second=4) as display:
        yield _Lines(display)
