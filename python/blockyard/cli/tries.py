"""What is being tried, on standard error; nothing if that is no terminal."""

import contextlib
from collections.abc import Iterator

from rich.progress import Progress, SpinnerColumn, TextColumn, TimeElapsedColumn

from blockyard.cli import terminal
from blockyard.runs.observer import Tried
from blockyard.text.formatting import number


@contextlib.contextmanager
def tries(what: str) -> Iterator[Tried]:
    """Show what was tried last and how much of what may be simulated that took."""
    console = terminal.on_stderr()
    shown = Progress(
        SpinnerColumn(),
        TextColumn("{task.description}"),
        TimeElapsedColumn(),
        console=console,
        disable=not terminal.can_redraw(console),
        transient=True,
    )
    with shown:
        task = shown.add_task(f"{what}: simulating", total=None)

        def tried(last: str, ios: int, most_ios: int) -> None:
            said = f"{what}: {last}, {number(ios)} of at most {number(most_ios)} IOs"
            shown.update(task, description=said)

        yield tried
