"""The terminal's alternate screen, used while a run goes on."""

import os
import signal
import sys
from dataclasses import replace
from typing import Self

from rich.console import Console
from rich.live import Live

from blockyard.cli.screen.drawing import Drawing
from blockyard.cli.screen.frame import Frame


class Screen:
    """Shows frames from `start` on, and restores the terminal at the end.

    Warnings join the log, and are repeated below the command once the screen is gone.
    Ctrl-Z restores the terminal until the command continues.
    """

    def __init__(self, console: Console) -> None:
        self._frame = Frame(title="")
        self._warnings: list[tuple[float, str]] = []
        self._live = Live(
            Drawing(self._frame),
            console=console,
            screen=True,
            refresh_per_second=4,
            redirect_stdout=False,
            redirect_stderr=False,
        )

    def start(self) -> None:
        """Switch to the alternate screen."""
        self._live.start()

    def show(self, frame: Frame) -> None:
        """Show `frame`, which the next refresh draws, at most a quarter of a second later."""
        self._frame = frame
        log = sorted((*frame.events, *self._warnings), key=lambda event: event[0])
        self._live.update(Drawing(replace(frame, events=tuple(log))))

    def warn(self, message: str) -> None:
        """Add something that the user should know to the log."""
        self._warnings.append((self._frame.at_s, message))
        self.show(self._frame)

    def _suspend(self, *_: object) -> None:
        taken = self._live.is_started
        self._live.stop()
        os.kill(os.getpid(), signal.SIGSTOP)
        if taken:
            self._live.start(refresh=True)

    def __enter__(self) -> Self:
        """Return the display, which is not shown yet."""
        self._previous = signal.signal(signal.SIGTSTP, self._suspend)
        return self

    def __exit__(self, *why: object) -> None:
        """Restore the terminal."""
        signal.signal(signal.SIGTSTP, self._previous)
        self._live.stop()
        for _, message in self._warnings:
            print(f"blockyard: {message}", file=sys.stderr)  # noqa: T201
