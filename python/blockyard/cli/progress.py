"""Progress bars on standard error; none where that is no terminal."""

import contextlib
import functools
from collections.abc import Callable, Iterator, Sequence

from rich.progress import (
    BarColumn,
    Progress,
    TaskID,
    TaskProgressColumn,
    TextColumn,
    TimeRemainingColumn,
)

from blockyard.cli import terminal
from blockyard.execution import Planned


@contextlib.contextmanager
def progress(planned: Sequence[Planned]) -> Iterator[list[Callable[[float], None]]]:
    """Show a bar for each run; give what tells each how many seconds are done."""
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
        tasks = [bars.add_task(run.name, total=run.scenario.duration_s) for run in planned]
        yield [functools.partial(_advance, bars, task) for task in tasks]


def _advance(bars: Progress, task: TaskID, done_s: float) -> None:
    bars.update(task, completed=done_s)
