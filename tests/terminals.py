"""A terminal of a given size running `blockyard`, as a person sees it."""

import contextlib
import fcntl
import os
import pty
import re
import select
import struct
import subprocess
import sys
import termios
import time
from collections.abc import Callable, Iterator, Sequence
from pathlib import Path

import pyte

# Anything must be shown within this time, however busy the machine is.
PATIENCE_S = 60

# The switch to the alternate screen and back, which pyte does not know.
_SWITCH = re.compile(rb"\x1b\[\?1049([hl])")

COLOURS = re.compile(rb"\x1b\[(?:\d+;)*(?:3\d|4\d|9\d|10\d)(?:;\d+)*m")


class Terminal:
    """The screen of a command that runs in a terminal."""

    def __init__(self, columns: int, lines: int) -> None:
        self._main = pyte.Screen(columns, lines)
        self._other = pyte.Screen(columns, lines)
        self._streams = {screen: pyte.ByteStream(screen) for screen in (self._main, self._other)}
        # All output.
        self.written = b""
        self.is_full_screen = False
        self._process: subprocess.Popen[bytes] | None = None
        self._master, self._slave = pty.openpty()
        self.resize(columns, lines)

    def resize(self, columns: int, lines: int) -> None:
        """Resize the window."""
        size = struct.pack("HHHH", lines, columns, 0, 0)
        fcntl.ioctl(self._master, termios.TIOCSWINSZ, size)
        for screen in self._streams:
            screen.resize(lines, columns)

    @contextlib.contextmanager
    def running(
        self, *arguments: object, folder: Path, environment: dict[str, str] | None = None
    ) -> Iterator[subprocess.Popen[bytes]]:
        """The command in this terminal; it is ended afterwards if it still runs."""
        unset = ("NO_COLOR", "FORCE_COLOR", "COLUMNS", "LINES")
        inherited = {name: value for name, value in os.environ.items() if name not in unset}
        process = subprocess.Popen(
            [sys.executable, "-m", "blockyard", *map(str, arguments)],
            cwd=folder,
            stdin=self._slave,
            stdout=self._slave,
            stderr=self._slave,
            start_new_session=True,
            preexec_fn=lambda: fcntl.ioctl(0, termios.TIOCSCTTY, 0),
            env=inherited | {"TERM": "xterm-256color", "LANG": "C.UTF-8"} | (environment or {}),
        )
        self._process = process
        try:
            yield process
        finally:
            process.kill()
            process.wait()
            os.close(self._slave)
            os.close(self._master)

    def type(self, keys: bytes) -> None:
        """Press keys; ^C reaches the command as SIGINT."""
        os.write(self._master, keys)

    @property
    def shown(self) -> list[str]:
        """The lines of the screen, without blanks at their ends."""
        screen = self._other if self.is_full_screen else self._main
        return [line.rstrip() for line in screen.display]

    @property
    def text(self) -> str:
        """The lines of the screen as one text."""
        return "\n".join(self.shown)

    @property
    def cursor_is_hidden(self) -> bool:
        """Whether there is no cursor on the main screen."""
        return self._main.cursor.hidden

    def until(self, found: Callable[[], object]) -> None:
        """Wait until a text is shown or a condition holds."""
        deadline = time.monotonic() + PATIENCE_S
        while not found():
            assert time.monotonic() < deadline, f"not within {PATIENCE_S} s:\n{self.text}"
            more = self._read(0.1)
            gone = self._process is not None and self._process.poll() is not None
            assert more or not gone or found(), f"the command has ended:\n{self.text}"

    def ended(self, process: subprocess.Popen[bytes]) -> int:
        """Wait for the command's end; return its exit status."""
        self.until(lambda: process.poll() is not None)
        while self._read(0.1):
            pass
        return process.returncode

    def _read(self, patience_s: float) -> bool:
        if not select.select([self._master], [], [], patience_s)[0]:
            return False
        piece = os.read(self._master, 1 << 16)
        self.written += piece
        self._draw(_SWITCH.split(piece))
        return True

    def _draw(self, parts: Sequence[bytes]) -> None:
        """Texts and, between them, `h` or `l` for a switch of the screen."""
        for number, part in enumerate(parts):
            if number % 2:
                self.is_full_screen = part == b"h"
                continue
            # Both screens share the cursor's visibility.
            screen = self._other if self.is_full_screen else self._main
            self._streams[screen].feed(part)
            self._main.cursor.hidden = screen.cursor.hidden
