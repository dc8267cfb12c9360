"""What a run on real storage shows on standard error while it goes on."""

import contextlib
import sys
from collections.abc import Iterator

from rich.console import RenderableType
from rich.live import Live
from rich.progress_bar import ProgressBar
from rich.table import Table
from rich.text import Text

from blockyard._core import Interval
from blockyard.cli import columns, terminal
from blockyard.cli.interval import series, step
from blockyard.cli.screen.bench import BenchScreen
from blockyard.cli.screen.display import Screen
from blockyard.runs.execution import RunSpec
from blockyard.runs.observer import Observer
from blockyard.text.formatting import clock, latency


class Warnings(Observer):
    """Without a terminal: only warnings, one per line."""

    def warn(self, message: str) -> None:
        """Print something that the user should know at once."""
        print(f"blockyard: {message}", file=sys.stderr)  # noqa: T201


class _Lines(Observer):
    """A line for each job, device and operation, and one for the time left."""

    def __init__(self, run: RunSpec, display: Live) -> None:
        self._run = run
        self._display = display

    def prepared(self, device: str, done: int, of: int) -> None:
        line = Table.grid(padding=(0, 1))
        line.add_row(
            f"{self._run.name}: writing {device} through",
            ProgressBar(total=of, completed=done, width=30),
            f"{done / 2**30:,.1f} of {of / 2**30:,.1f} GiB",
        )
        self._display.update(line)

    def interval(self, interval: Interval) -> None:
        self._display.update(_lines(self._run, interval, self._display.console.width))

    def warn(self, message: str) -> None:
        self._display.console.print(f"blockyard: {message}", style="bold", soft_wrap=True)


def _lines(run: RunSpec, interval: Interval, width: int) -> RenderableType:
    rows = [
        (
            one.name,
            f"{one.iops:,.0f} IOPS",
            f"{one.mib_per_s:,.1f} MiB/s",
            "p99 -" if one.p99_us is None else f"p99 {latency(one.p99_us)}",
            f"depth {one.depth:.1f}",
        )
        for one in series(interval)
    ]
    names = ("job", "IOPS", "MiB/s", "p99", "depth")
    places = columns.kept(names, rows, width, ("depth", "MiB/s"))
    table = Table(box=None, pad_edge=False, show_header=False, padding=(0, columns.GAP, 0, 0))
    table.add_column(no_wrap=True, overflow="ellipsis")
    for _ in places[1:]:
        table.add_column(justify="right", no_wrap=True)
    for row in rows:
        table.add_row(*(row[place] for place in places))
    which = step(run.scenario.step_starts_s, interval.done_s)
    left = clock(round(run.scenario.duration_s - interval.done_s))
    head = Text(f"{run.name}: {which}{left} left", style="bold")
    grid = Table.grid()
    grid.add_row(head)
    grid.add_row(table)
    return grid


@contextlib.contextmanager
def live(run: RunSpec, *, full_screen: bool) -> Iterator[Observer]:
    """Show a run on standard error; only its warnings where that is no terminal."""
    console = terminal.on_stderr()
    if not terminal.can_redraw(console):
        yield Warnings()
    elif full_screen:
        with Screen(console) as screen:
            yield BenchScreen(run, screen)
    else:
        with Live(console=console, transient=True, refresh_per_second=4) as display:
            yield _Lines(run, display)
