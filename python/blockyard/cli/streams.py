"""Standard output and error as the command needs them, whatever they are.

If standard output cannot be written to, an `OutputError` ends the command in the one place
where calls end. What cannot be written to standard error is lost: a run goes on unwatched. No
control character in a name or a message reaches a terminal.
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

# For encodings other than Unicode: one character each, so that tables stay aligned.
_STAND_INS = {"µ": "u", "…": "~", "\N{REPLACEMENT CHARACTER}": "?"}

# Characters that move the cursor, set titles or change the writing direction. Line breaks and
# tabs are kept.
_CONTROL = re.compile("[\x00-\x08\x0b-\x1f\x7f-\x9f\u202a-\u202e\u2066-\u2069]")


class OutputError(Exception):
    """Standard output can no longer be written to."""

    def __init__(self, reason: OSError) -> None:
        super().__init__(f"standard output: {reason.strerror}")
        # Whether the reader has gone away, as `head` does: then nobody is left to miss
        # anything.
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
    """A stream that replaces control characters."""

    def __init__(self, raw: io.FileIO, encoding: str, *, by_line: bool) -> None:
        shared = io.BufferedWriter(raw)
        super().__init__(
            shared, encoding, errors="near", write_through=True, line_buffering=by_line
        )
        # For displays, which move the cursor themselves and clean the text that they show.
        self.drawn_on = io.TextIOWrapper(shared, encoding, errors="near", write_through=True)

    def write(self, text: str) -> int:
        return super().write(cleaned(text))


def take() -> None:
    """Put these in place of Python's streams."""
    # A closed stream is opened, or the next file would become standard output or error. It is
    # not writable, so that the loss of a result is noticed.
    for number in range(3):
        try:
            os.fstat(number)
        except OSError:
            os.set_inheritable(os.open(os.devnull, os.O_RDONLY), True)
    codecs.register_error("near", _near)
    output, diagnostics = _Output(1, "w", closefd=False), _Diagnostics(2, "w", closefd=False)
    sys.stdout = _text(sys.stdout, output, by_line=output.isatty())
    # Errors are reported when they happen, not when the run ends.
    sys.stderr = _text(sys.stderr, diagnostics, by_line=True)


def _text(before: TextIO | None, raw: io.FileIO, *, by_line: bool) -> _Text:
    # If there was no stream, Python has determined no encoding.
    return _Text(raw, before.encoding if before else "utf-8", by_line=by_line)


def drawn_on(stream: TextIO) -> TextIO:
    """The stream that displays write to in place of a standard stream."""
    found: TextIO = getattr(stream, "drawn_on", stream)
    return found


def cleaned(text: str) -> str:
    """A text with its control characters, other than line breaks and tabs, replaced."""
    return _CONTROL.sub("\N{REPLACEMENT CHARACTER}", text)


def say(text: str, end: str = "\n") -> None:
    """Print to standard output. Raises OutputError if it can no longer be written to."""
    sys.stdout.write(text + end)
    sys.stdout.flush()


def settle() -> None:
    """Write what is still in memory. Raises OutputError; lost output is not written again."""
    try:
        sys.stdout.flush()
    except OutputError:
        nowhere = os.open(os.devnull, os.O_WRONLY)
        os.dup2(nowhere, 1)
        os.close(nowhere)
        raise


def _near(error: UnicodeError) -> tuple[str, int]:
    """Replace characters that an encoding lacks by similar ones or `?`, without an error."""
    if not isinstance(error, UnicodeEncodeError):
        raise error
    lacking = error.object[error.start : error.end]
    return "".join(_STAND_INS.get(one, "?") for one in lacking), error.end
