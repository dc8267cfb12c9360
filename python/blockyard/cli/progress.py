"""Progress bars on standard error; none if that is no terminal."""

import contextlib
from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from rich.progress import (
    BarColumn,
    Progress,
    TaskID,
    TaskProgressColumn,
    TextColumn,
    TimeRemainingColumn,
)

from blockyard._core import Interval
from blockyard.cli import terminal
from blockyard.runs.execution import RunSpec
from blockyard.runs.observer import Observer


@contextlib.contextmanager
def progress(runs: Sequence[RunSpec]) -> Iterator[Sequence[Observer]]:
    """Show a bar for each run; give what looks on at each."""
    console = terminal.on_stderr()
    bars = Progress(
        TextColumn("{task.description}"),
        BarColumn(),
        TaskProgressColumn(),
        TimeRemainingColumn(),
        console=console,
        disable=not terminal.can_redraw(console),
        transient=True,
    )
    with bars:
        tasks = [bars.add_task(run.name, total=run.scenario.duration_s) for run in runs]
        yield [_Bar(bars, task) for task in tasks]


@dataclass(frozen=True)
class _Bar(Observer):
    """A bar that advances with its run."""

    bars: Progress
    task: TaskID

    def interval(self, interval: Interval) -> None:
        self.bars.update(self.task, completed=interval.done_s)
