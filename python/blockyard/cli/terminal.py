"""What the terminal, file or pipe that is written to can take."""

import codecs
import io
import sys

from rich.console import Console

# For encodings other than Unicode's: one character each, so that tables stay aligned.
_STAND_INS = {"µ": "u", "…": "~"}


def write_anyway() -> None:
    """Have what an encoding lacks written as something near, or `?`, not end the command."""
    codecs.register_error("near", _near)
    for stream in (sys.stdout, sys.stderr):
        if isinstance(stream, io.TextIOWrapper):
            stream.reconfigure(errors="near")


def _near(error: UnicodeError) -> tuple[str, int]:
    if not isinstance(error, UnicodeEncodeError):
        raise error
    lacking = error.object[error.start : error.end]
    return "".join(_STAND_INS.get(one, "?") for one in lacking), error.end


def on_stderr() -> Console:
    """What displays are drawn on. Without colours where NO_COLOR asks for that."""
    return Console(stderr=True, highlight=False)


def can_redraw(console: Console) -> bool:
    """Whether lines can be overwritten: neither in a file or pipe nor with TERM=dumb.

    FORCE_COLOR makes the console take a pipe for a terminal, but asks only for colours.
    """
    return sys.stderr.isatty() and not console.is_dumb_terminal
