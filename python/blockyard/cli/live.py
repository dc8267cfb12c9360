"""What a run on real storage shows on standard error while it goes on."""

import contextlib
import sys
from bisect import bisect
from collections.abc import Iterator

from rich.console import Console, RenderableType
from rich.live import Live
from rich.progress_bar import ProgressBar
from rich.table import Table
from rich.text import Text

from blockyard import summary
from blockyard.bench import Row, View
from blockyard.runs import Run
from blockyard.tables import INTERVALS

_COLUMNS = INTERVALS.names


class _Quiet:
    """No terminal: only warnings, each a line."""

    def prepared(self, device: str, done: int, of: int) -> None:
        pass

    def interval(self, done_s: float, job_rows: list[Row]) -> None:
        pass

    def warn(self, message: str) -> None:
        print(f"blockyard: {message}", file=sys.stderr)  # noqa: T201


class _Lines:
    """A line for each job, device and operation, and one for the time left."""

    def __init__(self, run: Run, display: Live) -> None:
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

    def interval(self, done_s: float, job_rows: list[Row]) -> None:
        self._display.update(_screen(self._run, done_s, job_rows))

    def warn(self, message: str) -> None:
        self._display.console.print(f"blockyard: {message}", style="bold", soft_wrap=True)


def _screen(run: Run, done_s: float, job_rows: list[Row]) -> RenderableType:
    rows = [dict(zip(_COLUMNS, row, strict=True)) for row in job_rows]
    table = Table(box=None, pad_edge=False, show_header=False, padding=(0, 2, 0, 0))
    table.add_column(no_wrap=True, overflow="ellipsis")
    for _ in range(4):
        table.add_column(justify="right", no_wrap=True)
    for row in rows:
        length_s = done_s - float(str(row["t_s"]))
        if row["op"] == "flush" or length_s <= 0:
            continue
        p99 = row["latency_p99_us"]
        table.add_row(
            f"{row['job']} {row['op']} {row['device']}",
            f"{int(str(row['ios'])) / length_s:,.0f} IOPS",
            f"{int(str(row['bytes'])) / length_s / 2**20:,.1f} MiB/s",
            "p99 -" if p99 is None else f"p99 {summary.milliseconds(float(str(p99)))}",
            f"depth {float(str(row['queue_depth'])):.1f}",
        )
    left = max(0, round(run.scenario.duration_s - done_s))
    head = Text(f"{run.name}: {_step(run, done_s)}{left // 60}:{left % 60:02} left", style="bold")
    grid = Table.grid()
    grid.add_row(head)
    grid.add_row(table)
    return grid


def _step(run: Run, done_s: float) -> str:
    """Which load step runs; nothing where there is only one."""
    starts = run.scenario.step_starts_s
    return f"step {bisect(starts, done_s)} of {len(starts)}, " if len(starts) > 1 else ""


@contextlib.contextmanager
def live(run: Run) -> Iterator[View]:
    """Show a run on standard error; only its warnings where that is no terminal."""
    console = Console(stderr=True, highlight=False)
    if not console.is_terminal:
        yield _Quiet()
        return
    with Live(console=console, transient=True, refresh_per_second=4) as display:
        yield _Lines(run, display)
