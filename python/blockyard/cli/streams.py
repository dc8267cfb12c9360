"""Standard output and error as the command needs them, whatever they are.

What cannot be written to standard output is an `OutputError`, which ends the command where
calls end. What cannot be written to standard error is lost: a run goes on without being
watched. No control character that a name or a message brings along reaches a terminal.
"""

import codecs
import errno
import io
import os
import re
import sys
from typing import TYPE_CHECKING, TextIO

if TYPE_CHECKING:
    from _typeshed import ReadableBuffer

# For encodings other than Unicode's: one character each, so that tables stay aligned.
_STAND_INS = {"µ": "u", "…": "~", "\N{REPLACEMENT CHARACTER}": "?"}

# What moves the cursor, sets titles or turns the direction of writing. Lines and tabs stay.
_CONTROL = re.compile("[\x00-\x08\x0b-\x1f\x7f-\x9f\u202a-\u202e\u2066-\u2069]")


class OutputError(Exception):
    """Standard output takes no more."""

    def __init__(self, reason: OSError) -> None:
        super().__init__(f"standard output: {reason.strerror}")
        # Whether a reader has gone away, as `head` does: no one is left to miss anything.
        self.reader_is_gone = reason.errno == errno.EPIPE


class _Output(io.FileIO):
    """Standard output as bytes."""

    def write(self, data: "ReadableBuffer") -> int:
        try:
            return super().write(data)
        except OSError as error:
            raise OutputError(error) from error


class _Diagnostics(io.FileIO):
    """Standard error as bytes."""

    def write(self, data: "ReadableBuffer") -> int:
        try:
            return super().write(data)
        except OSError:
            return memoryview(data).nbytes


class _Text(io.TextIOWrapper):
    """A stream that control characters do not pass."""

    def __init__(self, raw: io.FileIO, encoding: str, *, by_line: bool) -> None:
        shared = io.BufferedWriter(raw)
        super().__init__(
            shared, encoding, errors="near", write_through=True, line_buffering=by_line
        )
        # For displays, which move the cursor themselves and clean what they show.
        self.drawn_on = io.TextIOWrapper(shared, encoding, errors="near", write_through=True)

    def write(self, text: str) -> int:
        return super().write(cleaned(text))


def take() -> None:
    """Put these in the place of Python's streams."""
    # What is closed is opened, or the next file would become standard output or error. It
    # cannot be written to, so that a result that goes nowhere is noticed.
    for number in range(3):
        try:
            os.fstat(number)
        except OSError:
            os.set_inheritable(os.open(os.devnull, os.O_RDONLY), True)
    codecs.register_error("near", _near)
    output, diagnostics = _Output(1, "w", closefd=False), _Diagnostics(2, "w", closefd=False)
    sys.stdout = _text(sys.stdout, output, by_line=output.isatty())
    # What goes wrong is said when it does, not when the run ends.
    sys.stderr = _text(sys.stderr, diagnostics, by_line=True)


def _text(before: TextIO | None, raw: io.FileIO, *, by_line: bool) -> _Text:
    # Where there was none, Python has not asked for an encoding.
    return _Text(raw, before.encoding if before else "utf-8", by_line=by_line)


def drawn_on(stream: TextIO) -> TextIO:
    """What displays write to, in place of a standard stream."""
    found: TextIO = getattr(stream, "drawn_on", stream)
    return found


def cleaned(text: str) -> str:
    """A text whose control characters, but for lines and tabs, have something in their place."""
    return _CONTROL.sub("\N{REPLACEMENT CHARACTER}", text)


def say(text: str, end: str = "\n") -> None:
    """Print to standard output. Raises OutputError if it takes no more."""
    sys.stdout.write(text + end)
    sys.stdout.flush()


def settle() -> None:
    """Write what is still in memory. Raises OutputError; what was lost is not tried again."""
    try:
        sys.stdout.flush()
    except OutputError:
        nowhere = os.open(os.devnull, os.O_WRONLY)
        os.dup2(nowhere, 1)
        os.close(nowhere)
        raise


def _near(error: UnicodeError) -> tuple[str, int]:
    """What an encoding lacks is written as something near, or `?`, and does not end the command."""
    if not isinstance(error, UnicodeEncodeError):
        raise error
    lacking = error.object[error.start : error.end]
    return "".join(_STAND_INS.get(one, "?") for one in lacking), error.end
