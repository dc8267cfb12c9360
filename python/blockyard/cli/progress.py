"""Progress bars on standard error; none where that is no terminal."""

import contextlib
import functools
import sys
from collections.abc import Callable, Iterator, Sequence

from rich.console import Console
from rich.progress import (
    BarColumn,
    Progress,
    TaskID,
    TaskProgressColumn,
    TextColumn,
    TimeRemainingColumn,
)

from blockyard.runs import Run


@contextlib.contextmanager
def progress(planned: Sequence[Run]) -> Iterator[list[Callable[[float], None]]]:
    """Show a bar for each run; give what tells each how many seconds are done."""
    bars = Progress(
        TextColumn("{task.description}"),
        BarColumn(),
        TaskProgressColumn(),
        TimeRemainingColumn(),
        console=Console(stderr=True),
        disable=not sys.stderr.isatty(),
        transient=True,
    )
    with bars:
        tasks = [bars.add_task(run.name, total=run.scenario.duration_s) for run in planned]
        yield [functools.partial(_advance, bars, task) for task in tasks]


def _advance(bars: Progress, task: TaskID, done_s: float) -> None:
    bars.update(task, completed=done_s)
