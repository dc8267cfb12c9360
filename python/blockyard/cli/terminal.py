"""The consoles on which tables and displays are drawn."""

import os
import sys
from collections.abc import Iterable, Mapping

from rich.console import Console, ConsoleOptions, RenderableType
from rich.segment import Segment

from blockyard.cli import streams


class _Cleaned(Console):
    """A console that passes its own control characters, but none of the text that it shows."""

    def render(
        self, renderable: RenderableType, options: ConsoleOptions | None = None
    ) -> Iterable[Segment]:
        for segment in super().render(renderable, options):
            yield (
                segment if segment.control else segment._replace(text=streams.cleaned(segment.text))
            )


def on_stdout() -> Console:
    """The console for results."""
    return _Cleaned(file=streams.drawn_on(sys.stdout), highlight=False, _environ=_environment())


def on_stderr() -> Console:
    """The console for displays, without colours if NO_COLOR asks for that."""
    return _Cleaned(
        file=streams.drawn_on(sys.stderr), stderr=True, highlight=False, _environ=_environment()
    )


def _environment() -> Mapping[str, str]:
    """The environment without a size of 0: as on a terminal, that means that it is not known."""
    return {
        name: value
        for name, value in os.environ.items()
        if name not in ("COLUMNS", "LINES") or value.strip("0")
    }


def can_redraw(console: Console) -> bool:
    """Whether lines can be overwritten: neither in a file or pipe nor with TERM=dumb.

    FORCE_COLOR makes the console treat a pipe as a terminal, but it only asks for colours.
    """
    return sys.stderr.isatty() and not console.is_dumb_terminal
