"""How far a sweep is, on standard error; a bar only where that is a terminal."""

import contextlib
from collections.abc import Iterator

from rich.progress import BarColumn, MofNCompleteColumn, Progress, TaskID, TextColumn

from blockyard.cli import files, terminal
from blockyard.sweeps import making, words
from blockyard.sweeps.dispatch import Progress as Done
from blockyard.text.formatting import duration


@contextlib.contextmanager
def progress(name: str) -> Iterator[making.View]:
    """Show how many runs are done, and the time left."""
    console = terminal.on_stderr()
    bars = Progress(
        TextColumn("{task.description}"),
        BarColumn(),
        MofNCompleteColumn(),
        TextColumn("{task.fields[left]}"),
        console=console,
        disable=not terminal.can_redraw(console),
        transient=True,
    )
    with bars:
        yield _Bar(bars, bars.add_task(name, total=None, left=""))


class _Bar(making.View):
    def __init__(self, bars: Progress, task: TaskID) -> None:
        self._bars = bars
        self._task = task

    def estimated(self, ahead: making.Estimate) -> None:
        files.warn([words.estimate(ahead)])

    def progressed(self, progress: Done) -> None:
        left = f"{duration(progress.left_s)} left" if progress.each_s else ""
        self._bars.update(self._task, total=progress.total, completed=progress.done, left=left)
